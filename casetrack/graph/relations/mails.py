"""Relations between mails: answers, forwards, threads and copies."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from casetrack.base.groups import Groups
from casetrack.graph.relations.messages import Link, Message, Post, message_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from casetrack.base.records import Document

# Comparison of times from two clocks: in a mail's head, and where it is quoted.

_QUARTER = 15
_ZONES = 14 * 60


def day_key(moment: datetime, /) -> str:
    """Return the day of a time, ``2024-05-04``."""
    return moment.strftime("%Y-%m-%d")


def readings(written: str, /) -> list[datetime]:
    """Return the possible times of a quoted one, also with day and month swapped."""
    moment = datetime.fromisoformat(written)
    times = [moment]
    if moment.day <= 12 and moment.day != moment.month:
        times.append(moment.replace(month=moment.day, day=moment.month))
    return times


def same_minute(written: datetime, sent: datetime | None, slack: int, /) -> bool:
    """Return whether two times agree in some time zone, up to *slack* minutes."""
    if sent is None:
        return False
    apart = round((written - sent).total_seconds() / 60)
    return abs(apart) <= _ZONES and min(apart % _QUARTER, -apart % _QUARTER) <= slack


_REPLY = re.compile(
    r"\s*(?:re|aw|antw|antwort|sv|vs|rif|r[ée]f?|odp)\s*(?:\[\d+\])?\s*:", re.IGNORECASE
)
_FORWARD = re.compile(r"\s*(?:fwd?|wg|tr|rv|enc|i|doorst|vb|pd)\s*:", re.IGNORECASE)
_SHORTEST_SUBJECT = 4
_LATE, _LATE_UNADDRESSED = timedelta(days=90), timedelta(days=7)
_CLOCKS = timedelta(minutes=15)
_SPECIFIC_WORDS = 3


class Mails:
    """The mails of a collection.

    *identities* are rows of the segments' table with ``document``; *quoted* are rows of the quoted
    heads with ``document`` and ``page``, in text order.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        identities: Iterable[Mapping[str, Any]],
        quoted: Iterable[Mapping[str, Any]],
        /,
    ) -> None:
        self._documents = documents
        self.messages = [
            message_of(documents[row["document"]], row)
            for row in identities
            if row["kind"] == "mail"
        ]
        # The first copy counts.
        self.messages.sort(key=lambda m: m.document)
        self._heads: dict[tuple[int, int], list[Mapping[str, Any]]] = defaultdict(list)
        for row in quoted:
            self._heads[row["document"], row["page"]].append(row)
        self._first = self._same()
        self._by_id: dict[str, int] = {}
        self._by_index: dict[bytes, set[int]] = defaultdict(set)
        self._by_day: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._of_writer: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._of_anyone: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._of_subject: dict[str, list[int]] = defaultdict(list)
        self._found: dict[tuple[int, int], int | None] = {}
        for i, message in enumerate(self.messages):
            for own in message.ids:
                self._by_id.setdefault(own, self._first[i])
            if message.index:
                self._by_index[message.index].add(self._first[i])
        dated = (i for i, m in enumerate(self.messages) if self._first[i] == i and m.sent)
        for i in sorted(dated, key=self._age):
            self._enter(i)

    @property
    def originals(self) -> list[Message]:
        """The messages, each once."""
        return [m for i, m in enumerate(self.messages) if self._first[i] == i]

    def _enter(self, i: int) -> None:
        """Index a dated message for the lookup of answers."""
        message = self.messages[i]
        if message.sent is None:
            return
        self._by_day[message.subject, day_key(message.sent)].append(i)
        self._of_subject[message.subject].append(i)
        for address in message.writer or ("",):
            self._of_writer[message.subject, address].append(i)
        for address in message.writer | message.readers:
            self._of_anyone[message.subject, address].append(i)

    def copies(self) -> Iterator[tuple[int, int]]:
        """Yield (document, original) for documents that contain the mail of an earlier one."""
        for i, message in enumerate(self.messages):
            first = self.messages[self._first[i]]
            if first.document != message.document:
                yield message.document, first.document

    def links(self) -> list[Link]:
        """Return the answers and forwards between mails; only the first copy counts."""
        return [
            link
            for parents in self._parents.values()
            for link, _ in parents
            if link.source != link.target
        ]

    def threads(self) -> Iterator[tuple[int, int]]:
        """Yield (mail, earliest mail of its thread), without copies."""
        for ordered in self._grouped():
            first = self.messages[ordered[0]].document
            for other in dict.fromkeys(self.messages[i].document for i in ordered[1:]):
                if other != first:
                    yield other, first

    def conversations(self) -> Iterator[tuple[Post, ...]]:
        """Yield threads and single mails by the date of the first mail, each in sending order."""
        copies: dict[int, list[Message]] = defaultdict(list)
        for i, message in enumerate(self.messages):
            if self._first[i] != i:
                copies[self._first[i]].append(message)
        for group in sorted(self._grouped(), key=lambda g: self._age(g[0])):
            place = {i: at for at, i in enumerate(group)}
            posts = []
            for i in group:
                link, above = next(iter(self._parents[i]), (None, i))
                if link is not None and self._is_descendant(above, i):
                    link = None  # two mails that name each other: neither is the answer
                message = self.messages[i]
                named = dict.fromkeys((*message.answers, *reversed(message.references)))
                posts.append(
                    Post(
                        message,
                        tuple(copies[i]),
                        place.get(above) if link else None,
                        link,
                        tuple(n for n in named if n not in self._by_id),
                    )
                )
            yield tuple(posts)

    def _grouped(self) -> list[list[int]]:
        """Return the messages of each thread, the earliest first, without copies."""
        groups: dict[int, list[int]] = defaultdict(list)
        for i in range(len(self.messages)):
            if self._first[i] == i:
                groups[self._threads.root(i)].append(i)
        # Messages without a date come last, so that a thread starts with a dated one.
        return [sorted(group, key=self._age) for group in groups.values()]

    def _is_descendant(self, i: int, end: int) -> bool:
        """Return whether the chain of answers from a message reaches another one."""
        seen = set[int]()
        while i not in seen:
            seen.add(i)
            if i == end:
                return True
            i = next((j for _, j in self._parents[i]), i)
        return False

    # --- copies -------------------------------------------------------------------------------

    def _same(self) -> list[int]:
        """Return for each message the first copy of it."""
        joined = Groups(len(self.messages))
        known: dict[object, int] = {}
        for i, message in enumerate(self.messages):
            marks: list[object] = [("id", own) for own in message.ids]
            if message.digest:
                marks.append(("text", message.digest))
            for mark in marks:
                joined.join(known.setdefault(mark, i), i)
        return [joined.root(i) for i in range(len(self.messages))]

    def _age(self, i: int) -> tuple[bool, str, int]:
        sent = self.messages[i].sent
        return sent is None, sent.isoformat() if sent else "", i

    # --- answers ------------------------------------------------------------------------------

    @cached_property
    def _parents(self) -> dict[int, list[tuple[Link, int]]]:
        """The message that each message answers or forwards, with its position."""
        parents: dict[int, list[tuple[Link, int]]] = {}
        for i in range(len(self.messages)):
            if self._first[i] == i:
                parent = self._parent(i)
                parents[i] = [parent] if parent else []
        return parents

    def _parent(self, i: int) -> tuple[Link, int] | None:
        message = self.messages[i]
        named = [self._by_id[a] for a in message.answers if a in self._by_id]
        named = [j for j in dict.fromkeys(named) if j != i]
        if len(named) == 1:
            return self._link(i, named[0], 1.0, ("message id",))
        known = [self._by_id.get(r) for r in reversed(message.references)]
        last = known[0] if known and not message.answers else None
        if last is not None and last != i:
            return self._link(i, last, 0.98, ("references",))
        above = [self._by_index.get(index, set()) - {i} for index in message.indexes_above()]
        if above and len(above[0]) == 1:
            return self._link(i, next(iter(above[0])), 0.98, ("thread index",))
        for number, head in enumerate(self._heads_of(message)[:1]):
            quoted = self._quoted(i, number)
            if quoted is not None:
                return self._link(i, quoted, 0.97, ("quoted head",), head)
        for j in known:
            if j is not None and j != i:
                return self._link(i, j, 0.85, ("references",))
        for fits in above:
            if len(fits) == 1:
                return self._link(i, next(iter(fits)), 0.85, ("thread index",))
        if message.answers or message.references or above or self._heads_of(message):
            # It names a message that is not in the collection, so nothing else is meant.
            return None
        return self._by_subject(i)

    def _heads_of(self, message: Message) -> list[Mapping[str, Any]]:
        return self._heads.get((message.document, message.page), [])

    def _link(
        self,
        i: int,
        j: int,
        confidence: float,
        basis: tuple[str, ...],
        head: Mapping[str, Any] | None = None,
    ) -> tuple[Link, int]:
        message, other = self.messages[i], self.messages[j]
        forwards = bool(_FORWARD.match(message.shown))
        if not forwards and not _REPLY.match(message.shown) and basis != ("message id",):
            is_forwarded = head is not None and "how:forwarded" in head["numbers"]
            forwards = is_forwarded or not (other.writer & message.readers)
        type_ = "forward_of" if forwards else "response_to"
        return Link(message.document, other.document, type_, confidence, basis, head), j

    def _quoted(self, i: int, number: int) -> int | None:
        """Return the only mail with the quoted head number *number* (from 0)."""
        if (i, number) not in self._found:
            head = self._heads_of(self.messages[i])[number]
            self._found[i, number] = self._look_for(i, head)
        return self._found[i, number]

    def _look_for(self, i: int, head: Mapping[str, Any]) -> int | None:
        """Return the only mail whose sender, minute and subject agree with a quoted head."""
        message = self.messages[i]
        subject = head["title"][0] if head["title"] else message.subject
        words = words_of(_writer_of(head))
        matches = set()
        for moment in readings(head["dates"][0]):
            days = {day_key(moment + timedelta(days=d)) for d in (-1, 0, 1)}
            for j in sorted({j for day in days for j in self._by_day.get((subject, day), ())}):
                other = self.messages[j]
                # A sender who forwards their own mail at once would seem to quote the adjacent one.
                slack = 0 if message.writer == other.writer else 1
                if (
                    j != i
                    and words & other.writer_words
                    and not _is_earlier(message, other)
                    and same_minute(moment, other.sent, slack)
                    and _head_key(head) not in map(_head_key, self._heads_of(other)[:1])
                ):
                    matches.add(j)
        return matches.pop() if len(matches) == 1 else None

    def _by_subject(self, i: int) -> tuple[Link, int] | None:
        """Return the mail that a mail without ids answers: the last of its subject."""
        message = self.messages[i]
        forwards, replies = _FORWARD.match(message.shown), _REPLY.match(message.shown)
        if not (forwards or replies) or len(message.subject) < _SHORTEST_SUBJECT:
            return None
        fits = [
            j
            for j in self._before(i, is_forward=bool(forwards))
            if j != i and self._may_follow(i, j, is_forward=bool(forwards))
        ]
        starters = [
            j
            for j in fits
            if not _REPLY.match(self.messages[j].shown)
            and not _FORWARD.match(self.messages[j].shown)
        ]
        if not fits or len(starters) > 1:
            return None
        return self._link(i, max(fits, key=self._age), 0.8, ("subject", "correspondents", "time"))

    def _before(self, i: int, *, is_forward: bool) -> set[int]:
        """Return earlier messages of the same subject from the people concerned."""
        message = self.messages[i]
        if message.sent is None:
            return set()
        if is_forward:
            lists = [self._of_anyone.get((message.subject, a), []) for a in message.writer]
        elif message.readers:
            people = message.readers | {""}
            lists = [self._of_writer.get((message.subject, a), []) for a in people]
        else:
            lists = [self._of_subject[message.subject]]
        earlier = set[int]()
        for entered in lists:
            low = bisect_left(entered, message.sent - _LATE, key=self._moment)
            earlier.update(entered[low : bisect_left(entered, message.sent, key=self._moment)])
        return earlier

    def _moment(self, i: int) -> datetime:
        return self.messages[i].sent or datetime.min  # noqa: DTZ901 - only dated ones are entered

    def _may_follow(self, i: int, j: int, *, is_forward: bool) -> bool:
        message, other = self.messages[i], self.messages[j]
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
        is_specific = len(message.subject.split()) >= _SPECIFIC_WORDS
        return is_specific and message.sent - other.sent <= _LATE_UNADDRESSED

    @cached_property
    def _threads(self) -> Groups:
        groups = Groups(len(self.messages))
        known: dict[object, int] = {}
        for i, message in enumerate(self.messages):
            groups.join(self._first[i], i)
            marks = [*message.ids, *message.answers, *message.references]
            for name in (*marks, *([message.conversation] if message.index else [])):
                groups.join(known.setdefault(name, i), i)
            for number, head in enumerate(self._heads_of(message)):
                quoted = self._quoted(i, number)
                if quoted is not None:
                    groups.join(quoted, i)
                if head["title"] and head["title"][0]:
                    # Two mails that quote one mail are in its thread, even if it is not in the
                    # collection.
                    groups.join(known.setdefault(_head_key(head), i), i)
        for i, parents in self._parents.items():
            for _, j in parents:
                groups.join(j, i)
        return groups


def _head_key(head: Mapping[str, Any]) -> object:
    return words_of(_writer_of(head)), head["dates"][0], tuple(head["title"])


def _writer_of(head: Mapping[str, Any]) -> str:
    return next((n.partition(":")[2] for n in head["numbers"] if n.startswith("from:")), "")


def _is_earlier(one: Message, other: Message) -> bool:
    """Return whether a mail was sent before another, allowing for clock errors."""
    return bool(one.sent and other.sent and one.sent < other.sent - _CLOCKS)
