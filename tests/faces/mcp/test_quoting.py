"""The part of a passage that is quoted, and how a block of quoted text is set apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from casetrack.api.text import Line, line
from casetrack.faces.mcp.operation_tools import plain


@given(st.text(st.characters() | st.sampled_from('"\\\n\r\u2028> ')))
def test_quoted_text_is_a_block_of_its_own_lines(text: str) -> None:
    block = plain([Line((text,), block=True)]).splitlines()
    assert all(row.startswith("> ") for row in block)
    assert [row[2:] for row in block] == text.splitlines()
    message = plain([line('"', (text, "said"), '"')])
    assert len(message.splitlines()) == 1
    assert '"' not in message[1:-1].replace("\\\\", "").replace('\\"', "")
