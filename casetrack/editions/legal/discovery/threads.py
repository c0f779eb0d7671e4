"""Mail threads of a collection, with their evidence."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Annotated

from casetrack.editions.legal.discovery.families import named_document
from casetrack.editions.legal.operation import READS, Arg, DocumentRef, operation
from casetrack.editions.legal.records.families import MailThread, MailThreads, ThreadMail
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import Document
    from casetrack.editions.legal.records.families import MailRelation
    from casetrack.graph.relations.messages import Post
    from casetrack.store.workspace import State

_BY_WORDS = "subject"


@operation("discovery threads", READS, tool="list_mail_threads", most=1000, concise=False)
def mail_threads(
    collection: Collection,
    /,
    *,
    document: Annotated[DocumentRef | None, Arg(cli="--document NAME")] = None,
    singles: Annotated[bool, Arg(cli="--singles")] = False,
    limit: Annotated[int | None, Arg(cli="--limit -k N", ge=1)] = None,
) -> MailThreads:
    """Return the threads of mails with the evidence for each reply and forward.

    The parent of a mail comes from its headers (``In-Reply-To``, ``References``, ``Thread-Index``),
    else from the header that it quotes, else it is the last earlier mail of the same subject from
    an addressee.

    Parameters
    ----------
    document
        Only threads with this mail, or a copy of it.
    singles
        Include threads of one mail.
    limit
        Maximum number of threads, the longest.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        No document matches, or several have the name.
    """

    def threads_of(state: State) -> MailThreads:
        documents = graph_of(state).documents
        every = list(graph_of(state).mails.conversations())
        chosen = [posts for posts in every if singles or len(posts) > 1]
        if document is not None:
            own = named_document(state, document).document_id
            chosen = [
                posts
                for posts in every
                if any(
                    documents[m.document].document_id == own
                    for p in posts
                    for m in (p.message, *p.copies)
                )
            ]
        if limit is not None and len(chosen) > limit:
            longest = {id(posts) for posts in sorted(chosen, key=len, reverse=True)[:limit]}
            chosen = [posts for posts in chosen if id(posts) in longest]
        threads = tuple(
            _thread(number, posts, documents) for number, posts in enumerate(chosen, start=1)
        )
        mails = sum(map(len, every))
        return MailThreads(
            collection.name,
            thread_count=sum(len(posts) > 1 for posts in every),
            mail_count=mails,
            copy_count=sum(len(post.copies) for posts in every for post in posts),
            single_count=sum(len(posts) == 1 for posts in every),
            threads=threads,
            notes=tuple(_notes(threads, mails)),
        )

    return collection.workspace.ask(threads_of)


def _thread(number: int, posts: Sequence[Post], documents: Sequence[Document]) -> MailThread:
    depths: list[int] = []
    for at in range(len(posts)):
        depth, above = 0, posts[at].parent
        while above is not None and depth < len(posts):
            depth, above = depth + 1, posts[above].parent
        depths.append(depth)
    mails = tuple(
        _mail(post, depth, posts, documents) for post, depth in zip(posts, depths, strict=True)
    )
    dates = [mail.sent_at for mail in mails if mail.sent_at is not None]
    missing = dict.fromkeys(absent for post in posts for absent in post.absent)
    return MailThread(
        number,
        posts[0].message.shown,
        min(dates, default=None),
        max(dates, default=None),
        mail_count=len(posts),
        copy_count=sum(len(post.copies) for post in posts),
        people=tuple(dict.fromkeys(mail.sender for mail in mails if mail.sender)),
        missing=tuple(missing),
        mails=mails,
    )


def _mail(
    post: Post, depth: int, posts: Sequence[Post], documents: Sequence[Document]
) -> ThreadMail:
    message = post.message
    document = documents[message.document]
    above = None if post.parent is None else posts[post.parent].message
    link = post.link if above else None
    relation: MailRelation = "response_to"
    if link and link.type == "forward_of":
        relation = "forward_of"
    return ThreadMail(
        document.document_id,
        document.name,
        document.path,
        message.page,
        depth,
        message.sent.replace(tzinfo=UTC) if message.sent else None,
        sender=message.head.get("from", ""),
        to=message.head.get("to", ""),
        cc=message.head.get("cc", ""),
        bcc=message.head.get("bcc", ""),
        subject=message.shown,
        relation=relation if link else None,
        follows=documents[above.document].document_id if above else None,
        follows_page=above.page if above else None,
        basis=link.basis if link else (),
        confidence=link.confidence if link else None,
        copies=tuple(documents[copy.document].path for copy in post.copies),
        citation=f"{document.name}, p. {message.page}",
    )


def _notes(threads: Sequence[MailThread], mails: int) -> list[str]:
    notes = []
    if not mails:
        notes.append("This collection has no mails.")
    missing = sum(len(thread.missing) for thread in threads)
    if missing:
        notes.append(
            f"The mails refer to {missing:,} other{'s' if missing > 1 else ''} that "
            f"{'are' if missing > 1 else 'is'} not in the collection."
        )
    guessed = sum(_BY_WORDS in mail.basis for thread in threads for mail in thread.mails)
    if guessed:
        notes.append(
            f"{guessed:,} {'mails are' if guessed > 1 else 'mail is'} placed by subject, "
            "correspondents and time only; there is no evidence in headers or quotations."
        )
    undated = sum(mail.sent_at is None for thread in threads for mail in thread.mails)
    if undated:
        notes.append(f"{undated:,} of these mails have no date; they are last in their thread.")
    return notes
