"""Results of a check in a copy of the DOCX and on a page with both texts."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from reportlab.pdfgen.canvas import Canvas

from casetrack.base.errors import ParseFailed, UsageError
from casetrack.editions.legal.authorities import table_of_authorities
from casetrack.editions.legal.check import check_draft
from casetrack.editions.legal.drafts import read_draft
from casetrack.editions.legal.paper.check_page import check_page
from casetrack.editions.legal.paper.comments import commented_copy
from casetrack.editions.legal.records.check import CiteCheck, DraftPlace, Edit, Finding
from casetrack.faces.cli.main import main
from casetrack.graph.opened import graph_of
from editions.legal.cases import new_case

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.editions.legal.drafts import Draft

OPINION = "A carrier may refuse freight that is badly packed. Notice of a claim must be in writing."
EDITS = (
    Edit("keep", "A carrier ", "A carrier "),
    Edit("replace", "must", "may"),
    Edit("keep", " refuse", " refuse"),
    Edit("delete", "", " freight", allowed="ellipsis"),
)
NAMES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return a case with one opinion."""
    path = tmp_path_factory.mktemp("case") / "Teasdale v. Quorn.txt"
    path.write_text(OPINION, encoding="utf-8")
    return new_case(path.parent, path, name="Harrow")


def finding(draft: Draft, words: str, nth: int = 0, **more: Any) -> Finding:
    """Return a finding on the nth place of these words."""
    start = [m.start() for m in re.finditer(re.escape(words), draft.whole.text)][nth]
    page, at = draft.whole.place(start)
    message = {"what": "citation", "verdict": "wrong_page", "said": "It stands at 104."} | more
    place = DraftPlace(start, start + len(words), page.number, at, at + len(words), 1)
    return Finding(number=nth + 1, text=words, place=place, cited="", authority="", **message)


def check_of(draft: Draft, *findings: Finding) -> CiteCheck:
    """Return a check with these findings."""
    return CiteCheck(draft.name, str(draft.path), "Harrow", 1, 2, 1, findings, ("A note.",))


def split_brief(path: Path) -> Path:
    """Write a brief whose words are cut into runs, in a table, a link and a footnote, too."""

    def r(*texts: str) -> str:
        return "".join(f'<w:r><w:t xml:space="preserve">{t}</w:t></w:r>' for t in texts)

    bold = '<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{}</w:t></w:r>'
    body = (
        f"<w:p>{r('First Teas')}{bold.format('dale, 998 F. Supp. ')}{r('3d at 101 and then ')}"
        f"{r('Id', '. at 103.')}<w:r><w:footnoteReference w:id='2'/></w:r>"
        f"{r(' Again Id. at 103.')}</w:p>"
        f"<w:p>{r('A carrier “must')}<w:r><w:tab/></w:r>{r(' refuse” it.')}</w:p>"
        f"<w:tbl><w:tr><w:tc><w:p>{r('49 U.S.C. § 14', '706 here')}</w:p></w:tc></w:tr></w:tbl>"
    )
    document = docx.Document()
    for element in parse_xml(f"<w:body {NAMES}>{body}</w:body>"):
        document.element.body.insert(len(document.element.body) - 1, element)
    document.save(str(path))
    note = f'<w:footnotes {NAMES}><w:footnote w:id="2"><w:p>{r("See Orrin ", "Seed.")}</w:p>'
    parts = {"word/footnotes.xml": f"{note}</w:footnote></w:footnotes>".encode()}
    with zipfile.ZipFile(path) as source:
        for name in source.namelist():
            parts.setdefault(name, source.read(name))
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relation = f'<Relationship Id="n" Type="{base}/footnotes" Target="footnotes.xml"/>'
    rels = "word/_rels/document.xml.rels"
    parts[rels] = parts[rels].replace(b"</Relationships>", f"{relation}</Relationships>".encode())
    kinds, kind = "[Content_Types].xml", "application/vnd.openxmlformats-officedocument"
    kind += ".wordprocessingml.footnotes+xml"
    added = f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/>'
    parts[kinds] = parts[kinds].replace(b"</Types>", f"{added}</Types>".encode())
    with zipfile.ZipFile(path, "w") as target:
        for name, data in parts.items():
            target.writestr(name, data)
    return path


