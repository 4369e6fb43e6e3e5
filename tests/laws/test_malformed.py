"""Random malformed files produce only our own error type: any other exception fails."""

import copy
import json

from hypothesis import given, settings
from hypothesis import strategies as st

import hickam
from hickam.io.case_document import case_from
from hickam.io.case_file import read_case
from hickam.io.network_text import read_text
from hickam.issues import Level
from strategies import documents

settings.register_profile("laws", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("laws")

rubbish = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just("flu")
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


def places(value, path=()):
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from places(inner, (*path, key))


def put(document, path, value):
    if not path:
        return value
    changed = copy.deepcopy(document)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return changed


@given(st.data())
@settings(max_examples=200)
def test_a_network_with_rubbish_anywhere_is_a_network_or_a_list_of_issues(data):
    document = {"hickam": 1, "name": "x", **data.draw(documents())}
    path = data.draw(st.sampled_from(list(places(document))))
    spoiled = put(document, path, data.draw(rubbish))
    try:
        text = json.dumps(spoiled)
    except (TypeError, ValueError):
        return
    network, issues = read_text(text, "x.json")
    has_errors = any(issue.level is Level.ERROR for issue in issues)
    assert (network is None) == has_errors


@given(st.text(max_size=60))
@settings(max_examples=200)
def test_any_text_is_a_network_or_a_list_of_issues(text):
    network, issues = read_text(text, "x.yaml")
    assert network is None
    assert issues


@given(rubbish)
@settings(max_examples=200)
def test_any_document_is_a_case_or_our_own_error(document):
    try:
        case = case_from(document)
        hickam.infer(hickam.load("smoker"), case)
    except hickam.InvalidInput:
        return


@given(
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("present", "absent", "risks", "likelihoods", "age"), rubbish)
    )
)
@settings(max_examples=200)
def test_any_case_file_is_a_case_or_our_own_error(tmp_path_factory, document):
    path = tmp_path_factory.mktemp("cases") / "case.json"
    try:
        path.write_text(json.dumps(document), encoding="utf-8")
    except (ValueError, UnicodeEncodeError):
        return
    try:
        hickam.infer(hickam.load("smoker"), read_case(path))
    except hickam.InvalidInput:
        return
