"""Words of testimony and of pleadings, made up, the same for the same seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_SUBJECTS = (
    "the witness|Mr. Calder|the shipment|our office|the second invoice|that meeting|she|they"
)
_VERBS = "signed|never saw|reviewed|returned|was told of|had agreed to|complained about|remembered"
_OBJECTS = (
    "the amended lease|those 12 crates|a letter of 3 May 2011|paragraph 4 of the contract|"
    "the e-mail from Ms. Osei|every page of Exhibit 7|a warehouse on 5th Street|25 of the 28 units"
)
_TAILS = (
    "before noon|in good faith|without counsel|on two occasions|as far as I recall|in 1998|at all"
)
_SPEAKERS = ("THE WITNESS:", "MR. HALE:", "MS. ORTEGA:", "THE COURT:")
_PARENTHETICALS = (
    "(Exhibit 14 was marked for identification.)",
    "(Discussion off the record.)",
    "(Recess taken from 10:15 to 10:31.)",
)


def sentence(chance: random.Random) -> str:
    """Return a statement."""
    parts = (chance.choice(words.split("|")) for words in (_SUBJECTS, _VERBS, _OBJECTS, _TAILS))
    text = " ".join(parts)
    return text[0].upper() + text[1:] + "."


def spoken(chance: random.Random, count: int, width: int, /) -> list[str]:
    """Return *count* lines of questions and answers, some of them empty."""
    lines: list[str] = []
    while len(lines) < count:
        kind = chance.random()
        if kind < 0.04:
            lines += ["", "    " + chance.choice(_PARENTHETICALS), ""]
        elif kind < 0.08:
            lines.append("               EXAMINATION")
            lines.append("BY MR. HALE:")
        elif kind < 0.16:
            text = f"          {chance.choice(_SPEAKERS)}  {sentence(chance)}"
            lines += wrapped(text, width)
        else:
            mark = chance.choice(("Q.", "A.", "Q", "A"))
            text = " ".join(sentence(chance) for _ in range(chance.randint(1, 3)))
            lines += wrapped(f"     {mark}   {text}", width)
        if chance.random() < 0.05:
            lines.append("")
    return lines[:count]


def prose(chance: random.Random, count: int, width: int, /) -> list[str]:
    """Return *count* lines of paragraphs."""
    lines: list[str] = []
    while len(lines) < count:
        if chance.random() < 0.15:
            lines.append(chance.choice(("I.  INTRODUCTION", "II.  ARGUMENT", "A.  The Lease")))
        if chance.random() < 0.15:
            lines.append("")
        messages = " ".join(sentence(chance) for _ in range(chance.randint(2, 5)))
        lines += wrapped(f"      {messages}", width)
    return lines[:count]


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines of at most *width* characters; its indent stays on the first."""
    indent = len(text) - len(text.lstrip())
    out, line = [], text[:indent]
    for word in text.split():
        if len(line) + len(word) + 1 > width and line.strip():
            out.append(line)
            line = ""
        line += word if not line.strip() else f" {word}"
    return [*out, line]
