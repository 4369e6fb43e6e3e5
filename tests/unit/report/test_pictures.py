"""Pictures: what they show, and that nothing overlaps."""

import re
import xml.etree.ElementTree as ET

import pytest

import hickam
from hickam.report.pictures import draw
from hickam.report.pictures_layout import lay_out
from hickam.report.pictures_svg import to_svg
from hickam.report.pictures_text import to_dot, to_mermaid

CASE = hickam.Case(
    present=["cough", "fever", "shortness of breath"], absent=["chest pain"], risks={"smoker": True}
)


def picture(stage="after", measure="disablement", most=30):
    return draw(hickam.load("clinic"), CASE, "pneumonia", stage=stage, measure=measure, most=most)


@pytest.mark.parametrize("stage", ["network", "before", "after"])
@pytest.mark.parametrize("measure", ["disablement", "sufficiency"])
def test_no_two_boxes_overlap_and_all_lie_inside(stage, measure):
    layout = lay_out(picture(stage, measure))
    boxes = list(layout.boxes.values())
    for i, a in enumerate(boxes):
        assert a.x - a.width / 2 >= 0
        assert a.x + a.width / 2 <= layout.width
        assert a.y + a.height / 2 <= layout.height
        for b in boxes[i + 1 :]:
            apart = abs(a.x - b.x) >= (a.width + b.width) / 2
            above = abs(a.y - b.y) >= (a.height + b.height) / 2
            assert apart or above, (a.shape.id, b.shape.id)


def test_every_label_fits_its_box():
    for box in lay_out(picture()).boxes.values():
        assert max(map(len, box.lines)) * 6.5 <= box.width
        assert len(box.lines) * 14 <= box.height


def test_arrows_point_down():
    drawn = picture()
    boxes = lay_out(drawn).boxes
    assert all(boxes[cause].y < boxes[effect].y for cause, effect in drawn.arrows)


def test_only_what_the_cure_changes_has_a_dual_after_merging():
    drawn = picture()
    starred = {shape.node for shape in drawn.shapes if shape.label.endswith("*")}
    present = hickam.infer(hickam.load("clinic"), CASE).present
    assert starred == {"pneumonia", *present}


def test_sufficiency_leaves_only_the_disease_shared():
    drawn = picture(measure="sufficiency")
    shared = [shape.node for shape in drawn.shapes if shape.zone == 1]
    assert shared == ["pneumonia"]


def test_before_merging_every_node_has_a_dual():
    drawn = picture("before", most=15)
    factual = {shape.node for shape in drawn.shapes if shape.zone == 0}
    counterfactual = {shape.node for shape in drawn.shapes if shape.zone == 2}
    assert factual == counterfactual


def test_evidence_is_blue_and_the_intervention_red():
    colours = {shape.id: shape.colour for shape in picture().shapes}
    assert colours["pneumonia*"] == "intervention"
    assert colours["smoker"] == "evidence"
    assert colours["pneumonia"] == "plain"


def test_nothing_points_into_an_intervention():
    drawn = picture()
    set_by_hand = {shape.id for shape in drawn.shapes if shape.colour == "intervention"}
    assert not [arrow for arrow in drawn.arrows if arrow[1] in set_by_hand]


def test_what_is_left_out_is_said():
    assert "not drawn" in picture(most=12).note
    assert len(picture("network", most=12).shapes) == 12


@pytest.mark.parametrize("stage", ["network", "before", "after"])
def test_the_svg_is_well_formed_and_shows_every_node(stage):
    drawn = picture(stage, most=15)
    root = ET.fromstring(to_svg(drawn))
    texts = " ".join(element.text or "" for element in root.iter())
    assert all(re.split(r"[ -]", shape.label)[0] in texts for shape in drawn.shapes)


def test_names_with_markup_are_escaped():
    from models import model_of

    model = model_of(
        [
            {"id": "d", "name": 'A <b> & "c"', "role": "disease", "prior": 0.1},
            {"id": "s", "role": "finding", "leak": 0.1, "causes": {"d": 0.5}},
        ]
    )
    drawn = draw(model, hickam.Case(present=["s"]), "d")
    ET.fromstring(to_svg(drawn))
    assert "#quot;" in to_mermaid(drawn)
    assert '\\"c\\"' in to_dot(drawn)


def test_mermaid_and_dot_hold_every_arrow():
    drawn = picture(most=12)
    assert to_mermaid(drawn).count(" --> ") == len(drawn.arrows)
    dot = to_dot(drawn)
    assert dot.count(" -> ") == len(drawn.arrows) + len(drawn.dashes)
    assert dot.count("{") == dot.count("}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"disease": "pneumonai"}, "did you mean 'Pneumonia'"),
        ({"disease": "cough"}, "not a disease"),
        ({"stage": "middle"}, "stage 'middle' is not known"),
        ({"measure": "posterior"}, "has no twin"),
        ({"disease": None}, "needs a disease"),
    ],
)
def test_mistakes_are_refused_clearly(change, said):
    values = {"disease": "pneumonia", "stage": "after", "measure": "disablement", **change}
    with pytest.raises(hickam.InvalidInput, match=said):
        draw(hickam.load("clinic"), CASE, values.pop("disease"), **values)


def test_a_picture_that_had_no_time_for_probabilities_says_so(monkeypatch):
    def refuse(*_args, **options):
        assert options["deadline"] == 0.5
        raise hickam.TooHard([])

    monkeypatch.setattr("hickam.report.pictures.infer", refuse)
    case = hickam.Case(present=["cough", "fever"])
    picture = draw(hickam.load("clinic"), case, "pneumonia", most=10, deadline=0.5)
    assert "without their probabilities for lack of time" in picture.note
