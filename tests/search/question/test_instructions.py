"""Instructions on the form of the answer are left out of a query; its subject never is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.search.question.read import blanked, instructions_of, read, without

LEFT_OUT = [
    ("Please tell me when the lease ends.", "when the lease ends."),
    ("You are a helpful legal assistant. Who are the parties?", "Who are the parties?"),
    ("Who is the landlord? Answer in one sentence. Cite the pages.", "Who is the landlord?"),
    ("Can you please explain the indemnity cap?", "explain the indemnity cap?"),
    ("According to the document, when was the fee paid?", "when was the fee paid?"),
    ('What was the rent? If it is not stated, say "not found".', "What was the rent?"),
    ("Using only the information in the attached report, who sailed?", "who sailed?"),
    ("Find the sentences about demurrage.", "demurrage."),
    (
        "Give an answer to the question by relying on the data in the table: profit?",
        "the table: profit?",
    ),
    ("What is the notice period? Thank you!", "What is the notice period?"),
]
KEPT = [
    "What answer did the court give to the question of jurisdiction?",
    "How did the witness answer the question about the invoice?",
    "If the price is not paid, state the consequences.",
    "Who tells me what to do under the contract?",
    "The buyer shall give a response to the seller within ten days.",
    "What information is provided in the prospectus?",
    "You are the tenant and must pay.",
    "Give a summary of the risk factors.",
    "Does it say 'please answer in one sentence'?",
    'The letter says "You are a good lawyer. Answer in one word."',
    "Please.",
    "Answer in one sentence.",
]


@pytest.mark.parametrize(("question", "left"), LEFT_OUT)
def test_instructions_are_left_out(question: str, left: str) -> None:
    result = read(question)
    assert result.text == left
    assert result.terms.keys() >= read(left).terms.keys()
    assert any(part.text in line for part in result.dropped for line in result.describe())


@pytest.mark.parametrize("question", KEPT)
def test_what_is_asked_is_kept(question: str) -> None:
    assert read(question).dropped == ()
    assert read(question).text == question


WORDS = st.sampled_from(
    ["Please ", "answer ", "in one sentence. ", "You are a lawyer. ", "the rent", "? ", '"', ", "]
)


@pytest.mark.slow
@given(st.lists(WORDS, max_size=12).map("".join))
def test_what_is_left_out_are_parts_of_the_question_apart_from_each_other(question: str) -> None:
    dropped = instructions_of(question)
    end = 0
    for part in dropped:
        assert question[part.start : part.end] == part.text
        assert part.start >= end
        assert part.text.strip() == part.text != ""
        end = part.end
    left = blanked(question, dropped)
    assert len(left) == len(question)
    assert set(without(question, dropped).split()) <= set(left.split()) | {question}
    assert not dropped or read(question).terms
