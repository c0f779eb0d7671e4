"""The privilege log, filled from mail headers and load files without guesses."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from casetrack.base.addresses import ADDRESS, Correspondent, correspondents
from casetrack.base.errors import UsageError
from casetrack.base.words import WordLists
from casetrack.editions.legal.discovery.families import (
    chosen_documents,
    control_number,
    family_trees,
    is_row,
    metadata,
    with_families,
)
from casetrack.editions.legal.discovery.fields import DEFAULTS, field_value, read_moment, roles_of
from casetrack.editions.legal.operation import (
    READS,
    Arg,
    ChosenDocuments,
    ChosenProduction,
    ChosenTag,
    Names,
    WithFamilies,
    operation,
)
from casetrack.editions.legal.records.load_files import PrivilegeEntry, PrivilegeLog
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.base.records.marks import PlacedMark
    from casetrack.editions.legal.discovery.families import FamilyTree
    from casetrack.editions.legal.discovery.fields import Role
    from casetrack.store.workspace import State

# Attorneys are only those on the user's list of names, addresses and domains.

_DOMAIN = re.compile(r"@?((?:[\w-]+\.)+[A-Za-z]{2,})")
_MARK = "*"


class Counsel:
    """A list of attorneys: full names, addresses and domains (``roe.example``)."""

    def __init__(self, listed: Iterable[str], /) -> None:
        self._names: list[tuple[frozenset[str], str]] = []
        self._addresses: set[str] = set()
        self._domains: set[str] = set()
        for entry in filter(None, (" ".join(text.split()) for text in listed)):
            if domain := _DOMAIN.fullmatch(entry):
                self._domains.add(domain[1].casefold())
            elif ADDRESS.fullmatch(entry):
                self._addresses.add(entry.casefold())
            elif len(words := _words(entry)) > 1:
                self._names.append((words, entry))
            else:
                raise UsageError(
                    f"{entry!r} may be the name of several people.",
                    hint="List attorneys by first and last name, by address, or by the domain of "
                    "their firm: 'Jane Roe', jroe@roe.example, roe.example.",
                )

    def __bool__(self) -> bool:
        """Return whether the list has entries."""
        return bool(self._names or self._addresses or self._domains)

    def has(self, person: Correspondent, /) -> bool:
        """Return whether a person is on the list, by address, domain or full name."""
        address = person.address.casefold()
        domain = address.rpartition("@")[2]
        if address and address in self._addresses:
            return True
        if domain and any(domain == d or domain.endswith(f".{d}") for d in self._domains):
            return True
        words = _words(person.name) or _words(re.sub(r"[._]", " ", address.partition("@")[0]))
        return any(name <= words for name, _ in self._names)

    def marked(self, people: Iterable[Correspondent], /) -> str:
        """Return people in the form of a log; listed attorneys have an asterisk."""
        return "; ".join(f"{p}{_MARK if self.has(p) else ''}" for p in people)


def _words(text: str) -> frozenset[str]:
    return frozenset(w for w in re.findall(r"[^\W\d_]+", fold(text)) if len(w) > 1)


_LISTS = WordLists(__file__)

TAG = "privileged"
"""The default tag of withheld documents."""
PRIVILEGES = _LISTS.pairs("privileges")
"""Privileges by tag, with their text in a log."""
_MAILS = frozenset({"eml", "msg"})
_WANTED = ("date", "author", "recipients", "privilege", "basis")


@operation("discovery privilege", READS, tool="privilege_log", most=1000, concise=False)
def privilege_log(
    collection: Collection,
    /,
    *,
    documents: ChosenDocuments = None,
    production: ChosenProduction = None,
    tag: ChosenTag = None,
    attorneys: Annotated[Names, Arg(cli="--attorney WHO")] = (),
    families: WithFamilies = True,
    subjects: Annotated[bool, Arg(cli="--subjects/--no-subjects")] = True,
) -> PrivilegeLog:
    """Return the privilege log of withheld documents.

    The asserted privilege comes from the user's tags (:data:`PRIVILEGES`), its basis from their
    notes. Nothing is guessed: unknown cells stay empty, and the log reports them.

    Parameters
    ----------
    documents, production
        Selection of documents; default: those with the tag.
    tag
        Documents with this tag of the user; ``privileged`` if nothing is selected.
    attorneys
        Full name, address or domain of an attorney, marked with an asterisk; may be repeated.
    families
        Whether to include the families of these documents.
    subjects
        Include subjects of mails, or not.

    Raises
    ------
    UsageError
        No document is selected, or an attorney is a single word.
    DocumentNotFound, AmbiguousName
        No document matches, or several have the name.
    """
    counsel = Counsel(attorneys)
    if documents is None and production is None and tag is None:
        tag = TAG
    marks = collection.marks
    tagged = None if tag is None else marks.documents(tag=tag, starred=False)
    tags: dict[str, list[PlacedMark]] = {}
    for placed in marks.all("tag"):
        tags.setdefault(placed.mark.document_id or "", []).append(placed)

    def log(state: State) -> PrivilegeLog:
        chosen = chosen_documents(state, documents=documents, production=production, tagged=tagged)
        if not chosen:
            hint = "Tag withheld documents: casetrack tag ABC000001.eml privileged 'work product'."
            raise UsageError("No document is selected for the log.", hint=hint)
        return _Log(family_trees(state), counsel, tags, subjects).of(
            collection.name, chosen, families=families
        )

    return collection.workspace.ask(log)


@dataclass(eq=False)
class _Log:
    trees: Mapping[str, FamilyTree]
    counsel: Counsel
    tags: Mapping[str, Sequence[PlacedMark]]
    subjects: bool
    numbers: dict[str, int] = field(default_factory=dict)

    def of(self, name: str, chosen: Sequence[Document], *, families: bool) -> PrivilegeLog:
        """Return the log of some documents."""
        wanted = {document.document_id for document in chosen}
        listed = with_families(sorted(chosen, key=self._order), self.trees)
        if not families:
            listed = [d for d in listed if d.document_id in wanted]
        self.numbers = {d.document_id: n for n, d in enumerate(listed, start=1)}
        entries = tuple(self._entry(d, tagged=d.document_id in wanted) for d in listed)
        return PrivilegeLog(name, entries, tuple(self._notes(entries)))

    def _order(self, document: Document) -> tuple[object, ...]:
        tree = self.trees[document.document_id]
        head = tree.members[0]
        moment = head.content_created_at
        return (tree.order[0], moment.timestamp() if tree.order[0] and moment else 0.0, tree.order)

    def _entry(self, document: Document, *, tagged: bool) -> PrivilegeEntry:
        tree = self.trees[document.document_id]
        facts, head = dict(document.properties), _Head(document)
        parent = tree.parent_of(document)
        people = {role: head.people(role) for role in ("from", "to", "cc", "bcc")}
        date, time, date_is = head.date()
        privilege, basis = self._asserted(document)
        attorneys = [
            str(person) for who in people.values() for person in who if self.counsel.has(person)
        ]
        # If display names and addresses do not correspond, no name has an address.
        attorneys += [
            shown.name
            for role in people
            for shown in correspondents(facts.get(f"x_{role}", ""))
            if self.counsel.has(shown) and shown.name not in " ".join(attorneys)
        ]
        row = metadata(document) if is_row(document) else {}
        values = {
            "date": date,
            "author": self.counsel.marked(people["from"]),
            "recipients": self.counsel.marked(people["to"]),
            "privilege": privilege,
            "basis": basis,
        }
        is_mail = head.is_mail
        unclear = [n for n in _WANTED if not values[n] and (is_mail or n != "recipients")]
        return PrivilegeEntry(
            self.numbers[document.document_id],
            control_number(document),
            str(row.get("bates_begin") or ""),
            str(row.get("bates_end") or ""),
            date,
            time,
            date_is,
            type=_type(document, is_mail=is_mail, attached=parent is not None),
            author=values["author"],
            recipients=values["recipients"],
            cc=self.counsel.marked(people["cc"]),
            bcc=self.counsel.marked(people["bcc"]),
            subject=head.subject if self.subjects else "",
            description=self._description(document, tree, is_mail=is_mail),
            privilege=privilege,
            basis=basis,
            attorneys=tuple(dict.fromkeys(attorneys)),
            family=self.numbers.get(parent or ""),
            tagged=tagged,
            unclear=tuple(unclear),
            custodian=str(row.get("custodian") or ""),
            document_id=document.document_id,
            document=document.name,
        )

    def _asserted(self, document: Document) -> tuple[str, str]:
        """Return the privileges of the user's tags, and their basis from the notes."""
        privileges, notes = [], []
        for placed in self.tags.get(document.document_id, ()):
            value = PRIVILEGES.get(placed.mark.value.casefold())
            if value is not None:
                privileges.append(value)
            if placed.mark.note and (value is not None or placed.mark.value.casefold() == TAG):
                notes.append(placed.mark.note)
        return "; ".join(dict.fromkeys(privileges)), "; ".join(dict.fromkeys(notes))

    def _description(self, document: Document, tree: FamilyTree, *, is_mail: bool) -> str:
        """Return a description of a document that does not reveal its content."""
        inside = sum(tree.parent_of(m) == document.document_id for m in tree.members)
        pages = document.page_count
        what = "E-mail" if is_mail else (document.document_type or document.format).capitalize()
        if not is_mail and metadata(document).get("read_from") != "row":
            what += f" of {pages:,} page{'s' if pages != 1 else ''}"
        if inside:
            what += f" with {inside} attachment{'s' if inside > 1 else ''}"
        parent = self.numbers.get(tree.parent_of(document) or "")
        return f"{what}, attached to entry {parent}" if parent else what

    def _notes(self, entries: Sequence[PrivilegeEntry]) -> Iterable[str]:
        empty = Counter(name for entry in entries for name in entry.unclear)
        for name in _WANTED:
            if empty[name]:
                has = "entry has" if empty[name] == 1 else "entries have"
                yield f"{empty[name]:,} {has} no {name}: it is unknown, and not guessed."
        untagged = sum(not entry.tagged for entry in entries)
        if untagged:
            yield (
                f"{untagged:,} {'is' if untagged == 1 else 'are'} listed as family of selected "
                "documents: decide whether they are privileged."
            )
        if not self.counsel:
            yield "No attorneys are marked, because no list was given (--attorneys)."
        elif alone := [e.number for e in entries if e.tagged and not e.attorneys]:
            yield (
                f"{len(alone):,} of the selected entries have no listed attorney: "
                f"{', '.join(map(str, alone[:12]))}{' …' if len(alone) > 12 else ''}."
            )
        if self.subjects and any(entry.subject for entry in entries):
            yield (
                "Subjects are unchanged: check that none reveals privileged content, or omit them "
                "(--no-subjects)."
            )


