"""Text of answers of the map: names, references, amounts, events, groups of documents."""

from collections.abc import Iterable, Sequence

from casetrack.api.text.form import (
    Line,
    Lines,
    counted,
    entries_of,
    flat,
    head_of,
    inside,
    line,
    lines_of,
    listed,
    numbered,
    quote,
    spread,
)
from casetrack.api.text.passages import passage
from casetrack.base.records import graph
from casetrack.base.records.documents import Document
from casetrack.base.records.graph import Topic
from casetrack.base.records.shape import Record
from casetrack.base.words import WordLists

_LISTED, _OF_TYPE = 12, 4
_ALIASES = 8
_DOCUMENTS = 15
_QUOTES = 2

_LISTS = WordLists(__file__)
RELATIONS = _LISTS.pairs("relations")
"""Label of a relation, seen from the other document."""
_REVERSED = _LISTS.pairs("reversed")
_STRATEGIES = {
    "topical": "topic",
    "entity": "shared names",
    "reference": "shared references",
    "document_type": "type",
}


# --- amounts and events -----------------------------------------------------------------------


@head_of.register
def _(answer: graph.Amounts) -> Lines:
    units = "" if answer.notes else f"  {', '.join(map(str, answer.units))}"
    head = line((counted(answer.total, "amount"), "title"), (units, "less"))
    return [*([head] if answer else []), *(line((note, "less")) for note in answer.notes)]


@lines_of.register
def _(each: graph.Amount) -> Lines:
    label = " | ".join(flat(part) for part in (each.row_label, each.period) if part)
    label_line = line((each.as_text, "strong"), *([(f"  {label}", "less")] if label else []))
    return [label_line, *quote(each.quote)]


@head_of.register
def _(answer: graph.Timeline) -> Lines:
    span = "".join(
        f" {word} {day}" for word, day in (("from", answer.start), ("to", answer.end)) if day
    )
    notes = filter(None, (answer.left_out, answer.gap, *answer.notes))
    return [
        line((answer.collection, "title"), f"{span}  ", (counted(answer.total, "event"), "less")),
        *(line((note, "less")) for note in notes),
    ]


@lines_of.register
def _(each: graph.Event) -> Lines:
    label = f"{each.value:<10}  "
    own = [("  (yours)", "own")] if each.mark_id else []
    where, *_ = quote(each.quote)
    lines = [where, *(line((w, "warning")) for w in each.quote.provenance.warnings)]
    if each.mention_count > 1:
        lines.append(line((spread(each.mention_count, each.document_count), "less")))
    lines.append(line((f"event {each.event_id}", "extra")))
    first: Line = line((flat(each.description), "said"), *own, label=label)
    return [first, *inside(lines, len(label))]


# --- names ------------------------------------------------------------------------------------


@lines_of.register
def _(each: graph.Entity) -> Lines:
    office = flat(each.office)
    return [
        line(
            (flat(each.name), "title"),
            f" ({each.kind}{f', {office}' if office else ''})  ",
            (spread(each.mention_count, each.document_count), "less"),
        )
    ]


@head_of.register
def _(answer: graph.EntityMentions) -> Lines:
    entity, lines = answer.entity, lines_of(answer.entity)
    if (copied := answer.total - entity.mention_count) > 0:
        where = "in copies of mails or in text that many documents repeat"
        lines.append(line((f"and {counted(copied, 'mention')} {where}", "less")))
    lines += _doubt(answer.query, answer.score)
    if entity.aliases:
        also = "; ".join(map(flat, entity.aliases[:_ALIASES]))
        lines.append(line(("Also written: ", "strong"), (also, "said")))
    if answer.addresses:
        lines.append(line(("Addresses: ", "strong"), *listed(answer.addresses, _ALIASES)))
    for each in answer.roles or ():
        count = counted(each.document_count, "document")
        lines.append(line((flat(each.role), "strong"), (f"{_days(each)}  {count}", "less")))
        lines += inside(quote(each.quote), 2)
    for mails in answer.correspondence or ():
        lines += lines_of(mails)
    lines += [line((flat(edit), "own")) for edit in answer.edits[-10:]]
    lines += [
        line((flat(name), "own"), "  ", (counted(count, "mention"), "less"), indent=2)
        for _, name, count in answer.documents[:_DOCUMENTS]
    ]
    rest = len(answer.documents) - _DOCUMENTS
    if rest > 0:
        lines.append(line((f"and {counted(rest, 'more document')}", "less"), indent=2))
    return lines + _others((m.name, m.kind, m.entity_id) for m in answer.other_matches)


