"""An uploaded model of another program: its roles on a page, and its states in a case."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from web_app import OWN, client

from foreign_texts import BIF


@pytest.fixture
def web(tmp_path: Path):
    with client(tmp_path) as found:
        yield found


def upload(web: TestClient, text: str = BIF, name: str = "lung clinic.bif") -> str:
    answer = web.post("/network", files={"file": (name, text)}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def chosen(page: str) -> dict[str, str]:
    """The form as a browser would send it: every select with its selected option."""
    found = {}
    for name, inside in re.findall(r'<select name="([rs]\d+)".*?>(.*?)</select>', page):
        selected = re.search(r'<option value="([^"]*)" selected', inside)
        assert selected, name
        found[name] = html.unescape(selected[1])
    return found


def test_a_guess_is_shown_set_right_and_kept(web: TestClient) -> None:
    place = upload(web)
    assert place.startswith("/network/roles?n=own-")
    page = web.get(place).text
    assert "guess" in page
    assert "Roles of asia" in page
    form = chosen(page)
    assert form == {"r0": "risk factor", "s0": "no", "r1": "disease", "s1": "no",
                    "r2": "finding", "s2": "none"}  # fmt: skip
    form |= {"r0": "disease", "s0": "yes", "s2": ">2"}
    kept = web.post(place, files={k: (None, v) for k, v in form.items()}, follow_redirects=False)
    assert kept.status_code == 303, kept.text
    new = kept.headers["location"]
    assert new.startswith("/network?n=own-")
    again = web.get(new.replace("/network?", "/network/roles?")).text
    assert chosen(again) == form
    assert "guess" not in again
    assert web.get(place).status_code == 404  # the upload it replaces is gone


def test_a_normal_state_that_is_not_clear_is_asked_and_said_until_it_is_set(
    web: TestClient,
) -> None:
    unclear = BIF.replace('none, "under 2 cm", >2', "red, green, blue")
    unclear = unclear.replace("default 1.0, 0.0, 0.0;", "default 0.8, 0.1, 0.1;")
    place = upload(web, unclear)
    page = web.get(place).text
    assert page.count("a guess: please choose") == 1
    name = place.partition("n=")[2]
    said = "this rests on guessed roles (3 nodes) and guessed normal states (size)"
    body = {"case": {"present": ["size"]}}
    answer = web.post(f"/api/v1/networks/{name}/diagnose", json=body).json()
    assert said in answer["provenance"]["accuracy"]["notes"]
    assert said in web.get(f"/?n={name}&p=size").text.casefold()
    form = chosen(page) | {"s2": "green"}
    kept = web.post(place, files={k: (None, v) for k, v in form.items()}, follow_redirects=False)
    new = kept.headers["location"].partition("n=")[2]
    answer = web.post(f"/api/v1/networks/{new}/diagnose", json=body).json()
    assert not [n for n in answer["provenance"]["accuracy"]["notes"] if "guess" in n]
    assert "rests on" not in web.get(f"/?n={new}&p=size").text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"r1": "doctor"}, "choose one of"),
        ({"s1": "nein"}, "choose one of 'no', 'yes'"),
        ({"r0": "other", "r1": "other"}, "leave no disease"),
        ({"r2": "other"}, "leave no finding"),
    ],
)
def test_a_wrong_form_comes_back_with_what_is_wrong_in_place(
    web: TestClient, change: dict[str, str], said: str
) -> None:
    place = upload(web)
    form = chosen(web.get(place).text) | change
    answer = web.post(place, files={k: (None, v) for k, v in form.items()})
    assert answer.status_code == 422
    text = html.unescape(answer.text)
    assert said in text
    assert 'name="r2"' in text
    if "doctor" in change.values() or "nein" in change.values():
        assert 'class="wrong" id="w1"' in answer.text


def test_a_network_of_three_layers_has_no_table_of_roles(web: TestClient) -> None:
    place = upload(web, OWN, "own.yaml")
    assert place.startswith("/network?n=")
    answer = web.get(place.replace("/network?", "/network/roles?"))
    assert answer.status_code == 422
    assert "three layers" in answer.text


def test_another_site_cannot_set_roles(web: TestClient) -> None:
    place = upload(web)
    answer = web.post(place, files={"r0": (None, "other")}, headers={"Origin": "http://evil.test"})
    assert answer.status_code == 403


def test_a_model_without_a_name_goes_by_that_of_its_file(web: TestClient, tmp_path: Path) -> None:
    nameless = BIF.replace("network asia", "network unknown")
    place = upload(web, nameless, "../Lung <b>clinic.bif")
    assert "Roles of Lung bclinic" in web.get(place).text
    with client(tmp_path) as later:
        assert "Roles of Lung bclinic" in later.get(place).text


def test_the_state_of_a_finding_is_chosen_on_the_page(web: TestClient) -> None:
    name = upload(web).partition("n=")[2]
    page = html.unescape(web.get(f"/?n={name}&p=size").text)
    assert 'name="c.size"' in page
    small, large = (
        web.get(f"/?n={name}&p=size&c.size={state}").text for state in ("under 2 cm", "%3E2")
    )
    assert "lung" in small
    assert small != large
    wrong = web.get(f"/?n={name}&p=size&c.size=hug")
    assert "State of finding" in html.unescape(wrong.text)


def test_the_api_takes_states_and_names_the_nearest(web: TestClient) -> None:
    name = upload(web).partition("n=")[2]
    body = {"case": {"categories": {"size": ">2", "smoke": "yes"}}}
    answer = web.post(f"/api/v1/networks/{name}/diagnose", json=body)
    assert answer.status_code == 200, answer.text
    body["case"]["categories"]["size"] = "under 3 cm"
    answer = web.post(f"/api/v1/networks/{name}/diagnose", json=body)
    assert answer.status_code == 422
    assert "under 2 cm" in answer.text
