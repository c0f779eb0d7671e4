"""Legal citations: those of eyecite are kept, and id., supra and short forms are resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.extract.references.citations import find_citations, has_citation_signs
from casetrack.extract.references.finder import References

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
from extract import legal_pairs

ROE = "case:410-us-113"
BROWN = "case:347-us-483"
BOTH = "Roe v. Wade, 410 U.S. 113 (1973). Brown v. Board, 347 U.S. 483 (1954)."


def keys(*texts: str) -> list[tuple[str, bool]]:
    """Keys of the cases and laws in *texts*, read one after the other as one page."""
    references, offset, result = References(), 0, []
    for text in texts:
        for span in references.find(text, offset=offset):
            assert text[span.start : span.end] == span.text
            result.append((span.key, span.resolved))
        offset += len(text)
    return result


def test_the_place_holds_the_parties() -> None:
    (span,) = References().find("We follow Roe v. Wade, 410 U.S. 113 (1973), here.")
    assert span.text == "Roe v. Wade, 410 U.S. 113"
    assert span.name == "Roe v. Wade, 410 U.S. 113"
    assert (span.type, span.key) == ("case", ROE)


@pytest.mark.parametrize("text", ["In 410 U. S. 113.", "follows Roe v.\nWade, 410 U.S.\n113 in"])
def test_spellings_of_a_reporter_have_one_key(text: str) -> None:
    assert keys(text) == [(ROE, True)]


WADE = "Roe v. Wade, 410 U.S. 113 (1973)"
RESOLVED = {
    "id": (f"{WADE}. Id. at 120.", [ROE, ROE]),
    "ibid": (f"{WADE}. Ibid. So it is.", [ROE, ROE]),
    "short form": (f"{WADE}. Then 410 U.S., at 120.", [ROE, ROE]),
    "supra": (f"{BOTH} Wade, supra, at 120.", [ROE, BROWN, ROE]),
    "id after supra": (f"{BOTH} Wade, supra, at 120. Id. at 121.", [ROE, BROWN, ROE, ROE]),
    "parallel reporters are one authority": (
        "Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705 (1973). Id. at 120.",
        [ROE, ROE, ROE],
    ),
    "id after later history": (
        f"{WADE}, aff'd, 347 U.S. 483 (1954). Id. at 120.",
        [ROE, BROWN, ROE],
    ),
    "id after a semicolon of prose": (
        f"In {WADE} the court held so; in Brown v. Board, 347 U.S. 483 (1954), it did not. Id.",
        [ROE, BROWN, BROWN],
    ),
    "id of a law": ("See 15 U.S.C. § 78j(b). Id. The rest", ["regulation:usc-15-78j-b"] * 2),
    "the case of a volume that the page lies in": (
        "See 410 U.S. 113 and 410 U.S. 179. Then 410 U.S., at 120 and 410 U.S., at 181.",
        [ROE, "case:410-us-179", ROE, "case:410-us-179"],
    ),
    "id behind a remark that cites another": (
        f"{WADE} (citing Brown v. Board, 347 U.S. 483). Id. at 120.",
        [ROE, BROWN, ROE],
    ),
    "id behind a rule that is only spoken of": (
        f"{WADE}. That is a motion under Fed. R. Evid. 702. Id. at 120.",
        [ROE, "rule:federal-evidence-702", ROE],
    ),
    "id with a short form": (
        f"{WADE}. 15 U.S.C. § 1. Id., 410 U.S. at 120.",
        [ROE, "regulation:usc-15-1", ROE, ROE],
    ),
    "names alone after the whole citation": (f"{WADE}. We follow Roe v. Wade here.", [ROE, ROE]),
    "id in a string": (f"{WADE}; Brown v. Board, 347 U.S. 483; id. at 490.", [ROE, BROWN, BROWN]),
    "id of two by its page": (
        f"{WADE}; Brown v. Board, 347 U.S. 483. Id. at 200.",
        [ROE, BROWN, ROE],
    ),
}


@pytest.mark.parametrize(("text", "expected"), RESOLVED.values(), ids=RESOLVED)
def test_what_points_back(text: str, expected: list[str]) -> None:
    assert keys(text) == [(key, True) for key in expected]


OPEN = {
    "nothing before": "Id. at 120.",
    "page before the decision begins": f"{WADE}. Id. at 12.",
    "page far behind the decision": f"{WADE}. Id. at 900.",
    "several authorities before": f"{WADE}; Brown v. Board, 347 U.S. 483 (1954). Id.",
    "something else between": f"{WADE}. See Exhibit B. Id. at 120.",
    "two cases of the name": f"{WADE}. Roe v. Norton, 422 U.S. 391 (1975). Roe, supra, at 120.",
    "a name that nobody has": f"{WADE}. Miller, supra, at 3.",
    "after an open one": f"{WADE}. Miller, supra, at 3. Id. at 120.",
}


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_what_could_be_several_stays_open(text: str) -> None:
    *_, (key, resolved) = keys(text)
    assert not resolved
    assert key not in {ROE, BROWN, "case:422-us-391", "case:410-us-179"}


def test_an_ambiguous_reporter_stays_open() -> None:
    # Three reporters are cited as "Johnson"; the text need not cite any of them.
    assert [resolved for _, resolved in keys("See Doe v. Roe, 1 Johnson 1.")] == [False]


def test_over_several_texts() -> None:
    texts = (WADE, "A text without any citation.", "Id. at 120.", "Brown v. Board, 347 U.S. 483.")
    result = keys(
        *(f"{text} " for text in (*texts, "Wade, supra, at 121.", "Then 347 U.S., at 490."))
    )
    assert result == [(key, True) for key in (ROE, ROE, BROWN, ROE, BROWN)]


def test_over_pages() -> None:
    references = References()
    references.find("Roe v. Wade, 410 U.S. 113 (1973).", page=3, offset=900)
    (span,) = references.find("Id. at 120.", page=4)
    assert (span.key, span.resolved) == (ROE, True)


def test_an_overlap_is_no_further_antecedent() -> None:
    whole = (
        "Brown v. Board, 347 U.S. 483 (1954). Roe v. Wade, 410 U.S. 113 (1973). Id. at 120. End."
    )
    cut = whole.index("Roe")
    references = References()
    first = references.find(whole)
    second = references.find(whole[cut:], offset=cut)
    assert [(s.start + cut, s.key) for s in second] == [(s.start, s.key) for s in first[1:]]
    # Only citations before a text count, also when the text is read again.
    assert references.find(whole)[-1].key == ROE


def test_an_overlap_that_begins_within_a_citation_knows_the_first_answer() -> None:
    whole = "Roe v. Wade, 410 U.S. 113 (1973). Id. at 120. More words and 347 U.S. 483 then."
    cut, end = whole.index("U.S."), whole.index("483")
    references = References()
    references.find(whole[:end])
    spans = references.find(whole[cut:], offset=cut)
    assert [span.key for span in spans] == [ROE, BROWN]


def test_a_cut_citation_is_read_again() -> None:
    whole = "See Roe v. Wade, 410 U.S. 113 (1973). Id. at 120."
    end = whole.index("13 (")
    references = References()
    references.find(whole[:end])
    spans = references.find(whole[4:], offset=4)
    assert [(span.key, span.resolved) for span in spans] == [(ROE, True)] * 2


@pytest.mark.slow
def test_the_cheap_look_loses_no_reporter() -> None:
    """Nearly all examples that the list of reporters gives are looked into."""
    from eyecite import get_citations
    from reporters_db import REPORTERS

    examples = [
        f"We follow {example} in this."
        for entries in REPORTERS.values()
        for entry in entries
        for example in entry.get("examples", ())
    ]
    actual = [text for text in examples if get_citations(text)]
    lost = [text for text in actual if not has_citation_signs(text)]
    assert len(actual) > 400
    assert len(lost) < 0.05 * len(actual), lost


def test_long_texts_are_read_in_pieces() -> None:
    text = "".join(f"It is so. See {volume} U.S. 113 for more of it. " for volume in range(1, 500))
    assert [c.groups["volume"] for c in find_citations(text)] == [str(v) for v in range(1, 500)]


def test_pairs_with_known_citations(corpus: Callable[[str], Path]) -> None:
    path = corpus("legal-citations") / "find_pairs.json"
    score = legal_pairs.score(path)
    assert score.share >= 0.98, "\n".join(score.misses)


def test_without_eyecite_the_usual_reporters_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "See Roe v. Wade, 410 U.S. 113 (1973), and 17 C.F.R. § 240.10b-5 under ISO 9001."
    expected = ["case:410-us-113", "regulation:cfr-17-240-10b-5", "standard:iso-9001"]
    assert [r.key for r in References().find(text)] == expected
    monkeypatch.setattr("casetrack.extract.references.citations.reads_case_law", lambda: False)
    assert [r.key for r in References().find(text)] == expected
    assert (
        keys("Roe v. Wade, 93 S.Ct. 705 (1973). Id. at 706. Wade, supra. 93 S. Ct. at 9.")
        == [("case:93-s-ct-705", True)] * 4
    )


AS_EYECITE = [
    *("12 Marq. L. Rev. 34 (1901-02)", "See 3 Mart. 45, 47 (La. 1813).", "§7 of the U.S. code"),
    *("§ 12", "as in §§ 12-13 (foo)", "before Roe, 1 U. S., at xxv", "Cal. Penal Code § 12"),
    *("2 U.S.C. sec. 3", "2 U.S.C. Sections 3-4", "4, United States Code, Section 5"),
    *("33 Ga. Supp. 9", "Roe Mfg. Co. v. Wade, 1 U.S. 2, 3 (1801)", "12 UCC L.J. 34, 36 (1999)"),
    "Doe v. Roe, 4 U.S. 5 (1802); Roe Mfg. Co. v. Wade & Co., 1 U.S. 2 (1801)",
]


@pytest.mark.parametrize("text", AS_EYECITE)
def test_nothing_that_eyecite_finds_is_lost(text: str) -> None:
    from eyecite import get_citations

    citations = find_citations(text)
    expected = get_citations(text)
    assert [(c.core, dict(c.groups)) for c in citations] == [
        (e.span()[0], e.groups) for e in expected
    ]
    names = ("plaintiff", "defendant")
    for citation, read in zip(citations, expected, strict=True):
        for name in names:
            assert citation.details.get(name) == getattr(read.metadata, name, None)


def test_the_form_of_a_company_is_no_plaintiff() -> None:
    first = "Doe v. Roe, 4 U.S. 5, 6 S. Ct. 7 (1902)."
    citations = find_citations(f"{first} In Wade Mfg. Co. v. Poe, 8 U.S. 9, 10 S. Ct. 11 (1903).")
    assert citations[2].details["plaintiff"] == "Wade Mfg. Co."


def test_commas_that_a_scan_reads_for_points() -> None:
    (citation,) = find_citations("see 3 U,S, 4 there")
    assert (citation.groups["reporter"], citation.corrected) == ("U,S,", "3 U.S. 4")
