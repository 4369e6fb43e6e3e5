"""Takes docs/pictures/diagnose.png: the Diagnose page on the patient of `make demo`, in Chromium.

python docs/take_pictures.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "edges"))

from browser import CHROMIUM, FLAGS, serving  # noqa: E402

PATIENT = [
    ("n", "clinic"),
    ("p", "chest pain"),
    ("p", "breathlessness"),
    ("p", "sweating"),
    ("a", "fever"),
    ("y", "smoker"),
    ("age", "63"),
    ("sex", "male"),
]
SIZE = {"width": 1200, "height": 1180}


def main() -> None:
    """Take the picture."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(f"{server.address}/?{urlencode(PATIENT)}")
        page.wait_for_selector(".slope")
        page.screenshot(path=HERE / "pictures" / "diagnose.png")
        browser.close()


if __name__ == "__main__":
    main()
