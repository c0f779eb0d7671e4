"""The references of one document, text after text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from casetrack.base.errors import UsageError
from casetrack.extract.references.antecedents import resolve
from casetrack.extract.references.cases import find_cases
from casetrack.extract.references.citations import Citation, find_citations
from casetrack.extract.references.cited import Antecedents, Cited, find_other_works
from casetrack.extract.references.codes import find_codes
from casetrack.extract.references.court_rules import find_court_rules
from casetrack.extract.references.documents import find_documents
from casetrack.extract.references.matches import ReferenceMatch, slug, without_overlaps
from casetrack.extract.references.record_cites import find_record_cites
from casetrack.extract.references.relationships import relationship
from casetrack.extract.references.sections import find_sections, read_parts
from casetrack.extract.references.standards import find_standards
from casetrack.extract.references.statutes import claim_parts, find_acts
from casetrack.extract.spans import ReferenceSpan

# Links: web addresses and digital object identifiers. E-mail addresses are none.

_GENERIC = (
    "com|org|net|edu|gov|mil|int|info|biz|name|pro|app|dev|cloud|online|site|shop|store|tech|xyz|blog"
    "|wiki|news|law|legal|academy|agency|bank|email|group|international|ltd|media|network|software"
    "|solutions|support|systems|team|tools|world|aws|google|london|berlin|museum|travel|jobs|mobi"
)
_COUNTRY = (
    "ac|ae|am|ar|asia|au|ba|be|bg|br|ca|cat|cc|ch|ci|cl|cn|co|cr|cy|cz|de|dk|ee|eg|es|eu|fi|fm|fr|gg|gl"
    "|gr|gs|hk|hr|hu|id|ie|il|im|io|ir|is|je|jp|ke|kr|kz|la|li|lt|lu|lv|ly|ma|me|mk|ms|mt|mx|my|ng|nl"
    "|nz|pe|ph|pk|pl|pt|ro|rs|ru|sa|se|sg|si|sk|su|th|ti|tk|to|tr|tv|tw|ua|uk|us|uy|vc|vn|za"
)
_TLD = rf"(?:{_GENERIC}|{_COUNTRY}|ai|at|in|no|ws)"
_HOST = r"[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}"
_TAIL = r"(?::\d{1,5})?(?:[/?#][^\s<>\"“”„|\\^`{}\u3000-\u303f]*)?"
_WITH_SCHEME = re.compile(
    rf"(?<![\w@])(?i:https?|ftps?)://(?:localhost|\d{{1,3}}(?:\.\d{{1,3}}){{3}}|{_HOST}\.[A-Za-z][\w-]*)(?=[^\w@]|$){_TAIL}"
)
_BARE = re.compile(
    rf"(?<![\w@./:-])(?:(?i:www\.){_HOST}\.(?i:{_TLD})|[a-z0-9][a-z0-9-]{{0,62}}(?:\.[a-z0-9][a-z0-9-]{{0,62}}){{0,6}}\.{_TLD})"
    rf"(?![\w@-]|\.\w){_TAIL}"
)
_ACCOUNT = re.compile(
    r"(?:[<(\[:]\s?[\w.+-]+|\w[.-][\w.-]*) at |\w at (?=(?:gmail|yahoo|hotmail|outlook|gmx|aol)\.)"
)
"""Text before the host of an address with "at": "<jo at acme.com>"."""
_REACH, _DOTS = 60, 2
_BARE_GATE = re.compile(r"[A-Za-z0-9]\.[a-z]{2}")
_DOI_GATE = re.compile(r"10\.\d{4,9}/")
_DOI = re.compile(r"(?<![\w./])(?:doi\s?:?\s?)?10\.\d{4,9}/[^\s\"<>“”]{1,200}", re.IGNORECASE)
_DOI_ADDRESS = re.compile(r"https?://(?:dx\.)?doi\.org/(10\.\d{4,9}/\S+)", re.IGNORECASE)
_END_PUNCTUATION = ".,;:!?'\"’”*_…"
_CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}


def find_links(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield the links of *text* (type ``link``), those with a scheme first."""
    if "://" in text:
        for match in _WITH_SCHEME.finditer(text):
            yield _link(match.start(), match[0], 0.98)
    if _DOI_GATE.search(text):
        for match in _DOI.finditer(text):
            yield _link(match.start(), match[0], 0.95)
    if _BARE_GATE.search(text):
        for match in _BARE.finditer(text):
            # "rly-zd05.mx.example.com" in the route of a mail is no address of a page.
            is_page = match[0][:3].lower() == "www"
            is_machine = not is_page and "/" not in match[0] and match[0].count(".") > _DOTS
            if not (is_machine or _is_account(text, match.start())):
                yield _link(match.start(), match[0], 0.9 if is_page else 0.7)


