"""The part of a passage that is quoted, and how a block of quoted text is set apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from casetrack.mcp.render import phrase, quoted

if TYPE_CHECKING:
    from casetrack.library import Library


@given(st.text(st.characters() | st.sampled_from('"\\\n\r\u2028> ')))
def test_quoted_text_is_a_block_of_its_own_lines(text: str) -> None:
    block = quoted(text).splitlines()
    assert all(line.startswith("> ") for line in block)
    said = "\n".join(line[2:] for line in block)
    assert said == "\n".join(f'"{text}"'.splitlines())
    assert len(phrase(text).splitlines()) == 1
    inner = phrase(text)[1:-1].replace("\\\\", "").replace('\\"', "")
    assert '"' not in inner


def test_quotes_stand_on_the_page_where_they_say(filled: Library, call: Any) -> None:
    """P1: the page's text between a quote's offsets is the quote."""
    pages = [
        f"Page {n}\n\n" + ("Clause {0} binds the parties. " * 150).format(n) for n in (1, 2, 3)
    ]
    name = {"document_name": "Long.txt", "collection": "Acme", "response_format": "concise"}
    arguments = {"query": "clause binds", "document_filter": "Long.txt", "collection": "Acme"}
    answers = call(
        filled,
        ("get_document_chunks", name),
        ("browse_pages", {**name, "start_page": 1, "end_page": 3}),
        ("search_documents", {**arguments, "response_format": "concise", "mode": "keyword"}),
    )
    for answer in answers:
        structured = answer.structured_content
        found = structured.get("chunks") or structured["results"]
        assert len(found) > 3
        for each in found:
            number = re.search(r"p\. (\d+),", each["citation"])
            assert number is not None
            page = pages[int(number[1]) - 1]
            assert page[slice(*map(int, each["chars"].split("-")))] == each["text"]
