"""Mails: which answers or forwards which, which are one thread, and which are copies of one."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from casetrack.graph.entities.text import fold
from casetrack.graph.identity.mails import base_subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from casetrack.records import Document

_MESSAGE_ID = re.compile(r"<?([^<>\s]+@[^<>\s]+)>?")
_ADDRESS = re.compile(r"[\w.+'&=-]+@[\w.-]+\w")
_REPLY = re.compile(
    r"\s*(?:re|aw|antw|antwort|sv|vs|rif|r[ée]f?|odp)\s*(?:\[\d+\])?\s*:", re.IGNORECASE
)
_FORWARD = re.compile(r"\s*(?:fwd?|wg|tr|rv|enc|i|doorst|vb|pd)\s*:", re.IGNORECASE)
_SHORTEST_SUBJECT = 4
_QUARTER = 15
_ZONES = 14 * 60
_LATE, _LATE_UNADDRESSED = timedelta(days=90), timedelta(days=7)
_CLOCKS = timedelta(minutes=15)
_TELLING_WORDS = 3
_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Link:
    """A mail that answers or forwards another one.

    Attributes
    ----------
    source, target
        Positions of documents.
    type
        ``response_to`` or ``forward_of``.
    confidence
        How sure it is.
    basis
        What says so: message id, references, quoted head, subject.
    place
        The head that is quoted, as a row of the segments' table; ``None`` where none is.
    """

    source: int
    target: int
    type: str
    confidence: float
    basis: tuple[str, ...]
    place: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class _Message:
    document: int
    page: int
    subject: str
    shown: str
    sent: datetime | None
    writer: frozenset[str]
    writer_words: frozenset[str]
    readers: frozenset[str]
    ids: frozenset[str]
    answers: tuple[str, ...]
    references: tuple[str, ...]
    digest: str


class Mails:
    """The mails of a collection.

    Parameters
    ----------
    documents
        All documents.
    identities
        Rows of the segments' table of those that are mails, with ``document``.
    quoted
        Rows of the heads that they quote, with ``document`` and ``page``, in order of place.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        identities: Iterable[Mapping[str, Any]],
        quoted: Iterable[Mapping[str, Any]],
        /,
    ) -> None:
        self._documents = documents
        self._messages = [
            _message(documents[row["document"]], row) for row in identities if row["kind"] == "mail"
        ]
        # Of copies the first counts, and one in a mailbox only where there is no other.
        self._messages.sort(key=lambda m: (not self._is_whole(m), m.document, m.page))
        self._heads: dict[tuple[int, int], list[Mapping[str, Any]]] = defaultdict(list)
        for row in quoted:
            self._heads[row["document"], row["page"]].append(row)
        self._first = self._same()
        self._by_id: dict[str, int] = {}
        self._by_subject: dict[str, list[int]] = defaultdict(list)
        self._by_minute: dict[str, list[int]] = defaultdict(list)
        for i, message in enumerate(self._messages):
            for own in message.ids:
                self._by_id.setdefault(own, self._first[i])
            if self._first[i] == i:
                self._by_subject[message.subject].append(i)
                if message.sent is not None:
                    self._by_minute[_day_key(message.sent)].append(i)

    def copies(self) -> Iterator[tuple[int, int]]:
        """Yield documents that hold the mail of an earlier one, and that one."""
        for i, message in enumerate(self._messages):
            first = self._messages[self._first[i]]
            if (
                first.document != message.document
                and self._is_whole(message)
                and self._is_whole(first)
            ):
                yield message.document, first.document

    def links(self) -> list[Link]:
        """Return which mail answers or forwards which; of copies the first counts."""
        return [
            link
            for found in self._parents.values()
            for link, _ in found
            if link.source != link.target
        ]

    def threads(self) -> Iterator[tuple[int, int]]:
        """Yield the mails of a thread, each with the earliest one of it; copies are left out."""
        groups: dict[int, list[int]] = defaultdict(list)
        for i in range(len(self._messages)):
            if self._first[i] == i:
                groups[self._threads.root(i)].append(i)
        for group in groups.values():
            # Who has no date comes last, so that a thread begins with a mail that has one.
            ordered = sorted(group, key=self._age)
            first = self._messages[ordered[0]].document
            for other in dict.fromkeys(self._messages[i].document for i in ordered[1:]):
                if other != first:
                    yield other, first

    # --- which messages are one ---------------------------------------------------------------

    def _same(self) -> list[int]:
        """Return for each message the first one that is a copy of it."""
        joined = _Groups(len(self._messages))
        known: dict[object, int] = {}
        for i, message in enumerate(self._messages):
            marks: list[object] = [("id", own) for own in message.ids]
            if message.digest:
                marks.append(("text", message.digest))
            for mark in marks:
                joined.join(known.setdefault(mark, i), i)
        return [joined.root(i) for i in range(len(self._messages))]

    def _is_whole(self, message: _Message) -> bool:
        return self._documents[message.document].format != "mbox"

    def _age(self, i: int) -> tuple[bool, str, int]:
        sent = self._messages[i].sent
        return sent is None, sent.isoformat() if sent else "", i

    # --- which answers which ------------------------------------------------------------------

    @cached_property
    def _parents(self) -> dict[int, list[tuple[Link, int]]]:
        """For each message what it answers or forwards, with the place of that among messages."""
        found: dict[int, list[tuple[Link, int]]] = {}
        for i in range(len(self._messages)):
            if self._first[i] == i:
                parent = self._parent(i)
                found[i] = [parent] if parent else []
        return found

    def _parent(self, i: int) -> tuple[Link, int] | None:
        message = self._messages[i]
        named = [self._by_id[a] for a in message.answers if a in self._by_id]
        named = [j for j in dict.fromkeys(named) if j != i]
        if len(named) == 1:
            return self._link(i, named[0], 1.0, ("message id",))
        for head in self._heads_of(message)[:1]:
            quoted = self._quoted(i, head)
            if quoted is not None:
                return self._link(i, quoted, 0.97, ("quoted head",), head)
        for reference in reversed(message.references):
            known = self._by_id.get(reference)
            if known is not None and known != i:
                return self._link(i, known, 0.85, ("references",))
        if message.answers or message.references or self._heads_of(message):
            # Where it says what it answers, and that is not here, nothing else is meant.
            return None
        return self._by_words(i)

    def _heads_of(self, message: _Message) -> list[Mapping[str, Any]]:
        return self._heads.get((message.document, message.page), [])

    def _link(
        self,
        i: int,
        j: int,
        confidence: float,
        basis: tuple[str, ...],
        head: Mapping[str, Any] | None = None,
    ) -> tuple[Link, int]:
        message, other = self._messages[i], self._messages[j]
        forwards = bool(_FORWARD.match(message.shown))
        if not forwards and not _REPLY.match(message.shown) and basis != ("message id",):
            told = head is not None and "how:forwarded" in head["numbers"]
            forwards = told or not (other.writer & message.readers)
        type_ = "forward_of" if forwards else "response_to"
        return Link(message.document, other.document, type_, confidence, basis, head), j

    def _quoted(self, i: int, head: Mapping[str, Any]) -> int | None:
        """Return the one mail whose head is quoted: sender, minute and subject agree."""
        message = self._messages[i]
        subject = head["title"][0] if head["title"] else message.subject
        words = _words(_writer_of(head))
        found = set()
        for moment in _readings(head["dates"][0]):
            days = {_day_key(moment + timedelta(days=d)) for d in (-1, 0, 1)}
            for j in sorted({j for day in days for j in self._by_minute.get(day, ())}):
                other = self._messages[j]
                # Who passes on his own mail at once would seem to quote the one beside it.
                slack = 0 if message.writer == other.writer else 1
                if (
                    j != i
                    and other.subject == subject
                    and words & other.writer_words
                    and not _is_earlier(message, other)
                    and _same_minute(moment, other.sent, slack)
                    and _mark(head) not in map(_mark, self._heads_of(other)[:1])
                ):
                    found.add(j)
        return found.pop() if len(found) == 1 else None

    def _by_words(self, i: int) -> tuple[Link, int] | None:
        """Return what a mail without ids answers: the last of its subject from who is addressed."""
        message = self._messages[i]
        forwards, replies = _FORWARD.match(message.shown), _REPLY.match(message.shown)
        if not (forwards or replies) or len(message.subject) < _SHORTEST_SUBJECT:
            return None
        fits = [
            j
            for j in self._by_subject[message.subject]
            if j != i and self._may_follow(i, j, is_forward=bool(forwards))
        ]
        starters = [
            j
            for j in fits
            if not _REPLY.match(self._messages[j].shown)
            and not _FORWARD.match(self._messages[j].shown)
        ]
        if not fits or len(starters) > 1:
            return None
        return self._link(i, max(fits, key=self._age), 0.8, ("subject", "correspondents", "time"))

    def _may_follow(self, i: int, j: int, *, is_forward: bool) -> bool:
        message, other = self._messages[i], self._messages[j]
        if (
            message.sent is None
            or other.sent is None
            or not timedelta(0) < message.sent - other.sent <= _LATE
        ):
            return False
        if is_forward:
            return bool(message.writer & (other.readers | other.writer))
        if not (other.writer and message.readers):
            return True
        if not other.writer & message.readers:
            return False
        if not (message.writer and other.readers) or message.writer & (
            other.readers | other.writer
        ):
            return True
        is_telling = len(message.subject.split()) >= _TELLING_WORDS
        return is_telling and message.sent - other.sent <= _LATE_UNADDRESSED

    @cached_property
    def _threads(self) -> _Groups:
        groups = _Groups(len(self._messages))
        known: dict[object, int] = {}
        for i, message in enumerate(self._messages):
            groups.join(self._first[i], i)
            for name in (*message.ids, *message.answers, *message.references):
                groups.join(known.setdefault(name, i), i)
            for head in self._heads_of(message):
                quoted = self._quoted(i, head)
                if quoted is not None:
                    groups.join(quoted, i)
                if head["title"] and head["title"][0]:
                    # Two that quote one mail are of its thread, though it is not here itself.
                    groups.join(known.setdefault(_mark(head), i), i)
        for i, found in self._parents.items():
            for _, j in found:
                groups.join(j, i)
        return groups