@lines_of.register
def _(each: graph.LikelySame) -> Lines:
    why = f"  {each.difference}; {each.mention_count:,} and {each.other_mention_count:,} mentions"
    return [line((f"{flat(each.name)} = {flat(each.other)}?", "strong"), (why, "less"))]


@lines_of.register
def _(each: graph.Correspondence) -> Lines:
    who = ((flat(each.sender), "strong"), " to ", (flat(each.recipient), "strong"))
    return [line(*who, ": ", counted(each.mails, "mail"), (_days(each), "less"))]


def _days(each: graph.StatedRole | graph.Correspondence) -> str:
    """Return the first and the last day, after a comma; empty without days."""
    days = dict.fromkeys(day for day in (each.since, each.until) if day)
    return f", {' to '.join(days)}" if days else ""


@lines_of.register
def _(each: graph.Mention) -> Lines:
    return quote(each.quote)


@head_of.register
def _(answer: graph.Encounters) -> Lines:
    names = [part for each in answer.entities for part in lines_of(each)]
    together = counted(answer.total, "passage mentions", "passages mention")
    return [*names, line(f"{together} two or more of them.")]


@lines_of.register
def _(each: graph.Encounter) -> Lines:
    names = " + ".join(flat(name.partition(":")[2] or name) for name in each.entities)
    head = line((names, "strong"), (f"  {counted(each.mention_count, 'place')}", "less"))
    return [head, *_different(each.quotes)]


def _different(quotes: Iterable[graph.Quote]) -> Lines:
    """Return the quotes of a passage without duplicates of the same words and place."""
    once = {(q.citation, q.snippet): q for q in quotes}
    return [each for q in once.values() for each in quote(q)]


def _doubt(query: str, score: float) -> Lines:
    near = f'No exact match for "{query}"; this is the nearest name.'
    return [line((near, "warning"))] if score < 1 else []


def _others(others: Iterable[tuple[str, str, str]]) -> Lines:
    """Return other meanings of a name: each by name, kind or document, and id."""
    meanings = [
        line((flat(name), "own"), f" ({kind})  ", (key, "own"), indent=2)
        for name, kind, key in others
    ]
    head = [line(("May also mean", "strong"), " (use the id to see it):")] if meanings else []
    return [*head, *meanings]


# --- references -------------------------------------------------------------------------------


@lines_of.register
def _(each: graph.Reference) -> Lines:
    count = spread(each.citation_count, each.document_count, "citation")
    meant = [(f"  = {flat(each.target_document)}", "own")] if each.target_document else []
    return [line((flat(each.name), "title"), f" ({_type(each)})  ", (count, "less"), *meant)]


def _type(each: graph.Reference) -> str:
    """Return the type as a noun: a law that is not a regulation is a statute."""
    if each.type != "regulation":
        return each.type
    # Its patterns take as long to compile as a search.
    from casetrack.extract.references.codes import is_regulation

    return each.type if is_regulation(each.reference_id) else "statute"


@head_of.register
def _(answer: graph.ReferenceCitations) -> Lines:
    return [
        *lines_of(answer.reference),
        *_doubt(answer.query, answer.score),
        *_others(
            (m.name, ", ".join(filter(None, (_type(m), m.target_document))), m.reference_id)
            for m in answer.other_matches
        ),
    ]


@lines_of.register
def _(each: graph.Citation) -> Lines:
    return quote(each.quote, note=each.relationship.replace("_", " "))


# --- documents --------------------------------------------------------------------------------


@lines_of.register
def _(each: graph.RelatedDocument) -> Lines:
    name = each.document.known_as
    lines = [
        line(
            (name, "title"),
            " (",
            (each.document.document_id, "document"),
            (f")  strength {each.weight:.2f}", "less"),
        )
    ]
    quoted: set[tuple[str, str]] = set()  # one place can prove several relations
    for why in each.relations:
        lines.append(line((f"{_relation(why)}: ", "strong"), flat(why.description), indent=2))
        for item in why.quotes[:_QUOTES]:
            if (place := (item.citation, item.snippet)) not in quoted:
                quoted.add(place)
                lines += inside(quote(item), 4)
    return lines


def _relation(why: graph.Relation) -> str:
    """Return the label of a relation, seen from the other document if it has a direction."""
    name = RELATIONS.get(why.type, why.type.replace("_", " ").capitalize())
    return name if why.outgoing is not False else _REVERSED.get(why.type, name)


