"""Options that several commands share: the network, the case and the assumptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from hickam.beliefs.options import Options
from hickam.cli.lines import say
from hickam.evidence.case import Case, joined
from hickam.issues import NOT_UNDERSTOOD, InvalidInput, Issue, error
from hickam.model.kinds import Model
from hickam.model.network import Network

if TYPE_CHECKING:
    from hickam.model.kinds import Model

Command = TypeVar("Command", bound=Callable[..., Any])


class ManyValues(click.Command):
    """A command whose repeatable options also take several values: --present cough fever."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option name before each further value."""
        own = {name for p in self.params if getattr(p, "multiple", False) for name in p.opts}
        spread: list[str] = []
        current: str | None = None
        fresh = False
        for arg in args:
            if arg.startswith("-") and arg != "-":
                current = arg if arg in own else None
                fresh = True
                spread.append(arg)
                continue
            if current and not fresh:
                spread.append(current)
            fresh = False
            spread.append(arg)
        return super().parse_args(ctx, spread)

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; where words of a case are not understood, say how to go on without them."""
        try:
            return super().invoke(ctx)
        except InvalidInput as bad:
            if "lenient" in ctx.params and all(
                issue.kind in NOT_UNDERSTOOD for issue in bad.issues
            ):
                bad.add_note("with --lenient the nearest is taken, or they are left out")
            raise


def _complete(kind: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Shell completion over the names of one layer of the chosen network."""

    def complete(ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
        from hickam.io.load import load
        from hickam.language.fold import fold
        from hickam.language.vocabulary import vocabularies

        try:
            words = vocabularies(load(ctx.params.get("network") or "clinic"))[kind]
        except InvalidInput:
            return []
        return [node for node in words.ids if fold(node).startswith(fold(typed))]

    return complete


def role_options(command: Command) -> Command:
    """Options that set the roles of nodes."""
    for option in (
        meaning_options,
        click.option("--finding", multiple=True, metavar="NODE", help="A node to be a finding."),
        click.option("--disease", multiple=True, metavar="NODE", help="A node to be a disease."),
        click.option("--risk-factor", multiple=True, metavar="NODE", help="… a risk factor."),
        click.option("--other", multiple=True, metavar="NODE", help="… none of these."),
    ):
        command = option(command)
    return command


def meaning_options(command: Command) -> Command:
    """Options that say what the nodes of another program's model mean."""
    for option in (
        click.option("--guess", is_flag=True, help="Guess what no one says, and say so."),
        click.option("--roles", metavar="FILE", help="YAML, JSON or CSV of nodes and their roles."),
    ):
        command = option(command)
    return command


def open_model(source: str, values: Mapping[str, Any]) -> Model:
    """The model at a source with what `meaning_options` say; a guess is told on stderr."""
    from hickam.io.load import load
    from hickam.model.kinds import general_of

    model = load(source, roles=values["roles"], guess=values["guess"])
    general = general_of(model)
    if general is not None and general.guessed:
        say(f"warning: this rests on {general.guessed}", err=True)
    return model


def model_with_roles(source: str, values: Mapping[str, Any]) -> Model:
    """The model at a source with the roles that the options set; warnings go to stderr."""
    from hickam.io.load import read_network
    from hickam.io.roles_file import check_clear, read_roles
    from hickam.issues import raise_errors
    from hickam.model.roles import Part, with_roles

    model, issues = read_network(source)
    raise_errors(issues)
    assert model is not None
    roles = read_roles(values["roles"]) if values["roles"] else {}
    said: dict[str, Part] = {}
    for role in ("risk_factor", "disease", "finding", "other"):
        for node in values[role]:
            if node in said:
                what = f"is given as {said[node].role} and as {role}".replace("_", " ")
                raise_errors([error(f"role of '{node}'", what, "keep one")])
            said[node] = Part(role)
    model = with_roles(model, roles | said) if roles or said else model
    for issue in issues:
        say(f"{issue.level}: {issue}", err=True)
    if not values["guess"]:
        check_clear(model)
    return model


class MeasureName(click.Choice[str]):
    """One of the measures that there are when it is asked."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names of the measures."""
        from hickam.measures.scores import MEASURES

        return tuple(MEASURES)


class NetworkOption(click.Option):
    """An option whose help lists the forms of network that can be read, once it is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help."""
        from hickam.io.formats import listed, readable

        self.help = f"An embedded network, {listed(readable())}."
        return super().get_help_record(ctx)


def network_option(command: Command) -> Command:
    """--network NAME_OR_FILE."""
    from hickam.model.embedded import NAMES

    return click.option(
        "--network",
        "-n",
        default="clinic",
        show_default=True,
        metavar="NAME_OR_FILE",
        shell_complete=lambda _c, _p, typed: [name for name in NAMES if name.startswith(typed)],
        cls=NetworkOption,
    )(command)


def measure_option(default: str = "disablement") -> Callable[[Command], Command]:
    """--measure, with the measures that there are."""
    return click.option(
        "--measure",
        "-m",
        type=MeasureName(),
        default=default,
        show_default=True,
        help="What to rank by.",
    )


def engine_option(command: Command) -> Command:
    """--engine, with the engines that the chosen network has."""

    def complete(ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
        from hickam.infer import engines_of
        from hickam.io.load import load

        try:
            engines = engines_of(load(ctx.params.get("network") or "clinic"))
        except InvalidInput:
            return []
        return [name for name in engines if name.startswith(typed)]

    return click.option(
        "--engine",
        default="auto",
        show_default=True,
        metavar="NAME",
        shell_complete=complete,
        help="How to compute; auto chooses. docs/engines.md lists them.",
    )(command)


def case_options(command: Command) -> Command:
    """The evidence of one case, from options, a file, or both."""
    for option in reversed(
        [
            click.option(
                "--case", "case_file", metavar="FILE", help="A case, or a phenopacket, as a file."
            ),
            click.option(
                "--note",
                metavar="FILE|-",
                help="A note in plain text; what it says is added to the case.",
            ),
            click.option(
                "--present",
                "-p",
                multiple=True,
                shell_complete=_complete("finding"),
                help="Findings that are present; on a general model also NAME=STATE.",
            ),
            click.option(
                "--absent",
                "-a",
                multiple=True,
                shell_complete=_complete("finding"),
                help="Findings that are absent.",
            ),
            click.option(
                "--risk",
                "-r",
                multiple=True,
                metavar="NAME[=yes|no]",
                shell_complete=_complete("risk factor"),
                help="Observed risk factors; those not named are unknown.",
            ),
            click.option("--age", type=float, help="Age in years."),
            click.option("--sex", type=click.Choice(["female", "male"])),
            click.option(
                "--category",
                "--reading",
                multiple=True,
                metavar="NAME=VALUE",
                help="An observation with values, e.g. duration=days or temperature=39.2C; on a "
                "general model the state of any node.",
            ),
            click.option(
                "--likelihood",
                multiple=True,
                metavar="DISEASE=RATIO",
                shell_complete=_complete("disease"),
                help="A likelihood ratio for a disease, e.g. from a test.",
            ),
            click.option(
                "--lenient",
                is_flag=True,
                help="Take the nearest finding for words not understood or leave them out; say so.",
            ),
        ]
    ):
        command = option(command)
    return command


def assumption_options(command: Command) -> Command:
    """Options of the inference; see `hickam.beliefs.options.Options`."""
    for option in reversed(
        [
            click.option("--case-mix", type=float, help="β: 1 keeps the priors, 0 flattens them."),
            click.option(
                "--dial",
                type=float,
                help="γ, the Occam–Hickam dial: 1 any number of diseases, towards 0 exactly one.",
            ),
            click.option("--prior-shift", type=float, help="Added to every disease's prior."),
            click.option("--tolerance", type=float, help="Error asked for (default 0.001)."),
            click.option("--deadline", type=float, help="Seconds that the inference may take."),
            click.option("--seed", type=int, help="Seed of sampled answers."),
        ]
    ):
        command = option(command)
    return command


def given(values: Mapping[str, Any]) -> Options:
    """The inference options that the user set."""
    names = ("case_mix", "dial", "prior_shift", "tolerance", "deadline", "seed")
    return Options(**{name: values[name] for name in names if values.get(name) is not None})  # type: ignore[typeddict-item]


class Taken(NamedTuple):
    """A case as the command line takes it: from options, from a file, or both."""

    case: Case
    document: object = None  # of the file, as it was written
    warnings: Sequence[Issue] = ()


def build_case(values: Mapping[str, Any], network: Model) -> Case:
    """The case that the options describe, added to the one in --case if there is one."""
    return take_case(values, network).case


def take_case(values: Mapping[str, Any], network: Model) -> Taken:
    """The same with the file it came from.

    What a phenopacket says and the network does not know is told on the side, and so is how words
    are read that are no names of the network.
    """
    case, issues = Case(), list[Issue]()
    document, warnings = None, list[Issue]()
    if values.get("case_file"):
        from hickam.io.case_file import open_case

        file = open_case(values["case_file"])
        document = file.document
        case, warnings = file.for_network(network)
        for warning in warnings:
            say(f"{warning.level}: {warning}", err=True)
    if values.get("note"):
        from hickam.cli.plain_text import with_note

        case, left = with_note(case, values["note"], network, lenient=bool(values.get("lenient")))
        warnings = [*warnings, *left]
    truth = _truth if isinstance(network, Network) else _truth_or_state
    risks = _pairs(values["risk"], truth, issues, "risk factor")
    categories = _pairs(values["category"], str, issues, "category")
    likelihoods = _pairs(values["likelihood"], _number, issues, "likelihood ratio")
    if issues:
        raise InvalidInput(issues)
    own = Case(
        present=values["present"],
        absent=values["absent"],
        risks=risks,
        categories=categories,
        likelihoods=likelihoods,
        age=values.get("age"),
        sex=values.get("sex"),
    )
    from hickam.evidence.readings import readings

    for sentence in readings(own, network):
        say(sentence, err=True)
    whole = joined(case, own)
    if values.get("lenient"):
        from hickam.evidence.understood import understood

        whole, guessed = understood(whole, network)
        for issue in guessed:
            say(str(issue), err=True)
        warnings = [*warnings, *guessed]
    return Taken(whole, document, warnings)


def weights_of(texts: Sequence[str]) -> dict[str, float]:
    """NAME=WEIGHT texts as a mapping."""
    issues: list[Issue] = []
    found = _pairs(texts, _number, issues, "weight")
    if issues:
        raise InvalidInput(issues)
    return found


def _pairs(
    texts: Sequence[str], read: Callable[[str], Any], issues: list[Issue], kind: str
) -> dict[str, Any]:
    """NAME=VALUE texts as a mapping; a bare name counts as yes for risk factors."""
    found: dict[str, Any] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark and read not in (_truth, _truth_or_state):
            fix = "write NAME=VALUE"
            issues.append(error(f"{kind} '{text}'", "has no value", fix))
            continue
        try:
            meant = read(value.strip() if mark else "yes")
        except ValueError as bad:
            issues.append(error(f"{kind} '{name}'", str(bad)))
            continue
        if found.setdefault(name.strip(), meant) != meant:
            issues.append(error(f"{kind} '{name}'", "is given twice, differently", "keep one"))
    return found


def _truth(text: str) -> bool | None:
    """yes/no/unknown in the usual spellings."""
    from hickam.io.case_document import TRUTH

    if text.casefold() not in TRUTH:
        raise ValueError(f"is {text!r:.60}; write yes, no or unknown")
    return TRUTH[text.casefold()]


def _truth_or_state(text: str) -> bool | str | None:
    """The same, or the name of a state, which a risk factor of a general model may have."""
    from hickam.io.case_document import truth

    return truth(text)


def _number(text: str) -> float:
    """A number, with our own words for what is not one."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"is {text!r:.60}, not a number") from None
