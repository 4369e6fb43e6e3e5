"""With `--hide-case` no address that a browser asks for tells the case, with and without script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from browser import Server, serving
from playwright.sync_api import expect
from web_app import client

import hickam

CASE = "n=smoker&p=nausea&a=fatigue&y=smoker&sex=male&age=61"
PLACES = (
    "/",
    "/interview",
    "/what-if",
    "/pairs",
    "/trust",
    "/record",
    "/second-opinion",
    "/network",
)
ADDRESS = re.compile(r'(?:href|src|action)="(/[^"]*\?[^"]*)"')
BUTTON = re.compile(r'<button form="go" formaction="([^"]*)" name="_" value="([^"]*)"')
TITLE = re.compile(r"<title>(.*?)</title>")


@pytest.mark.parametrize("place", PLACES)
def test_no_link_or_form_of_a_page_puts_the_case_into_an_address(
    tmp_path: Path, place: str
) -> None:
    with client(tmp_path, hide_case=True) as web, client(tmp_path) as usual:
        page = web.post(place, data={"_": CASE})
        plain = usual.get(f"{place}?{CASE}").text
        assert page.status_code == 200
        assert TITLE.findall(page.text) == TITLE.findall(plain)
        assert 'method="get"' not in page.text
        for address in ADDRESS.findall(page.text):
            assert address.startswith("/static/")
        buttons = [tuple(map(unescape, button)) for button in BUTTON.findall(page.text)]
        links = [a for a in map(unescape, ADDRESS.findall(plain)) if not a.startswith("/static/")]
        assert len(links) > 5
        assert [f"{path}?{query}" for path, query in buttons] == links
        for path, query in dict(buttons).items():
            assert web.post(path, data={"_": query}).status_code == 200


def test_a_form_is_asked_as_its_address_would_be(tmp_path: Path) -> None:
    with client(tmp_path, hide_case=True) as web:
        sent = [("_", ""), ("n", "smoker"), ("p", "nausea"), ("q", "chest pain & more")]
        body = "&".join(
            f"{key}={value.replace(' ', '+').replace('&', '%26')}" for key, value in sent
        )
        form = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
        page = web.post("/", content=body, headers=form)
        assert page.status_code == 200
        assert 'value="chest pain &amp; more"' in page.text
        assert web.post("/", content=body + "&p=" + "x" * 9000, headers=form).status_code == 414
        assert web.post("/", content=body).status_code == 405
    with client(tmp_path) as usual:
        assert usual.post("/", content=body, headers=form).status_code == 405


def test_an_opened_file_leads_to_no_address_with_the_case(tmp_path: Path) -> None:
    case = json.dumps({"present": ["nausea"], "age": 61})
    with client(tmp_path, hide_case=True) as web:
        sent: Any = {"files": {"file": ("case.json", case)}, "data": {"n": "smoker"}}
        answer = web.post("/phenopacket", follow_redirects=False, **sent)
        assert answer.status_code == 200
        assert "What may be causing it" in answer.text


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service that keeps the case out of addresses."""
    with serving(tmp_path_factory.mktemp("secret"), 1, "--hide-case") as running:
        yield running


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def asked(request: pytest.FixtureRequest, browser: Any, secret: Server) -> Iterator[Any]:
    """A page with or without script; afterwards, no address that was asked for had a query."""
    context = browser.new_context(base_url=secret.address, java_script_enabled=request.param)
    context.set_default_timeout(20_000)
    addresses: list[str] = []
    context.on("request", lambda sent: addresses.append(sent.url))
    opened = context.new_page()
    opened.scripted = request.param
    yield opened
    context.close()
    told = [address for address in addresses if "?" in address and "/static/" not in address]
    assert told == []
    assert len(addresses) > 5


def add(page: Any, word: str) -> None:
    """Add a finding by the search."""
    page.locator("#q").fill(word)
    page.locator("#q").press("Enter")
    if not page.scripted:
        page.get_by_role(
            "button", name=re.compile(f"^{word}: present$", re.IGNORECASE)
        ).first.click()
    expect(page.locator(".chips.present")).to_contain_text(re.compile(word, re.IGNORECASE))


def test_a_case_is_entered_read_and_followed_without_an_address_that_tells_it(asked: Any) -> None:
    asked.goto("/")
    for word in ("Fever", "Cough"):
        add(asked, word)
    expect(asked.locator("#rankings-heading")).to_have_text("What may be causing it")
    asked.locator(".chips.present li", has_text="Cough").locator(".flip").click()
    expect(asked.locator(".chips.absent")).to_contain_text("Cough")
    why = asked.locator(".slope ol.right a.name").first
    why.click()
    expect(asked.locator(".chips.absent")).to_contain_text("Cough")
    asked.locator(".top nav").get_by_text("What if", exact=True).click()
    expect(asked).to_have_title(re.compile("^What if"))
    expect(asked.locator(".chips.present")).to_contain_text("Fever")
    assert asked.url.partition("#")[0].endswith("/what-if")


def test_with_script_the_address_reproduces_the_page_and_back_undoes_a_step(
    browser: Any, secret: Server
) -> None:
    context = browser.new_context(base_url=secret.address)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.scripted = True
    page.goto("/")
    add(page, "Fever")
    add(page, "Cough")
    address = page.url
    assert address.partition("#?")[2].count("p=") == 2
    page.go_back()
    expect(page.locator(".chips.present li")).to_have_count(1)
    other = context.new_page()
    other.goto(address)
    expect(other.locator(".chips.present li")).to_have_count(2)
    other.reload()
    expect(other.locator(".chips.present li")).to_have_count(2)
    other.locator("#age").fill("61")
    other.locator("#age").press("Tab")
    expect(other).to_have_url(re.compile(r"/#\?.*age=61"))
    context.close()


def test_the_embedded_findings_of_these_tests_exist() -> None:
    assert {"Fever", "Cough"} <= {e.name for e in hickam.load("clinic").entries.values()}
