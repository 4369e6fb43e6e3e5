"""Nothing typed is lost and nothing unmeant is added, however slow or busy the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from browser import CHROMIUM, Server, serving

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

# Every request waits `late` milliseconds; the numbers in `busy`, counted from 1, are refused once.
WEATHER = """
(() => {
  const really = window.fetch.bind(window);
  window.asked = [];
  window.weather = { late: () => 0, busy: () => false, dropped: () => false };
  window.fetch = async (address, options) => {
    const number = window.asked.push(address);
    const { weather } = window;
    await new Promise((resolve) => setTimeout(resolve, weather.late(number)));
    options.signal?.throwIfAborted();
    if (weather.dropped(number)) throw new TypeError("dropped");
    if (weather.busy(number)) {
      return new Response("null", { status: 503, headers: { "Retry-After": "0.2" } });
    }
    return really(address, options);
  };
})()"""
TYPED = ["headache", "nausea", "no fever", "SOB", "smoker", "sore throat"]
SAID = [
    ("p", "headache"),
    ("p", "nausea"),
    ("p", "breathlessness"),
    ("p", "sore_throat"),
    ("a", "fever"),
    ("y", "smoker"),
]
SETTLED = """() => !document.querySelector('main[aria-busy], .entered > li')
  && !document.querySelector('#q').value"""


@pytest.fixture
def page(page: Any) -> Any:
    page.add_init_script(WEATHER)
    page.set_default_timeout(30_000)
    return page


def weather(page: Any, **changes: str) -> None:
    """Set when requests are late, refused or dropped, as functions of their number."""
    for name, source in changes.items():
        page.evaluate(f"window.weather.{name} = {source}")


def case(page: Any) -> list[tuple[str, str]]:
    """What the address says of the patient, the lists in their order."""
    address = urlsplit(page.url)
    pairs = parse_qsl(address.query or address.fragment.removeprefix("?"))
    return [pair for key in ("p", "a", "y", "x", "i") for pair in pairs if pair[0] == key]


def chips(page: Any, kind: str = "present") -> list[str]:
    return [word.strip() for word in page.locator(f".chips.{kind} .word").all_inner_texts()]


def enter(page: Any, *texts: str, pace: int = 0) -> None:
    """Type texts, each with Enter, in whatever has the focus."""
    for text in texts:
        page.keyboard.type(text, delay=pace)
        page.keyboard.press("Enter", delay=pace)


def settle(page: Any) -> None:
    page.wait_for_function(SETTLED)


@pytest.mark.parametrize("late", [0, 300, 1000])
@pytest.mark.parametrize("pace", [60, 100, 150])
def test_every_finding_arrives_in_order_at_any_pace(page: Any, pace: int, late: int) -> None:
    page.goto("/interview?n=clinic&p=fatigue")
    weather(page, late=f"() => {late}")
    page.click("#q")
    enter(page, *TYPED, pace=pace)
    settle(page)
    assert case(page) == [("p", "fatigue"), *SAID]
    assert chips(page)[1:] == ["Headache", "Nausea", "Shortness of breath", "Sore throat"]
    assert page.evaluate("document.activeElement.id") == "q"


@pytest.mark.parametrize("place", ["/what-if", "/second-opinion", "/pairs", "/trust"])
def test_findings_are_entered_beside_any_reading_of_the_case(page: Any, place: str) -> None:
    page.goto(f"{place}?n=clinic&p=fatigue")
    weather(page, late="() => 200")
    page.click("#q")
    enter(page, "headache", "nausea", pace=60)
    page.keyboard.type("sore")
    page.wait_for_selector(".chips.present >> text=Nausea")
    assert chips(page) == ["Fatigue", "Headache", "Nausea"]
    assert urlsplit(page.url).path == place
    assert page.input_value("#q") == "sore"


@pytest.mark.parametrize("fault", ["busy", "dropped"])
def test_every_finding_arrives_while_requests_fail(page: Any, fault: str) -> None:
    page.goto("/?n=clinic")
    weather(page, late="() => 100", **{fault: "(number) => number % 3 === 1"})
    page.click("#q")
    enter(page, *TYPED, pace=60)
    settle(page)
    assert case(page) == SAID
    assert page.locator("#trouble").is_hidden()


def test_answers_out_of_order_change_nothing(page: Any) -> None:
    page.goto("/?n=clinic")
    weather(page, late="(number) => [700, 20, 400, 0][number % 4]")
    page.click("#q")
    enter(page, *TYPED, pace=30)
    settle(page)
    assert case(page) == SAID
    assert chips(page) == ["Headache", "Nausea", "Shortness of breath", "Sore throat"]


def test_a_busy_service_keeps_page_case_and_text_and_is_asked_again_when_it_says(page: Any) -> None:
    page.goto("/?n=clinic&p=headache&p=nausea")
    page.wait_for_selector(".slope")
    weather(page, busy="() => true")
    page.fill("#age", "40")
    page.keyboard.press("Tab")
    page.wait_for_selector("#trouble:not([hidden])")
    assert "asked again in 0.2 s" in page.inner_text("#trouble")
    page.click("#q")
    page.keyboard.type("fever")
    assert page.locator(".slope").is_visible()
    assert "age=40" in page.url
    assert chips(page) == ["Headache", "Nausea"]
    weather(page, busy="() => false")
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")
    page.wait_for_selector("#trouble", state="hidden")
    assert page.input_value("#age") == "40"
    assert page.input_value("#q") == "fever"


def test_what_is_typed_while_the_page_changes_stays(page: Any) -> None:
    page.goto("/?n=clinic&p=headache&p=nausea")
    weather(page, late="() => 300")
    page.select_option("#sex", "female")
    page.click("#q")
    page.evaluate("document.getElementById('q').mark = 'the same'")
    page.keyboard.type("sore thr", delay=80)
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")
    page.keyboard.type("oat")
    assert page.evaluate("document.getElementById('q').mark") == "the same"
    assert page.input_value("#q") == "sore throat"
    assert "sex=female" in page.url
    page.fill("#age", "4")
    page.keyboard.press("Enter")
    page.keyboard.type("7")
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")
    assert page.input_value("#age") == "47"


def test_a_search_waits_for_a_pause_and_an_older_one_is_given_up(page: Any) -> None:
    page.goto("/?n=clinic")
    page.click("#q")
    page.keyboard.type("headache", delay=60)
    page.wait_for_selector("#matches li")
    assert page.evaluate("window.asked.length") == 1
    weather(page, late="(number) => number === 2 ? 1500 : 0")
    page.fill("#q", "nausea")
    page.wait_for_function("() => window.asked.length === 2")
    page.fill("#q", "fever")
    page.wait_for_selector("#matches >> text=Fever")
    page.wait_for_timeout(1700)
    assert page.locator("#matches >> text=Nausea").count() == 0


def test_letters_typed_beside_the_question_do_not_answer_it(page: Any) -> None:
    page.goto("/interview?n=clinic&p=headache&p=nausea")
    page.wait_for_selector("#question")
    assert page.evaluate("document.activeElement.id") == "question-heading"
    for place in ("#case-heading", "#standing h2"):
        page.click(place)
        page.keyboard.type("yndu")
    page.focus("#age")
    page.keyboard.type("ynd")
    page.keyboard.press("Tab")
    page.click("#q")
    page.keyboard.type("yndu")
    assert case(page) == [("p", "headache"), ("p", "nausea")]


def test_one_key_gives_one_answer(page: Any) -> None:
    page.goto("/interview?n=clinic&p=headache&p=nausea")
    weather(page, late="() => 400")
    page.keyboard.down("n")
    page.keyboard.down("n")  # held: it repeats
    page.keyboard.up("n")
    page.keyboard.press("y")
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")
    page.wait_for_selector(".told li")
    assert page.locator(".told li").count() == 1
    assert "no" in page.inner_text(".told li")


@pytest.mark.parametrize("late", [0, 300])
def test_a_double_enter_neither_accepts_an_offer_nor_answers(page: Any, late: int) -> None:
    page.goto("/interview?n=clinic&p=headache")
    weather(page, late=f"() => {late}")
    page.click("#q")
    page.keyboard.type("nausea")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("caugh", delay=20)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_selector(".entered .choice a")
    page.keyboard.type("no fever", delay=20)
    page.keyboard.press("Enter")
    page.wait_for_selector(".chips.absent >> text=Fever")
    assert case(page) == [("p", "headache"), ("p", "nausea"), ("a", "fever")]
    assert page.locator(".entered .said").all_inner_texts() == ["caugh"]


def test_what_is_not_sure_waits_while_the_rest_is_added(page: Any) -> None:
    page.goto("/?n=clinic")
    page.click("#q")
    enter(page, "caugh", "headache", "blorptitis", "nausea", pace=60)
    page.wait_for_selector(".chips.present >> text=Nausea")
    assert chips(page) == ["Headache", "Nausea"]
    assert page.locator(".entered .said").all_inner_texts() == ["caugh", "blorptitis"]
    page.click(".entered a[aria-label='Cough: absent']")
    page.wait_for_selector(".chips.absent >> text=Cough")
    assert chips(page) == ["Headache", "Nausea"]
    page.click(".entered [data-edit]")
    assert page.input_value("#q") == "blorptitis"
    assert page.locator(".entered > li").count() == 0


@pytest.mark.parametrize(
    "text",
    [
        "headache, nausea, sore throat",
        "headache,nausea , and sore throat,",
        "headache; nausea\nsore_throat",
        "headache nausea sore_throat",
        '["headache", "nausea", "sore_throat"]',
        "headache\tnausea\r\nsore throat\r\n",
    ],
)
def test_a_list_that_is_pasted_becomes_its_findings(page: Any, text: str) -> None:
    page.goto("/?n=clinic")
    page.click("#q")
    paste(page, text)
    page.keyboard.press("Enter")
    page.wait_for_selector(".chips.present li:nth-child(3)")
    settle(page)
    assert case(page) == [("p", "headache"), ("p", "nausea"), ("p", "sore_throat")]


def paste(page: Any, text: str) -> None:
    """Paste as a browser does: as the script changes it, or without its line ends."""
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.setData('text/plain', text);
          const event = new ClipboardEvent('paste', {
            clipboardData: data, bubbles: true, cancelable: true });
          if (document.activeElement.dispatchEvent(event)) {
            document.execCommand('insertText', false, text.replace(/[\\r\\n]/g, ''));
          }
        }""",
        text,
    )


