"""The SQL of the answers of the map, for users to read and run."""

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
    "entity": {"entity-roles": {}, "entity-places": {}, "entity-documents": {}},
    "document-entities": {"document-entities": {}},
    "together": {"together": {}},
    "graph": {"graph-best-connected": {}, "graph-around": {}, "graph-edges": {}},
    "references": {"references": {}},
    "citations": {"reference-places": {}},
    "related": {"related": {}, "related-shared": {}, "related-places": {}},
    "amounts": {"amounts": {}},
    "compare": {"compare-entities": {}, "compare-references": {}, "compare-versions": {}},
    "report": _OF_SUMMARY | {"key-references": {}, "largest-amounts": {}},
    "path": {"path": {}},
    "likely-same": {"likely-same": {}},
}
"""The files of each answer, with defaults that replace those of the files."""


def shown(answer: str, /) -> str:
    """Return the statements of an answer as one text, which ``casetrack query -f`` runs.

    Raises ``UsageError`` if there is no such answer.
    """
    if answer not in ANSWERS:
        raise UsageError(
            f"There is no answer {answer!r} with SQL.", hint=f"Answers: {', '.join(ANSWERS)}."
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
