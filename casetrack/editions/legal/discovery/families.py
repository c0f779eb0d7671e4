"""Families of documents: a file with its attachments, from files and load files."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from casetrack.base.errors import See, UsageError
from casetrack.editions.legal.operation import READS, Arg, DocumentRef, operation
from casetrack.editions.legal.records.families import Families, Family, FamilyMember
from casetrack.extract.papers.places import bates_key, read_bates

if TYPE_CHECKING:
    from collections.abc import Collection as Bag
    from collections.abc import Iterable, Mapping

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.store.workspace import State

# Selection of documents of a case, and their metadata from a load file.


def metadata(document: Document, /) -> Mapping[str, Any]:
    """Return the metadata from a document's source; may be empty."""
    return _parsed(document.metadata) if document.metadata else {}


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> Mapping[str, Any]:
    parsed = json.loads(text)
    return parsed if isinstance(parsed, dict) else {}


def is_row(document: Document, /) -> bool:
    """Return whether a document is a row of a load file, not a part of one."""
    return document.parent_id is None and "control_number" in metadata(document)


def control_number(document: Document, /) -> str:
    """Return its control number; may be empty."""
    return str(metadata(document).get("control_number") or "") if is_row(document) else ""


def named_document(state: State, named: DocumentRef, /) -> Document:
    """Return a document by control number, name, path or id."""
    if isinstance(named, str):
        wanted = bates_key(named)
        held = state.once(_by_number).get(wanted, ())
        if len(held) == 1:
            return held[0]
    return state.document(named)


def _by_number(state: State) -> dict[str, list[Document]]:
    by_number: dict[str, list[Document]] = {}
    for document in state.snapshot.documents.values():
        number = control_number(document)
        if number:
            by_number.setdefault(bates_key(number), []).append(document)
    return by_number


def chosen_documents(
    state: State,
    /,
    *,
    documents: Iterable[DocumentRef] | None = None,
    production: str | None = None,
    tagged: Bag[str] | None = None,
) -> list[Document]:
    """Return the selected documents, sorted by path.

    Parameters
    ----------
    documents
        Names, paths, ids or control numbers.
    production
        Name of a production, ``VOL001`` or ``production:VOL001``.
    tagged
        Ids of the documents with a tag.
    """
    every = sorted(state.snapshot.documents.values(), key=lambda d: (d.path, d.document_id))
    if documents is not None:
        selected = {d.document_id: d for d in (named_document(state, name) for name in documents)}
        every = sorted(selected.values(), key=lambda d: (d.path, d.document_id))
    if production is not None:
        wanted = f"production:{production.removeprefix('production:')}"
        names = {d.source for d in state.snapshot.documents.values() if is_row(d)}
        if wanted not in names:
            known = ", ".join(sorted(str(n).removeprefix("production:") for n in names))
            raise UsageError(
                f"The collection has no production {production!r}.",
                hint=f"Known productions: {known}."
                if known
                else f"Load one with {See('discovery load')}.",
            )
        every = [d for d in every if d.source == wanted]
    if tagged is not None:
        every = [d for d in every if d.document_id in tagged]
    return every


_MAILS = frozenset({"eml", "msg"})


@dataclass(slots=True)
class FamilyTree:
    """A family: its first document, then the attachments, each after its parent."""

    members: list[Document]
    order: tuple[object, ...]  # Sort key: produced families by number, others by path
    parents: dict[str, str] = field(default_factory=dict)

    def parent_of(self, document: Document, /) -> str | None:
        """Return the id of a document's parent; ``None`` for the first."""
        return self.parents.get(document.document_id)

    def depth_of(self, document: Document, /) -> int:
        """Return the number of ancestors of a document in the family."""
        depth, at = 0, document.document_id
        while at in self.parents and depth < len(self.members):
            depth, at = depth + 1, self.parents[at]
        return depth


def family_trees(state: State, /) -> dict[str, FamilyTree]:
    """Return the families by document id; a document without relations is a family of one.

    Parents come from files and from load files.
    """
    return state.once(_trees)


def with_families(chosen: Iterable[Document], trees: Mapping[str, FamilyTree], /) -> list[Document]:
    """Return documents with their families, without repetition, families together."""
    members = (m for document in chosen for m in trees[document.document_id].members)
    return list({m.document_id: m for m in members}.values())


