"""A network of one's own, with a mistake in it first."""

import tempfile
from pathlib import Path

import hickam

TEXT = """\
hickam: 1
name: Printer
diseases:
  - {id: paper_jam, leak: 1 in 20}
  - {id: toner_empty, leak: 0.08}
findings:
  - {id: no_output, leak: 0.01, causes: {paper_jam: always, tonr_empty: occasional}}
  - {id: pale_print, leak: rare, causes: {toner_empty: very frequent}}
"""

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "printer.yaml"
    path.write_text(TEXT)
    try:
        hickam.load(path)
    except hickam.InvalidInput as problem:
        print("refused:", problem.issues[0].where, problem.issues[0].fix)

    path.write_text(TEXT.replace("tonr_empty", "toner_empty"))
    network = hickam.load(path)

dx = hickam.diagnose(network, hickam.Case(present=["no output"], absent=["pale print"]))
print(dx[0].disease, f"{dx[0].score:.2f}", dict(dx[0].explains))