def _is_account(text: str, at: int) -> bool:
    """Return whether the host at a position belongs to an address with "at"."""
    low = max(0, at - _REACH)
    return any(m.end() == at for m in _ACCOUNT.finditer(text[: at + 10], low))


def _link(start: int, raw: str, confidence: float) -> ReferenceMatch:
    address = _without_end_punctuation(raw)
    return ReferenceMatch(start, start + len(address), "link", _key(address), address, confidence)


def _without_end_punctuation(raw: str) -> str:
    end = len(raw)
    depth = {sign: raw.count(opening) - raw.count(sign) for sign, opening in _CLOSING.items()}
    while end > 1:
        last = raw[end - 1]
        if last in _CLOSING and depth[last] < 0:
            depth[last] += 1
        elif last not in _END_PUNCTUATION:
            break
        end -= 1
    return raw[:end]


def _key(address: str) -> str:
    if match := _DOI_ADDRESS.match(address):
        return "link:doi-" + slug(match[1])
    if "://" not in address and (match := re.search(r"10\.\d{4,9}/.+", address)):
        return "link:doi-" + slug(match[0])
    rest = address.split("://", 1)[-1]
    # A fragment that is a path ("#/orders", "#!/name") names another page, not a place in one.
    page, mark, fragment = rest.partition("#")
    if mark and fragment[:1] in {"/", "!"}:
        page = rest
    host, slash, path = page.partition("/")
    return "link:" + (host.lower().removeprefix("www.") + slash + path).rstrip("/")


# The citations that eyecite reads, as places of a text with their keys and names.

_A_YEAR = re.compile(r"(?:19|20)\d\d")


def match_of(citation: Citation, text: str, /) -> ReferenceMatch:
    """Return the reference of *citation*, with a separate key until it is resolved."""
    start, end = citation.start, citation.end
    name = " ".join(text[start:end].split())
    if citation.kind == "law":
        # A publisher in parentheses is not part of the law.
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