def anchors(content: bytes) -> dict[str, str]:
    """Return the commented words by the text of the comment."""
    document = docx.Document(io.BytesIO(content))
    messages = {str(c.comment_id): c.text for c in document.comments}
    words: dict[str, str] = {}
    open_now: set[str] = set()
    for element in document.element.body.iter():
        if element.tag == qn("w:commentRangeStart"):
            open_now.add(element.get(qn("w:id")))
            words[element.get(qn("w:id"))] = ""
        elif element.tag == qn("w:commentRangeEnd"):
            open_now.discard(element.get(qn("w:id")))
        elif element.tag in {qn("w:t"), qn("w:footnoteReference")}:
            for each in open_now:
                words[each] += element.text or "*"
    return {messages[key]: text for key, text in words.items()}


def test_comments_stand_on_the_words(library: Library, tmp_path: Path, messages: Any) -> None:
    path = split_brief(tmp_path / "Brief.docx")
    before = path.read_bytes()
    draft = read_draft(path, settings=library.settings)
    cited = ("Teasdale, 998 F. Supp. 3d at 101", "Id. at 103.", "49 U.S.C. \u00a7 14706")
    findings = [
        *(finding(draft, words, said=f"Of {words}") for words in cited),
        finding(draft, "Id. at 103.", 1, said="Of the second."),
        finding(draft, "See Orrin Seed.", said="Of the note."),
        finding(draft, "here", said="It is right.", verdict="verbatim"),
        finding(draft, "must", said="Of must", what="quotation", verdict="altered", edits=EDITS),
    ]
    made = commented_copy(draft, check_of(draft, *findings))
    assert path.read_bytes() == before
    assert (made.placed, made.unplaced) == (6, ())
    result = anchors(made.content)
    places = {
        lines.partition("Of ")[2].partition("\n")[0]: words for lines, words in result.items()
    }
    assert places == {
        "": "First ",  # of the whole draft
        **{words: words for words in (*cited, "must")},
        "the second.": "Id. at 103.",
        "the note.": "*",
    }
    messages("\n---\n".join(result))
    (tmp_path / "copy.docx").write_bytes(made.content)
    again = read_draft(tmp_path / "copy.docx", settings=library.settings)
    assert len(again.margin_comments) == 7
    text = again.whole.text
    for start, end in reversed(again.margin_comments):
        text = text[:start] + text[end:].lstrip()
    assert text == draft.whole.text
    everything = commented_copy(draft, check_of(draft, *findings), everything=True)
    assert everything.placed == 7


def test_words_that_are_not_there_are_named(library: Library, tmp_path: Path) -> None:
    path = split_brief(tmp_path / "Brief.docx")
    draft = read_draft(path, settings=library.settings)
    gone = finding(draft, "First", said="It is gone.")
    document = docx.Document(str(path))
    document.paragraphs[0].runs[0].text = "Teas"
    document.save(str(path))
    made = commented_copy(draft, check_of(draft, gone))
    assert (made.placed, made.unplaced) == (0, (gone,))
    (text,) = anchors(made.content)
    assert "\u201cFirst\u201d (p. 1, l. 1)" in text
    assert "It is gone." in text


def test_only_a_docx_that_opens_takes_comments(library: Library, tmp_path: Path) -> None:
    text = tmp_path / "Brief.txt"
    text.write_text("Id. at 103.")
    draft = read_draft(text, settings=library.settings)
    with pytest.raises(UsageError) as refused:
        commented_copy(draft, check_of(draft))
    assert "Brief.txt" in refused.value.message
    path = split_brief(tmp_path / "Brief.docx")
    draft = read_draft(path, settings=library.settings)
    path.write_bytes(b"no zip any more")
    with pytest.raises(ParseFailed, match=r"Brief\.docx"):
        commented_copy(draft, check_of(draft))