def test_a_list_adds_what_is_sure_and_asks_about_the_rest(page: Any) -> None:
    page.goto("/?n=clinic")
    page.click("#q")
    enter(page, "headache, caugh, swollen lips, tongue or face, no fever, nausea")
    page.wait_for_selector(".chips.absent >> text=Fever")
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")
    assert case(page) == [("p", "headache"), ("p", "lip_swelling"), ("a", "fever")]
    assert page.locator(".entered .said").all_inner_texts() == ["caugh", "nausea"]


def test_changes_made_while_others_are_under_way_are_all_kept(page: Any) -> None:
    page.goto("/?n=clinic&p=headache&p=fatigue")
    page.wait_for_selector(".slope")
    weather(page, late="() => 500")
    page.fill("#age", "40")
    page.keyboard.press("Enter")
    page.select_option("#sex", "male")
    page.select_option("#sex", "female")
    page.click(".chips.present .remove >> nth=0")
    page.click("#q")
    enter(page, "nausea")
    asked = page.locator("#next .answers:has([aria-label$=': yes'])").first
    name = asked.locator("a").first.get_attribute("aria-label").removesuffix(": yes")
    asked.locator("a >> nth=0").click()
    asked.locator("a >> nth=1").click()
    page.wait_for_selector(".chips.present >> text=Nausea")
    settle(page)
    values = dict(parse_qsl(urlsplit(page.url).query))
    assert (values["age"], values["sex"]) == ("40", "female")
    assert page.url.count("sex=") == 1
    assert chips(page) == ["Fatigue", "Nausea"]
    assert [*chips(page, "absent"), *chips(page, "no")] == [name]
    assert page.locator(".chips.yes li").count() == 0


