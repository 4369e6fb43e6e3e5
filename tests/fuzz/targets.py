"""What is fuzzed: one target per kind of input, each with seeds to start from.

A target takes bytes. It may only return, or raise `InvalidInput`: anything else is a fault of ours.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import random
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutate import packed

import hickam
from foreign_texts import TEXTS
from hickam.evidence.locate import locate
from hickam.exports import FORMS, record_of
from hickam.hpo.build import build
from hickam.hpo.source import ANNOTATIONS, GENES, ONTOLOGY
from hickam.io.case_file import open_case, read_case
from hickam.io.cases import read_cases
from hickam.io.csv_sheet import COLUMNS
from hickam.io.experts import read_experts
from hickam.io.load import read_network
from hickam.io.network_document import model_document
from hickam.io.network_text import read_text
from hickam.io.records import read_records
from hickam.io.roles_file import read_roles
from hickam.io.vignettes import read_vignettes
from hickam.issues import InvalidInput, Issue, errors
from hickam.model.expression import BadExpression, parse
from hickam.model.kinds import as_scm
from hickam.model.roles import with_roles
from hickam.trust.pool import METHODS, pool
from patients import PATIENT, syndromes
from small_hpo import genes, graph, hpoa, obo

BEDSIDE = (Path(__file__).parents[2] / "examples" / "bedside.yaml").read_text(encoding="utf-8")
TIED = """\
hickam: 1
name: Ties
risk_factors:
  - {id: obese, prior: 0.2, prevalence: [{age: [0, 5], factor: 0}]}
diseases:
  - {id: diabetes, leak: 0.05, causes: {obese: 0.1}}
  - {id: kidney, leak: 0.01, causes: {diabetes: 0.1}}
  - {id: type_1, leak: 0.005}
findings:
  - {id: oedema, leak: 0.02, causes: {kidney: 0.5}}
  - {id: leg_oedema, is_a: oedema, leak: 0.001, causes: {kidney: 0.3}}
exclusive:
  - [diabetes, type_1]