_OWNER = re.compile(
    r"\s{1,3}(?:of|in|to|under)\s{1,3}(?:the\s|that\s(?:certain\s)?|your\s|our\s)?\s{0,2}$"
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The previous text and its references."""

    page: int
    start: int
    text: str
    spans: tuple[ReferenceSpan, ...]

    def goes_on_as(self, text: str, page: int, offset: int) -> bool:
        """Return whether *text* at its place repeats the end of this one."""
        shift = offset - self.start
        if page != self.page or not 0 <= shift < len(self.text):
            return False
        common = self.text[shift:]
        return text.startswith(common) or common.startswith(text)


class References:
    """Finds the references of one document, whose texts must be given in reading order.

    *Id.*, *supra* and short forms refer to earlier texts, up to a thousand citations back.

    Examples
    --------
    >>> [r.key for r in References().find("See clause 8.2(a) and ISO 9001:2015.")]
    ['section:8-2-a', 'standard:iso-9001-2015']
    """

    def __init__(self) -> None:
        self._antecedents = Antecedents()
        self._seen: _Seen | None = None

    def find(self, text: str, /, *, page: int = 1, offset: int = 0) -> tuple[ReferenceSpan, ...]:
        """Find the references of the next text, in order of start, without overlap.

        *page* and *offset* (code points) are its position. In the overlap with the preceding text
        the earlier results are kept and counted once; only references cut off by its end are read
        again. Raises ``UsageError``: *offset* is negative or *page* is below 1.
        """
        if page < 1 or offset < 0:
            raise UsageError(
                f"A text cannot begin at page {page}, character {offset}.",
                hint="Count pages from 1 and characters of a page from 0.",
            )
        items = detect(text)
        looks_back = any(citation for _, citation in items)
        cited = self._antecedents.before((page, offset)) if looks_back else []
        resolved = resolve(text, items, cited)
        fresh = [(_span(text, match), what) for match, what in resolved]
        spans = self._settle(fresh, text, page, offset)
        self._seen = _Seen(page, offset, text, spans)
        return spans

    def _settle(
        self, fresh: list[tuple[ReferenceSpan, Cited]], text: str, page: int, offset: int
    ) -> tuple[ReferenceSpan, ...]:
        seen = self._seen
        if seen is None or not seen.goes_on_as(text, page, offset):
            for span, what in fresh:
                if span.type != "link":
                    self._antecedents.note((page, offset + span.start), what)
            return tuple(span for span, _ in fresh)
        # Up to this point the earlier text had at least as much context.
        known = seen.start + len(seen.text) - offset
        new = [(span, what) for span, what in fresh if span.end >= known]
        shift = offset - seen.start
        old = [
            replace(span, start=span.start - shift, end=span.end - shift)
            for span in seen.spans
            if span.start >= shift and span.end - shift <= len(text)
        ]
        by_place = {(span.start, span.end): span for span in old}
        new = [(by_place.get((s.start, s.end), s), what) for s, what in new]
        kept = []
        for span in old:
            other = next((s for s, _ in new if s.start < span.end and span.start < s.end), None)
            if other is None:
                kept.append(span)
            elif (other.start, other.end) != (span.start, span.end):
                self._antecedents.forget((page, offset + span.start))
        for span, what in new:
            if span.type != "link" and (span.start, span.end) not in by_place:
                self._antecedents.note((page, offset + span.start), what)
        return tuple(sorted(kept + [span for span, _ in new], key=lambda span: span.start))


def _span(text: str, match: ReferenceMatch) -> ReferenceSpan:
    return ReferenceSpan(
        match.start,
        match.end,
        text[match.start : match.end],
        match.type,
        match.key,
        match.name,
        relationship(text, match.start, match.end) if match.resolved else "cites",
        match.resolved,
        match.confidence,
    )


def detect(
    text: str, /, *, keep_headings: bool = False, record: bool = False
) -> list[tuple[ReferenceMatch, Citation | None]]:
    """Find the references of one text without earlier texts, in order, without overlap.

    *keep_headings* includes headings of parts; *record* means a paper of a lawsuit, in which "Ex.
    A" and "R. 45" cite the record. The result has eyecite's citation of each, if any.
    """
    links = list(find_links(text))
    numbered = [*find_codes(text), *find_court_rules(text)]
    acts = without_overlaps([numbered, find_acts(text)])
    whole = {(act.start, act.end) for act in numbered}
    named = [act for act in acts if (act.start, act.end) not in whole]
    parts, of_acts = claim_parts(text, list(read_parts(text)), named)
    cases = list(find_cases(text))
    citations: dict[int, Citation] = {}
    legal: list[ReferenceMatch] = []
    for citation in find_citations(text, federal=False):
        match = None if citation.kind == "unknown" else match_of(citation, text)
        if match:
            legal.append(match)
            citations[id(match)] = citation
    documents = list(find_documents(text, keep_headings=keep_headings))
    owner_after = _owners(text, [part.end for part in parts], documents)
    sections = find_sections(text, parts, owner_after=owner_after, keep_headings=keep_headings)
    # "Cal. Penal Code § 187" is more than the Penal Code.
    inside = sorted((act.start, act.end) for act in (*of_acts, *acts))
    wider = [
        match
        for match in legal
        if citations[id(match)].kind in {"law", "journal", "case"}
        and any(match.start < start and end <= match.end for start, end in inside)
    ]
    groups: list[Iterable[ReferenceMatch]] = [
        links,
        wider,
        of_acts,
        acts,
        legal,
        find_record_cites(text, exhibits=record),
        find_other_works(text),
        cases,
        find_standards(text),
    ]
    merged = without_overlaps([*groups, documents, sections])
    return [(match, citations.get(id(match))) for match in merged]


def _owners(text: str, ends: list[int], documents: list[ReferenceMatch]) -> dict[int, str]:
    if not documents:
        return {}
    documents = sorted(documents, key=lambda document: document.start)
    starts = [document.start for document in documents]
    owners = {}
    for end in ends:
        at = bisect_right(starts, end)
        near = at < len(starts) and starts[at] - end < 24
        if near and _OWNER.fullmatch(text, end, starts[at]):
            owners[end] = documents[at].key.split(":", 1)[1]
    return owners