class _Head:
    """Author, recipients and date of a document, from the document and its load file."""

    def __init__(self, document: Document, /) -> None:
        self._document = document
        self._facts = dict(document.properties)
        fields = (metadata(document).get("fields") or {}) if is_row(document) else {}
        self._fields: Mapping[str, str] = fields
        self._roles = roles_of(fields)

    @property
    def is_mail(self) -> bool:
        """Whether it is a mail, by its format or by the sender in the load file."""
        by_file = self._document.format in _MAILS
        return by_file or bool(self._field("from") and (self._field("to") or self._field("sent")))

    @property
    def subject(self) -> str:
        """Subject of a mail; empty for others, because a title reveals content."""
        return self._facts.get("subject") or self._field("subject")

    def people(self, role: Role) -> list[Correspondent]:
        """Return the author or the recipients."""
        document, own = self._document, self._facts.get(role) or self._field(role)
        if not own and role == "from":
            by = document.author if (document.author or "").casefold() not in DEFAULTS else ""
            own = self._field("author") or document.issuer or by or ""
        if not own and role == "to" and not self.is_mail:
            own = document.addressee or ""
        return correspondents(own)

    def date(self) -> tuple[str, str, str]:
        """Return date, time and their meaning; empty if unknown."""
        moment, what = self._document.content_created_at, "written"
        if "from" in self._facts and moment is not None:
            # In the zone of the mail: in UTC it may be another day.
            return *_shown(self._facts.get("date", "")), "sent"
        if self._document.stated_on:  # the day on the document; its file may be younger
            return self._document.stated_on, "", what
        if moment is None:
            moment, what = read_moment(self._field("sent"), self._field("sent_time")), "sent"
        if moment is None:
            moment, what = read_moment(self._field("created")), "written"
        return (*_shown(moment.isoformat()), what) if moment else ("", "", "")

    def _field(self, role: Role) -> str:
        return field_value(self._fields, self._roles, role)


def _shown(written: str) -> tuple[str, str]:
    """Return date and time of a moment in its zone."""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return "", ""
    zone = moment.strftime("%z")
    return moment.strftime("%Y-%m-%d"), moment.strftime("%H:%M") + (f" {zone}" if zone else "")


def _type(document: Document, *, is_mail: bool, attached: bool) -> str:
    if is_mail:
        return "E-mail"
    kind = document.legal_type or document.document_type
    what = kind if kind and kind != "other" else document.format.upper()
    return f"{'Attachment' if attached else 'Document'} ({what})"