"""
NETWORK = """\
hickam: 1
name: Chest
source: "a 'quoted' source"
risk_factors:
  - {id: smoker, name: Smoker's cough, prior: 0.2}
diseases:
  - id: copd
    synonyms: [COPD, "x: y"]
    leak: 1 in 200
    rareness: common
    urgency: routine
    causes: {smoker: 0.12}
    prevalence:
      - {sex: male, age: [50, 120], factor: 2.0}
    treatment: {cost: 3.0, success: 0.4}
  - {id: flu, leak: &low 0.01}
findings:
  - id: cough
    leak: 2e-2
    cruelty: 2
    causes:
      copd: frequent
      flu: {fails: 0.25, source: book}
  - {id: fever, leak: *low, causes: [{id: flu, probability: 80 %}]}
categories:
  - id: duration
    values: [days, weeks]
    otherwise: [0.6, 0.4]
    given: {copd: {days: 0.1, weeks: 0.9}}
"""
GENERAL = """\
hickam: 1
name: General
nodes:
  - {id: smoker, role: risk factor, prior: 0.2}
  - {id: harm, leak: 0.05, causes: {smoker: 0.5}}
  - {id: grade, states: [a, b, high], parents: [harm], table: [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]}
  - {id: ill, role: disease, states: [yes, no], keep: 0.9, needs: {harm: {waived: 0.2}}}
  - {id: cough, role: finding, parents: [ill, smoker], coupling: independent,
     table: {"no, false": 0.1, "no, true": 0.2, "yes, false": 0.7, "yes, true": 0.9}}
  - {id: rash, role: finding, function: "ill and not (grade = high) or smoker xor harm"}
"""
SHEETS = """\
=network
key,value
name,Chest
=risk_factors
id,name,prior
smoker,Smoker,0.2
=diseases
ID;leak;treatment_cost
copd;0,005;2,5
=findings
id,leak,synonyms
cough,2 %,coughing; tussis
=links
cause,effect,probability,source
smoker,copd,0.12,book
copd,cough,frequent,
=prevalence
disease,sex,age_from,age_to,factor
copd,male,50,120,2
=categories
category,name,value,disease,probability
duration,Duration,days,,0.6
duration,Duration,weeks,,0.4
duration,Duration,days,copd,0.1
duration,Duration,weeks,copd,0.9
"""
NOISY_MAX = """<smile id="m"><nodes>
<cpt id="a"><state id="on"/><state id="off"/><probabilities>0.2 0.8</probabilities></cpt>
<cpt id="b"><state id="much"/><state id="some"/><state id="no"/>
 <probabilities>0.1 0.3 0.6</probabilities></cpt>
<noisymax id="x"><state id="high"/><state id="no"/><parents>a b</parents>
 <strengths>0 1 0 1 2</strengths>
 <parameters>0.2 0.8 0 1 0.7 0.3 0.2 0.8 0 1 0.02 0.98</parameters></noisymax>
<deterministic id="y"><state id="t"/><state id="f"/><parents>a</parents>
 <resultingstates>t f</resultingstates></deterministic></nodes></smile>"""
ICI = """<ProbModelXML><ProbNet type="BayesianNetwork"><Variables>
<Variable name="a" type="finiteStates" role="chance"><States><State name="no"/>
 <State name="yes"/></States></Variable>
<Variable name="s" type="finiteStates" role="chance"><States><State name="no"/>
 <State name="some"/><State name="much"/></States></Variable></Variables><Potentials>
<Potential type="Table"><Variables><Variable name="a"/></Variables>
 <Values>0.9 0.1</Values></Potential>
<Potential type="ICIModel"><Variables><Variable name="s"/><Variable name="a"/></Variables>
 <Model>OR / MAX</Model><Subpotentials><Potential type="Table"><Variables><Variable name="s"/>
 <Variable name="a"/></Variables><Values>1 0 0 0.2 0.3 0.5</Values></Potential></Subpotentials>
</Potential></Potentials></ProbNet></ProbModelXML>"""
PAIRS = "disease,symptom,probability,prior,leak\nflu,fever,0.8,1 in 50,0.01\nflu,cough,60 %,,\n"
LISTS = 'Diseases;Symptoms\nabscess;"pain (0.318), swelling (of legs) (12 %)"\n'
CASE = {
    "present": ["chest pain", "nausea"],
    "absent": ["fever"],
    "risks": {"smoker": True, "known diabetes": None},
    "likelihoods": {"angina": 2.0},
    "sex": "male",
    "age": 63,
    "notes": "free text",
    "id": "7",
}
RECORDS = """\
sex,age,smoker,emphysema,angina,chest_pain,nausea,fatigue
male,63,,1,0,,0,yes
female,49,0,,no,1,TRUE,
"""
PATIENTS = (
    {"present": ["nausea"], "absent": ["fatigue"], "risks": {"smoker": True}, "age": 49},
    {"sex": "male", "smoker": 1, "angina": False, "nausea": None},
)
EXPERTS = """\
disease,finding,Ann,Bo
angina,chest pain,75 %,0.5
reflux,chest pain,1 in 20,very frequent
,angina,0.01,
reflux,fatigue,0.2,0.4
"""
SAID = """\
numbers:
  - {cause: angina, effect: chest pain, Ann: 75 %, Bo: 0.5}
  - {effect: angina, Ann: 0.01}
weights: {Ann: 2}
"""
OLD = {
    "id": "old",
    "subject": {"id": "a", "sex": "MALE", "ageAtCollection": {"age": "P10Y"}},
    "phenotypic_features": [{"type": {"id": "HP:0001250"}, "negated": False}],
    "diseases": [{"term": {"id": "MIM:1"}}],
}
VIGNETTE = {
    **CASE,
    "diseases": ["angina"],
    "rareness": "common",
    "opinions": [{"doctor": "d", "differential": ["angina", ["asthma", "copd"]], "outside": 1}],
    "causes": {"nausea": "angina"},
}


@dataclass(frozen=True)
class Target:
    """One kind of input."""

    run: Callable[[bytes], object]
    seeds: tuple[bytes, ...]


@cache
def clinic() -> hickam.Network:
    return hickam.load("clinic")


@cache
def smoker() -> hickam.Network:
    return hickam.load("smoker")


@cache
def folder() -> Path:
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="fuzz-", dir=memory if memory.is_dir() else None))


def sound(model: object, issues: list[Issue]) -> None:
    """A model comes without errors, its content can be written, and messages can be printed."""
    for issue in issues:
        json.dumps(issue.as_dict()).encode()
        str(issue).encode("utf-8")
    if model is None:
        assert errors(issues)
        return
    assert not errors(issues)
    json.dumps(model_document(model), allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert model.hash
    assert len(model.causes) >= 0
    assert len(model.effects) >= 0
    assert as_scm(model).nodes
    locate(hickam.Case(), model)


def network_yaml(data: bytes) -> None:
    sound(*read_text(data.decode("utf-8", "replace"), "x.yaml"))


def network_json(data: bytes) -> None:
    sound(*read_text(data.decode("utf-8", "replace"), "x.json"))


def csv_folder(data: bytes) -> None:
    place = folder() / "sheets"
    place.mkdir(exist_ok=True)
    for name in COLUMNS:
        (place / f"{name}.csv").unlink(missing_ok=True)
    for name, text in sections(data).items():
        if name in COLUMNS:
            (place / f"{name}.csv").write_bytes(text)
    sound(*read_network(place))


def network_file(suffix: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        path = folder() / f"network{suffix}"
        path.write_bytes(data)
        sound(*read_network(path))

    return run


def packed_file(data: bytes) -> None:
    """A packed network: how it is packed is drawn from its own content."""
    path = folder() / "network.bif.gz"
    sound_one = data == TEXTS["bif"].encode()
    path.write_bytes(gzip.compress(data) if sound_one else packed(data, random.Random(data)))
    sound(*read_network(path))


def roles_file(suffix: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        path = folder() / f"roles{suffix}"
        path.write_bytes(data)
        with_roles(as_scm(clinic()), read_roles(path))

    return run


def sections(data: bytes) -> dict[str, bytes]:
    """Name → text, of several files in one input."""
    parts = (part.lstrip(b"=").partition(b"\n") for part in data.split(b"\n="))
    return {name.decode("latin-1"): text for name, _, text in parts}


def spreadsheet(data: bytes) -> None:
    """A packed folder of XML whose parts are changed; or, where there are none, changed itself."""
    path = folder() / "experts.xlsx"
    if data.startswith(b"PK"):
        path.write_bytes(data)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name, text in sections(data).items():
                out.writestr(name.replace("\0", "")[:200] or "x", text)
    with contextlib.suppress(InvalidInput):
        read_experts(path)
    sound(*read_network(path))


def parquet(data: bytes) -> None:
    path = folder() / "cases.parquet"
    path.write_bytes(data)
    with contextlib.suppress(InvalidInput):
        read_cases(path)
    read_records(smoker(), path)


def hpo_files(data: bytes) -> None:
    place = folder() / "hpo"
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    for name, text in sections(data).items():
        if name in (*ONTOLOGY, *ANNOTATIONS, *GENES):
            (place / name).write_bytes(text)
    assert build(place).network.hash


def records_file(suffix: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        path = folder() / f"records{suffix}"
        path.write_bytes(data)
        read = read_records(smoker(), path)
        for issue in (*read.problems, *read.warnings):
            str(issue).encode("utf-8")

    return run


def experts_file(suffix: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        path = folder() / f"experts{suffix}"
        path.write_bytes(data)
        table = read_experts(path)
        for method in METHODS:
            pooled = pool(smoker(), table.rows, method=method, weights=table.weights, add=True)
            sound(pooled.network, [])

    return run


def case_file(suffix: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        path = folder() / f"case{suffix}"
        path.write_bytes(data)
        locate(read_case(path), clinic())

    return run


def case_lines(data: bytes) -> None:
    path = folder() / "cases.jsonl"
    path.write_bytes(data)
    cases, issues = read_cases(path)
    for issue in issues:
        str(issue).encode("utf-8")
    for case in cases:
        with contextlib.suppress(InvalidInput):
            locate(case, clinic())


def phenopacket(data: bytes) -> None:
    """A packet in a file, in a request, and on its way out again."""
    path = folder() / "patient.json"
    path.write_bytes(data)
    network = syndromes()
    case, issues = open_case(path).for_network(network)
    for issue in issues:
        str(issue).encode("utf-8")
    locate(case, network)
    read_vignettes(path)
    document = json.loads(data.decode("utf-8-sig"))
    dx = hickam.diagnose(network, case)
    record = record_of(network, case, dx, warnings=issues, document=document)
    for form in FORMS.values():
        form.write(record).encode("utf-8")


def vignettes(data: bytes) -> None:
    path = folder() / "vignettes.jsonl"
    path.write_bytes(data)
    found, issues = read_vignettes(path)
    for issue in issues:
        str(issue).encode("utf-8")
    for vignette in found:
        assert all(opinion.size for opinion in vignette.opinions)
        with contextlib.suppress(InvalidInput):
            locate(vignette.case, clinic())


def expression(data: bytes) -> None:
    with contextlib.suppress(BadExpression):
        found = parse(data.decode("utf-8", "replace"))
        resolved = found.resolve(dict.fromkeys(found.names(), ("off", "on")))
        resolved.value(dict.fromkeys(found.names(), 1))


def command_line(data: bytes) -> None:
    from hickam.cli.options import build_case
    from hickam.cli.query import _states
    from hickam.twin.observe import read_states

    texts = data.decode("utf-8", "replace").split("\n")
    values = {"risk": texts[0::4], "category": texts[1::4], "likelihood": texts[2::4]}
    states, issues = read_states(as_scm(clinic()), _states(texts), "evidence")
    assert states or issues or not texts
    said = {**values, "present": texts[3::4], "absent": [], "age": None}
    locate(build_case(said, clinic()), clinic())


def faulty(data: bytes) -> None:
    """A reader that is wrong in the ways that fuzzing must notice."""
    if b"]" in data:
        os.abort()
    if b"[" in data:
        raise KeyError("[")
    if b"{" in data:
        bytearray(1 << 40)
    if b"}" in data:
        raise InvalidInput([])


def encoded(*documents: object) -> tuple[bytes, ...]:
    return tuple(json.dumps(document, ensure_ascii=False).encode() for document in documents)


def as_json(text: str) -> bytes:
    import yaml

    return json.dumps(yaml.safe_load(text), default=str).encode()


def workbooks() -> tuple[bytes, bytes]:
    """A spreadsheet as its parts, and packed."""
    from openpyxl import Workbook

    book = Workbook()
    for row in ("disease,finding,probability", "flu,cough,0.5", "flu,fever,0.8", "a cold,cough,1"):
        book.active.append(row.split(","))
    book.save(packed := io.BytesIO())
    with zipfile.ZipFile(packed) as parts:
        texts = {name: parts.read(name) for name in parts.namelist()}
    joined = b"".join(b"\n=" + name.encode() + b"\n" + text for name, text in texts.items())
    return joined[1:], packed.getvalue()


def tables() -> bytes:
    """A Parquet file of cases."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    rows = [{"id": "7", "present": ["nausea"], "age": 60.0}, {"absent": ["fatigue"]}]
    write_table(pa.Table.from_pylist(rows), out := io.BytesIO())
    return out.getvalue()


def hpo_texts() -> tuple[bytes, ...]:
    """The files of a made-up ontology, in both forms that it comes in."""
    rest = f"\n=phenotype.hpoa\n{hpoa()}\n=genes_to_disease.txt\n{genes()}"
    return f"=hp.obo\n{obo()}{rest}".encode(), f"=hp.json\n{json.dumps(graph())}{rest}".encode()


TARGETS: dict[str, Target] = {
    "network-yaml": Target(
        network_yaml, tuple(text.encode() for text in (NETWORK, GENERAL, BEDSIDE, TIED))
    ),
    "network-json": Target(network_json, tuple(map(as_json, (NETWORK, GENERAL, BEDSIDE, TIED)))),
    "nodes-yaml": Target(network_yaml, (GENERAL.encode(),)),
    "csv-folder": Target(csv_folder, (SHEETS.encode(),)),
    **{
        ending: Target(network_file(f".{ending.removeprefix('table-')}"), (text.encode(), *more))
        for ending, text, *more in (
            *((e, t) for e, t in TEXTS.items() if e not in ("xdsl", "pgmx")),
            ("xdsl", TEXTS["xdsl"], NOISY_MAX.encode()),
            ("pgmx", TEXTS["pgmx"], ICI.encode()),
            ("table-csv", PAIRS, LISTS.encode()),
        )
    },
    "bif-gz": Target(packed_file, (TEXTS["bif"].encode(),)),
    "roles": Target(
        roles_file(".yaml"), (b"fever: finding\ninfluenza: {role: disease, normal: 'false'}\n",)
    ),
    "roles-csv": Target(
        roles_file(".csv"), (b"node,role,normal\nfever,finding,\ninfluenza,disease,false\n",)
    ),
    "xlsx": Target(spreadsheet, workbooks()),
    "parquet": Target(parquet, (tables(),)),
    "hpo": Target(hpo_files, hpo_texts()),
    "records-csv": Target(records_file(".csv"), (RECORDS.encode(),)),
    "records-jsonl": Target(records_file(".jsonl"), (b"\n".join(encoded(*PATIENTS)),)),
    "experts-csv": Target(experts_file(".csv"), (EXPERTS.encode(),)),
    "experts-yaml": Target(experts_file(".yaml"), (SAID.encode(),)),
    "case-yaml": Target(
        case_file(".yaml"),
        (b"present: [chest pain, nausea]\nrisks: {smoker: yes}\nage: 63\n", *encoded(CASE)),
    ),
    "case-json": Target(case_file(".json"), encoded(CASE)),
    "cases-jsonl": Target(case_lines, (b"\n".join(encoded(CASE, {"risks": ["smoker"]}, CASE)),)),
    "phenopacket": Target(phenopacket, encoded(PATIENT, {"id": "f", "proband": PATIENT}, OLD)),
    "vignettes-jsonl": Target(vignettes, (b"\n".join(encoded(VIGNETTE, VIGNETTE)),)),
    "expression": Target(
        expression, (b"a and not (b or 'c d' = on) xor e", b'not (a) or b = "on" and true')
    ),
    "command-line": Target(
        command_line, (b"smoker=yes\nduration=days\nangina=2\nchest pain\nknown diabetes=no",)
    ),
}
# For the test of the fuzzing itself.
FAULTY = {"faulty": Target(faulty, (*(b"fine",) * 8, b"{fine", b"]fine"))}
