"""XML as a tree with line numbers: bounded, and without entities or anything from outside.

The document type that XMLBIF files carry may name elements and attributes. What it could make a
file expand to, entities and long default values, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from hickam.io.bounds import MOST_ELEMENTS
from hickam.io.foreign.variables import bad
from hickam.io.text import read_bytes
from hickam.issues import InvalidInput, Kind

DEEPEST = 50
MOST_DECLARED = 100  # attributes in a document type
LONGEST_DEFAULT = 100  # characters of the values that they have by default, together


@dataclass(slots=True)
class Element:
    """One element; tag and attribute names as the file spells them."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The element's own text."""
        return "".join(self.parts).strip()

    def all(self, tag: str) -> list[Element]:
        """The children with a tag, whatever its case."""
        return [child for child in self.children if child.tag.casefold() == tag.casefold()]

    def first(self, tag: str) -> Element | None:
        """The first child with a tag."""
        return next(iter(self.all(tag)), None)

    def walk(self) -> Iterator[Element]:
        """This element and everything in it, in the order of the file."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


def read_tree(path: Path) -> Element:
    """The root of an XML file."""
    return parse_tree(read_bytes(path, "network file"), str(path))


def parse_tree(content: bytes, file: str) -> Element:
    """The root of an XML text; entities, depth and size are bounded."""
    parser = expat.ParserCreate()
    root = Element("", {}, 0)
    trail = [root]
    count = declared = given = 0

    def refuse(what: str, kind: Kind = Kind.OTHER) -> InvalidInput:
        return bad(file, parser.CurrentLineNumber, "the file", what, kind=kind)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(trail) > DEEPEST:
            raise refuse(f"is nested more than {DEEPEST} levels deep", Kind.TOO_LARGE)
        if count > MOST_ELEMENTS:
            raise refuse(f"has more than {MOST_ELEMENTS:,} elements", Kind.TOO_LARGE)
        element = Element(tag, attributes, parser.CurrentLineNumber)
        trail[-1].children.append(element)
        trail.append(element)

    def entity(name: str, *_: object) -> None:
        raise refuse(f"declares the entity '{name[:40]}'; entities are not read")

    def attribute(_: str, name: str, kind: str, default: str | None, required: int) -> None:
        nonlocal declared, given
        declared, given = declared + 1, given + len(default or "")
        if declared > MOST_DECLARED or given > LONGEST_DEFAULT:
            what = f"declares too much about attributes: {name[:40]}"
            raise refuse(what, Kind.TOO_LARGE)

    def outside(*_: object) -> int:
        raise refuse("refers to something outside itself")

    def end(tag: str) -> None:
        trail.pop()

    def characters(text: str) -> None:
        trail[-1].parts.append(text)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = entity
    parser.AttlistDeclHandler = attribute
    parser.ExternalEntityRefHandler = outside
    try:
        parser.Parse(content, True)
    except InvalidInput:
        raise
    except expat.ExpatError as wrong:
        raise bad(
            file, wrong.lineno, "the file", f"is not XML: {expat.ErrorString(wrong.code)}"
        ) from None
    except (ValueError, LookupError) as wrong:
        raise bad(file, None, "the file", f"is not readable XML: {wrong}") from None
    return root.children[0]
