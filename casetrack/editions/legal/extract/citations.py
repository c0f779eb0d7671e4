"""Citations of a legal text: authority, form, pins, signal and treatment."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from casetrack.editions.legal.extract.reading import JoinedText, joined_text, with_bare_laws
from casetrack.editions.legal.extract.tails import (
    Parentheses,
    pins_of,
    read_parentheses,
    read_pins,
    signal_before,
    treatment_around,
)
from casetrack.editions.legal.extract.works import with_works
from casetrack.extract.papers.text import AuthorityKind, CitationForm, LegalCitation, Pin
from casetrack.extract.references.antecedents import is_parallel_gap, resolve
from casetrack.extract.references.citations import Citation, misread, reads_case_law
from casetrack.extract.references.cited import is_other_work
from casetrack.extract.references.codes import is_regulation
from casetrack.extract.references.finder import detect
from casetrack.extract.references.matches import ReferenceMatch, slug
from casetrack.extract.references.record_cites import pin_start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.extract.papers.text import WholeText
    from casetrack.extract.references.cited import Cited

_NOTE = (
    "eyecite is not installed: short forms, journals and old spellings of citations may be missed."
)
_KINDS: dict[str, AuthorityKind] = {kind: kind for kind in get_args(AuthorityKind)}
_FORMS: dict[str, CitationForm] = {
    "short": "short",
    "reference": "short",
    "id": "id",
    "supra": "supra",
}
_CORE_OF_ID = re.compile(r"(?:[Ii]d\.|ID\.|[Ii]bid\.?|IBID\.?),?")
_CORE_OF_SUPRA = re.compile(r"(?:supra|SUPRA)(?:,?\s(?:at\s)?(?:note|n\.)\s?\d+)?")
_AT = re.compile(r",?\s(?=(?:at|@)\s)")
_PAPER = re.compile(
    r"(?:\bv\.\s[^;\n]{3,90},|\b(?:In re|Ex parte)\s[^;\n]{3,80},)\s\d{1,4}\s(?:U\.\s?S\."
    r"|S\.\s?Ct\.|F\.\s?(?:2d|3d|4th|Supp)|[NS]\.\s?[EW]\.|[AP]\.\s?[23]d|So\.\s?[23]d|WL|[A-Z])"
    r"|\bECF No|\bDkt\. (?:No\. )?\d|\bCompl\. ¶|\bDep\. (?:at )?\d|\bTr\.\s(?:at\s)?\d"
    r"|\bD\.\s?E\.\s\d|\b(?:Answer|Decl\.|Aff\.) ¶|\b[PDJ]X[ -]?\d|\(R\. (?:at )?\d"
    r"|\bJ\.\s?A\.\s\d|(?:Pl|Def)s?\.['’]s?\s(?:Br|Mot|Opp|Mem|Ex|SOF)"
)
"""Matches only papers of a lawsuit: a case with its reporter, or a citation of the record."""
_DOUBTFUL = 0.5
_TINY = re.compile(r"\d\s\D+\s\d")
_UNPINNED = frozenset(("regulation", "rule", "constitution"))
_FEDERAL_REGISTER = "regulation:fed-reg-"
_HISTORY_BEFORE = re.compile(
    r"[,;]\s(?:and\s)?(?:aff['’]?(?:d|g)|rev['’]?(?:d|g)|affirmed|reversed|vacated|cert\."
    r"|reh['’]?g|appeal|review|modified|amended|withdrawn|overruled)(?:[\w\s.'’]{0,40}),?\s$"
)
_ACT_FIRST = re.compile(r"(?:§|Section|Article|Paragraph)\s(?P<number>\S+)\s(?P<act>[A-Z].*)$")


def citations_notes() -> tuple[str, ...]:
    """Return notes on the limits of the citation reader on this computer."""
    return () if reads_case_law() else (_NOTE,)


def read_citations(whole: WholeText, /) -> tuple[LegalCitation, ...]:
    """Return the citations of a document, in order and without overlaps.

    Headers and footers are ignored, and citations may cross lines and pages. Parallel citations are
    merged. Citations inside the remark of a citation follow it.
    """
    reading = joined_text(whole)
    text = reading.text
    items = with_bare_laws(text, detect(text, record=bool(_PAPER.search(text))))
    items = with_works(text, items)
    blocks, notes = (_placed(whole, reading, kind) for kind in ("blocks", "notes"))
    found_in = resolve(text, items, [], blocks=blocks, notes=notes)
    placed = [
        _Reference(match, what, citation)
        for (match, what), (_, citation) in zip(found_in, items, strict=True)
    ]
    placed = _with_later_names([one for one in placed if _is_citation(one)])
    groups = list(_groups(text, placed))
    names, same = _authorities(text, groups)
    made = []
    for place, group in enumerate(groups):
        limit = groups[place + 1][0].found.start if place + 1 < len(groups) else len(text)
        made.append(_legal_citation(reading, group, limit, names, same))
    return tuple(_without_overlaps(made))


def _placed(whole: WholeText, reading: JoinedText, kind: str) -> list[tuple[int, int]]:
    """Return the block quotations or footnotes of the pages as spans of the joined text."""
    return [
        (reading.offset_of(begin + start), reading.offset_of(begin + end))
        for page, begin in zip(whole.pages, whole.starts, strict=True)
        for start, end in getattr(page, kind)
    ]


@dataclass(frozen=True, slots=True)
class _Reference:
    """A reference, its authority, and the result of eyecite."""

    found: ReferenceMatch
    what: Cited
    citation: Citation | None
    form_as_name: bool = False

    @property
    def form(self) -> CitationForm:
        """The form of the citation."""
        if self.form_as_name:
            return "name"
        if self.citation is not None:
            return _FORMS.get(self.citation.kind, "full")
        named = self.found.type == "case" and " v" in self.found.name
        return "name" if named and "[" not in self.found.name else "full"


def _is_citation(one: _Reference) -> bool:
    if one.citation is not None:
        if one.citation.kind == "supra" and one.citation.name is None:
            return False  # "see supra Part II" points to a part of the paper itself
        # "1 Grant 2" or "8 U.S. 1" may be a line of a table.
        nameless = one.citation.kind == "case" and "year" not in one.citation.details
        if nameless and one.citation.name is None and _TINY.fullmatch(one.citation.written):
            return False
        return one.found.confidence > _DOUBTFUL or one.citation.kind not in {"case", "journal"}
    if one.found.type == "case":
        return one.what.volume != "" or not one.found.key.startswith("case:no-")
    if one.found.type == "document":
        return is_other_work(one.found.key)
    return one.found.type in {"regulation", "rule", "constitution", "record"}


def _with_later_names(placed: list[_Reference]) -> list[_Reference]:
    """Set the key of names that occur before their full citation, as in texts with footnotes."""
    later: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in placed:
        if one.what.volume and len(one.what.parties) == 2:
            named = "case:" + slug(" v ".join(one.what.parties))
            later[named].add((one.what.key, one.what.name))
    known = {key: min(names) for key, names in later.items() if len({k for k, _ in names}) == 1}
    made = []
    for one in placed:
        if one.found.key in known:
            key, name = known[one.found.key]
            names = replace(one.found, key=key, name=name)
            one = replace(one, found=names, form_as_name=one.form == "name")  # noqa: PLW2901
        made.append(one)
    return made


def _groups(text: str, placed: list[_Reference]) -> Iterator[list[_Reference]]:
    """Yield groups of parallel citations; other citations are groups of one."""
    group: list[_Reference] = []
    for one in placed:
        if group and _joins(text, group[-1], one):
            group.append(one)
            continue
        if group:
            yield group
        group = [one]
    if group:
        yield group


def _joins(text: str, last: _Reference, one: _Reference) -> bool:
    if last.found.key != one.found.key or (last.citation is None and last.found.type == "case"):
        return False
    between = text[last.found.end : one.found.start]
    if one.citation is None:
        return (
            one.found.type == "regulation"
            and last.found.type == "regulation"
            and is_parallel_gap(between)
        )
    if one.citation.kind not in {"case", "short"} or one.citation.start != one.citation.core:
        return False
    if last.citation and last.citation.kind == "id":
        return re.fullmatch(r",?\s", between) is not None
    same_form = last.citation is not None and last.citation.kind in {"case", "short"}
    return (
        same_form
        and last.citation is not None
        and last.citation.reporter != one.citation.reporter
        and is_parallel_gap(between)
    )


def _authorities(
    text: str, groups: list[list[_Reference]]
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Return the names of authorities, and the keys of parallel citations, by key."""
    names: dict[str, str] = {}
    keys: dict[str, tuple[str, ...]] = {}
    earlier = ""
    for group in groups:
        first = group[0]
        key = first.found.key
        for one in group:
            known = keys.get(key, (key,))
            keys[key] = tuple(dict.fromkeys((*known, *(a for a in one.what.aliases if a))))
        if first.form == "full" and key not in names:
            names[key] = _full_name(text, first, earlier)
            if first.found.type == "case":
                end = read_pins(text, group[-1].found.end, len(text))[0]
                year = read_parentheses(text, end).year or _year_before(text, first)
                others = [one.citation.corrected or "" for one in group[1:] if one.citation]
                names[key] = ", ".join([names[key], *others]) + (f" ({year})" if year else "")
                name = first.citation.name if first.citation else None
                earlier = name.text if name else earlier
    return names, keys


