"""A draft checked against a case: results for each citation and each quotation."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.base.config import load_settings
from casetrack.editions.legal.check import check_draft
from casetrack.editions.legal.drafts import read_draft
from editions.legal.cases import new_case

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.editions.legal.records.check import CiteCheck, Finding

CITED = "Teasdale v. Quorn Cartage Co., 998 F. Supp. 3d 101, {} (D. Vt. 2023)"


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return a case with an opinion and a paper of the docket."""
    home = tmp_path_factory.mktemp("case")
    (home / "Opinions").mkdir()
    shutil.copy(Path(__file__).with_name("teasdale.txt"), home / "Opinions" / "Teasdale.txt")
    (home / "Docket").mkdir()
    paper = (
        "1. The crate was sealed.\n\n2. The crate weighed 40 pounds and no more.\n\n3. It broke."
    )
    (home / "Docket" / "012 Statement of facts.txt").write_text(paper, encoding="utf-8")
    order = "Page one of the order.\fIt grants the motion in part.\fSo ordered."
    (home / "Docket" / "013 Order.txt").write_text(order, encoding="utf-8")
    return new_case(home, home / "Opinions", home / "Docket", name="Teasdale")


def checked(case: Collection, text: str, tmp_path: Path) -> CiteCheck:
    """Check a text as a brief."""
    path = tmp_path / "Brief.txt"
    path.write_text(text, encoding="utf-8")
    draft = read_draft(path, settings=load_settings(tmp_path / "none"), collection=case)
    result = check_draft(case, draft)
    for finding in result.findings:
        _is_exact(case, draft.whole.text, finding)
    return result


def _is_exact(case: Collection, text: str, finding: Finding) -> None:
    """Hold both places of a finding against both texts."""
    assert text[finding.place.start : finding.place.end] == finding.text
    for quote in finding.sources:
        chunk = case.read.chunk(quote.chunk_id)
        assert chunk.text[quote.char_start : quote.char_end] == quote.text
    if finding.edits:
        assert "".join(e.draft for e in finding.edits) == finding.text
        assert "".join(e.source for e in finding.edits) == "".join(q.text for q in finding.sources)


def only(result: CiteCheck, what: str) -> Finding:
    """Return the only finding of a kind."""
    (finding,) = [f for f in result.findings if f.what == what]
    return finding


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("words", "page", "verdict", "changed"),
    [
        ("accepts the burden of saying why it arrived broken.", 102, "verbatim", ""),
        ("[t]hat has been the law for 150 years", 102, "verbatim", ""),
        ("keep the excuse. It may refuse the freight.", 103, "verbatim", ""),
        ("accepts the burden of proving why it", 102, "altered", "saying>proving"),
        ("A carrier that sees a weak crate may take the freight", 103, "altered", "not>"),
        ("the law for 250 years, and nothing", 102, "altered", "150>250"),
        ("accepts the burden of saying why", 103, "wrong_page", ""),
        ("A carrier insures what it carries against all loss.", 102, "not_in_source", ""),
    ],
)
def test_a_quotation(
    case: Collection, tmp_path: Path, words: str, page: int, verdict: str, changed: str
) -> None:
    result = checked(case, f"The court said: “{words}” {CITED.format(page)}.", tmp_path)
    quotation, citation = only(result, "quotation"), only(result, "citation")
    assert (quotation.verdict, citation.verdict) == (verdict, "in_case")
    assert "Teasdale.txt" in quotation.said
    counted = [f"{e.source.strip()}>{e.draft.strip()}" for e in quotation.edits if e.counts]
    assert "".join(counted) == changed
    if verdict == "wrong_page":
        assert (quotation.pin, quotation.found_pin) == ("103", "102")


@pytest.mark.parametrize(
    ("cited", "verdict", "says"),
    [
        (CITED.format(102), "in_case", "Teasdale.txt"),
        (CITED.format(102).replace("998", "989"), "reporter_differs", "998 F. Supp. 3d 101"),
        (CITED.format(112).replace("101", "110"), "reporter_differs", "998 F. Supp. 3d 101"),
        (CITED.format(102).replace("Teasdale", "Marlow"), "name_differs", "“Marlow”"),
        (CITED.format(102).replace("Teasdale", "Teasdail"), "name_differs", "“Teasdail”"),
        (f"Quorn Co. v. Teasdale{CITED.format(102)[29:]}", "name_differs", "Teasdale v. Quorn"),
        ("Quorn Cartage Co. v. Teasdale, 57 F.4th 8 (2d Cir. 2023)", "source_not_in_case", "57 F."),
        (CITED.format(102).replace("2023", "2021"), "year_differs", "2023"),
        (CITED.format(102).replace("D. Vt.", "S.D.N.Y."), "court_differs", "District of Vermont"),
        (CITED.format(102).replace("D. Vt.", "Vt. Super. Ct."), "in_case", "Teasdale.txt"),
        (CITED.format(202), "wrong_page", "101-103"),
        ("Celotex Corp. v. Catrett, 477 U.S. 317, 322 (1986)", "source_not_in_case", "Celotex"),
        ("Roe v. Orr, 999 U.S. 113 (1973)", "impossible", "no volume 999"),
        ("Roe v. Orr, 97 8754 (9th Cir. 1992)", "impossible", "no reporter"),
        ("Roe v. Orr, 2015 WL 12345678901 (D. Md. 2015)", "impossible", "8 digits"),
        ("Roe v. Orr, 567 U.S. 709 (2002)", "year_differs", "2012"),
        ("Roe v. Orr, 123 F.3d 456 (9th Cir. 1998)", "source_not_in_case", "Roe"),
        ("Roe v. Orr, 123 F.3d 456 (N.D. Cal. 1998)", "court_differs", "N.D. Cal."),
        ("Roe v. Orr, 410 U.S. 113, 90 (1973)", "wrong_page", "113"),
        ("Dkt. 12 ¶ 2", "in_case", "012 Statement"),
        ("Dkt. 12 ¶ 9", "wrong_page", "¶¶ 1-3"),
        ("Dkt. 12 at 9", "in_case", "012 Statement"),  # a text has no pages
        ("Dkt. 13 at 2", "in_case", "013 Order"),
        ("Dkt. 13 at 9", "wrong_page", "1-3"),
        ("Dkt. 13 at PageID.877", "in_case", "013 Order"),
        ("Dkt. 99 at 4", "item_not_found", "Dkt. 99"),
    ],
)
def test_a_citation(case: Collection, tmp_path: Path, cited: str, verdict: str, says: str) -> None:
    finding = only(checked(case, f"The rule is old. {cited}. It stands.", tmp_path), "citation")
    assert (finding.verdict, says in finding.said) == (verdict, True), finding.said


