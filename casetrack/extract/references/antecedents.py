"""Resolution of *id.*, *supra* and short forms over all texts of a document.

By the rules of legal writing: *id.* is the authority cited immediately before, if it is single and
its page fits; a short form is the only case of its reporter and volume, or of its name; *supra* is
the only case of its name. Ambiguous ones stay unresolved.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.extract.references.cases import NAMES_ALONE
from casetrack.extract.references.cited import (
    NAME_PARTS,
    PAGED_LAWS,
    PIN_OF_ID,
    WORK,
    Cited,
    Place,
    has_late_page,
    is_other_work,
    is_unpaged,
    known_case,
    meant_by,
)
from casetrack.extract.references.matches import ReferenceMatch, slug

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.references.citations import Citation

_LISTS = WordLists(__file__)

_PARALLEL = _LISTS.pattern("parallel")
_REMARK = _LISTS.pattern("remark")
_NEAR_PARENTHESIS = 240

_HISTORY = re.compile(_LISTS.text("history"), re.VERBOSE | re.IGNORECASE)
"""Words before the later history of a decision or its quoted source; *id.* means neither."""
_SIGNALS = _LISTS.pattern("signals", re.IGNORECASE)
_REMARKS = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)")
_PROSE = re.compile(r"\b[a-z]{3,}\b(?!\.)")
_TAIL = re.compile(
    r"(?:,?\s?(?:at\s)?(?:pp?\.\s?|nn?\.\s?|¶{1,2}\s?|§{1,2}\s?)?\*?\d[\w.:–—-]*(?:\s?\(\w{1,4}\))*){0,8}"
    rf"(?:\s?{_REMARKS.pattern}){{0,4}},?\s?"
)
"""Pin cites, court, year and remarks after a citation."""
_TITLE_OF_PAPER = re.compile(
    r"(?:,\s(?!at\b)(?:[A-Z]|\d{4}\s)[^.;()]{2,80}?(?=,|\sat\s\d|\s§|\.\s|\s\())+"
    r"(?:,?\sat\s\d[\d–-]*|\s§{1,2}\s?\d[\d.]*)?"
)
"""The title of a paper of the record after its number: "ECF No. 15-1, Label, at 1"."""
_UNREAD = _LISTS.pattern("unread")
"""Signs of a citation: an address, a signal, a date in parentheses, a volume, a pin cite."""
_PAGED = re.compile(r"\sat\s(?:pp?\.\s?)?\d{3}")
"""The page of a work that few others have."""
_NAMED_ACT = re.compile(r"regulation:\D+(?:-(?:1[789]|20)\d\d)?")


def resolve(
    text: str,
    items: list[tuple[ReferenceMatch, Citation | None]],
    cited: list[Cited],
    /,
    *,
    blocks: Sequence[Place] = (),
    notes: Sequence[Place] = (),
) -> list[tuple[ReferenceMatch, Cited]]:
    """Resolve the citations of one text; return the references with final keys, and their sources.

    Parameters
    ----------
    items
        Its references in order, with eyecite's citation if any.
    cited
        Earlier citations of the document in order; extended by this call.
    blocks, notes
        Block quotations and footnotes of the text, in order. *Id.* in the text means no citation
        of a footnote, and one in a footnote a citation of it or of the footnote before.
    """
    resolved: list[tuple[ReferenceMatch, Cited]] = []
    apart = _apart(text, notes)
    previous_end = 0
    for place, (match, citation) in enumerate(items):
        between = text[previous_end : match.start]
        note = _note_at(notes, match.start)
        is_later = bool(_HISTORY.search(between))
        if resolved and (
            (cited[-1].within and _closes(between))
            or (cited[-1].history and not is_later and not is_parallel_gap(between))
        ):
            # "A (quoting B). Id." and "A, aff'd, B. Id." mean A.
            outer = next(
                (c for c in reversed(cited) if c.authority and not (c.within or c.history)), None
            )
            if outer is not None:
                cited.append(replace(outer, inner=cited[-1].pages))
        if citation is None:
            made, what = _named(match, between, cited)
            if _is_mention(match, text, cited[-1] if cited else None):
                what = replace(what, mentioned=True)
        elif citation.kind in {"case", "law", "journal"}:
            made, what = _full(match, citation, between, cited)
        else:
            spelled = _spelled_out(text, items, place, citation)
            until = match.start
            is_id = citation.kind == "id"
            is_apart = is_id and bool(notes)
            own = apart[note is not None] if is_apart else text
            known = [c for c in cited if _is_beside(c, note)] if is_apart else cited
            earlier = [o for o in resolved if _is_beside(o[1], note)] if is_apart else resolved
            if is_id and (block := _block_before(text, until, blocks)):
                known = [c for c in known if not c.quoted]
                earlier, until = [one for one in earlier if not one[1].quoted], block[0]
            target = meant_by(spelled, text, match.start, known)
            pin = PIN_OF_ID.match(text, match.start) if spelled.kind == "id" else None
            if (
                spelled.kind == "id"
                and target
                and not (
                    pin
                    and has_late_page(target, pin)
                    and not _PAGED.search(own, previous_end, until)
                )
                and _is_unread_before(own, until, earlier)
            ):
                target = None
            target = _of_paper(_of_section(target, text, match, known), text, match, earlier)
            made = _pointed(match, target)
            what = Cited("", authority=False)
            if target:
                what = replace(target, mentioned=False)
        if resolved and what.authority and what.key:
            is_id = citation is not None and citation.kind == "id"
            several = what.several if is_id else _is_joined(between, cited, what)
            within = bool(
                _REMARK.search(
                    text, max(previous_end, match.start - _NEAR_PARENTHESIS), match.start
                )
            )
            within = within or (cited[-1].within and not _closes(between))
            history = is_later or (cited[-1].history and is_parallel_gap(between))
            what = replace(what, several=several, within=within, history=history)
        if blocks:
            what = replace(
                what, quoted=_is_quoted(text, match, blocks, is_source=not what.mentioned)
            )
        what = replace(what, note=note)
        cited.append(what)
        resolved.append((made, what))
        previous_end = match.end
    return resolved


def _apart(text: str, notes: Sequence[Place]) -> tuple[str, str]:
    """Return *text* with blanks for its footnotes, and with blanks for all else."""
    body, feet, at = "", "", 0
    for start, end in (*notes, (len(text), len(text))):
        body += text[at:start] + " " * (end - start)
        feet += " " * (start - at) + text[start:end]
        at = end
    return body, feet


def _note_at(notes: Sequence[Place], at: int) -> int | None:
    place = bisect_right(notes, at, key=lambda note: note[0]) - 1
    return place if place >= 0 and at < notes[place][1] else None


def _is_beside(cited: Cited, note: int | None) -> bool:
    """Return whether an *id.* of a footnote, or of the text, may mean a citation."""
    if note is None or cited.note is None:
        return note is cited.note
    return note - 1 <= cited.note <= note


_LAST_WORDS = re.compile(r"(?:,?\s*(?:at\s)?[\d*–-]+)*\s*(?:\([^()]*\)\s*)*[.\s”\"’'\])]*")
"""Text after the last citation of a quotation: pages, court and year."""


def _block_before(text: str, at: int, blocks: Sequence[Place]) -> Place | None:
    return next((b for b in blocks if b[1] <= at and not text[b[1] : at].strip()), None)


def _is_unread_before(text: str, at: int, earlier: Sequence[tuple[ReferenceMatch, Cited]]) -> bool:
    """Return whether *text* has an unread citation between the last one that was read and *at*."""
    start, mentions = 0, []
    for match, what in reversed(earlier):
        if not what.mentioned:
            start = match.end
            title = _TITLE_OF_PAPER.match(text, start) if match.type == "record" else None
            start = title.end() if title else start
            break
        mentions.append(match)
    start = _tail_end(text, start)
    for match in reversed(mentions):
        if match.start >= start:
            if match.type == "link" or _UNREAD.search(_without_remarks(text[start : match.start])):
                return True
            start = match.end
    return bool(_UNREAD.search(_without_remarks(text[start:at])))


def _tail_end(text: str, end: int) -> int:
    tail = _TAIL.match(text, end)
    return tail.end() if tail else end


def _without_remarks(text: str) -> str:
    """Return *text* without its parentheses, except those of a date."""
    return _REMARKS.sub(lambda match: match[0] if _UNREAD.fullmatch(match[0]) else "", text)


def _is_quoted(
    text: str, match: ReferenceMatch, blocks: Sequence[Place], *, is_source: bool
) -> bool:
    """Return whether a citation is in a block quotation, and is not the source at its end."""
    for start, end in blocks:
        if start <= match.start < end:
            return not (is_source and _LAST_WORDS.fullmatch(text, match.end, end))
    return False


def _spelled_out(
    text: str, items: list[tuple[ReferenceMatch, Citation | None]], place: int, citation: Citation
) -> Citation:
    """Return the citation of *place*; of "Id., 63 Haw. at 466" the short form after it."""
    if citation.kind == "id" and place + 1 < len(items):
        after, short = items[place + 1]
        if (
            short
            and short.kind == "short"
            and re.fullmatch(r",?\s", text[items[place][0].end : after.start])
        ):
            return short
    return citation


_OPENS = _LISTS.pattern("opens", re.IGNORECASE)
_IN_PROSE = frozenset(("with", "and", "or", ","))
_RUNS_ON = re.compile(r"\s(?!at\b)[a-z]+\s")
"""Prose after the title of an agreement, which is then only named."""


def _is_mention(match: ReferenceMatch, text: str, previous: Cited | None) -> bool:
    """Return whether a sentence only mentions its authority without citing it."""
    if match.type in {"case", "record"} or match.key.startswith((*PAGED_LAWS, f"document:{WORK}")):
        return False
    written = text[match.start : match.end]
    if match.type == "constitution" and "const" not in written.casefold():
        return True  # "the First Amendment"
    if match.type in {"section", "link"} or _NAMED_ACT.fullmatch(match.key):
        return True
    before = text[max(0, match.start - 24) : match.start]
    opening = _OPENS.search(before)
    if opening is None:
        return True
    if match.type == "document" and (
        opening[0].strip().lower() in _IN_PROSE or _RUNS_ON.match(text, match.end)
    ):
        return True
    return (
        opening[0].strip(" ,").lower() in {"", "and", "or"}
        and bool(previous and previous.mentioned)
        and match.start > 0
        and not opening[0].startswith("\n")
    )


_SECTION_OF_ID = re.compile(
    r"[Ii]d\.,?(?:\sat)?\s(?:§{1,2}\s?(?P<number>\d[\w.:-]*\w|\d)(?P<below>(?:\(\w{1,4}\))*)|subds?\.)"
)


def _of_section(
    target: Cited | None, text: str, match: ReferenceMatch, known: Sequence[Cited]
) -> Cited | None:
    """Return the meaning of "Id. § 362(d)": another section of the same code; cases have none."""
    section = _SECTION_OF_ID.match(text, match.start) if target else None
    if target is None or section is None:
        return target
    if target.key.startswith("case:"):
        part = f"-{slug(section['number'] or '-')}-"
        laws = (c for c in reversed(known) if c.key.startswith("regulation:"))
        target = next((law for law in laws if part in f"{law.key}-"), None)
        if target is None:
            return None
    head, sign, number = target.name.rpartition("§")
    last = slug(number)
    if not section["number"] or not sign or not last or not target.key.endswith("-" + last):
        return target
    written = section["number"] + section["below"]
    key = f"{target.key.removesuffix(last)}{slug(written)}"
    return replace(target, key=key, name=f"{head.rstrip('§ ')} § {written}", aliases=(key,))


_EXHIBIT = re.compile(r"record:(?:[a-z]+-)?ex-")
_ATTACHED = re.compile(r"(?:,?\s¶{1,2})?[\d,\s–-]{1,40}(?:(?:&|and)\s)?")
_PART_OF_ID = re.compile(r"[Ii]d\.,?\s(?:(?:at\s)?¶|Exh?s?\.\s)")


def _of_paper(
    target: Cited | None,
    text: str,
    match: ReferenceMatch,
    earlier: Sequence[tuple[ReferenceMatch, Cited]],
) -> Cited | None:
    """Return the meaning of "Decl. ¶ 2 & Ex. 1. Id. ¶ 3": the declaration, not its exhibit."""
    is_exhibit = target and _EXHIBIT.match(target.key)
    if not is_exhibit or not _PART_OF_ID.match(text, match.start):
        return target
    after: ReferenceMatch | None = None
    for one, what in reversed(earlier):
        if after and not _ATTACHED.fullmatch(text, one.end, after.start):
            break
        if after and not _EXHIBIT.match(what.key):
            return what if what.key.startswith("record:") else target
        if after or (_EXHIBIT.match(what.key) and text[one.start] not in "Ii"):
            after = one
    return target


def _closes(between: str) -> bool:
    depth = 0
    for sign in between:
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth < 0:
                return True
    return False


_AUTHORITIES = frozenset(("case", "regulation", "rule", "constitution", "record"))


def _named(match: ReferenceMatch, between: str, cited: list[Cited]) -> tuple[ReferenceMatch, Cited]:
    """Resolve citations without a volume: a law, a paper of the record, a case by its names."""
    is_case = match.type == "case"
    known = known_case(match, cited) if is_case else None
    if known is None and is_case and match.confidence == NAMES_ALONE:
        # Names without a reporter or number don't identify the case, so *id.* stays open.
        return match, Cited("", match.name, authority=False)
    if known is not None:
        made = replace(match, key=known.key, name=known.name, confidence=0.85)
        return made, replace(known, several=False, within=False)
    key = match.key if match.resolved else ""
    last = cited[-1] if cited else None
    if (
        last
        and last.key
        and match.key.startswith(("regulation:stat-", "regulation:public-law-"))
        and last.key.startswith("regulation:")
        and _PARALLEL.fullmatch(between)
    ):
        # An act, its number and its page in the Statutes at Large.
        aliases, name = (*(last.aliases or (last.key,)), match.key), f"{last.name}, {match.name}"
        made = replace(match, key=last.key, name=name)
        return made, replace(last, name=name, aliases=aliases, mentioned=False)
    is_authority = match.type in _AUTHORITIES or is_other_work(match.key)
    parties = (match.name,) if is_other_work(match.key) else ()
    return match, Cited(key, match.name, parties, authority=is_authority, aliases=(key,))


def _is_joined(between: str, cited: list[Cited], what: Cited) -> bool:
    last = cited[-1] if cited else None
    if last is None or not last.key or not last.authority or last.key == what.key:
        return False
    if is_unpaged(last) and what.key.startswith("case:"):
        return False  # "RAP 13.4; A, 1 Wn.2d 2. Id." means A: a rule would have a section
    # In prose a semicolon ends a clause: "A held so; in B the court did not. Id." means B.
    before, sign, after = _REMARKS.sub("", between).rpartition(";")
    return bool(sign and _SIGNALS.fullmatch(after) and not _PROSE.search(before))


def _full(
    match: ReferenceMatch, citation: Citation, between: str, cited: list[Cited]
) -> tuple[ReferenceMatch, Cited]:
    page = (citation.groups.get("page") or "").strip("_- ")
    pages = (int(page),) if page.isdigit() else ()
    parties = tuple(citation.details[n] for n in NAME_PARTS if n in citation.details)
    parties = citation.name.parties if citation.name else parties
    if citation.kind == "journal":
        parties = (match.name,)
    if citation.kind == "case" and not page and citation.name:
        # "598 U.S. ___": the page is unknown, so the name identifies the decision.
        match = replace(match, key=f"{match.key}-{slug(' v '.join(parties))}")
    key = match.key if match.resolved else ""
    what = Cited(
        key,
        match.name,
        parties,
        citation.groups.get("volume") or "",
        citation.reporter or "",
        pages,
        aliases=(key,),
    )
    last = cited[-1] if cited else None
    nameless = citation.start == citation.core
    same = None
    if key and last and nameless and _is_parallel(last, what, between):
        # Another reporter of the same decision: later words mean the first one.
        same = last
    elif key:
        same = next((c for c in reversed(cited) if c.key != key and key in c.aliases), None)
    if same is None:
        return match, what
    aliases = same.aliases if key in same.aliases else (*same.aliases, key)
    name = same.name if nameless else match.name
    made = replace(match, key=same.key, name=name)
    what = replace(
        what,
        key=same.key,
        name=name,
        parties=what.parties or same.parties,
        pages=same.pages + pages,
        aliases=aliases,
    )
    return made, what


def is_parallel_gap(between: str, /) -> bool:
    """Return whether only pin cites separate two reporters of one decision."""
    return _PARALLEL.fullmatch(between) is not None


def _is_parallel(last: Cited, what: Cited, between: str) -> bool:
    one_decision = bool(last.key and last.volume) and last.reporter != what.reporter
    return one_decision and bool(_PARALLEL.fullmatch(between))


def _pointed(match: ReferenceMatch, target: Cited | None) -> ReferenceMatch:
    if target is None:
        return replace(match, resolved=False, confidence=0.4)
    type_ = target.key.split(":", 1)[0]
    return ReferenceMatch(match.start, match.end, type_, target.key, target.name, 0.85)  # type: ignore[arg-type]
