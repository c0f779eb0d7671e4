"""What a spelling names in a document, where the tagger says several things or the wrong one."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS, GIVEN_NAMES
from casetrack.graph.entities.organizations import is_chain, is_company, read_organization
from casetrack.graph.entities.text import surface

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.facts import ChunkFacts
    from casetrack.graph.document.learn import Learned

KINDS: tuple[NameKind, ...] = ("person", "organization", "location")
_ACTS = re.compile(
    r"\s(?:shall|will|may|must|has|had|agree[sd]?|undertakes?|undertook|warrants?|did|does|says|said|"
    r"sent|paid|pays|claims|denies|denied|failed|delivered|supplied|accepts|accepted|argues|wrote|"
    r"hat|wird|muss|darf|liefert|verpflichtet)\b"
)
_PLACED = re.compile(r"\b(?:in|at|near|around|outside|nach)\s$", re.IGNORECASE)

_PAPERS = frozenset(
    "act acts law laws agreement agreements regulation regulations code exhibit schedule amendment "
    "lease indenture statute ordinance document documents gesetz vertrag".split()
)
"""What names of organisations never end with, folded."""
_OFTEN = 2.5
_POSSESSED = re.compile(r"['’´`]s\b")
_COMMA = re.compile(r"\s?,\s{1,3}")
_POSTCODE = re.compile(r",?\s{1,2}(?:[A-Z]{1,2}\d|[A-Z]{2}\s\d{5}|\d{4,5}\b)")
_POSTCODE_BEFORE = re.compile(r"\b\d{4,5}\s$")


def kinds_of(
    weights: Mapping[str, Mapping[str, float]], learned: Learned, titled: Collection[str], /
) -> dict[str, NameKind]:
    """Return the kind of each spelling.

    What the document makes sure counts first, then most confidence. A name with a legal form is an
    organisation, whatever else was seen in it.
    So is a single word taken for a place that acts ("Tidewell shall"), never stands behind *in* or
    *at*, and begins the name of exactly one organisation of the document.

    Parameters
    ----------
    weights
        Confidences by spelling and kind, summed.
    learned
        The document's names.
    titled
        Spellings with a title before them at some place: "Mr Roe".

    Returns
    -------
    dict
        What has no kind is no name: a single word that only the tagger takes for a person, time
        and again, though nobody in the document bears it; and names of laws and papers.
    """
    chunks = learned.chunks
    kinds: dict[str, NameKind] = {}
    for found, sums in weights.items():
        # Rounded, since sums of the same numbers in another order differ in the last bits.
        kinds[found] = max(KINDS, key=lambda k: (round(sums.get(k, -1.0), 6), -KINDS.index(k)))
    for text in {span.text for chunk in chunks for span in chunk.names}:
        if is_company(text):
            kinds[surface(text)] = "organization"
    kinds |= {found: kind for found, kind in learned.known.kinds.items() if found in kinds}
    _set_right(kinds, learned)
    _leave_out(kinds, weights, learned, titled)
    starts: dict[str, set[tuple[str, ...]]] = {}
    for found, kind in kinds.items():
        form = read_organization(found) if kind == "organization" else None
        if form is not None and len(form.base) > 1:
            starts.setdefault(form.base[0], set()).add(form.base)
    doubtful = {
        found
        for found, kind in kinds.items()
        if kind == "location" and found in starts and found not in COMMON_FIRST_WORDS
    }
    if doubtful:
        for found in _acting(chunks, doubtful):
            if is_chain(sorted(starts[found])):
                kinds[found] = "organization"
    return kinds


def _set_right(kinds: dict[str, NameKind], learned: Learned) -> None:
    """Make single words that only the tagger took for persons what the sure names say they are.

    A word of an organisation's name that is no word of a person's name in full is the organisation.
    """
    firms: set[str] = set()
    people: set[str] = set()
    for found, kind in kinds.items():
        words = found.split()
        if kind == "organization" and (found in learned.known.kinds or is_company(found)):
            form = read_organization(found)
            firms.update(form.base if form else ())
        elif kind == "person" and len(words) > 1:
            people.update(words)
    bearers = Counter(
        found.rpartition(" ")[2]
        for found, kind in kinds.items()
        if kind == "person" and " " in found
    )
    named = {w for f, k in kinds.items() if k == "organization" and " " in f for w in f.split()}
    for found, kind in kinds.items():
        if kind == "organization" and found not in learned.known.kinds and found not in named:
            # Only one person of the document is called so, and no firm.
            kinds[found] = "person" if bearers[found] == 1 else kind
            continue
        alone = kind == "person" and " " not in found and found not in learned.known.kinds
        if alone and found in firms - people and found not in GIVEN_NAMES:
            kinds[found] = "organization"


def _leave_out(
    kinds: dict[str, NameKind],
    weights: Mapping[str, Mapping[str, float]],
    learned: Learned,
    titled: Collection[str],
) -> None:
    """Leave out what nothing in the document bears out."""
    known = learned.known
    bearers = {w for found, kind in kinds.items() if kind == "person" for w in found.split()[1:]}
    bearers |= {
        found.split()[0] for found, kind in kinds.items() if kind == "person" and " " in found
    }
    loud = {surface(s.text) for c in learned.chunks for s in c.names if s.text.isupper()}
    loud -= {surface(s.text) for c in learned.chunks for s in c.names if not s.text.isupper()}
    is_mail = any("mail head" in e for e in known.evidence.values())
    # A story has heroes; in papers of firms such a word is a product, time and again.
    has_firms = any("legal form" in e for e in known.evidence.values())
    for found, kind in list(kinds.items()):
        if found in known.kinds:
            continue
        last = found.rpartition(" ")[2]
        if kind == "organization" and last in _PAPERS:
            del kinds[found]
        if kind != "person" or " " in found or found in bearers | GIVEN_NAMES.keys():
            continue
        if found in loud and found not in titled:
            kinds[found] = "organization"
            continue
        if is_mail or not has_firms or found in titled or sum(weights[found].values()) < _OFTEN:
            continue
        if weights[found].get("organization", 0.0) > 0:
            kinds[found] = "organization"
        else:
            del kinds[found]


def _acting(chunks: Sequence[ChunkFacts], doubtful: set[str]) -> set[str]:
    """Return those of the spellings that act somewhere and are placed nowhere."""
    acting: set[str] = set()
    placed: set[str] = set()
    for chunk in chunks:
        for span in chunk.names:
            found = surface(span.text)
            if found in doubtful:
                if _ACTS.match(chunk.text, span.end):
                    acting.add(found)
                if _PLACED.search(chunk.text, max(0, span.start - 10), span.start):
                    placed.add(found)
    return acting - placed


def is_placed(chunk: ChunkFacts, position: int, /) -> bool:
    """Return whether a name stands where the name of a town does.

    That is behind a word such as *in*, but not where something of its own follows ("in Tidewell's
    letter"), beside a postcode, or beside another place with nothing but a comma between.

    Parameters
    ----------
    chunk
        The chunk.
    position
        Of the name among the chunk's.
    """
    text, names = chunk.text, chunk.names
    span = names[position]
    if _PLACED.search(text, max(0, span.start - 10), span.start):
        return not _POSSESSED.search(text, span.end - 2, span.end + 2)
    if _POSTCODE.match(text, span.end) or _POSTCODE_BEFORE.search(
        text, max(0, span.start - 7), span.start
    ):
        return True
    pairs = ((position - 1, position), (position, position + 1))
    return any(
        left >= 0
        and right < len(names)
        and names[left].kind == names[right].kind == "location"
        and bool(_COMMA.fullmatch(text, names[left].end, names[right].start))
        for left, right in pairs
    )