def test_leaving_the_page_takes_along_what_was_just_entered(page: Any) -> None:
    page.goto("/?n=clinic&p=headache")
    weather(page, late="() => 400")
    page.click("#q")
    enter(page, "nausea", "fatigue")
    page.click("header >> text=What if")
    page.wait_for_url("**/what-if**")
    assert case(page) == [("p", "headache"), ("p", "nausea"), ("p", "fatigue")]


def test_back_and_forward_go_through_the_findings_one_by_one(page: Any) -> None:
    page.goto("/?n=clinic")
    weather(page, late="() => 100")
    page.click("#q")
    enter(page, "headache", "nausea", "fatigue")
    page.wait_for_selector(".chips.present >> text=Fatigue")
    page.go_back()
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('.chips.present li').length === 1")
    page.go_forward()
    page.wait_for_function("() => document.querySelectorAll('.chips.present li').length === 2")
    settle(page)
    assert chips(page) == ["Headache", "Nausea"]


def test_a_new_case_takes_nothing_along(page: Any) -> None:
    page.goto("/?n=clinic&p=headache")
    weather(page, late="() => 400")
    page.click("#q")
    enter(page, "nausea", "caugh")
    page.keyboard.type("fati")
    page.click("text=New case")
    settle(page)
    page.wait_for_timeout(1000)
    assert case(page) == []
    assert chips(page) == []
    assert page.input_value("#q") == ""


