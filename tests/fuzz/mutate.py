"""Inputs near a valid one: cut, repeated, spliced, and spiked with what parsers stumble over."""

from __future__ import annotations

import gzip
import random
import re

WORD = re.compile(rb"[A-Za-z_][\w.-]*")
NUMBER = re.compile(rb"-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,5})?")
BLOCK = re.compile(
    rb"<(\w{1,40})[^<>]{0,400}>[^<>]{0,400}</\1>|<\w[^<>]{0,400}/>"
    rb"|[({\[][^(){}\[\]]{0,400}[)}\]];?|\b\w{1,40}:[^\n]{0,400}\n"
)
NUMBERS = (
    *(b"0", b"1", b"2", b"-1", b"0.5", b"1e-300", b"1e308", b"-0.0", b"nan", b"inf", b"1000000000"),
    *(b"99999999999999999999", b"0.9999999", b"1.004", b"1e9", b"2147483648", b"1_0", b"\xd9\xa1"),
)
ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7")
TOKENS = (
    *(b"[", b"]", b"{", b"}", b"- ", b"? ", b": ", b":", b",", b"#", b"|", b">", b"&a ", b"*a"),
    *(b"'", b'"', b"\\", b"!!int ", b"!x ", b"%", b"---\n", b"...\n", b"<<: *a", b"~", b"null"),
    *(b"true", b"false", b"yes", b"NaN", b".nan", b".inf", b"-1", b"0", b"1", b"1e999", b"1e-400"),
    *(b"9" * 400, b"0x1f", b"0,5", b"1 in 0", b"1/3", b"200 %", b"\x00", b"\xff", b"\xed\xa0\x80"),
    *(b"\\ud800", "é".encode(), "\u2028".encode(), b"\x85", b"\r", b"\n", b"\t", b" ", b"sep=;\n"),
    *(b"hickam", b"id", b"name", b"nodes", b"states", b"table", b"parents", b"causes", b"leak"),
    *(b"prior", b"role", b"on", b"function", b"coupling", b"given", b"values", b"otherwise"),
    *(b"present", b"absent", b"risks", b"likelihoods", b"categories", b"age", b"sex", b"opinions"),
    *(b"and", b"or", b"xor", b"not", b"(", b")", b"=", b"smoker", b"copd", b"cough", b"angina"),
)
LONGEST = 200_000


def packed(data: bytes, draw: random.Random) -> bytes:
    """The data as gzip writes it; now and then cut, joined, spoiled, or nearly all zeros."""
    whole = gzip.compress(data, 1, mtime=0)
    kind = draw.randrange(8)
    if kind == 0:
        return whole[: draw.randrange(len(whole))]
    if kind == 1:
        return _change(whole, (whole,), draw)
    if kind == 2:
        return whole + draw.choice((whole, b"\x00" * 9, data, gzip.compress(b"", mtime=0)))
    if kind == 3:
        return gzip.compress(data + bytes(draw.choice((1, 1000, 3_000_000))), 1, mtime=0)
    return whole


def mutate(seeds: tuple[bytes, ...], draw: random.Random) -> bytes:
    """A seed after a few random changes."""
    data = draw.choice(seeds)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        change = _change if draw.random() < 0.5 else _restructure
        data = change(data, seeds, draw)[:LONGEST]
    return data


def _restructure(data: bytes, seeds: tuple[bytes, ...], draw: random.Random) -> bytes:
    """One change that keeps the grammar: of a number, a name, a block, or of the encoding."""
    kind = draw.randrange(12)
    if kind == 0:
        return data.decode("utf-8", "replace").encode(draw.choice(ENCODINGS), "replace")
    pattern = (NUMBER, WORD, BLOCK)[kind % 3]
    places = list(pattern.finditer(data))
    if not places:
        return data
    place, other = draw.choice(places), draw.choice(places)
    before, after = data[: place.start()], data[place.end() :]
    if pattern is NUMBER and draw.random() < 0.7:
        return before + draw.choice(NUMBERS) + after
    if pattern is WORD or draw.random() < 0.4:  # one name for another, one block in another
        return before + other[0] + after
    if draw.random() < 0.3:
        return before + after
    return before + place[0] * draw.choice((2, 2, 3, 40)) + after


def _change(data: bytes, seeds: tuple[bytes, ...], draw: random.Random) -> bytes:
    """One change."""
    start, stop = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    if draw.random() < 0.6:
        stop = min(len(data), start + draw.randrange(12))
    before, piece, after = data[:start], data[start:stop], data[stop:]
    kind = draw.randrange(10)
    if kind == 0:
        return before + after
    if kind == 1:
        return before + draw.choice(TOKENS) + after
    if kind == 2:
        return before + draw.choice(TOKENS) + piece + after
    if kind == 3:
        return before + piece * draw.choice((2, 2, 3, 10, 300)) + after
    if kind == 4:
        return before + draw.choice(TOKENS) * draw.choice((2, 5, 60, 3000)) + after
    if kind == 5:
        other = draw.choice(seeds)
        at = draw.randrange(len(other) + 1)
        return before + other[at : at + draw.randrange(80)] + after
    if kind == 6:
        lines = data.split(b"\n")
        draw.shuffle(lines)
        return b"\n".join(lines)
    if kind == 7:
        lines = data.split(b"\n")
        at = draw.randrange(len(lines))
        lines[at:at] = [lines[draw.randrange(len(lines))]] * draw.choice((1, 1, 2, 50))
        return b"\n".join(lines)
    if kind == 8 and data:
        at = draw.randrange(len(data))
        return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]
    return before + piece[::-1] + after