def _trees(state: State) -> dict[str, FamilyTree]:
    documents = state.snapshot.documents
    listed = {(d.source, d.source_id): d.document_id for d in documents.values() if is_row(d)}
    parents: dict[str, str] = {}
    for document in documents.values():
        fields = metadata(document) if is_row(document) else {}
        above = listed.get((document.source, fields.get("parent")))
        holder = documents.get(document.parent_id or "")
        if holder is not None and holder.format != "archive":
            parents[document.document_id] = holder.document_id
        elif above is not None and above != document.document_id:
            parents[document.document_id] = above
    children: dict[str, list[Document]] = defaultdict(list)
    for child, parent in parents.items():
        children[parent].append(documents[child])
    by_id: dict[str, FamilyTree] = {}
    for document in documents.values():
        if document.document_id in parents:
            continue
        members = list(_walk(document, children))
        own = {m.document_id for m in members}
        held = {m: parents[m] for m in own if m in parents}
        tree = FamilyTree(members, _order(document), held)
        by_id |= dict.fromkeys(own, tree)
    for document in documents.values():
        # A broken file that is its own attachment has no parent.
        by_id.setdefault(document.document_id, FamilyTree([document], _order(document)))
    return by_id


def _walk(document: Document, children: dict[str, list[Document]]) -> Iterable[Document]:
    yield document
    for child in sorted(children.get(document.document_id, ()), key=_order):
        yield from _walk(child, children)


def _order(document: Document) -> tuple[object, ...]:
    fields = metadata(document) if is_row(document) else {}
    row = fields.get("row") or {}
    number = read_bates(str(fields.get("bates_begin") or ""))
    key = (number.key, number.first) if number else (bates_key(control_number(document)), 0)
    return not fields, str(document.source or ""), *key, row.get("line", 0), document.path


@operation("discovery families", READS, tool="list_families", most=1000, concise=False)
def families(
    collection: Collection,
    /,
    *,
    document: Annotated[DocumentRef | None, Arg(cli="--document NAME")] = None,
    singles: Annotated[bool, Arg(cli="--singles")] = False,
    limit: Annotated[int | None, Arg(cli="--limit -k N", ge=1)] = None,
) -> Families:
    """Return the families of documents, from files and load files.

    Parameters
    ----------
    document
        Only the family of this document, even a family of one.
    singles
        Include families of one document.
    limit
        Maximum number of families.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        No document matches, or several have the name.
    """

    def families_of(state: State) -> Families:
        trees = family_trees(state)
        every = sorted({id(t): t for t in trees.values()}.values(), key=lambda t: t.order)
        chosen = [tree for tree in every if singles or len(tree.members) > 1]
        if document is not None:
            chosen = [trees[named_document(state, document).document_id]]
        return Families(
            collection.name,
            family_count=sum(len(tree.members) > 1 for tree in every),
            document_count=len(trees),
            single_count=sum(len(tree.members) == 1 for tree in every),
            families=tuple(_family(tree) for tree in chosen[:limit]),
        )

    return collection.workspace.ask(families_of)


def _absent(tree: FamilyTree) -> Iterable[str]:
    """Yield the names of attached files that are not documents of the family."""
    for document in tree.members:
        named = dict(document.properties).get("attachments", "").split("; ")
        inside = [m for m in tree.members if tree.parent_of(m) == document.document_id]
        if is_row(document) and inside:
            continue  # the load file has other names for the attachments
        held = Counter(_plain(m.name) for m in inside)
        for name in filter(None, named):
            if held[_plain(name)]:
                held[_plain(name)] -= 1
            else:
                yield name


def _plain(name: str) -> str:
    return re.sub(r" \(\d+\)(?=\.\w+$|$)|\W+", "", name).casefold()


def _family(tree: FamilyTree) -> Family:
    head = tree.members[0]
    fields = metadata(head) if is_row(head) else {}
    numbers = [metadata(m) for m in tree.members if is_row(m)]
    begins = [str(t["bates_begin"]) for t in numbers if t.get("bates_begin")]
    ends = [str(t["bates_end"]) for t in numbers if t.get("bates_end")]
    by_file = "mail" if head.format in _MAILS else "file"
    return Family(
        head.document_id,
        head.name,
        known_from="load file" if fields else by_file,
        bates_begin=begins[0] if begins else None,
        bates_end=ends[-1] if ends else None,
        custodian=fields.get("custodian"),
        document_count=len(tree.members),
        absent=tuple(_absent(tree)),
        members=tuple(
            FamilyMember(
                member.document_id,
                member.name,
                member.path,
                tree.depth_of(member),
                tree.parent_of(member),
                control_number(member),
            )
            for member in tree.members
        ),
    )