@lines_of.register
def _(each: Topic) -> Lines:
    amount = f"{counted(each.chunk_count, 'passage')} in {counted(each.document_count, 'document')}"
    return [
        line((flat(each.label), "title"), (f"  {amount}", "less")),
        *([line(", ".join(map(flat, each.terms)), indent=2)] if each.terms else []),
        *inside(quote(each.quotes[0] if each.quotes else None), 2),
    ]


@head_of.register
def _(answer: graph.Clusters) -> Lines:
    total = sum(len(c.documents) for c in answer.clusters) + len(answer.rest)
    by = f"by {_STRATEGIES.get(answer.strategy, answer.strategy)}: "
    groups = f"{counted(total, 'document')} in {counted(len(answer.clusters), 'group')}"
    lines = [line((answer.collection, "title"), f"  {by}", (groups, "less"))]
    if answer.rest:
        alone = f"In no group, {counted(len(answer.rest), 'document')}: "
        names = listed([d.known_as for d in answer.rest], _LISTED)
        lines.append(line((alone, "strong"), *names))
    return lines


@entries_of.register
def _(answer: graph.Clusters) -> tuple[str, Sequence[graph.Cluster]]:
    return "clusters", answer.clusters


@lines_of.register
def _(each: graph.Cluster) -> Lines:
    names = listed([d.known_as for d in each.documents], _LISTED)
    shared = "; ".join(map(flat, each.shared))
    amount = counted(len(each.documents), "document")
    return [
        line((flat(each.label), "title"), (f"  {amount}", "less")),
        *([line(("Shared: ", "strong"), (shared, "own"))] if shared else []),
        line(("Documents: ", "strong"), *names),
        *quote(each.quotes[0] if each.quotes else None),
    ]


# --- versions ---------------------------------------------------------------------------------

_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}


@head_of.register
def _(answer: graph.Changes) -> Lines:
    kinds = [change.kind for change in answer.changes]
    counts = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in ("changed", "added", "removed"))
    same = counted(answer.unchanged, "paragraph unchanged", "paragraphs unchanged")
    return [
        line(("Before: ", "strong"), answer.before.name),
        line(("After:  ", "strong"), answer.after.name),
        line((f"{counts}, {same}", "less")),
    ]


@lines_of.register
def _(each: graph.Change) -> Lines:
    sides = [("before", each.before), ("after", each.after)]
    lines = [line((each.kind, "strong"))]
    lines += [
        line((f"{side}: ", "less"), (place.citation, "source"))
        for side, place in sides
        if place is not None
    ]
    words: Iterable[tuple[str, str]] = each.words or tuple(
        (op, place.text)
        for op, place in (("removed", each.before), ("added", each.after))
        if place is not None
    )
    return [*lines, diff(words)]


def diff(words: Iterable[tuple[str, str]], /) -> Line:
    """Return the words of two versions on one line, with removed and added words in brackets."""
    parts = []
    for op, text in words:
        start, end = _MARKS[op]
        parts.append((f"{start}{flat(text)}{end}", "said" if op == "same" else op))
    return Line(tuple(parts))


@lines_of.register
def _(each: graph.SimilarChunk) -> Lines:
    return [line((f"similarity {each.similarity:.2f}", "less")), *passage(each.chunk)]


# --- comparison of two documents --------------------------------------------------------------


@head_of.register
def _(answer: graph.Comparison) -> Lines:
    sides = (
        ("A", answer.document_a, answer.passages_a),
        ("B", answer.document_b, answer.passages_b),
    )
    lines = [line(("Topic: ", "strong"), '"', (flat(answer.topic), "said"), '"')]
    lines += [line((f"{mark}: ", "strong"), document.name) for mark, document, _ in sides]
    if answer.similarity is not None:
        lines.append(line(("As a whole: ", "strong"), f"similarity {answer.similarity:.2f}"))
    lines += [line((f"Note: {note}", "warning")) for note in answer.notes]
    for mark, _, passages in sides:
        for number, (chunk, _) in enumerate(passages, 1):
            label = f"{mark}{number}  "
            lines += [line(), *numbered(number, passage(chunk, answer.topic), label)]
        if not passages:
            lines += [line(), line(f"{mark} has no passage on this topic.")]
    names = (
        ("In both", answer.shared_entities),
        ("Only in A", answer.only_a),
        ("Only in B", answer.only_b),
    )
    lines += [
        line((f"{title}: ", "strong"), *listed([each.name for each in entities], _LISTED))
        for title, entities in names
        if entities
    ]
    if answer.shared_references:
        shared = (each for item in answer.shared_references[:_LISTED] for each in lines_of(item))
        lines += [line(("Both refer to", "strong")), *inside(shared, 2)]
    return [*lines, *([] if answer.changes is None else _whole(answer.changes))]


