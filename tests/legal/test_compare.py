"""A quotation beside its source: the same, altered, or not there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.extract.legal.text import TextPage, WholeText
from casetrack.legal.check.compare import compare
from casetrack.legal.check.source import SourceText

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


@pytest.mark.parametrize(
    ("quoted", "allowed"),
    [
        ("sentences of life without parole on homicide offenders", ""),
        ("[T]he mandatory imposition of sentences", "brackets"),
        ("the mandatory imposition of sentences of life", "capital letter"),
        ("The mandatory imposition . . . violates the bar", "ellipsis"),
        ("The mandatory imposition … violates the bar", "ellipsis"),
        ("The mandatory imposition [. . .] violates the bar", "ellipsis"),
        ("The mandatory imposition * * * violates the bar", "ellipsis"),
        ("juveniles at the time of their crime[ ] violates", "brackets"),
        ("juveniles at the time of their crimes violates [sic] the bar", "[sic]"),
        ("[Brown] may not be sentenced to life", "brackets"),
        ("the bar against ‘cruel and unusual punishment’ under the Eighth Amendment", ""),
        ('the bar against "cruel and unusual punishment" under the Eighth Amendment.', ""),
        ("under the Eighth Amendment. He may not be sentenced", "note mark"),
        ("to life without parole. He may only be sentenced", "citation omitted"),
        ("the lesser punishment of $1,500 under the law,", ""),
        ("sentenced to the lesser punish-\nment of $1,500", ""),
        ("the courts agree", ""),
        ("more to be said about that,", ""),
    ],
)
def test_what_is_allowed(quoted: str, allowed: str) -> None:
    best = compare(quoted, SOURCE)[0]
    assert best.is_verbatim, best.edits
    assert allowed in " ".join(best.notes)


@pytest.mark.parametrize(
    ("quoted", "marks"),
    [
        # One word changed, left out, added; a negation dropped; a number; the order.
        ("sentenced to the greater punishment of $1,500", "[-lesser-]{+greater+}"),
        ("sentences of life parole on homicide offenders", "[-without-]"),
        ("offenders who were truly juveniles at the time", "{+truly+}"),
        ("He may be sentenced to life without parole.", "[-not-]"),
        ("the lesser punishment of $1,700 under the law", "[-500-]{+700+}"),
        ("juveniles of the time at their crimes violates", "[-at-]{+of+} [-of-]{+at+}"),
        # Letters of a word.
        ("the mandatory impositions of sentences of life", "{+s+}"),
        # At the edges.
        ("The optional imposition of sentences of life", "[-mandatory-]{+optional+}"),
        ("who were juveniles at the time of their trials", "[-crimes-]{+trials+}"),
        # A sign.
        ("well known rules apply, in every case", "[---]"),
    ],
)
def test_what_is_altered(quoted: str, marks: str) -> None:
    best = compare(quoted, SOURCE)[0]
    assert not best.is_verbatim
    assert best.is_alike
    assert shown(quoted)[0] == marks


def test_only_signs_differ() -> None:
    assert shown("rules apply in every case of the kind")[1] == ("Only punctuation differs.",)


@pytest.mark.parametrize(
    "quoted",
    [
        "the moon is made of green cheese and everybody knows it",
        "manifest injustice",
        "a court may never look behind the four corners of the instrument",
    ],
)
def test_what_is_not_there(quoted: str) -> None:
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
