"""The text of passages: their source, and the part that says most of a topic."""

from casetrack.api.quoting import Words, snippet
from casetrack.api.text.form import Lines, Part, line, lines_of
from casetrack.base.records import Chunk

EXCERPT_CHARS = 500
"""How much of a passage is quoted unless the whole is asked for."""


def passage(chunk: Chunk, topic: str = "", /) -> Lines:
    """Return a passage: its source and id, its file, and the part that holds most of *topic*."""
    place, words = chunk.provenance, Words(topic)
    flows = place.sheet_name is None
    start, end = snippet(
        chunk.text, words.parts(chunk.text, rows=not flows), size=EXCERPT_CHARS, rows=not flows
    )
    parts: list[Part] = ['"' + ("\u2026 " if chunk.text[:start].strip() else "")]
    at = start
    for first, last in words.spans(chunk.text):
        if start <= first and last <= end:
            parts += [(chunk.text[at:first], "said"), (chunk.text[first:last], "words")]
            at = last
    parts += [(chunk.text[at:end], "said"), (" \u2026" if chunk.text[end:].strip() else "") + '"']
    return [
        line((place.cite(), "source"), (" | chunk ", "less"), (place.chunk_id, "chunk")),
        line((place.document_path, "less")),
        *(line((note, "warning" if note in place.warnings else "less")) for note in place.notes),
        line(*parts),
    ]


@lines_of.register
def _(chunk: Chunk) -> Lines:
    return passage(chunk)
