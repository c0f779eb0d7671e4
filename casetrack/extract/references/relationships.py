"""Stated relationships of a document to its references: amend, supersede, attach, ...

Only adjacent words count, and only if the document acts: in "as amended by Amendment No. 1" the
amendment acts, so the document merely cites it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.extract.spans import Relationship

_LEFT, _RIGHT = 90, 60
_FILL = (
    r"(?:\s+(?:and|the|that|this|certain|such|its|your|our|their|terms|provisions|requirements|of|with|in|to|all|any"
    r"|respects|entirety|other|prior|previous|earlier|existing|both|each|section|clause|Ihr(?:em?|es|en)?|de[rsmn]|die|das|ein\w*"
    r"|[“\"‘„]|restates?|replaces?|supplements?|full|force|by|(?:e-?mail|letter|notice)(?=\s+of)))*\s*[“\"„(]?$"
)
_BEFORE: tuple[tuple[Relationship, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?<!\w)(?:{words}){_FILL}", re.IGNORECASE))  # type: ignore[misc]
    for name, words in (
        (
            "amends",
            r"amends?|amending|modifies|modifying|varies|amendment(?:\s+no\.?\s*\d+)?\s+to|ändert|zur\s+änderung",
        ),
        (
            "supersedes",
            r"supersedes?|superseding|replaces?|replacing|in\s+(?:substitution|replacement)\s+(?:for|of)|in\s+place\s+of|ersetzt|revokes|anstelle",
        ),
        (
            "responds_to",
            (
                r"in\s+(?:response|reply|answer)\s+to|responds?\s+to|responding\s+to|repl(?:y|ies|ying)\s+to|thank\s+you\s+for"
                r"|answers?|in\s+beantwortung|antwort\s+auf|bezug\s+auf|auf(?=\s+ihr)"
            ),
        ),
        (
            "attaches",
            r"attache[ds]\s+(?:hereto\s+)?as|annexed\s+(?:hereto\s+)?as|appended\s+(?:hereto\s+)?as|enclose[sd]?(?:\s+as)?|attaches|enclosing|we\s+attach|beigefügt\s+als",
        ),
        (
            "incorporates",
            r"incorporates?(?:\s+(?:herein\s+)?by\s+reference)?|incorporating(?:\s+by\s+reference)?|incorporated\s+(?:herein\s+)?by\s+reference\s+(?:from|to)",
        ),
        (
            "implements",
            (
                r"pursuant\s+to|in\s+accordance\s+with|in\s+compliance\s+with|compl(?:y|ies|iance)\s+with|as\s+required\s+(?:by|under)"
                r"|implement(?:s|ing)|gemäß|gemäss|nach\s+maßgabe|in\s+conformity\s+with|conforms?\s+to"
            ),
        ),
        (
            "contradicts",
            r"contradicts?|contradicting|contrary\s+to|inconsistent\s+with|conflicts\s+with|im\s+widerspruch\s+zu",
        ),
        (
            "supports",
            r"supports|corroborates|confirms|corroborating|is\s+consistent\s+with|bestätigt",
        ),
        (
            "discusses",
            r"discuss(?:es|ing|ed)|examin(?:es|ing)|analy[sz](?:es|ing)|reviews|reviewing|comments?\s+on",
        ),
    )
)
_AFTER: tuple[tuple[Relationship, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?:\s+(?:of|to|in)\s+(?:this|the)\s+\w+)?{words}", re.IGNORECASE))  # type: ignore[misc]
    for name, words in (
        (
            "amends",
            r"(?:\s+(?:of|to)\s[\w\s]{1,40}?)?\s+(?:is|are|shall\s+be|be)\s+(?:hereby\s+|further\s+)*(?:amended|modified|varied|restated)\b",
        ),
        (
            "supersedes",
            r"(?:\s+(?:of|to)\s[\w\s]{1,40}?)?\s+(?:is|are|shall\s+be|be)\s+(?:hereby\s+)?(?:(?:deleted|cancelled|revoked|terminated)\s+and\s+)?(?:superseded|replaced|substituted)\b",
        ),
        (
            "attaches",
            r",?\s+(?:(?:which|that)\s+(?:is|are)\s+)?(?:\(?(?:attached|annexed|appended|enclosed)\)?)\b",
        ),
        (
            "incorporates",
            r",?\s+(?:(?:attached\s+hereto\s+and|and|which|that|is|are|shall\s+be|each\s+of)\s+)*(?:hereby\s+)?(?:incorporated|made\s+(?:a\s+)?part)\b",
        ),
    )
)
_NOT = re.compile(r"\b(?:not|never|nor|nothing|neither|without|nicht|kein\w*)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.;!?]\s+(?=[A-ZÄÖÜ\"“(])|\n\s*\n")
_CUES: dict[Relationship, tuple[str, ...]] = {
    "amends": ("amend", "modif", "vari", "änder", "restated"),
    "supersedes": ("supersed", "replac", "substitut", "in place", "ersetzt", "anstelle", "revok"),
    "responds_to": ("respon", "repl", "answer", "thank", "beantwort", "antwort", "bezug", "auf"),
    "attaches": ("attach", "annex", "append", "enclos", "beigef"),
    "incorporates": ("incorporat", "part"),
    "implements": (
        "pursuant",
        "accordance",
        "compl",
        "required",
        "implement",
        "gemä",
        "maßgabe",
        "conform",
    ),
    "contradicts": ("contra", "inconsistent", "conflicts", "widerspruch"),
    "supports": ("support", "corroborat", "confirm", "consistent", "bestätigt"),
    "discusses": ("discuss", "examin", "analy", "review", "comment"),
}
"""Letters without which no pattern of a relationship fits."""


def relationship(text: str, start: int, end: int, /) -> Relationship:
    """Return the relationship in the words around ``text[start:end]``, or ``cites``."""
    left = text[max(0, start - _LEFT) : start]
    ends = [match.end() for match in _SENTENCE_END.finditer(left)]
    left = left[ends[-1] :] if ends else left
    right = text[end : end + _RIGHT]
    small = right.lower()
    for name, pattern in _AFTER:
        if any(cue in small for cue in _CUES[name]):
            hit = pattern.match(right)
            if hit and not _NOT.search(hit[0]):
                return name
    small = left.lower()
    for name, pattern in _BEFORE:
        if any(cue in small for cue in _CUES[name]):
            hit = pattern.search(left)
            if hit and not _NOT.search(left[: hit.start()][-25:]):
                return name
    return "cites"
