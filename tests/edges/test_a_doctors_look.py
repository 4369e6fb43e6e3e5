"""What a doctor sees first, where the focus goes, and how pages fit a phone and paper."""

from __future__ import annotations

from typing import Any

import pytest
from browser import CHROMIUM, Server, moved

import hickam
from hickam.report.page import figure
from hickam.report.page import page as document

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

PATIENT = "n=clinic&p=chest_pain&p=breathlessness&p=sweating&a=fever&y=smoker&sex=male&age=63"
TALK = "n=clinic&p=headache&p=nausea&sex=female&age=48"
MANY = "&".join(f"p={finding}" for finding in hickam.load("clinic").findings[:12])
PHONE = {"width": 390, "height": 844}
TOP = "selector => document.querySelector(selector).getBoundingClientRect().top"


# What is wider than the card it stands in, unless it may be scrolled there.
OUT = """() => [...document.querySelectorAll('section *')].filter((e) => {
  if (!e.checkVisibility({contentVisibilityAuto: true})) return false;
  if (e.closest('svg, .visually-hidden, .matches')) return false;
  if (e.closest('details:not([open]) > :not(summary)')) return false;
  for (let p = e; p && p.tagName !== 'SECTION'; p = p.parentElement)
    if (getComputedStyle(p).overflowX === 'auto') return false;
  const box = e.getBoundingClientRect();
  const card = e.closest('section').getBoundingClientRect();
  return box.width > 1 && box.right > card.right + 1;
}).map((e) => e.tagName + ' ' + e.textContent.trim().slice(0, 40))"""
CARDS = {
    "diagnosis": f"/?{PATIENT}",
    "interview": f"/interview?{TALK}",
    "order": f"/trust?{PATIENT}&numbers=1",
    "pairs": f"/pairs?{PATIENT}",
    "what if": f"/what-if?{PATIENT}&t=heart_attack",
    "second opinion": f"/second-opinion?{PATIENT}&l=stable_angina&l=panic_disorder",
    "record": f"/record?{PATIENT}",
    "network": "/network?n=clinic&node=pneumonia",
    "learn": "/learn/6",
}


def top(page: Any, selector: str) -> float:
    return float(page.evaluate(TOP, selector))


@pytest.mark.parametrize("width", [390, 768, 1024])
def test_urgency_and_what_not_to_miss_come_before_the_ranking(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"/?{PATIENT}")
    order = [".verdict", "#flags ul", ".rankings", "#next", ".candidates"]
    places = [top(page, part) for part in order]
    assert places == sorted(places)
    assert "hypertension" not in page.inner_text(".slope").lower(), "it explains nothing"
    assert not page.locator("#bystanders ul").is_visible()


def test_on_a_phone_there_is_one_list_with_both_figures(page: Any) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"/?{PATIENT}")
    assert not page.locator(".slope ol.left").is_visible()
    rows = page.locator(".slope ol.right li").filter(visible=True)
    assert 0 < rows.count() <= 5
    assert "likely" in rows.first.inner_text()
    page.set_viewport_size({"width": 1024, "height": 844})
    assert page.locator(".slope ol.left").is_visible()
    assert "likely" not in page.locator(".slope ol.right li").first.inner_text()


def test_a_missing_age_or_sex_is_asked_for_where_diseases_depend_on_it(page: Any) -> None:
    page.goto("/?n=clinic&p=headache")
    assert "Age and sex are not given" in page.inner_text(".nudge")
    page.click(".nudge a")
    assert page.evaluate("document.activeElement.id") == "age"
    page.goto("/interview?n=clinic&p=headache&age=48")
    assert "Sex is not given" in page.inner_text(".nudge")
    for given in (f"/?{TALK}", "/?n=smoker&p=nausea"):
        page.goto(given)
        assert page.locator(".nudge").count() == 0


def test_a_stray_enter_after_an_answer_says_nothing(page: Any) -> None:
    page.goto(f"/interview?{TALK}")
    before = page.url
    page.keyboard.press("n")
    moved(page, before)
    assert page.evaluate("document.activeElement.id") == "question-heading"
    before = page.url
    page.keyboard.press("Enter")
    page.keyboard.press("d")
    moved(page, before)
    assert page.locator(".told li").count() == 2, "Enter gave an answer of its own"


@pytest.mark.parametrize("address", ["/interview?n=clinic", "/?n=clinic"])
def test_from_the_complaint_to_the_question_without_a_mouse(page: Any, address: str) -> None:
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.type("headache")
    page.keyboard.press("Enter")
    page.wait_for_selector(".chips.present >> text=Headache")
    page.wait_for_selector("[data-asked]")
    assert page.evaluate("document.activeElement.id") == "q"
    page.wait_for_timeout(500)  # a second Enter that comes sooner is the first once more
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('[data-asked]')")
    page.keyboard.press("ArrowRight")
    before = page.url
    page.keyboard.press("Enter")
    moved(page, before)
    assert page.evaluate("document.activeElement.matches('[data-asked]')")


def test_answers_are_one_arrow_or_tab_from_their_question(page: Any) -> None:
    page.goto(f"/interview?{TALK}")
    before = page.url
    page.keyboard.press("n")
    moved(page, before)
    here = "document.activeElement.dataset.key"
    first, second = page.locator("#question .answers a").evaluate_all(
        "links => links.slice(0, 2).map(link => link.dataset.key)"
    )
    page.keyboard.press("ArrowRight")
    assert page.evaluate(here) == first
    page.keyboard.press("ArrowRight")
    assert page.evaluate(here) == second
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.id") == "question-heading"
    page.keyboard.press("Tab")
    assert page.evaluate(here) == first


