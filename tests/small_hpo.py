"""A made-up ontology with its annotations and genes, in the form of the real files."""

from __future__ import annotations

from pathlib import Path

TERMS = {  # id: (name, parents, synonyms)
    "HP:0000001": ("All", [], []),
    "HP:0000118": ("Phenotypic abnormality", ["HP:0000001"], []),
    "HP:0000005": ("Mode of inheritance", ["HP:0000001"], []),
    "HP:0000010": ("Abnormal head", ["HP:0000118"], []),
    "HP:0000011": ("Abnormal eye", ["HP:0000010"], ["Eye trouble"]),
    "HP:0000012": ("Cataract", ["HP:0000011"], ['Clouded "lens"']),
    "HP:0000013": ("Large head", ["HP:0000010"], []),
    "HP:0000020": ("Abnormal nerve", ["HP:0000118"], []),
    "HP:0000021": ("Seizure", ["HP:0000020"], ["Fits"]),
    "HP:0000022": ("Eye seizure", ["HP:0000021", "HP:0000011"], []),
    "HP:0000030": ("Abnormal heart", ["HP:0000118"], []),
}
OLD = {"HP:0000099": "HP:0000021"}  # obsolete, replaced
ALTERNATIVE = {"HP:0000098": "HP:0000012"}

ROWS = [  # disease, name, qualifier, term, reference, frequency, aspect
    ("OMIM:1", "Alpha syndrome 1", "", "HP:0000012", "PMID:1", "3/4", "P"),
    ("OMIM:1", "Alpha syndrome 1", "", "HP:0000012", "PMID:2", "1/4", "P"),
    ("OMIM:1", "Alpha syndrome 1", "", "HP:0000021", "PMID:2", "0/9", "P"),
    ("OMIM:1", "Alpha syndrome 1", "", "HP:0000013", "OMIM:1", "", "P"),
    ("OMIM:1", "Alpha syndrome 1", "", "HP:0000005", "OMIM:1", "", "I"),
    ("OMIM:2", "Alpha syndrome 2", "", "HP:0000099", "PMID:3", "HP:0040281", "P"),
    ("OMIM:2", "Alpha syndrome 2", "NOT", "HP:0000030", "PMID:3", "", "P"),
    ("OMIM:3", "Beta disease", "", "HP:0000030", "PMID:4;PMID:5", "2/2", "P"),
    ("OMIM:3", "Beta disease", "", "HP:0000022", "PMID:5", "12%", "P"),
    ("OMIM:4", "Gamma disease", "", "HP:0000030", "PMID:6", "HP:0040283", "P"),
    ("OMIM:4", "Gamma disease", "", "HP:0000020", "PMID:6", "1/2", "P"),
    ("ORPHA:1", "Beta disease", "", "HP:0000030", "ORPHA:1", "HP:0040280", "P"),
    ("ORPHA:1", "Beta disease", "", "HP:0000011", "ORPHA:1", "HP:0040282", "P"),
    ("ORPHA:2", "Another name altogether", "", "HP:0000013", "ORPHA:2", "HP:0040282", "P"),
    ("ORPHA:3", "Delta disease", "", "HP:0000013", "ORPHA:3", "HP:0040284", "P"),
]
GENES = [("A", "OMIM:1"), ("B", "OMIM:3"), ("B", "ORPHA:1"), ("C", "OMIM:4"), ("C", "ORPHA:2")]


def obo() -> str:
    """The ontology as an OBO file."""
    lines = ["format-version: 1.2", "data-version: hp/releases/2030-01-01", "ontology: hp.obo"]
    for term, (name, parents, synonyms) in TERMS.items():
        lines += ["", "[Term]", f"id: {term}", f"name: {name}"]
        lines += [f"alt_id: {old}" for old, new in ALTERNATIVE.items() if new == term]
        lines += ['synonym: "{}" EXACT []'.format(s.replace('"', '\\"')) for s in synonyms]
        lines += [f"is_a: {parent} ! {TERMS[parent][0]}" for parent in parents]
    for old, new in OLD.items():
        lines += ["", "[Term]", f"id: {old}", "name: obsolete", "is_obsolete: true"]
        lines += [f"replaced_by: {new}"]
    lines += ["", "[Typedef]", "id: part_of", "name: part of"]
    return "\n".join(lines) + "\n"


def graph() -> dict[str, object]:
    """The ontology as an OBO Graphs document."""

    def address(term: str) -> str:
        return "http://purl.obolibrary.org/obo/" + term.replace(":", "_")

    oio = "http://www.geneontology.org/formats/oboInOwl#"
    nodes: list[dict[str, object]] = [{"id": "http://www.w3.org/2002/07/owl#Thing"}]
    for term, (name, _, synonyms) in TERMS.items():
        others = [old for old, new in ALTERNATIVE.items() if new == term]
        meta = {
            "synonyms": [{"pred": "hasExactSynonym", "val": s} for s in synonyms],
            "basicPropertyValues": [{"pred": oio + "hasAlternativeId", "val": o} for o in others],
        }
        nodes.append({"id": address(term), "lbl": name, "meta": meta})
    for old, new in OLD.items():
        replaced = {"pred": address("IAO:0100001"), "val": address(new)}
        meta = {"deprecated": True, "basicPropertyValues": [replaced]}
        nodes.append({"id": address(old), "lbl": "obsolete", "meta": meta})
    edges = [
        {"sub": address(term), "pred": "is_a", "obj": address(parent)}
        for term, (_, parents, _) in TERMS.items()
        for parent in parents
    ]
    version = "http://purl.obolibrary.org/obo/hp/releases/2030-01-01/hp.json"
    return {"graphs": [{"nodes": nodes, "edges": edges, "meta": {"version": version}}]}


def hpoa(rows: list[tuple[str, ...]] | None = None) -> str:
    """The annotations as a file."""
    head = (
        "database_id disease_name qualifier hpo_id reference evidence onset frequency sex modifier "
        "aspect biocuration"
    )
    lines = ["#description: made up", "#version: 2030-01-01", head.replace(" ", "\t")]
    for disease, name, qualifier, term, reference, frequency, aspect in rows or ROWS:
        cells = (
            disease,
            name,
            qualifier,
            term,
            reference,
            "PCS",
            "",
            frequency,
            "",
            "",
            aspect,
            "",
        )
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def genes() -> str:
    """The genes as a file."""
    lines = ["ncbi_gene_id\tgene_symbol\tassociation_type\tdisease_id\tsource"]
    lines += [f"NCBIGene:1\t{gene}\tMENDELIAN\t{disease}\tx" for gene, disease in GENES]
    return "\n".join(lines) + "\n"


def write(folder: Path, rows: list[tuple[str, ...]] | None = None) -> Path:
    """The folder, with all three files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hp.obo").write_text(obo())
    (folder / "phenotype.hpoa").write_text(hpoa(rows))
    (folder / "genes_to_disease.txt").write_text(genes())
    return folder
