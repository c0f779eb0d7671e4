"""Texts, numbers and lists that the templates of a report show."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from casetrack.api.viewer.symbols import Words, counted, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.api.viewer.report.gather import Report
    from casetrack.api.viewer.report.proof import Amounts
    from casetrack.base.records.graph import Quote, Topic

MAX_NAME = 120
"""Characters of a name that are shown."""
_BREAK = re.compile(r"\n(\w)")
_BESIDE = 90
"""Characters of a paragraph that are shown on each side of a sum."""
_LONGEST_SUM = 150
_PLURAL = frozenset(
    "dollar cent peso franc rupee dinar rial shilling guilder pound ruble lira centavo".split()
)
"""Names of money whose English plural has an s; others do not change."""
_COINS = frozenset(
    ("cent", "US cent", "euro cent", "pence", "GBP pence", "paisa", "centavo", "centime", "kopek")
)
"""Units of small change, which are left out of the largest sums."""
_UNITS: Mapping[str | None, str] = {"dollar": "Dollars (country not given)", None: "No currency"}
_KINDS = {
    "correspondence": ("letter or mail", "letters and mails"),
    "policy": ("policy", "policies"),
    "minutes": ("set of minutes", "sets of minutes"),
    "calendar": ("calendar item", "calendar items"),
    "other": ("other", "others"),
}
_OUTPUTS = {
    "dense": "vectors",
    "tokens": "token matrices",
    "sparse": "sparse vectors",
    "names": "names",
}


def command(words: str, collection: str, /) -> str:
    """Return a command for a collection."""
    return f"casetrack {words} -c {shlex.quote(shortened(collection, MAX_NAME))}"


def number(value: float, high: float | None, unit: str | None, words: Words, /) -> str:
    """Return a sum, or a range of sums, as text; only currency codes are added."""
    text = _plain(value, words)
    if high is not None:
        text += f" \u2013 {_plain(high, words)}"
    return f"{unit}\u00a0{text}" if unit and unit.isupper() else text


def with_unit(value: float, high: float | None, unit: str, words: Words, /) -> str:
    """Return a sum with its currency: ``EUR 5``, ``2,000,000 dollars``."""
    text = number(value, high, unit, words)
    return text if unit.isupper() else f"{text}\u00a0{words.phrase(unit_words(unit))}"


def unit_words(unit: str, /) -> str:
    """Return a currency for a sentence: ``dollars``; codes do not change."""
    return f"{unit}s" if unit in _PLURAL else unit


def _plain(value: float, words: Words) -> str:
    return words.number(value, 0 if value == int(value) else 2)


def unit_title(unit: str | None, /) -> str:
    """Return the heading of a currency."""
    return _UNITS.get(unit, unit or "")


def main_amounts(report: Report, /) -> list[Amounts]:
    """Return the currencies with a name and sums; only the first unit of small change."""
    units = [group for group in report.amounts if group.sums and group.unit]
    return [*units[:1], *(group for group in units[1:] if group.unit not in _COINS)]


def kinds(report: Report, words: Words, /) -> list[str]:
    """Return the types of documents with their counts; unknown types are last or left out."""
    counts = dict(report.summary.statistics.document_types)
    others = counts.pop("other", 0)
    if others and counts:
        counts["other"] = others
    known = ((n, _KINDS.get(kind, (kind, f"{kind}s"))) for kind, n in counts.items())
    return [counted(n, *nouns, words=words) for n, nouns in known]


def outputs(report: Report, words: Words, /) -> list[str]:
    """Return the outputs of models for the passages, with the share of each."""
    coverage = report.summary.statistics.embedder_coverage
    shown = [(_OUTPUTS[n], s) for n, s in coverage.items() if s and n in _OUTPUTS]
    return [f"{words.phrase(name)} {share:.0%}" for name, share in shown]


def other_terms(topic: Topic, most: int, /) -> str:
    """Return the terms of a topic that are not in its label, as text."""
    label = topic.label.casefold()
    others = [term for term in topic.terms if term.casefold() not in label][:most]
    return shortened(", ".join(others), MAX_NAME)


def paragraph(quote: Quote, /) -> tuple[str, str, str]:
    """Return the text of a quote with the text around it in its paragraph."""
    start = quote.snippet_start
    left = _BREAK.sub(_flowing, quote.snippet[:start])
    right = _BREAK.sub(_flowing, quote.snippet[start + len(quote.text) :])
    before, after = left.rpartition("\n")[2], right.partition("\n")[0]
    is_cut = before == left and quote.char_start > start
    if len(before) > _BESIDE:
        before, is_cut = before[-_BESIDE:].partition(" ")[2], True
    before = f"\u2026 {before.lstrip()}" if is_cut else before
    is_cut = after == right and not after.rstrip().endswith((".", "!", "?"))
    if len(after) > _BESIDE:
        after, is_cut = after[:_BESIDE].rpartition(" ")[0], True
    after = f"{after.rstrip()} \u2026" if is_cut else after
    return before.lstrip(), " ".join(shortened(quote.text, _LONGEST_SUM).split()), after.rstrip()


def _flowing(match: re.Match[str]) -> str:
    """Return a line break as a space if the next line starts with a lower-case letter."""
    return f" {match[1]}" if match[1].islower() else match[0]


def common_folder(paths: Sequence[str], /) -> str:
    """Return the common folder of all files, if there is a useful one."""
    if not paths:
        return ""
    kind = PureWindowsPath if "\\" in paths[0] and "/" not in paths[0] else PurePosixPath
    folders = [kind(path).parent for path in paths]
    shared = folders[0]
    while shared != shared.parent and not all(f.is_relative_to(shared) for f in folders):
        shared = shared.parent
    return "" if shared == shared.parent else str(shared)