def test_a_word_being_composed_is_neither_entered_nor_broken(page: Any) -> None:
    page.goto("/?n=clinic")
    weather(page, late="() => 200")
    page.click("#q")
    enter(page, "headache")
    keyboard = page.context.new_cdp_session(page)
    keyboard.send(
        "Input.imeSetComposition", {"text": "naus", "selectionStart": 4, "selectionEnd": 4}
    )
    page.wait_for_selector(".chips.present >> text=Headache")
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")
    keyboard.send(
        "Input.imeSetComposition", {"text": "nausea", "selectionStart": 6, "selectionEnd": 6}
    )
    keyboard.send("Input.insertText", {"text": "nausea"})
    assert page.input_value("#q") == "nausea"
    page.keyboard.press("Enter")
    page.wait_for_selector(".chips.present >> text=Nausea")
    assert chips(page) == ["Headache", "Nausea"]


def test_backspace_while_an_entry_is_under_way_edits_only_the_field(page: Any) -> None:
    page.goto("/?n=clinic&p=fatigue")
    weather(page, late="() => 500")
    page.click("#q")
    enter(page, "headache")
    page.keyboard.type("nausex")
    for _ in range(9):
        page.keyboard.press("Backspace")
    enter(page, "nausea")
    settle(page)
    assert case(page) == [("p", "fatigue"), ("p", "headache"), ("p", "nausea")]


def test_a_list_can_be_added_without_script(browser: Any, server: Server) -> None:
    context = browser.new_context(base_url=server.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/?n=clinic")
    page.fill("#q", "headache, caugh, no fever")
    page.click(".search button")
    page.click("#matches >> text=Add all 2")
    assert case(page) == [("p", "headache"), ("a", "fever")]
    context.close()


def test_every_finding_arrives_where_addresses_do_not_tell_the_case(
    browser: Any, tmp_path: Path
) -> None:
    with serving(tmp_path, 1, "--hide-case") as server:
        page = browser.new_page(base_url=server.address)
        page.set_default_timeout(30_000)
        page.add_init_script(WEATHER)
        page.goto("/#?n=clinic&p=fatigue")
        page.wait_for_selector(".chips.present >> text=Fatigue")
        weather(page, late="() => 300", busy="(number) => number % 2 === 1")
        page.click("#q")
        enter(page, *TYPED, pace=60)
        page.select_option("#sex", "female")
        settle(page)
        assert case(page) == [("p", "fatigue"), *SAID]
        assert "sex=female" in page.url
        assert not urlsplit(page.url).query
        page.close()
