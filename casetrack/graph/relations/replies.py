"""Which document answers which, as far as mails and names say so."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.graph.relations.leads import Leads
    from casetrack.records import Document

_REPLY = re.compile(
    r"\s*(?:re|aw|antw|antwort|sv|vs|rif|r[ée]f?)\s*(?:\[\d+\])?\s*:", re.IGNORECASE
)
_PREFIX = re.compile(
    r"\s*(?:re|aw|antw|antwort|sv|vs|rif|r[ée]f?|fwd?|wg)\s*(?:\[\d+\])?\s*:\s*", re.IGNORECASE
)
_MESSAGE_ID = re.compile(r"<?([^<>\s]+@[^<>\s]+)>?")
_ADDRESS = re.compile(r"[\w.+'-]+@[\w.-]+\w")
_ANSWERS = frozenset("reply response answer rejoinder rebuttal antwort".split())
_SHORTEST_SUBJECT = 4


def replies(leads: Leads, /) -> Iterator[tuple[int, int]]:
    """Yield pairs of documents: the answer, and the one document that it answers.

    A mail answers the message that its ``In-Reply-To`` names. One without that answers the only
    earlier mail with its subject, written by somebody whom it is addressed to. A document called
    "Reply to ..." (or response, answer, rejoinder) answers the one that is called so.
    """
    mails = _Mails(leads)
    for i, document in enumerate(leads.documents):
        answered = mails.answered_by(i) if mails.is_mail(document) else None
        if answered is None:
            answered = _named(leads, i)
        if answered is not None and answered != i:
            yield i, answered


def _named(leads: Leads, i: int) -> int | None:
    """Return what a document called "Reply to ..." answers."""
    found = set()
    for title in leads.catalogue.titles(i):
        if (
            title.words[:1]
            and title.words[0] in _ANSWERS
            and title.words[1:2] in {("to",), ("auf",)}
        ):
            rest = " ".join((*title.words[2:], *sorted(title.identifiers)))
            found.add(leads.catalogue.by_title(rest))
    found -= {None, i}
    if len(found) != 1:
        return None
    answered = found.pop()
    return answered if answered is not None and not _is_later(leads, answered, i) else None


def _is_later(leads: Leads, one: int, other: int) -> bool:
    """Tell whether the names say that *one* was written after *other*."""
    ends = [leads.catalogue.titles(i)[0].dates for i in (one, other)]
    return bool(ends[0] and ends[1]) and min(ends[0]) > max(ends[1])


class _Mails:
    """The mails of a collection by id and subject."""

    def __init__(self, leads: Leads) -> None:
        self._leads = leads
        self._facts = [dict(d.properties) for d in leads.documents]
        self._by_id: dict[str, list[int]] = defaultdict(list)
        self._by_subject: dict[str, list[int]] = defaultdict(list)
        for i, document in enumerate(leads.documents):
            if self.is_mail(document):
                for message_id in _MESSAGE_ID.findall(self._facts[i].get("message_id", "")):
                    self._by_id[message_id].append(i)
                self._by_subject[_base(self._subject(i))].append(i)

    def is_mail(self, document: Document) -> bool:
        facts = dict(document.properties)
        return "message_id" in facts or ("from" in facts and "subject" in facts)

    def answered_by(self, i: int) -> int | None:
        """Return the one mail that a mail answers."""
        named = _MESSAGE_ID.findall(self._facts[i].get("in_reply_to", ""))
        if named:
            # Where it says what it answers, and that is not here, nothing else is meant.
            return _only({j for message_id in named for j in self._by_id.get(message_id, ())} - {i})
        subject = self._subject(i)
        if not _REPLY.match(subject) or len(_base(subject)) < _SHORTEST_SUBJECT:
            return None
        return _only({j for j in self._by_subject[_base(subject)] if self._may_answer(i, j)})

    def _may_answer(self, reply: int, mail: int) -> bool:
        sent = [self._leads.documents[k].content_created_at for k in (mail, reply)]
        if sent[0] is None or sent[1] is None or sent[0] >= sent[1]:
            return False
        writer = _addresses(self._facts[mail].get("from", ""))
        readers = _addresses(" ".join(self._facts[reply].get(name, "") for name in ("to", "cc")))
        return bool(writer & readers) or not (writer and readers)

    def _subject(self, i: int) -> str:
        return self._facts[i].get("subject") or self._leads.documents[i].title or ""


def _base(subject: str) -> str:
    while found := _PREFIX.match(subject):
        subject = subject[found.end() :]
    return " ".join(subject.casefold().split())


def _addresses(text: str) -> set[str]:
    return {address.casefold() for address in _ADDRESS.findall(text)}


def _only(found: set[int]) -> int | None:
    return found.pop() if len(found) == 1 else None
