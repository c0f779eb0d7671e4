"""The SQL behind the answers of the map, to be shown and run by a user."""

from __future__ import annotations

import re

from casetrack.base.errors import UsageError
from casetrack.graph.answers.rows import statement

_OF_SUMMARY: dict[str, dict[str, str]] = {
    "statistics": {},
    "key-entities": {},
    "timeline": {"limit": "200"},
    "topics": {"limit": "8"},
    "documents-by-type": {},
    "references": {"limit": "8"},
    "version-families": {},
}
ANSWERS: dict[str, dict[str, dict[str, str]]] = {
    "summary": _OF_SUMMARY,
    "statistics": {"statistics": {}},
    "timeline": {"timeline": {}},
    "chronology": {"timeline": {}, "event-names": {}},
    "topics": {"topics": {}},
    "clusters": {"cluster-features": {}, "documents-by-type": {}},
    "entities": {"entities": {}},
    "entity": {"entity-counts": {}, "entity-places": {}, "entity-documents": {}},
    "document-entities": {"document-entities": {}},
    "together": {"entity-counts": {}, "together": {}},
    "graph": {"graph-best-connected": {}, "graph-around": {}, "graph-edges": {}},
    "references": {"references": {}},
    "citations": {"reference-places": {}},
    "related": {"related": {}, "related-shared": {}, "related-places": {}},
    "amounts": {"amounts": {}},
    "compare": {"compare-entities": {}, "compare-references": {}, "compare-versions": {}},
    "report": _OF_SUMMARY | {"key-references": {}, "largest-amounts": {}},
    "path": {"path": {}},
}
"""The files behind each answer, with the defaults that it has instead of those in the file."""


def shown(answer: str, /) -> str:
    """Return the statements of an answer as one text, which ``casetrack query -f`` runs.

    Raises
    ------
    UsageError
        There is no such answer; the message lists the answers.
    """
    if answer not in ANSWERS:
        raise UsageError(
            f"There is no answer {answer!r} whose SQL could be shown.",
            hint=f"There are: {', '.join(ANSWERS)}.",
        )
    texts = []
    for name, defaults in ANSWERS[answer].items():
        text = statement(name)
        for parameter, default in defaults.items():
            text = re.sub(
                rf"(?m)^(-- :param {parameter} \w+ default )\S+", rf"\g<1>{default}", text
            )
        texts.append(text)
    return "\n".join(texts)
