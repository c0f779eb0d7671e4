"""A quotation compared with its source: equal, altered, or absent."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.editions.legal.check.compare import compare
from casetrack.editions.legal.check.edits import ONLY_PUNCTUATION
from casetrack.editions.legal.check.source import SourceText
from casetrack.extract.papers.text import TextPage, WholeText
from editions.legal.hard_citations import Passage, tabled

FIRST = (
    "Other things were said by the lower court. The mandatory imposition of sentences of life "
    "without parole on homi-\ncide offenders who were juveniles at the time of their crimes "
    "violates the bar against “cruel and unusual punishment” under the Eighth Amendment.3 He may "
    "not be sentenced to life without parole. Miller v. Alabama, 567 U.S. 460, 465 (2012). He "
    "may only be sen-"
)
SECOND = (
    "tenced to the lesser punishment of $1,500 under the law. And there is more to be said about "
    "that, since well-known rules apply, in every case of the kind; [t]he courts *261 agree."
)
SOURCE = SourceText(WholeText((TextPage(1, FIRST), TextPage(2, SECOND))))


def shown(quoted: str, **options: bool) -> tuple[str, tuple[str, ...]]:
    """Return the differences of the best place in marks, and the notes."""
    best = compare(quoted, SOURCE, **options)[0]
    assert "".join(e.draft for e in best.edits) == quoted
    assert "".join(e.source for e in best.edits) == SOURCE.text[best.start : best.end]
    marks = [
        f"[-{' '.join(e.source.split())}-]{{+{' '.join(e.draft.split())}+}}"
        for e in best.edits
        if e.counts
    ]
    return " ".join(marks).replace("[--]", "").replace("{++}", ""), best.notes


@tabled("allowed.txt")
def test_what_is_allowed(passage: Passage) -> None:
    best = compare(passage.text, SOURCE)[0]
    assert best.is_verbatim, best.edits
    assert all(allowed in " ".join(best.notes) for allowed in passage.expected)


@tabled("altered.txt")
def test_what_is_altered(passage: Passage) -> None:
    best = compare(passage.text, SOURCE)[0]
    assert not best.is_verbatim
    assert best.is_alike
    assert (shown(passage.text)[0],) == passage.expected


def test_only_signs_differ() -> None:
    assert shown("rules apply in every case of the kind")[1] == (ONLY_PUNCTUATION,)


@pytest.mark.parametrize(
    "quoted",
    [
        "the moon is made of green cheese and everybody knows it",
        "manifest injustice",
        "a court may never look behind the four corners of the instrument",
    ],
)
def test_missing_objects(quoted: str) -> None:
    assert not any(m.is_alike for m in compare(quoted, SOURCE))


def test_a_sentence_left_out_in_the_middle_is_one_difference() -> None:
    quoted = "sentences of life without parole on homicide offenders under the Eighth Amendment"
    marks, _ = shown(quoted)
    assert marks.startswith("[-who were juveniles")
    assert marks.count("[-") == 1


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from([*SOURCE.text.split(), "[x]", "...", "“", "new"]), max_size=12))
def test_the_pieces_are_both_texts(words: list[str]) -> None:
    quoted = " ".join(words)
    for match in compare(quoted, SOURCE):
        assert "".join(e.draft for e in match.edits) == quoted
        assert "".join(e.source for e in match.edits) == SOURCE.text[match.start : match.end]


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_words_of_the_source_are_verbatim(data: st.DataObject) -> None:
    words = SOURCE.whole.pages[0].text.partition("homi-")[0].split()
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    assert compare(" ".join(words[start:end]), SOURCE)[0].is_verbatim
