"""The signers of one document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.errors import See
from casetrack.search.computed.properties import named_documents

if TYPE_CHECKING:
    from casetrack.base.records.search import ComputedAnswer
    from casetrack.search.computed.parts import Source, Spot

_ASKED = re.compile(
    r"^\W*(?:and |und )?(?:who|by whom|wer|von wem)"
    r"(?: (?:has|have|was|were|is|hat|wurde|haben))? ?"
    r"(?:the |der |die |das |den )?(?P<what>.*?)\b(?:signed|executed|unterzeichnet\w*|"
    r"unterschrieb\w*|unterschrieben)\b ?(?P<rest>.*?)\W*$",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"(?:/s/|\bsigned\b|\bsignature\b|\bexecuted\b|\bby\s*:|\bname\s*:|\bfor and on behalf\b|"
    r"\bunterschrift\b|\bgezeichnet\b|\bgez\.)",
    re.IGNORECASE,
)
_SIGNING = re.compile(
    r"(?:/s/|\b(?:Name|By|Signed by)\s*:)[\s_]*$"
    r"|^[ \t]*(?:Signed|Executed|Gezeichnet|Unterzeichnet)\b(?:[^.;\n]|\n(?!\n)){0,300}$(?![\s\S])",
    re.MULTILINE,
)
"""A label, or the start of a sentence, of which the name before the end of a text is the signer."""
_ADVICE = f"The signers are not certain. For the names of people: {See('entities', kind='person')}."
_BEFORE = 160
"""Characters before a name in which the signature block shows that it is one."""


def signers_answer(source: Source, text: str, /) -> tuple[ComputedAnswer | None, str]:
    """Return the people in the signature blocks of the named document, if any, and a note."""
    asked = _ASKED.match(" ".join(text.split()))
    named = named_documents(source, f"{asked['what']} {asked['rest']}".casefold()) if asked else []
    if asked and len(source.ids) == 1:
        named = source.documents
    if len(named) != 1:
        return None, _ADVICE if asked else ""
    document_id = named[0].document_id
    import pyarrow.compute as pc

    table = source.graph.table("mentions")
    table = table.filter(pc.equal(table["document_id"], document_id))
    texts = dict(source.texts(source.places(document_id)))
    people: dict[str, tuple[str, str | None, Spot]] = {}
    for row in table.filter(pc.equal(table["kind"], "person")).to_pylist():
        chunk, start = texts.get(row["chunk_id"], ""), row["char_start"]
        before = chunk[max(0, start - _BEFORE) : start]
        is_sure = row["found_by"] == "defined" and _SIGNED.search(before)
        if (is_sure or _SIGNING.search(chunk[:start])) and not row["repeated"]:
            place = row["chunk_id"], start, row["char_end"]
            # "Mark Stephens / Sr. Vice President": one person.
            key = tuple(re.findall(r"\w+", row["name"].lower()))[:2]
            people.setdefault(" ".join(key), (row["name"], row["role"], place))
    if not people:
        return None, _ADVICE
    names = ", ".join(person for person, _, _ in people.values())
    how = f"people in the signature blocks of {named[0].name}"
    return source.answer(names, how, list(people.values())), ""
