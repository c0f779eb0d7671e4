"""Token matrices: storage, comparison, and errors of damaged bytes."""

from __future__ import annotations

import re
import struct
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.models.token_matrix import TokenForm, content_tokens, pooled_units, token_form

WIDTHS = {"mini": 384, "colbert-small": 96, "colbert": 128}


def form_of(name: str) -> TokenForm:
    form = token_form(SimpleNamespace(name=name, token_width=WIDTHS[name]))
    assert form is not None
    return form


def states_of(seed: int, count: int, width: int) -> np.ndarray:
    """Token states with topics, as texts have them: neighbours resemble one another."""
    random = np.random.default_rng(seed)
    topics = random.standard_normal((6, width))
    chosen = topics[random.integers(0, 6, count)]
    return (chosen + random.standard_normal((count, width))).astype(np.float32)


def exact(form: TokenForm, query: np.ndarray, states: np.ndarray) -> float:
    """MaxSim of the same pooled rows before they are rounded."""
    asked, rows = (
        query / np.linalg.norm(query, axis=1, keepdims=True),
        pooled_units(states, form.pool),
    )
    if form.mean is not None:
        asked, rows = asked - form.mean, rows - form.mean
        asked = asked / np.linalg.norm(asked, axis=1, keepdims=True)
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return float((asked @ rows.T).max(axis=1).mean())


@pytest.mark.parametrize("name", WIDTHS)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 90), asked=st.integers(1, 12))
@settings(max_examples=10)
def test_packed_score_is_near_the_exact_one(name: str, seed: int, count: int, asked: int) -> None:
    form = form_of(name)
    query, states = states_of(seed, asked, form.width), states_of(seed + 1, count, form.width)
    (result,) = form.score(query, [form.pack(states)])
    # The maximum of many rounded products is slightly above the exact maximum.
    tolerance = {1: 0.2, 4: 0.07}[form.bits]
    assert abs(result - exact(form, query, states)) < tolerance


@pytest.mark.parametrize("name", WIDTHS)
def test_same_states_give_same_bytes_whatever_their_length(name: str) -> None:
    form = form_of(name)
    states = states_of(3, 50, form.width)
    assert form.pack(states) == form.pack(states.copy())
    scaled = form.score(states[:4], [form.pack(states), form.pack(states * 4.0)])
    assert scaled[0] == pytest.approx(scaled[1], abs=1e-3)


@pytest.mark.parametrize(("name", "tokens", "most"), [
    ("mini", 400, 10_100), ("colbert-small", 420, 7_100), ("colbert", 420, 10_000),
    ("mini", 1900, 10_240), ("colbert", 1900, 10_240), ("mini", 1, 60), ("mini", 0, 3),
])  # fmt: skip
def test_size_is_bounded(name: str, tokens: int, most: int) -> None:
    form = form_of(name)
    assert len(form.pack(states_of(1, tokens, form.width))) <= most


@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize("tokens", [1, 2, 3, 4])
def test_short_text_is_one_with_itself(name: str, tokens: int) -> None:
    form = form_of(name)
    one = states_of(9, 1, form.width)
    (result,) = form.score(one, [form.pack(np.repeat(one, tokens, axis=0))])
    assert result == pytest.approx(1.0, abs=2e-3)


def test_nothing_to_compare_is_no_number() -> None:
    form = form_of("mini")
    empty, some = np.empty((0, 384), np.float32), states_of(1, 9, 384)
    result = form.score(some, [None, form.pack(empty), form.pack(some)])
    assert np.isnan(result[:2]).all()
    assert result[2] > 0.5
    assert np.isnan(form.score(empty, [form.pack(some)])).all()
    assert form.score(some, []).shape == (0,)


def test_states_of_nothing_but_zeros_score_zero() -> None:
    form = form_of("colbert")
    (result,) = form.score(states_of(1, 3, 128), [form.pack(np.zeros((5, 128), np.float32))])
    assert result == 0.0


def _damaged() -> dict[str, tuple[bytes, str]]:
    good = form_of("mini").pack(states_of(1, 20, 384))
    other = form_of("colbert").pack(states_of(1, 20, 128))
    return {
        "nothing": (b"", "0"),
        "header alone cut": (good[:2], "2"),
        "last byte gone": (good[:-1], ""),
        "a byte too many": (good + b"\0", r"\b1\b"),
        "another form": (other, "4 .*128 .*1 .*384"),
        "another width": (struct.pack("<BH", 1, 64) + good[3:], "1 .*64"),
        "no matrix": (b"hello world", "104"),
    }


@pytest.mark.parametrize("case", _damaged())
def test_damaged_bytes_are_refused_by_name(case: str) -> None:
    form = form_of("mini")
    matrix, named = _damaged()[case]
    good = form.pack(states_of(1, 20, 384))
    with pytest.raises(ValueError, match=rf"\b1 .*{named}"):  # the second of them
        form.score(states_of(2, 3, 384), [good, matrix])


@given(matrix=st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_scored_or_refused(matrix: bytes) -> None:
    form = form_of("colbert")
    query = states_of(2, 3, 128)
    for candidate in (matrix, struct.pack("<BH", 4, 128) + matrix):
        try:
            result = form.score(query, [candidate])
        except ValueError as error:
            assert " 0 " in str(error)  # noqa: PT017 - either outcome is right
        else:
            assert result.shape == (1,)


@pytest.mark.parametrize(("states", "message"), [
    (np.zeros((3, 100), np.float32), r"\(3, 100\).*384"),
    (np.zeros(384, np.float32), r"\(384,\).*384"),
    (np.full((3, 384), np.nan, np.float32), "."),
    (np.full((3, 384), np.inf, np.float32), "."),
])  # fmt: skip
def test_wrong_states_are_refused(states: np.ndarray, message: str) -> None:
    form = form_of("mini")
    with pytest.raises(ValueError, match=message):
        form.pack(states)
    with pytest.raises(ValueError, match=message):
        form.score(states, [form.pack(states_of(1, 3, 384))])


def test_form_follows_the_model() -> None:
    names = {form_of(name).name for name in WIDTHS}
    assert len(names) == len(WIDTHS)
    assert token_form(SimpleNamespace(name="ollama", token_width=None)) is None
    with pytest.raises(ValueError, match=r"mini .*384 .*96"):
        token_form(SimpleNamespace(name="mini", token_width=96))


@pytest.mark.parametrize(("text", "kept"), [
    ("The notice of termination", ["notice", "termination"]),
    ("Amount: 5,000 | the end", ["Amount", "5", "000", "end"]),
    ("theory of the-ory", ["the", "ory", "ory"]),
    ("and the of", ["and", "the", "of"]),
    ("| : -", ["|", ":", "-"]),
    ("Étude № 7", ["Étude", "7"]),
    ("", []),
])  # fmt: skip
def test_content_tokens(text: str, kept: list[str]) -> None:
    spans = [m.span() for m in re.finditer(r"the|ory|\w+|[^\w\s]", text)]
    mask = content_tokens(text, np.array(spans, np.int32).reshape(-1, 2), {"the", "of", "and"})
    assert [text[a:b] for (a, b), k in zip(spans, mask, strict=True) if k] == kept