@pytest.mark.parametrize("address", [f"/interview?{TALK}", f"/?{TALK}"])
def test_no_answer_looks_suggested(page: Any, address: str) -> None:
    page.goto(address)
    colours = page.locator(".answers a").evaluate_all(
        "links => links.map(link => getComputedStyle(link).backgroundColor)"
    )
    assert len(colours) >= 3
    assert len(set(colours)) == 1


def test_the_interview_names_the_patient_above_the_question(page: Any) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"/interview?{TALK}&a=photophobia")
    who = page.inner_text("#question .who")
    for word in ("Female, 48", "headache", "nausea", "no dislike of bright light"):
        assert word in who
    assert top(page, ".who") < top(page, "#question h2")
    page.click(".who .change")
    page.wait_for_function(f"({TOP})('#case-heading') < innerHeight")


def test_a_reading_that_is_entered_is_shown_and_can_be_taken_back(page: Any) -> None:
    page.goto(f"/?{TALK}&c=duration:weeks")
    assert "Duration of symptoms: weeks" in page.inner_text(".told-readings")
    assert page.get_attribute("#readings", "open") is None
    page.click(".told-readings .remove")
    page.wait_for_selector(".told-readings", state="detached")


def test_two_diseases_of_many_findings_are_filled_in_later(browser: Any, server: Server) -> None:
    page = browser.new_page(base_url=server.address)
    page.set_default_timeout(20_000)
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route(lambda address: address.endswith("all=1"), hold)
    page.goto(f"/pairs?n=clinic&{MANY}")
    assert "Weighing up 12 findings" in page.inner_text("#pairs")
    page.wait_for_function("!document.querySelector('[data-load]')")
    held.pop().continue_()
    page.wait_for_selector("#pairs article.pair, main [role=alert]")  # a slow machine says so
    page.close()


def test_what_is_pointed_at_stays_in_place_when_a_part_comes_later(
    browser: Any, server: Server
) -> None:
    page = browser.new_page(base_url=server.address, viewport={"width": 1024, "height": 844})
    page.set_default_timeout(20_000)
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route(lambda address: address.endswith("all=1"), hold)
    page.goto(f"/?n=clinic&{MANY}&age=48&sex=female")
    page.wait_for_function("!document.querySelector('[data-load]')")
    page.hover("#next .answers a >> nth=1")
    before = top(page, "#next")
    held.pop().continue_()
    page.wait_for_selector("#differential .slope, main [role=alert]")
    assert abs(top(page, "#next") - before) < 2
    page.close()


def test_what_cannot_be_filled_in_says_why_in_its_place(browser: Any, server: Server) -> None:
    page = browser.new_page(base_url=server.address)
    page.set_default_timeout(20_000)
    said = '<main><div role="alert">It takes too long.</div></main>'
    page.route(
        lambda address: address.endswith("all=1"),
        lambda route: route.fulfill(body=said, content_type="text/html"),
    )
    for address, parts in (("/pairs", "#pairs"), ("/", "#differential, #reasons")):
        page.goto(f"{address}?n=clinic&{MANY}")
        page.wait_for_selector(parts, state="detached")
        assert page.locator("[role=alert]").all_inner_texts() == ["It takes too long."]
    page.close()


@pytest.mark.parametrize("address", ["/nowhere", "/?n=nowhere", "/export?n=clinic&form=pdf"])
def test_an_error_page_says_what_is_wrong_in_a_sentence_and_leads_on(
    page: Any, address: str
) -> None:
    page.goto(address)
    said = page.inner_text("[role=alert]").strip()
    assert said[0].isupper()
    assert said.endswith((".", "?"))
    page.click("text=Start a new case")
    page.wait_for_selector("#q")


@pytest.mark.parametrize("address", ["/?n=clinic&p=fevr&p=headache", "/?n=clinic&p=fever&a=fever"])
def test_on_a_phone_a_mistake_is_seen_first(page: Any, address: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(address)
    assert top(page, "[role=alert]") < top(page, ".case")


def test_paper_is_light_on_a_dark_screen_too(page: Any) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(f"/record?{PATIENT}")
    light, dark = page.eval_on_selector(
        ".verdict",
        """e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color].map(
          c => c.match(/\\d+/g).slice(0, 3).reduce((sum, v) => sum + Number(v), 0))""",
    )
    assert light > 600 > dark


def test_every_dangerous_cause_is_on_paper(page: Any) -> None:
    page.goto(f"/?{PATIENT}")
    listed = page.locator("#flags li").count()
    assert listed > page.locator("#flags li").filter(visible=True).count()
    page.emulate_media(media="print")
    heights = page.locator("#flags li").evaluate_all("items => items.map(i => i.offsetHeight)")
    assert all(heights)


def test_a_chart_of_a_study_fits_a_phone(page: Any) -> None:
    svg = '<svg width="461pt" height="280pt" viewBox="0 0 461 280"><path d="M0 0L461 280"/></svg>'
    page.set_viewport_size(PHONE)
    page.set_content(document("Study", [figure(svg, "A chart.")]))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator("figure").evaluate("f => [f.scrollWidth, f.clientWidth]")
    assert box[0] <= box[1]


@pytest.mark.parametrize("state", CARDS)
def test_nothing_sticks_out_of_its_card(page: Any, state: str) -> None:
    page.goto(CARDS[state])
    for width in (390, 768, 900, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(OUT) == [], f"at {width}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("address", [f"/?{PATIENT}", f"/interview?{TALK}", f"/record?{PATIENT}"])
def test_no_line_ends_between_a_number_and_its_sign(page: Any, address: str) -> None:
    page.goto(address)
    page.evaluate("document.getElementById('note')?.remove()")  # plain text, to be pasted anywhere
    said = page.locator("main").inner_text()
    assert "\xa0%" in said
    assert " %" not in said