def _full_name(text: str, one: _Reference, earlier: str) -> str:
    """Return the name of a full citation; a later decision has the name of the earlier one."""
    name = one.found.name
    act = _ACT_FIRST.fullmatch(name) if one.found.type == "regulation" else None
    if act:
        return f"{act['act']} § {act['number']}"
    nameless = one.found.type == "case" and one.citation and one.citation.name is None
    before = text[max(0, one.found.start - 70) : one.found.start]
    if nameless and earlier and _HISTORY_BEFORE.search(before):
        return f"{earlier}, {name}"
    return name


def _year_before(text: str, one: _Reference) -> int | None:
    """Return the year between name and volume, the style of California."""
    name = one.citation.name if one.citation else None
    if name is None or one.citation is None:
        return None
    match = re.search(
        r"\((?:[^()\d]{0,30}\s)?((?:17|18|19|20)\d\d)\)", text[name.end : one.citation.core]
    )
    return int(match[1]) if match else None


def _legal_citation(
    reading: JoinedText,
    group: list[_Reference],
    limit: int,
    names: dict[str, str],
    same: dict[str, tuple[str, ...]],
) -> LegalCitation:
    text = reading.text
    first = group[0]
    pins: list[Pin] = []
    end = first.found.end
    own_keys = []
    for place, one in enumerate(group):
        stop = group[place + 1].found.start if place + 1 < len(group) else limit
        own = _own_key(one)
        own_keys.append(own)
        key = own if len(group) > 1 else ""
        end, new_pins = _pins(text, one, stop, key)
        pins += new_pins
    around = read_parentheses(text, end)
    if first.form not in {"full", "short", "supra", "id"} or first.found.type == "record":
        around = Parentheses(end, around.remarks_end, "", None, around.remark)
    start = first.found.start
    signal, signal_start = signal_before(text, start)
    begin, finish = reading.source_span(start, around.end)
    key = first.found.key
    resolved = all(one.found.resolved for one in group)
    kind = _kind(first)
    note = misread(text[start:end])
    confidence = min(one.found.confidence for one in group)
    keys = same.get(key, (key,))
    return LegalCitation(
        begin,
        finish,
        text[start : around.end],
        kind,
        first.form,
        key if resolved else "",
        names.get(key, first.found.name),
        keys if resolved else (),
        tuple(pins),
        signal,
        treatment_around(text, signal_start, around.end, around.remarks_end)
        if kind != "record"
        else "",
        around.remark,
        around.court,
        around.year or _year_before(text, first),
        resolved,
        min(confidence, 0.7) if note else confidence,
        note,
    )