class _Groups:
    """Numbers that are joined into groups; each stands for its smallest."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def root(self, i: int) -> int:
        while self._above[i] != i:
            self._above[i] = self._above[self._above[i]]
            i = self._above[i]
        return i

    def join(self, i: int, j: int) -> None:
        low, high = sorted((self.root(i), self.root(j)))
        self._above[high] = low


def _message(document: Document, row: Mapping[str, Any]) -> _Message:
    facts = dict(document.properties) if document.format != "mbox" else {}
    people = {n.partition(":")[0]: n.partition(":")[2] for n in row["numbers"]}
    sent = row["dates"][0] if row["dates"] else ""
    writer = facts.get("from") or people.get("from", "")
    readers = " ".join(facts.get(n) or people.get(n, "") for n in ("to", "cc", "bcc"))
    shown = (
        facts.get("subject")
        or (document.title or "" if document.format != "mbox" else "")
        or (row["title"][0] if row["title"] else "")
    )
    return _Message(
        row["document"],
        row["page"],
        base_subject(shown),
        shown,
        datetime.fromisoformat(sent) if sent else None,
        _addresses(writer),
        _words(writer),
        _addresses(readers),
        frozenset(_MESSAGE_ID.findall(facts.get("message_id", ""))),
        tuple(_MESSAGE_ID.findall(facts.get("in_reply_to", ""))),
        tuple(_MESSAGE_ID.findall(facts.get("references", ""))),
        row["digest"],
    )


def _mark(head: Mapping[str, Any]) -> object:
    return _words(_writer_of(head)), head["dates"][0], tuple(head["title"])


def _writer_of(head: Mapping[str, Any]) -> str:
    return next((n.partition(":")[2] for n in head["numbers"] if n.startswith("from:")), "")


def _addresses(text: str) -> frozenset[str]:
    return frozenset(address.casefold() for address in _ADDRESS.findall(text))


def _words(text: str) -> frozenset[str]:
    """Return the words of a name or of the part of an address that names a person."""
    named = re.sub(r"@[\w.-]+", " ", fold(text))
    return frozenset(
        w
        for w in re.findall(r"[^\W\d_]+", named)
        if len(w) >= _TOKEN and w not in {"mailto", "behalf"}
    )


def _day_key(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def _readings(written: str) -> list[datetime]:
    """Return the moments that a quoted one may be: with day and month the other way round too."""
    moment = datetime.fromisoformat(written)
    found = [moment]
    if moment.day <= 12 and moment.day != moment.month:
        found.append(moment.replace(month=moment.day, day=moment.month))
    return found


def _is_earlier(one: _Message, other: _Message) -> bool:
    """Tell whether a mail was sent before another one, whatever their clocks were wrong by."""
    return bool(one.sent and other.sent and one.sent < other.sent - _CLOCKS)


def _same_minute(written: datetime, sent: datetime | None, slack: int) -> bool:
    """Tell whether a clock somewhere showed one moment at the other, but for *slack* minutes."""
    if sent is None:
        return False
    apart = round((written - sent).total_seconds() / 60)
    return abs(apart) <= _ZONES and min(apart % _QUARTER, -apart % _QUARTER) <= slack
