"""A new user's walk through every page, in a real browser that can reach nothing but the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Server
from web_app import OWN

import hickam

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

CLINIC = "n=clinic&p=fever&p=productive_cough&p=pleuritic_chest_pain&a=runny_nose&y=smoker"
SMOKER = "n=smoker&p=chest_pain&p=nausea&p=fatigue&y=smoker&y=elderly"
EXAMPLE = Path(__file__).parents[2] / "examples" / "patient.json"
MANY = "&".join(f"p={finding}" for finding in hickam.load("clinic").findings[:12])
EVERY_RULE: dict[str, Any] = {"resultTypes": ["violations"]}
EVERY_STATE = {
    "empty": "/",
    "diagnosis": f"/?{CLINIC}&sex=male&age=58&w=%2Bp:fever",
    "sufficiency, dial and search": f"/?{SMOKER}&m=s&g=3&q=feel",
    "only risk factors": "/?n=smoker&y=smoker",
    "age and sex not given": "/?n=clinic&p=headache&p=fever&p=neck_stiffness",
    "an unknown word": "/?n=clinic&p=headache&q=blorptitis",
    "a word of many meanings": "/?n=clinic&p=headache&q=pain",
    "a list": "/?n=clinic&p=headache&q=nausea,+caugh,+no+fever,+blorptitis",
    "a disease among the findings": "/?n=clinic&q=appendicitis",
    "a contradiction": "/?n=clinic&p=fever&a=fever",
    "a doubt": "/?n=clinic&p=pelvic_pain&y=pregnant&sex=male&age=40",
    "many findings": f"/?n=clinic&{MANY}&sex=female&age=48&all=1",
    "mistake": "/?n=smoker&p=fevr&age=old",
    "interview, nothing yet": "/interview?n=clinic",
    "interview": f"/interview?{CLINIC}&sex=male&age=58&i=p:fever&i=%3F:wheeze",
    "interview, the end": "/interview?n=smoker&p=chest_pain&p=nausea&p=fatigue&k=1000",
    "interview, an emergency": "/interview?n=clinic&p=chest_pain&p=sweating&sex=male&age=63",
    "record, nothing yet": "/record",
    "record": f"/record?{CLINIC}&sex=male&age=58&i=%3F:wheeze",
    "readings": "/?n=clinic&p=headache&p=fever&c=temperature:39.2",
    "what if, nothing yet": "/what-if?n=smoker",
    "what if, choosing": f"/what-if?{SMOKER}",
    "what if, cured": f"/what-if?{SMOKER}&t=angina",
    "what if, only": f"/what-if?{SMOKER}&o=angina",
    "pairs, nothing yet": "/pairs?n=smoker",
    "pairs of many": f"/pairs?n=clinic&{MANY}&all=1",
    "pairs": f"/pairs?{CLINIC}&u=HP:1",
    "trust, nothing yet": "/trust?n=smoker",
    "trust": f"/trust?{SMOKER}&numbers=1",
    "a term": f"/term?{CLINIC}&term=productive_cough",
    "report": f"/export?{CLINIC}&form=html",
    "second opinion, empty": "/second-opinion?n=smoker",
    "second opinion": f"/second-opinion?{SMOKER}&l=emphysema&l=angina&dq=gas",
    "network": "/network?n=clinic",
    "network, a disease": "/network?n=clinic&node=pneumonia",
    "network, search": "/network?n=clinic&layer=f&find=chest",
    "studies": "/studies",
    "learn 1": "/learn",
    "learn 3": "/learn/3?cure=emphysema",
    "learn 5": "/learn/5",
    "learn 6": "/learn/6?dial=0.1",
    "api": "/api",
    "not found": "/nowhere",
    "no such network": "/?n=nowhere",
    "no such form": f"/export?{CLINIC}&form=pdf",
}


def first(page: Any, selector: str) -> str:
    return str(page.locator(selector).first.inner_text())


def test_a_new_user_finds_a_diagnosis_and_its_reasons(page: Any) -> None:
    page.goto("/?n=smoker")
    page.fill("#q", "chest p")
    page.click("#matches a[aria-label='Chest pain: present']")
    page.wait_for_selector(".chips.present >> text=Chest pain")
    page.fill("#q", "feeling sick")
    page.wait_for_selector("#matches a[aria-label='Nausea: present']")
    page.press("#q", "Enter")
    page.wait_for_selector(".chips.present >> text=Nausea")
    page.fill("#q", "smok")
    page.click("#matches a[aria-label='Smoker: yes']")
    page.wait_for_selector(".chips.yes >> text=Smoker")
    assert "Angina" in first(page, ".slope ol.right li")
    assert "Smoker: yes" in first(page, ".news")
    assert "Chest pain" in first(page, ".candidate .explains")
    assert not page.locator(".provenance").is_visible()
    page.click("#computed summary")
    assert "exact" in first(page, ".provenance")
    assert page.locator(".disclaimer").is_visible()


def test_the_address_reproduces_the_page(page: Any, browser: Any) -> None:
    page.goto(f"/?{SMOKER}")
    page.click("a[aria-label='Breathlessness: absent'] >> nth=0")
    page.wait_for_selector(".chips.absent >> text=Breathlessness")
    shown = page.inner_text(".rankings")
    again = browser.new_page()
    again.goto(page.url)
    assert again.inner_text(".rankings") == shown
    again.close()


def test_going_back_undoes_the_last_step(page: Any) -> None:
    page.goto(f"/?{SMOKER}")
    page.click(".chips.present .remove >> nth=0")
    page.wait_for_selector(".chips.present >> text=Chest pain", state="detached")
    page.go_back()
    page.wait_for_selector(".chips.present >> text=Chest pain")


def test_the_dial_is_felt_and_named(page: Any) -> None:
    page.goto(f"/?{SMOKER}")
    page.click("#computed summary")
    page.focus("#g")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".provenance >> text=dial γ = 0.01")


def test_what_is_likely_but_explains_nothing_is_folded_away(page: Any) -> None:
    page.goto(f"/?{SMOKER}")
    assert "Emphysema" not in page.inner_text(".slope")
    assert not page.locator("#bystanders ul").is_visible()
    page.click("#bystanders summary")
    assert "Emphysema" in first(page, "#bystanders li")
    assert "explains nothing" in first(page, "#bystanders li")


def test_a_mistake_in_a_link_is_explained_where_it_is(page: Any) -> None:
    page.goto("/?n=smoker&p=chest_pian")
    assert "Did you mean" in page.inner_text("[role=alert]")
    assert page.locator(".chips.present .word >> text=chest_pian").is_visible()


def test_curing_a_disease_shows_which_findings_vanish(page: Any) -> None:
    page.goto(f"/what-if?{SMOKER}")
    page.click(".toggles >> text=Emphysema")
    page.wait_for_selector("#outcome-heading >> text=Emphysema")
    assert "0 of 3" in page.inner_text(".lead")
    page.click(".toggles >> text=Angina")
    page.wait_for_selector("#outcome-heading >> text=Angina")
    assert "0 of 3" not in page.inner_text(".lead")
    assert page.locator(".world").count() == 2
    with page.expect_response(lambda answer: "/twin.svg" in answer.url) as drawn:
        page.click(".twin summary")
    assert drawn.value.ok


def test_a_second_opinion_says_why_it_differs(page: Any) -> None:
    page.goto(f"/second-opinion?{SMOKER}")
    for typed, name in (("emphy", "Emphysema"), ("ang", "Angina")):
        page.fill("#dq", typed)
        page.click(f"#disease-matches a[aria-label='Add {name}']")
        page.wait_for_selector(f".listed >> text={name}")
    assert "causes none of the present findings" in page.inner_text(".reasons")
    assert "Angina" in first(page, ".slope ol.right li")
    page.click("a[aria-label='Move Angina up']")
    page.wait_for_selector(".listed li:first-child >> text=Angina")


def test_an_own_network_can_be_loaded_and_diagnosed_on(page: Any, tmp_path: Path) -> None:
    page.goto("/network")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(OWN.replace("{flu: 0.9}", "{flue: 0.9}"))
    page.set_input_files("#file", wrong)
    page.click("button >> text=Load")
    assert "flue" in page.inner_text("[role=alert]")
    right = tmp_path / "right.yaml"
    right.write_text(OWN)
    page.set_input_files("#file", right)
    page.click("button >> text=Load")
    assert page.inner_text("h1") == "Tiny"
    page.click("text=Diagnose on it")
    page.fill("#q", "pyrexia")
    page.click("#matches a[aria-label='Fever: present']")
    page.wait_for_selector(".slope ol.right >> text=Influenza")


def test_the_tour_can_be_walked_to_its_end(page: Any) -> None:
    page.goto("/learn")
    for _ in range(5):
        page.click("text=Next:")
    page.click("text=Diagnose this patient yourself")
    assert "Angina" in first(page, ".slope ol.right li")


def test_a_study_report_opens_with_its_own_style(page: Any) -> None:
    page.goto("/studies")
    page.click("text=First study")
    assert page.inner_text("h1") == "First study"
    colour = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert colour == "rgb(1, 2, 3)"


def test_enter_takes_what_surely_matches_and_asks_about_the_rest(page: Any) -> None:
    page.goto("/?n=clinic")
    page.fill("#q", "SOB")
    page.press("#q", "Enter")
    page.wait_for_selector(".chips.present >> text=Shortness of breath")
    page.fill("#q", "caugh")
    page.wait_for_selector("#matches >> text=Did you mean")
    page.press("#q", "Enter")
    page.wait_for_selector(".entered a[aria-label='Cough: present']:focus")
    assert page.locator(".chips.present >> text=Cough").count() == 0
    page.wait_for_timeout(500)  # a second Enter that comes sooner is the first once more
    page.keyboard.press("Enter")
    page.wait_for_selector(".chips.present >> text=Cough")
    page.fill("#q", "no fever")
    page.wait_for_selector("#matches a[aria-label='Fever: absent']")
    page.press("#q", "Enter")
    page.wait_for_selector(".chips.absent >> text=Fever")
    page.fill("#q", "appendicitis")
    page.wait_for_selector("#matches >> text=it is ranked, not entered")


def test_the_whole_walk_works_by_keyboard_alone(page: Any) -> None:
    page.goto("/?n=smoker")
    press = page.keyboard.press
    press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    press("/")
    page.keyboard.type("chest pain")
    page.wait_for_selector("#matches a[aria-label='Chest pain: present']")
    press("Enter")
    page.wait_for_selector(".chips.present >> text=Chest pain")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("breathlessness")
    page.wait_for_selector("#matches a[aria-label='Breathlessness: absent']")
    press("Shift+Enter")
    page.wait_for_selector(".chips.absent >> text=Breathlessness")
    page.keyboard.type("nausea")
    page.wait_for_selector("#matches a[aria-label='Nausea: present']")
    press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Nausea: present"
    press("Enter")
    page.wait_for_selector(".chips.present >> text=Nausea")
    reached = set()
    for _ in range(60):
        press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent.trim().slice(0, 30)"))
    assert any(text.startswith("What if Angina") for text in reached)
    page.locator("header >> text=What if").focus()
    press("Enter")
    page.wait_for_url("**/what-if**")
    page.locator(".toggles a").first.focus()
    press("Enter")
    page.wait_for_selector("#outcome-heading")


def test_pages_work_without_script(browser: Any, server: Server) -> None:
    context = browser.new_context(base_url=server.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/?n=smoker")
    page.fill("#q", "chest")
    page.click(".search button")
    page.click("#matches a[aria-label='Chest pain: present']")
    assert "Angina" in first(page, ".slope ol.right li")
    page.fill("#age", "70")
    page.click("text=Apply")
    assert "age=70" in page.url
    context.close()


def test_a_phenopacket_is_opened_and_its_findings_are_the_case(page: Any) -> None:
    page.goto("/?n=clinic")
    page.get_by_text("Open a case from a file").click()
    page.set_input_files("#packet-file", EXAMPLE)
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_url("**/?n=clinic&p=**")
    assert page.locator(".chips.present li").count() == 3
    assert "HP:0000252" in page.locator(".left-out").text_content()
    page.get_by_role("link", name="Two diseases at once?").click()
    page.wait_for_url("**/pairs**")
    assert page.locator("article.pair").count() > 0


@pytest.mark.parametrize("part", range(4))
def test_axe_finds_nothing_on_any_page_or_state(browser: Any, server: Server, part: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(base_url=server.address, bypass_csp=True)
    page = context.new_page()
    contrast = {**EVERY_RULE, "runOnly": {"type": "rule", "values": ["color-contrast"]}}
    layout = ["scrollable-region-focusable", "target-size", "meta-viewport"]
    small = {**EVERY_RULE, "runOnly": {"type": "rule", "values": layout}}
    whole, loaded = Axe(), Axe("0")  # a page keeps the script that was put into it
    found: dict[str, list[tuple[str, str]]] = {}

    def check(name: str, axe: Axe, options: dict[str, Any]) -> None:
        for violation in axe.run(page, options=options).response["violations"]:
            html = violation["nodes"][0]["html"][:120]
            found.setdefault(name, []).append((violation["id"], html))

    for name, path in list(EVERY_STATE.items())[part::4]:
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="light")
        answer = page.goto(path)
        if answer.status >= 500:
            found.setdefault(name, []).append(("a fault of ours", path))
        check(name, whole, EVERY_RULE)
        page.emulate_media(color_scheme="dark")
        check(f"{name}, dark", loaded, contrast)
        page.set_viewport_size({"width": 390, "height": 844})
        check(f"{name}, phone", loaded, small)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.setdefault(name, []).append(("wider than a phone", path))
    context.close()
    assert found == {}


def test_a_restart_in_the_middle_of_a_case_loses_nothing(
    browser: Any, server: Server, tmp_path: Path
) -> None:
    page = browser.new_page(base_url=server.address)
    page.set_default_timeout(15_000)
    page.goto("/network")
    file = tmp_path / "mine.yaml"
    file.write_text(OWN)
    page.set_input_files("#file", file)
    page.click("button >> text=Load")
    page.click("text=Diagnose on it")
    page.fill("#q", "fever")
    page.click("#matches a[aria-label='Fever: present']")
    page.wait_for_selector(".chips.present >> text=Fever")
    server.stop()
    server.start()
    page.fill("#age", "40")
    page.press("#age", "Enter")
    page.wait_for_url("**age=40**")
    assert page.locator(".chips.present .word >> text=Fever").is_visible()
    assert "Influenza" in first(page, ".slope ol.right li")
    page.close()
