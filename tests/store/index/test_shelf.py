"""The texts of a segment are unchanged, for any group of requests."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.store.index.segment import TextStore, text_keys

TEXTS = st.lists(st.text(max_size=60), max_size=40)


@pytest.mark.slow
@given(texts=TEXTS, data=st.data())
def test_every_text_comes_back(texts, data):
    shelf = TextStore.of(pa.array(texts, pa.string()))
    assert len(shelf) == len(texts)
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1))) if texts else []
    assert shelf.take(rows) == {row: texts[row] for row in rows}


@pytest.mark.parametrize("count", [0, 1, 8, 9, 100])
def test_a_saved_shelf_is_the_same(tmp_path, count):
    texts = [f"Grüße {n}\n" * (n % 5) for n in range(count)]
    TextStore.of(pa.chunked_array([pa.array(texts, pa.string())])).save(tmp_path / "texts.bin")
    text = TextStore.load(tmp_path / "texts.bin")
    assert text.take(range(count)) == dict(enumerate(texts))


def test_a_shelf_that_is_cut_off_is_not_opened(tmp_path):
    path = tmp_path / "texts.bin"
    TextStore.of(pa.array(["some text"] * 30)).save(path)
    path.write_bytes(path.read_bytes()[:-64])
    with pytest.raises(ValueError, match="texts"):
        TextStore.load(path)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The tenant pays.", "the  TENANT\npays.", True),
        ("30 days", "60 days", False),
        ("shall pay", "shall not pay", False),
    ],
)
def test_texts_that_differ_in_space_and_case_alone_have_one_key(one, other, same):
    keys = text_keys(pa.array([one, other]))
    assert (keys[0] == keys[1]) == same
