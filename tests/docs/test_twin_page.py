"""The page on general models: its file loads and its question has an answer."""

import re
from pathlib import Path

import pytest
import ryaml

import hickam
from hickam.model.scm_build import build_scm
from hickam.report.pictures import draw
from hickam.report.pictures_svg import to_svg

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def model():
    text = (DOCS / "twin.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, flags=re.DOTALL)
    found, issues = build_scm(ryaml.loads(block))
    assert issues == []
    return found


def test_the_file_of_the_page_is_a_model_with_answers(model):
    answer = hickam.query(
        model, {"cough": True, "fever": True}, {"infection": False}, {"cough": False}
    )
    assert 0.0 < answer.probability < 1.0
    assert answer[0].status == "monotone"


@pytest.mark.parametrize("stage", ["before", "after"])
def test_the_pictures_of_the_page_are_what_the_command_draws(model, stage):
    case = hickam.Case(present=["fever", "cough"], absent=["sweat"], risks={"smoker": True})
    drawn = to_svg(draw(model, case, "infection", stage=stage))
    assert (DOCS / "pictures" / f"twin-{stage}.svg").read_text(encoding="utf-8") == drawn
