"""Stated relationships of a document to its references: amend, supersede, attach, ...

Only adjacent words count, and only if the document acts: in "as amended by Amendment No. 1" the
amendment acts, so the document merely cites it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from casetrack.extract.spans import Relationship

_LEFT, _RIGHT = 90, 60


def _pattern(form: str, words: tuple[tuple[Relationship, str], ...]) -> re.Pattern[str]:
    """Return one pattern of all relationships; its groups have their names."""
    every = "|".join(f"(?P<{name}>{each})" for name, each in words)
    return re.compile(form.replace("{}", every), re.IGNORECASE)


_FILL = (
    r"(?:\s+(?:and|the|that|this|certain|such|its|your|our|their|terms|provisions|requirements|of|with|in|to|all|any"
    r"|respects|entirety|other|prior|previous|earlier|existing|both|each|section|clause|Ihr(?:em?|es|en)?|de[rsmn]|die|das|ein\w*"
    r"|[“\"‘„]|restates?|replaces?|supplements?|full|force|by|(?:e-?mail|letter|notice)(?=\s+of)))*\s*[“\"„(]?$"
)
_BEFORE = _pattern(
    r"(?<!\w)(?:{})" + _FILL,
    (
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
    ),
)
_AFTER = _pattern(
    r"(?:\s+(?:of|to|in)\s+(?:this|the)\s+\w+)?(?:{})",
    (
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
    ),
)
_NOT = re.compile(r"\b(?:not|never|nor|nothing|neither|without|nicht|kein\w*)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.;!?]\s+(?=[A-ZÄÖÜ\"“(])|\n\s*\n")


def relationship(text: str, start: int, end: int, /) -> Relationship:
    """Return the relationship in the words around ``text[start:end]``, or ``cites``."""
    left = text[max(0, start - _LEFT) : start]
    ends = [match.end() for match in _SENTENCE_END.finditer(left)]
    left = left[ends[-1] :] if ends else left
    for hit, before in ((_AFTER.match(text[end : end + _RIGHT]), ""), (_BEFORE.search(left), left)):
        denied = hit and _NOT.search(before[: hit.start()][-25:] if before else hit[0])
        if hit and not denied:
            return cast("Relationship", hit.lastgroup)
    return "cites"
