"""The part of a passage that is quoted, and how a block of quoted text is set apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from casetrack.faces.mcp.render import phrase, quoted


@given(st.text(st.characters() | st.sampled_from('"\\\n\r\u2028> ')))
def test_quoted_text_is_a_block_of_its_own_lines(text: str) -> None:
    block = quoted(text).splitlines()
    assert all(line.startswith("> ") for line in block)
    said = "\n".join(line[2:] for line in block)
    assert said == "\n".join(f'"{text}"'.splitlines())
    assert len(phrase(text).splitlines()) == 1
    inner = phrase(text)[1:-1].replace("\\\\", "").replace('\\"', "")
    assert '"' not in inner