def _whole(answer: graph.Changes) -> Lines:
    blocks = (numbered(n, lines_of(each)) for n, each in enumerate(answer.changes, 1))
    return [line(), *head_of(answer), *(each for block in blocks for each in block)]


# --- summary of a collection ------------------------------------------------------------------


@head_of.register
def _(answer: graph.CollectionSummary) -> Lines:
    stats = answer.statistics
    counts = (
        counted(stats.document_count, "document"),
        counted(stats.page_count, "page"),
        counted(stats.chunk_count, "passage"),
        counted(stats.mention_count, "mention"),
    )
    lines = [
        line((answer.collection, "title"), f" ({answer.collection_type})"),
        line((", ".join(counts), "less")),
    ]
    kinds = [each for kind in answer.documents for each in _of_type(*kind)]
    chains = [line(" > ".join(d.name for d in chain)) for chain in answer.version_chains]
    actors = [each.entity for each in answer.key_actors]
    sections: tuple[tuple[str, Lines], ...] = (
        ("Key people and firms", _all(answer.key_actors)),
        ("Key dates", [each for event in answer.key_dates for each in lines_of(event)[:2]]),
        ("Topics", _all(answer.topics)),
        ("Documents", kinds),
        ("Versions, the oldest first", chains),
        ("Cited most", _all(answer.references)),
        ("Mentioned most", _all(each for each in answer.entities if each not in actors)),
    )
    for title, inner in sections:
        if inner:
            lines += [line(), line((title, "strong")), *inside(inner, 2)]
    return [*lines, *(line((f"Note: {note}", "warning")) for note in stats.notes)]


def _all(items: Iterable[Record]) -> Lines:
    return [each for item in items for each in lines_of(item)]


def _of_type(kind: str, documents: Sequence[Document]) -> Lines:
    """Return the number of documents of a type, and the first ones as they describe themselves."""
    shown = [
        line(
            (flat(d.stated or d.name), "said"),
            (f"  {d.name}" if d.stated else "", "less"),
            indent=2,
        )
        for d in documents[:_OF_TYPE]
    ]
    more = len(documents) - len(shown)
    rest = [line((f"{more:,} more", "less"), indent=2)] if more else []
    return [line((f"{kind}: ", "strong"), f"{len(documents):,}"), *shown, *rest]


@lines_of.register
def _(each: graph.KeyActor) -> Lines:
    return [*lines_of(each.entity), *inside(quote(each.quote), 2)]


# --- links of names ---------------------------------------------------------------------------

_LINKS = 5


@entries_of.register
def _(_graph: graph.EntityGraph) -> tuple[str, Sequence[Record]]:
    # Every link is shown below the first of its two names.
    return "edges", ()


@head_of.register
def _(answer: graph.EntityGraph) -> Lines:
    if not answer.nodes:
        return []
    counts = f"{counted(len(answer.nodes), 'name')}, {counted(len(answer.edges), 'link')}"
    lines = [line((answer.collection, "title"), f"  {counts}")]
    names = {node.entity_id: flat(node.name) for node in answer.nodes}
    shown: set[int] = set()
    for node, away in zip(answer.nodes, answer.distances or (0,) * len(answer.nodes), strict=True):
        links = [
            (number, edge)
            for number, edge in enumerate(answer.edges)
            if number not in shown and node.entity_id in (edge.source, edge.target)
        ]
        shown.update(number for number, _ in links)
        first = lines_of(node)[0]
        steps = [(f"  {counted(away, 'step')} away", "less")] if away else []
        lines += [line(), line(*first.parts, *steps)]
        for _, edge in links[:_LINKS]:
            other = edge.target if edge.source == node.entity_id else edge.source
            lines += inside(_edge(edge, names.get(other, other)), 2)
        if len(links) > _LINKS:
            lines.append(
                line((f"and {counted(len(links) - _LINKS, 'weaker link')}", "less"), indent=2)
            )
    return lines


def _edge(edge: graph.Edge, other: str) -> Lines:
    strength = f"  {counted(edge.count, 'passage')}, strength {edge.weight:.2f}"
    return [line("with ", (other, "strong"), (strength, "less")), *inside(quote(edge.quote), 2)]