def _own_key(one: _Reference) -> str:
    if one.citation and one.citation.kind == "case":
        return "case:" + slug((one.citation.corrected or one.citation.written).replace(".", ""))
    if one.citation and one.citation.kind == "short":
        volume, reporter = one.citation.groups.get("volume") or "", one.citation.reporter or ""
        begun = "case:" + slug(volume, reporter.replace(".", ""))
        return next((a for a in one.what.aliases if a.startswith(begun + "-")), one.found.key)
    return one.found.key


def _pins(text: str, one: _Reference, limit: int, key: str) -> tuple[int, tuple[Pin, ...]]:
    """Return the end of the citation with its pins, and the pins."""
    match, citation = one.found, one.citation
    if match.type == "record" and citation is None:
        written = text[match.start : match.end]
        return match.end, pins_of(written[pin_start(written) :])
    begin = match.end
    if citation is not None and citation.kind in {"short", "reference"}:
        at = _AT.search(text, citation.core, min(match.end + 8, len(text)))
        begin = at.start() if at else begin
    elif citation is not None and citation.kind in {"id", "supra"}:
        core = (_CORE_OF_ID if citation.kind == "id" else _CORE_OF_SUPRA).match(text, citation.core)
        begin = core.end() if core else begin
        begin -= text[begin - 1 : begin] == ","
    elif match.type in _UNPINNED and not match.key.startswith(_FEDERAL_REGISTER):
        return begin, ()
    end, pins = read_pins(text, begin, max(limit, begin), key=key)
    if citation is None or citation.kind not in {"id", "supra"}:
        end = max(end, match.end)
    return end, pins


def _kind(one: _Reference) -> AuthorityKind:
    type_ = one.found.key.split(":", 1)[0] if one.found.key else one.found.type
    if one.citation is not None and one.citation.kind == "journal":
        return "journal"
    if "-constitution" in one.found.key:
        return "constitution"
    if type_ == "regulation":
        return "regulation" if is_regulation(one.found.key) else "statute"
    return _KINDS.get(type_, "other")


def _without_overlaps(made: list[LegalCitation]) -> Iterator[LegalCitation]:
    """Yield citations without overlaps; the first one stays complete."""
    end = -1
    for one in made:
        if one.start >= end:
            yield one
            end = one.end
        elif one.end > end:
            yield replace(one, start=end, text=one.text[end - one.start :])
            end = one.end
