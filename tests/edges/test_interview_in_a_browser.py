"""Interview, record and uploads as a doctor uses them, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Server, moved
from web_app import OWN

import hickam
from hickam.advise.interview import interview

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

START = "n=clinic&p=fever&p=headache&sex=female&age=30"
LONG = "n=clinic&p=fever&p=productive_cough&p=pleuritic_chest_pain&a=runny_nose&y=smoker"
NAMES = ".slope .said, .slope .name, .chips .word"
CUT = f"""() => [...document.querySelectorAll('{NAMES}')].filter((e) => e.checkVisibility()).filter(
  (e) => {{
    const box = e.getBoundingClientRect(), row = e.closest('li').getBoundingClientRect();
    const hidden = e.clientWidth && e.scrollWidth > e.clientWidth + 1;
    return !box.width || hidden || box.right > innerWidth || box.bottom > row.bottom + 1;
  }}).map((e) => e.textContent)"""
WIDTHS = (390, 768, 900, 1024, 1100, 1440)


def question(page: Any) -> str:
    return str(page.inner_text("#question h2"))


def answer(page: Any, key: str) -> None:
    """Press a key and wait until another question, or the end, is shown."""
    before = page.url
    page.keyboard.press(key)
    moved(page, before)


def test_the_page_asks_what_the_library_asks(page: Any) -> None:
    case = hickam.Case(present=["fever", "headache"], sex="female", age=30)
    talk = interview(hickam.load("clinic"), case)
    page.goto(f"/interview?{START}")
    for key, said in (("n", "no"), ("d", "?"), ("d", "?")):
        assert talk.question is not None
        assert question(page) == talk.question.text
        answer(page, key)
        talk = talk.answer(said)
    shown = page.locator(".ranked .name").all_inner_texts()
    expected = [c.name for c in talk.ranked("disablement", 5)]
    assert [name.split("\n")[0].strip() for name in shown][:1] == expected[:1]
    assert len(shown) == len(expected)


def test_an_answer_leads_to_the_next_question_in_one_step_and_can_be_undone(page: Any) -> None:
    page.goto(f"/interview?{START}")
    first = question(page)
    answer(page, "n")
    assert question(page) != first
    assert page.evaluate("document.activeElement.id") == "question-heading"
    answer(page, "u")
    assert question(page) == first
    assert page.locator(".chips.absent li").count() == 0


def test_what_is_not_known_is_remembered_and_not_asked_again(page: Any) -> None:
    page.goto(f"/interview?{START}")
    seen = []
    for _ in range(4):
        seen.append(question(page))
        answer(page, "d")
    assert len(set(seen)) == len(seen)
    assert page.locator(".told strong >> text=not known").count() == 4


def test_the_interview_works_without_script(browser: Any, server: Server) -> None:
    context = browser.new_context(base_url=server.address, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/interview?{START}")
    first = question(page)
    page.click("#question .answers a >> nth=1")
    assert question(page) != first
    page.click(".undo a")
    assert question(page) == first
    context.close()


def test_the_end_gives_its_reason_and_the_way_to_the_record(page: Any) -> None:
    page.goto("/interview?n=smoker&p=chest_pain&p=nausea&k=1000")
    assert question(page) == "Nothing more to ask"
    assert len(page.inner_text(".stop")) > 20
    page.click("text=Summary for the record")
    page.wait_for_url("**/record**")
    assert "chest pain" in page.input_value("#note")


def test_the_note_and_the_file_say_what_the_library_says(page: Any) -> None:
    page.goto(f"/record?{LONG}&sex=male&age=58")
    case = hickam.Case(
        present=["fever", "productive_cough", "pleuritic_chest_pain"],
        absent=["runny_nose"],
        risks={"smoker": True},
        sex="male",
        age=58,
    )
    expected = hickam.diagnose(hickam.load("clinic"), case)
    note = page.input_value("#note")
    assert f"1. {expected[0].name}" in note
    assert "Absent: runny nose" in note
    assert "Triage:" in note
    with page.expect_download() as saved:
        page.click("text=JSON")
    kept = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    assert kept["differential"]["candidates"][0]["disease"] == expected[0].disease
    assert kept["case"]["absent"] == ["runny_nose"]


def test_the_sheet_fits_on_one_page_of_paper(page: Any, tmp_path: Path) -> None:
    page.goto(f"/record?{LONG}&sex=male&age=58&p=fatigue&p=night_sweats&i=%3F:wheeze")
    file = tmp_path / "sheet.pdf"
    page.pdf(path=str(file), format="A4")
    assert file.read_bytes().count(b"/Type /Page\n") == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_names_are_never_cut(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"/?{LONG}&sex=male&age=58")
    assert page.locator(NAMES).filter(visible=True).count() > 5
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_rows_of_both_rankings_stand_at_one_height(page: Any) -> None:
    page.set_viewport_size({"width": 768, "height": 900})
    page.goto(f"/?{LONG}")
    tops = "side => [...document.querySelectorAll(`.slope ol.${side} li`)].map(e => e.offsetTop)"
    assert page.evaluate(tops, "left") == page.evaluate(tops, "right")


def test_patient_and_complaint_come_first_on_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/?n=clinic")
    for field in ("#age", "#sex", "#q"):
        box = page.locator(field).bounding_box()
        assert box["y"] + box["height"] <= 844, field


def test_opened_and_closed_panels_stay_so_and_the_question_stays_in_place(page: Any) -> None:
    page.goto(f"/?{LONG}")
    page.click("#why-chest_wall_pain summary")
    page.click("#why-pneumonia summary")
    page.click("#readings summary")
    page.locator("#next .answers a").first.scroll_into_view_if_needed()
    top = page.evaluate("document.getElementById('next').getBoundingClientRect().top")
    before = page.url
    page.click("#next li:nth-child(2) .answers a >> nth=1")
    moved(page, before)
    assert page.evaluate("document.getElementById('why-chest_wall_pain')?.open ?? true")
    assert not page.evaluate("document.getElementById('why-pneumonia').open")
    assert page.evaluate("document.getElementById('readings').open")
    now = page.evaluate("document.getElementById('next').getBoundingClientRect().top")
    assert abs(now - top) < 2
    assert page.evaluate("document.activeElement.matches('#next [data-asked]')")


def test_a_mistake_in_a_file_is_shown_with_its_line_and_an_upload_can_be_deleted(
    page: Any, tmp_path: Path
) -> None:
    page.goto("/network")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(OWN.replace("{flu: 0.9}", "{flue: 0.9}"))
    page.set_input_files("#file", wrong)
    page.click("button >> text=Load")
    assert "line 7" in page.inner_text("[role=alert]")
    right = tmp_path / "right.yaml"
    right.write_text(OWN)
    page.set_input_files("#file", right)
    page.click("button >> text=Load")
    address = page.url
    page.click("text=Delete this upload")
    page.wait_for_url("**/network")
    assert page.goto(address).status == 404


def test_examples_of_the_api_have_the_address_of_this_server(page: Any, server: Server) -> None:
    page.goto("/api")
    shown = page.locator("pre").all_inner_texts()
    assert shown
    assert all(f"curl '{server.address}/api/v1/" in text for text in shown)


def test_with_many_findings_question_and_differential_come_together(page: Any) -> None:
    many = [
        *("fever", "productive_cough", "pleuritic_chest_pain", "fatigue", "headache", "nausea"),
        *("vomiting", "muscle_aches", "loss_of_appetite", "sore_throat", "night_sweats"),
        *("chills", "back_pain", "palpitations"),
    ]
    page.goto("/interview?n=clinic&age=58&sex=male&" + "&".join(f"p={f}" for f in many))
    assert question(page).endswith("?")
    assert page.locator("#so-far .ranked li").count() > 0
    answer(page, "d")
    assert page.locator("#so-far .ranked li").count() > 0


MANY = "&".join(f"p={finding}" for finding in hickam.load("clinic").findings[:12])


def test_with_many_findings_the_page_is_there_before_the_differential(
    browser: Any, server: Server
) -> None:
    page = browser.new_page(base_url=server.address)
    page.set_default_timeout(20_000)
    holding: list[Any] = []

    def hold(route: Any) -> None:
        holding.append(route)

    page.route(lambda address: address.endswith("all=1"), hold)
    page.goto(f"/?n=clinic&{MANY}")
    assert page.inner_text("#differential h2") == "What may be causing it"
    asked = page.locator("#next .questions strong").all_inner_texts()
    assert asked
    assert "%" not in page.inner_text("#next"), "figures that the differential would contradict"
    page.wait_for_selector("[data-load]", state="detached")
    assert len(holding) == 1, "one request fills every part of the page"
    holding.pop().continue_()
    page.wait_for_selector("#differential .slope")
    page.wait_for_selector("#reasons .candidate")
    assert page.locator("#next .questions strong").all_inner_texts() == asked
    page.close()


def test_what_is_open_stays_open_when_parts_of_the_page_come_later(page: Any) -> None:
    page.goto(f"/?n=clinic&{MANY}")
    page.wait_for_selector("#reasons .candidate")
    last = page.locator("#reasons .candidate").last
    name = last.get_attribute("id")
    last.locator("summary").click()
    page.fill("#age", "45")
    page.press("#age", "Enter")
    page.wait_for_url("**age=45**")
    page.wait_for_selector("#reasons[inert]", state="detached")
    kept = page.locator(f"#{name}")
    assert kept.count() == 0 or kept.get_attribute("open") is not None


def test_without_script_many_findings_are_one_link_away(browser: Any, server: Server) -> None:
    context = browser.new_context(base_url=server.address, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/?n=clinic&{MANY}")
    page.click("#differential .nojs a")
    assert page.locator("#differential .slope").count() == 1
    context.close()