def test_citations_that_contradict_each_other(case: Collection, tmp_path: Path) -> None:
    text = (
        "Moll v. Orr, 564 U.S. 552 (2011). It holds. Moll, 565 U.S. at 567. Ames v. Lin, 12 F.3d "
        "40 (2d Cir. 1993). So it is. Ames v. Lin, 13 F.3d 40 (2d Cir. 1993). Pratt v. Hu, 8 F.3d "
        "9 (2d Cir. 1993). So it is. Hu v. Pratt, 8 F.3d 9 (2d Cir. 1993)."
    )
    verdicts = [f.verdict for f in checked(case, text, tmp_path).findings][1::2]
    assert verdicts == ["reporter_differs", "reporter_differs", "name_differs"]


def test_an_index_of_the_user(case: Collection, tmp_path: Path) -> None:
    folder = case.workspace.settings.data_dir / "citations"
    folder.mkdir()
    (folder / "citations.csv").write_text("id,volume,reporter,page,cluster_id\n1,12,F.3d,40,7\n")
    clusters = 'id,case_name,date_filed,summary\n7,"Ames v. Lin",1993-11-02,"two\nlines"\n'
    (folder / "clusters.csv").write_text(clusters)
    volume = [{"cite": "564 U.S. 552"}]
    moll = {"name_abbreviation": "Moll v. Orr", "decision_date": "2011-06", "citations": volume}
    harvard = json.dumps([moll])
    (folder / "564.json").write_text(harvard)
    text = (
        "Ames v. Lin, 12 F.3d 40 (2d Cir. 1993). Dunn v. Hale, 564 U.S. 552 (2011). "
        "Moll v. Orr, 564 U.S. 552 (2010)."
    )
    verdicts = [f.verdict for f in checked(case, text, tmp_path).findings]
    shutil.rmtree(folder)
    assert verdicts == ["source_not_in_case", "name_differs", "year_differs"]


def test_paragraphs_of_the_record(case: Collection, tmp_path: Path) -> None:
    right = checked(case, "It “weighed 40 pounds and no more.” Dkt. 12 ¶ 2.", tmp_path)
    wrong = checked(case, "It “weighed 40 pounds and no more.” Dkt. 12 ¶ 3.", tmp_path)
    assert only(right, "quotation").verdict == "verbatim"
    assert only(wrong, "quotation").verdict == "wrong_page"
    assert only(wrong, "quotation").found_pin == "¶ 2"


def test_a_text_without_page_breaks_has_no_wrong_page(case: Collection, tmp_path: Path) -> None:
    verdicts = {"12 at 3": "verbatim", "13 at 3": "wrong_page", "13 at PageID.877": "verbatim"}
    for pin, verdict in verdicts.items():
        words = "weighed 40 pounds and no more" if "12" in pin else "grants the motion in part"
        draft = f"It “{words}.” Dkt. {pin}."
        assert only(checked(case, draft, tmp_path), "quotation").verdict == verdict


def test_nothing_is_wrong_because_a_source_is_missing(case: Collection, tmp_path: Path) -> None:
    text = "“A movant must point to the record.” Celotex Corp. v. Catrett, 477 U.S. 317 (1986)."
    result = checked(case, text, tmp_path)
    assert {f.verdict for f in result.findings} == {"source_not_in_case"}
    assert result.notes


def test_words_of_another_source_are_reported(case: Collection, tmp_path: Path) -> None:
    text = "“A carrier that accepts a sealed crate without a remark” Dkt. 12 at 1."
    finding = only(checked(case, text, tmp_path), "quotation")
    assert finding.verdict == "not_in_source"
    assert "Teasdale.txt" in finding.said


def test_a_brief_that_cites_nothing(case: Collection, tmp_path: Path) -> None:
    result = checked(case, "We ask the Court to grant the motion.", tmp_path)
    assert result.findings == ()
    assert len(result.notes) == 2  # neither citations nor quotations


def test_two_papers_with_one_number_are_both_named(case: Collection, tmp_path: Path) -> None:
    folder = tmp_path / "Docket"
    folder.mkdir()
    for name, text in (("007 Motion", "The motion is made."), ("007 Reply", "The reply is made.")):
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    result = checked(
        new_case(tmp_path, folder), "He says that “the reply is made.” Dkt. 7 at 1.", tmp_path
    )
    citation, quotation = only(result, "citation"), only(result, "quotation")
    assert citation.verdict == "unclear"
    assert {"007 Motion.txt", "007 Reply.txt"} <= {*re.findall(r"007 \w+\.txt", citation.said)}
    assert quotation.verdict == "verbatim"
    assert citation.said in quotation.notes
