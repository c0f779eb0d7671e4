"""What *id.*, *supra* and short forms point back to, over all texts of a document.

The rules are those of legal writing. *Id.* means the authority cited immediately before, if that is
one and its page fits; a short form the one case of its reporter and volume, or of its name; *supra*
the one case of its name. Where several could be meant nothing is: the place stays open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.extract.references.matches import ReferenceMatch, slug

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.references.citations import Citation

Place = tuple[int, int]
_MAX_PAGES = 150
"""Pages that a decision may run to; a pin cite further on is of another one (as in eyecite)."""
_MOST = 1000
_PARALLEL = re.compile(
    r"(?:\s?\((?:17|18|19|20)\d\d\))?"
    r"(?:,?\s*(?:at\s)?(?:pp?\.\s?|nn?\.\s?|fn\.\s?|¶{1,2}\s?"
    r"|&\s)?\*?[\d_]+(?:[-–—]\d+)?(?:\s?\(\d{1,2}\)(?:\([a-z]\))?)?(?:\s?(?:&\s)?(?:nn?"
    r"|fn)\.\s?\d+(?:[-–—,]\s?\d+)*)?){0,6}"
    r"\s*[,\[(=]?\s*"
)
_REMARK = re.compile(
    r"\((?:(?:\w+ly|as|then|in turn|internal \w+ \w+|emphasis \w+|second|first)[,;]?\s)*"
    r"(?:quoting|citing|quoted|cited|discussing|[a-z]{3,}ing|see|same|collecting"
    r"|cf\.)\b[^()]*(?:\([^()]*\)[^()]*)*$"
)
_NEAR_PARENTHESIS = 240
_A_YEAR = re.compile(r"(?:19|20)\d\d")
_PIN = re.compile(r"(?:at\s+)?(?:pp?\.\s*)?\*?(\d+)")
_NAME_PARTS = ("plaintiff", "defendant", "antecedent_guess")


@dataclass(frozen=True, slots=True)
class Cited:
    """Something cited at a place.

    Attributes
    ----------
    key, name
        Of what is cited; *key* is empty where it is open.
    parties
        Names that a later *supra* may use.
    volume, reporter
        For later short forms.
    pages
        First pages in the reporters that it stands in; none for laws.
    several
        Whether it is the last of several authorities cited together.
    authority
        Whether it is one that *id.* may mean.
    aliases
        Keys of its parallel citations, its own among them.
    mentioned
        Whether it is a law or a part that its sentence only speaks of ("under Rule 56"): a later
        *id.* then means the case cited before.
    quoted
        Whether it stands in a block quotation: an *id.* right behind that means what was cited
        before the quotation.
    within
        Whether it stands in a remark on another citation, "(quoting ...)": what follows the remark
        does not mean it.
    """

    key: str
    name: str = ""
    parties: tuple[str, ...] = ()
    volume: str = ""
    reporter: str = ""
    pages: tuple[int, ...] = ()
    several: bool = False
    authority: bool = True
    aliases: tuple[str, ...] = ()
    within: bool = False
    mentioned: bool = False
    quoted: bool = False


class Antecedents:
    """What a document has cited so far, by place; the oldest is forgotten after a thousand."""

    def __init__(self) -> None:
        self._cited: dict[Place, Cited] = {}

    def before(self, place: Place, /) -> list[Cited]:
        """Return what was cited before *place*, in order of place."""
        return [cited for at, cited in sorted(self._cited.items()) if at < place]

    def forget(self, place: Place, /) -> None:
        """Take back what was noted at *place*, if anything."""
        self._cited.pop(place, None)

    def note(self, place: Place, cited: Cited, /) -> None:
        """Keep *cited*; the same place counts once."""
        self._cited[place] = cited
        if len(self._cited) > _MOST:
            del self._cited[min(self._cited)]


def resolve(
    text: str,
    items: list[tuple[ReferenceMatch, Citation | None]],
    cited: list[Cited],
    /,
    *,
    blocks: Sequence[Place] = (),
) -> list[tuple[ReferenceMatch, Cited]]:
    """Resolve the citations of one text.

    Parameters
    ----------
    text
        The text.
    items
        Its references in order of place, those of eyecite with their citation.
    cited
        What stood before it in the document, in order; grows by what is found.
    blocks
        Start and end of the block quotations in the text, in order.

    Returns
    -------
    list
        The references with their final keys, and what each of them cites.
    """
    resolved: list[tuple[ReferenceMatch, Cited]] = []
    previous_end = 0
    for place, (found, citation) in enumerate(items):
        between = text[previous_end : found.start]
        if resolved and cited[-1].within and _closes(between):
            # "A (quoting B). Id." means A.
            outer = next((c for c in reversed(cited) if c.authority and not c.within), None)
            if outer is not None:
                cited.append(replace(outer, several=False))
        if citation is None:
            made, what = _named(found, between, cited)
            if _is_mention(found, text, cited[-1] if cited else None):
                what = replace(what, mentioned=True)
        elif citation.kind in {"case", "law", "journal"}:
            made, what = _full(found, citation, between, cited)
        else:
            spelled = _spelled_out(text, items, place, citation)
            known = cited
            if citation.kind == "id" and _is_behind_block(text, found.start, blocks):
                known = [c for c in cited if not c.quoted]
            target = _target(spelled, text[max(0, found.start - 3) : found.start], known)
            target = _of_section(target, text, found)
            made = _pointed(found, target)
            what = Cited("", authority=False)
            if target:
                what = replace(target, several=False, mentioned=False)
        if resolved and what.authority and what.key:
            several = _is_joined(between, cited, what)
            within = bool(
                _REMARK.search(
                    text, max(previous_end, found.start - _NEAR_PARENTHESIS), found.start
                )
            )
            within = within or (cited[-1].within and not _closes(between))
            what = replace(what, several=several, within=within)
        if blocks:
            what = replace(
                what, quoted=_is_quoted(text, found, blocks, is_source=not what.mentioned)
            )
        cited.append(what)
        resolved.append((made, what))
        previous_end = found.end
    return resolved


_LAST_WORDS = re.compile(r"(?:,?\s*(?:at\s)?[\d*–-]+)*\s*(?:\([^()]*\)\s*)*[.\s”\"’'\])]*")
"""What stands behind the last citation of a quotation: pages, court and year."""


def _is_behind_block(text: str, at: int, blocks: Sequence[Place]) -> bool:
    """Whether nothing but white space stands between a block quotation and *at*."""
    return any(end <= at and not text[end:at].strip() for _, end in blocks)


def _is_quoted(
    text: str, found: ReferenceMatch, blocks: Sequence[Place], *, is_source: bool
) -> bool:
    """Whether a citation stands in a block quotation, and is not the source at its end."""
    for start, end in blocks:
        if start <= found.start < end:
            return not (is_source and _LAST_WORDS.fullmatch(text, found.end, end))
    return False


def _spelled_out(
    text: str,
    items: list[tuple[ReferenceMatch, Citation | None]],
    place: int,
    citation: Citation,
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


_OPENS = re.compile(
    r"(?:^|[.;:)\]\"”’—–]\s*|[(\[]\s*|\n\n|(?<!\w)(?:see|see,? e\.g\.,|also|cf\.|accord|e\.g\.,"
    r"|citing|quoting|compare|contra|with|and|or|,)\s*)$",
    re.IGNORECASE,
)


def _is_mention(found: ReferenceMatch, text: str, previous: Cited | None) -> bool:
    """Whether a sentence only speaks of what *found* names, and does not cite it."""
    if found.type in {"case", "record"}:
        return False
    before = text[max(0, found.start - 24) : found.start]
    opening = _OPENS.search(before)
    if opening is None:
        return True
    return (
        opening[0].strip(" ,").lower() in {"", "and", "or"}
        and bool(previous and previous.mentioned)
        and found.start > 0
        and not opening[0].startswith("\n")
    )


_SECTION_OF_ID = re.compile(
    r"[Ii]d\.,?(?:\sat)?\s§{1,2}\s?(?P<number>\d[\w.:-]*\w|\d)(?P<below>(?:\(\w{1,4}\))*)"
)


def _of_section(target: Cited | None, text: str, found: ReferenceMatch) -> Cited | None:
    """Return what "Id. § 362(d)" means: another section of the same code."""
    section = _SECTION_OF_ID.match(text, found.start) if target else None
    if target is None or section is None or not target.key.startswith("regulation:"):
        return target
    head, sign, number = target.name.rpartition("§")
    last = slug(number)
    if not sign or not last or not target.key.endswith("-" + last):
        return target
    written = section["number"] + section["below"]
    key = f"{target.key.removesuffix(last)}{slug(written)}"
    return replace(target, key=key, name=f"{head.rstrip('§ ')} § {written}", aliases=(key,))


def _closes(between: str) -> bool:
    """Whether a parenthesis that was open before *between* ends in it."""
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


def _named(found: ReferenceMatch, between: str, cited: list[Cited]) -> tuple[ReferenceMatch, Cited]:
    """Take what needs no volume: a law, a paper of the record, a case by its names."""
    known = _known_case(found, cited) if found.type == "case" else None
    if known is not None:
        made = replace(found, key=known.key, name=known.name, confidence=0.85)
        return made, replace(known, several=False, within=False)
    key = found.key if found.resolved else ""
    last = cited[-1] if cited else None
    if (
        last
        and last.key
        and found.key.startswith("regulation:stat-")
        and _PARALLEL.fullmatch(between)
    ):
        # An act and its page in the Statutes at Large.
        aliases = (*(last.aliases or (last.key,)), found.key)
        return replace(found, key=last.key, name=last.name), replace(last, aliases=aliases)
    return found, Cited(key, found.name, authority=found.type in _AUTHORITIES, aliases=(key,))


def _known_case(found: ReferenceMatch, cited: list[Cited]) -> Cited | None:
    """Return the one case cited before whose two sides *found* names."""
    sides = re.split(r"\svs?\.?\s", found.name)
    if len(sides) != 2:
        return None
    fitting: dict[str, Cited] = {}
    for one in cited:
        if one.key and len(one.parties) == 2 and one.volume:
            pairs = zip(sides, one.parties, strict=True)
            if all(_same_side(side, party) for side, party in pairs):
                fitting.setdefault(one.key, one)
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _same_side(side: str, party: str) -> bool:
    """Whether one name is the other, or its beginning."""
    short, long = sorted((slug(side), slug(party)), key=len)
    return bool(short) and (long == short or long.startswith(short + "-"))


def _is_joined(between: str, cited: list[Cited], what: Cited) -> bool:
    last = cited[-1] if cited else None
    if last is None or not last.key or not last.authority or last.key == what.key:
        return False
    return ";" in between and not re.search(r"\w{3,}\.\s+[A-Z]", between)


def _full(
    found: ReferenceMatch, citation: Citation, between: str, cited: list[Cited]
) -> tuple[ReferenceMatch, Cited]:
    page = (citation.groups.get("page") or "").strip("_- ")
    pages = (int(page),) if page.isdigit() else ()
    parties = tuple(citation.details[n] for n in _NAME_PARTS if n in citation.details)
    parties = citation.name.parties if citation.name else parties
    if citation.kind == "case" and not page and citation.name:
        # "598 U.S. ___": the page is not known yet, so the name tells which decision it is.
        found = replace(found, key=f"{found.key}-{slug(' v '.join(parties))}")
    key = found.key if found.resolved else ""
    what = Cited(
        key,
        found.name,
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
        return found, what
    aliases = same.aliases if key in same.aliases else (*same.aliases, key)
    name = same.name if nameless else found.name
    made = replace(found, key=same.key, name=name)
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
    """Whether nothing but pin cites stands between two reporters of one decision."""
    return _PARALLEL.fullmatch(between) is not None


def _is_parallel(last: Cited, what: Cited, between: str) -> bool:
    one_decision = bool(last.key and last.volume) and last.reporter != what.reporter
    return one_decision and bool(_PARALLEL.fullmatch(between))


def _target(citation: Citation, before: str, cited: list[Cited]) -> Cited | None:
    if citation.kind == "id":
        last = _meant(cited, citation.details.get("pin_cite") or citation.written)
        if last is None or not last.key or not last.authority:
            return None
        if last.several and ";" not in before:
            return None
        return last if _page_fits(last, citation.details.get("pin_cite")) else None
    names = [citation.name.text] if citation.name else []
    names += [citation.details[n] for n in _NAME_PARTS if n in citation.details]
    if citation.kind == "short":
        volume = citation.groups.get("volume")
        same = [c for c in cited if c.key and (c.volume, c.reporter) == (volume, citation.reporter)]
        keys = {c.key for c in same}
        if len(keys) == 1:
            return same[0]
        return _of_name(same, names) or _of_page(same, citation.groups.get("page"))
    return _of_name([c for c in cited if c.parties], names)


def _meant(cited: list[Cited], pin: str) -> Cited | None:
    """Return what was cited last, leaving out what was only spoken of."""
    last = cited[-1] if cited else None
    if last is None or not last.mentioned or "§" in pin:
        return last
    earlier = next((c for c in reversed(cited) if not c.mentioned), None)
    return earlier if earlier is not None else last


def _of_page(same: list[Cited], page: str | None) -> Cited | None:
    """Of cases in one volume, return the one in whose pages *page* lies."""
    if not page or not page.isdigit():
        return None
    begun = [(c.pages[-1], c) for c in same if c.pages and c.pages[-1] <= int(page)]
    first, case = max(begun, key=lambda pair: pair[0], default=(0, None))
    return case if case is not None and int(page) <= first + _MAX_PAGES else None


def _of_name(cited: list[Cited], names: list[str]) -> Cited | None:
    fitting: dict[str, Cited] = {}
    for name in names:
        words = re.compile(rf"(?<!\w){re.escape(name.strip(' .,'))}(?!\w)")
        for one in cited:
            if one.key and any(words.search(party) for party in one.parties):
                fitting.setdefault(one.key, one)
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _page_fits(cited: Cited, pin: str | None) -> bool:
    if not pin or not cited.pages:
        return True
    match = _PIN.match(pin.strip(" ,"))
    if not match:
        return False
    return any(page <= int(match[1]) <= page + _MAX_PAGES for page in cited.pages)


def _pointed(found: ReferenceMatch, target: Cited | None) -> ReferenceMatch:
    if target is None:
        return replace(found, resolved=False, confidence=0.4)
    type_ = target.key.split(":", 1)[0]
    return ReferenceMatch(found.start, found.end, type_, target.key, target.name, 0.85)  # type: ignore[arg-type]


def match_of(citation: Citation, text: str, /) -> ReferenceMatch:
    """Return the place of *citation*, with a key of its own as long as it is not resolved."""
    start, end = citation.start, citation.end
    name = " ".join(text[start:end].split())
    if citation.kind == "law":
        # What a publisher adds in parentheses is no part of the law.
        key = "regulation:" + slug(citation.corrected or name)
        return ReferenceMatch(start, end, "regulation", key, name, 0.95)
    if citation.kind == "journal":
        bare = "." not in citation.written and "year" not in citation.details
        key = "document:" + slug(_plain(citation))
        return ReferenceMatch(start, end, "document", key, name, 0.5 if bare else 0.95)
    if citation.kind == "case":
        key = "case:" + slug(_plain(citation))
        shown = _shown(citation)
        bare = "." not in citation.written and start == citation.core
        # "1 Grant 2" is as often a line of a table as a reporter, volume 1, page 2.
        neutral = _A_YEAR.fullmatch(citation.groups.get("volume") or "")
        doubtful = bare and "year" not in citation.details and not neutral
        confidence = 0.5 if doubtful else 0.97
        return ReferenceMatch(
            start, end, "case", key, shown, confidence, resolved=not citation.ambiguous
        )
    return ReferenceMatch(start, end, "case", "case:" + slug(name), name, 0.4, resolved=False)


def _plain(citation: Citation) -> str:
    return (citation.corrected or citation.written).replace(".", "")


def _shown(citation: Citation) -> str:
    written = " ".join((citation.corrected or citation.written).split())
    if citation.name is not None:
        return f"{citation.name.text}, {written}"
    return written
