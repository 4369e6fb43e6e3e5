"""What is wrong with kinds of findings is said with names."""

import copy

import pytest

import hickam
from hickam import Case
from hickam.evidence.implied import implied
from hickam.evidence.locate import locate
from hickam.io.save import save
from hickam.model.build import build_network
from hickam.model.scm_build import build_scm

HEAD = {"hickam": 1, "name": "t", "diseases": [{"id": "bleed", "leak": 0.01}]}


def built(*findings):
    return build_network({**HEAD, "findings": copy.deepcopy(list(findings))})


def finding(name, is_a=None, leak=0.01, bleed=None):
    causes = {} if bleed is None else {"causes": {"bleed": bleed}}
    return {"id": name, "leak": leak, **causes, **({} if is_a is None else {"is_a": is_a})}


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ([finding("headache"), finding("thunder", "hedache")], "did you mean 'headache'"),
        ([finding("headache", "headache")], "is a kind of itself"),
        ([finding("a", "b"), finding("b", "c"), finding("c", "a")], "a → b → c → a"),
        ([finding("a"), finding("b"), finding("c", ["a", "b"])], "is a kind of several findings"),
        ([finding("a"), finding("c", "bleed")], "'bleed', which is not a finding"),
        ([finding("a"), finding("c", {"x": 1})], "write the id of one finding"),
    ],
)
def test_a_kind_of_nothing_sensible_is_named(findings, said):
    network, issues = built(*findings)
    assert network is None
    assert any(said in str(issue) and issue.path for issue in issues), issues


def test_the_whole_has_what_its_kinds_have_and_is_raised_with_a_warning():
    network, issues = built(
        finding("headache", leak=0.001, bleed=0.5),
        finding("thunder", "headache", leak=0.01, bleed=0.8),
        finding("dull", "headache", leak=0.02, bleed=0.1),
    )
    assert [str(issue).split(";")[0] for issue in issues] == [
        "finding 'headache' has the cause 'bleed' at less than its kinds come to",
        "finding 'headache' has the leak 0.001, less than its kinds come to",
    ]
    assert network.effects.acts[network.effects.of_effect(0)] == pytest.approx([1 - 0.2 * 0.9])
    assert network.finding_leak[0] == pytest.approx(1 - 0.99 * 0.98)


def test_a_cause_that_only_a_kind_lists_is_added_without_a_word():
    network, issues = built(
        finding("headache", leak=0.05), finding("thunder", "headache", leak=0.0, bleed=0.8)
    )
    assert issues == []
    assert len(network.effects) == 2


def test_what_follows_from_a_case_is_known():
    network, _ = built(
        finding("pain"),
        finding("headache", "pain"),
        finding("thunder", "headache"),
        finding("rash"),
    )

    def known(**case):
        return implied(network, locate(Case(**case), network))

    assert known(present=["headache"]) == {"headache": True, "pain": True}
    assert known(absent=["pain"]) == {"pain": False, "headache": False, "thunder": False}
    assert known(present=["pain"], absent=["thunder"]) == {"pain": True, "thunder": False}


def test_a_general_model_takes_kinds_that_it_always_causes(tmp_path):
    nodes = [
        {"id": "bleed", "role": "disease", "prior": 0.01},
        {
            "id": "thunder",
            "role": "finding",
            "is_a": "headache",
            "leak": 0,
            "causes": {"bleed": 0.8},
        },
        {"id": "headache", "role": "finding", "leak": 0.05, "causes": {"thunder": "always"}},
    ]
    model, issues = build_scm({"hickam": 1, "name": "t", "nodes": nodes})
    assert model is not None, issues
    both = hickam.infer(model, Case(present=["thunder", "headache"]))
    assert both.present == ("thunder",)
    save(model, tmp_path / "m.yaml")
    assert hickam.load(tmp_path / "m.yaml").hash == model.hash
    nodes[2]["causes"] = {"thunder": 0.9}
    model, issues = build_scm({"hickam": 1, "name": "t", "nodes": nodes})
    assert model is None
    assert "which it does not always cause" in str(issues[0])


def test_a_chain_of_kinds_without_end_is_refused_in_time():
    chain = [finding(f"f{i}", f"f{i + 1}") for i in range(5000)]
    network, issues = built(*chain, finding("f5000"))
    assert network is None
    assert "more than 50 findings in turn" in str(issues[0])