# --- the page ----------------------------------------------------------------------------------


def brief_pdf(path: Path) -> Path:
    """Write a brief of one page with a quotation."""
    canvas = Canvas(str(path), pagesize=(612, 792))
    canvas.drawString(72, 700, "The court wrote that a carrier <must> refuse. Teasdale at 104.")
    canvas.save()
    return path


def test_the_page_shows_both_sides(
    case: Collection, library: Library, tmp_path: Path, messages: Any
) -> None:
    draft = read_draft(brief_pdf(tmp_path / "Brief.pdf"), settings=library.settings)
    chunk = case.read.chunks("Teasdale v. Quorn.txt")[0]
    (quote,) = case.workspace.ask(lambda s: graph_of(s).quotes([(chunk.chunk_id, 0, 24)]))
    altered = finding(
        draft, "<must> refuse", said="Altered.", verdict="altered", edits=EDITS, sources=(quote,)
    )
    missing = finding(draft, "Teasdale at 104", said="Open.", verdict="source_not_in_case")
    html = case.workspace.ask(lambda s: check_page(s, draft, check_of(draft, missing, altered)))
    assert ("wrong sure" in html, replace(altered, confidence=0.6).is_sure) == (True, False)
    assert "default-src 'none'" in html
    assert not re.search(r'(?:src|href)="(?!data:|#|file:)', html)
    assert '<ins class="changed">must</ins>' in html
    assert '<del class="changed">may</del>' in html
    assert '<del class="allowed" title="ellipsis"> freight</del>' in html
    assert '<img src="data:image/png;base64,' in html
    assert "<mark>A carrier may refuse fre</mark>" in html
    assert html.index("Altered.") < html.index("Open.")  # errors before open points
    nothing = case.workspace.ask(lambda s: check_page(s, draft, check_of(draft)))
    assert "<mark>" not in nothing
    for page, name in ((html, "two findings"), (nothing, "none")):
        body = re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]+>", "\n", page)
        messages(
            re.sub(r"\s*\n\s*", "\n", body), name, hide={str(case.folder.parents[2]): "<case>"}
        )


def test_only_a_certain_difference_is_red(
    case: Collection, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = read_draft(brief_pdf(tmp_path / "Brief.pdf"), settings=library.settings)
    words = {"verdict": "altered", "edits": EDITS, "what": "quotation"}
    for confidence, red in ((0.9, {"found with differences", "[-may-]"}), (0.89, set())):
        shown: list[Any] = []
        altered = finding(draft, "<must> refuse", confidence=confidence, **words)
        of = check_of(draft, altered, finding(draft, "Teasdale", verdict="not_in_source"))
        monkeypatch.setattr("casetrack.editions.legal.check.check_draft", lambda *_, f=of: f)
        monkeypatch.setattr("casetrack.faces.cli.asking.write", shown.extend)
        home = str(case.folder.parents[1])
        assert main(["--data-dir", home, "check", str(draft.path), "-c", case.info.id]) == 0
        parts = [p for each in shown for p in each.parts if p[1:] in {("removed",), ("wrong",)}]
        assert {text for text, _ in parts} == red


def test_comments_are_not_checked(case: Collection, library: Library, tmp_path: Path) -> None:
    path = split_brief(tmp_path / "Brief.docx")
    draft = read_draft(path, settings=library.settings)
    remark = finding(draft, "First", said="See Roe v. Wade, 410 U.S. 113 (1973).")
    copy = tmp_path / "Copy.docx"
    copy.write_bytes(commented_copy(draft, check_of(draft, remark)).content)
    again = read_draft(copy, settings=library.settings)
    assert "Roe v. Wade" in again.whole.text
    assert "Roe v. Wade" not in again.words.text
    texts = [f.text for f in check_draft(case, again).findings]
    assert texts == [f.text for f in check_draft(case, draft).findings]
    assert texts
    (statute,) = table_of_authorities(again).authorities
    assert statute.name == "49 U.S.C. \u00a7 14706"
