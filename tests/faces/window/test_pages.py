"""Content and actions of the pages of the window."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import docx
import lxml.html
import pymupdf
import pytest

import casetrack
import casetrack.faces.window as window_package
from casetrack.api.operation import arguments_of
from casetrack.api.operations import operations
from casetrack.api.viewer import report
from casetrack.base.errors.references import Opt, See
from casetrack.base.records.documents import DOCUMENT_TYPES
from casetrack.faces.window.pages import PAGES, TITLES
from casetrack.faces.window.pages.operations import reading
from casetrack.faces.window.texts import LANGUAGES, Texts, all_texts
from casetrack.faces.window.visit import step
from faces.window.conftest import finished, links, text_of

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

QUESTION = "Who may terminate the agreement for convenience?"


def first_passage(window: TestClient, question: str) -> str:
    match = re.search(r'href="([^"]*/passage/[^"]*)"', search(window, question))
    assert match is not None
    return html.unescape(match[1])


def search(window: TestClient, question: str) -> str:
    return window.get("/c/Demo/search", params={"q": question}).text


def test_all_parts_of_a_collection_open(window: TestClient) -> None:
    parts = re.findall(r'<a href="(/c/Demo/[a-z]+)"', window.get("/c/Demo").text)
    assert len(parts) >= 6
    for part in parts:
        answer = window.get(part)
        assert answer.status_code == 200, part
        assert "<h1" in answer.text


def test_a_question_leads_to_the_sentence_on_its_page(window: TestClient) -> None:
    page = search(window, QUESTION)
    marked = [html.unescape(m) for m in re.findall(r"<mark>(.*?)</mark>", page, re.DOTALL)]
    assert any("terminate for convenience" in " ".join(m.split()) for m in marked)
    shown = window.get(first_passage(window, QUESTION)).text
    assert "Master Services Agreement.pdf" in text_of(shown)
    (picture,) = re.findall(r'src="(/c/Demo/picture/[^"]+)"', shown)
    assert 'strong"' in shown
    part = window.get(first_passage(window, QUESTION), headers={"x-part": "1"}).text
    assert ("<article" in part, "<html" in part) == (True, False)
    drawn = window.get(picture)
    assert drawn.content.startswith(b"\x89PNG")
    assert "immutable" in drawn.headers["cache-control"]


def test_the_sentence_is_marked_in_a_text_without_pictures(
    window: TestClient, demo: Collection
) -> None:
    (found,) = demo.search(QUESTION, documents="Amendment No 1.docx", limit=1)
    page = window.get(f"/c/Demo/passage/{found.chunk_id}", params={"q": QUESTION}).text
    strong = "".join(re.findall(r'<mark[^>]*strong">(.*?)</mark>', page, re.DOTALL))
    assert found.pinpoint[0].text.strip() in html.unescape(strong)
    assert len(strong) < len(found.text) / 2
    assert page.count('class="target strong"') == 1


def test_a_passage_is_kept_and_written(window: TestClient, demo: Collection) -> None:
    place = first_passage(window, QUESTION)
    chunk = place.split("/passage/")[1].partition("?")[0]
    assert window.post("/c/Demo/do/star", data={"target": chunk, "note": "Read this"}).is_success
    assert "Read this" in text_of(window.get("/c/Demo/kept").text)
    citation = demo.read.chunk(chunk).citation
    paper = window.get("/c/Demo/kept.docx")
    words = "\n".join(p.text for p in docx.Document(io.BytesIO(paper.content)).paragraphs)
    assert citation in words
    assert "Read this" in words
    assert citation.replace("-", "") in window.get("/c/Demo/kept.md").text.replace("-", "")
    assert window.post("/c/Demo/do/unstar", data={"target": chunk}).is_success
    assert "Read this" not in text_of(window.get("/c/Demo/kept").text)


def test_from_nothing_to_an_answer(empty: TestClient, library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "Papers"
    folder.mkdir()
    (folder / "Lease.txt").write_text("The rent is due on the third day of each month.\n")
    (folder / "broken.pdf").write_bytes(b"no PDF")
    assert "Flat &lt;1&gt;" in empty.post("/collections", data={"name": "Flat <1>"}).text
    begun = empty.post("/c/Flat <1>/add", data={"path": str(folder)})
    assert "broken.pdf" in text_of(finished(empty, begun))
    assert [d.name for d in library.get("Flat <1>").documents()] == ["Lease.txt"]
    assert "third day" in text_of(empty.get("/c/Flat <1>/search", params={"q": "rent due"}).text)
    files = [("files", ("../../Key.txt", b"The key is under the mat.\n", "text/plain"))]
    finished(empty, empty.post("/c/Flat <1>/add", files=files))
    kept = library.settings.data_dir / "added" / "Flat _1_" / "Key.txt"
    assert kept.read_bytes().startswith(b"The key")
    assert str(kept) in {d.path for d in library.get("Flat <1>").documents()}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["A/B", "100% /c/ of it", "50%2F", "Ä & ?x=1#y"])
def test_a_name_may_hold_any_sign(empty: TestClient, library: Library, name: str) -> None:
    library.create(name)
    home = empty.get("/").text
    (link,) = re.findall(r'<a class="card" href="([^"]*)"', home)
    page = empty.get(html.unescape(link))
    assert page.status_code == 200
    assert name in html.unescape(page.text)
    for part in ("documents", "people", "sql", "health", "settings"):
        for each in re.findall(rf'href="(/c/[^"]*/{part})"', page.text):
            assert empty.get(html.unescape(each)).status_code == 200, each
    added = empty.post(f"{html.unescape(link)}/add", data={"path": "/no/such/file"})
    assert "/no/such/file" in added.text


def test_failed_files_are_listed_with_what_helps(
    empty: TestClient, library: Library, tmp_path: Path
) -> None:
    (tmp_path / "damaged.pdf").write_bytes(b"%PDF-1.4 damaged")
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The deposit is 900 euros.")
        pdf.save(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="key")
    acme = library.create("Acme")
    acme.ingest(tmp_path)
    for page in ("health", "add"):
        shown = empty.get(f"/c/Acme/{page}").text
        assert str(tmp_path / "damaged.pdf") in text_of(shown)
        assert 'type="password"' in shown
    sent = {"paths": str(tmp_path / "locked.pdf"), "force": "1", "passwords": "key"}
    finished(empty, empty.post("/c/Acme/do/ingest", data=sent))
    assert [d.name for d in acme.documents()] == ["locked.pdf"]
    assert "locked.pdf" not in text_of(empty.get("/c/Acme/health").text)


def test_a_collection_is_managed_and_a_document_removed(
    empty: TestClient, library: Library, tmp_path: Path
) -> None:
    (tmp_path / "Lease.txt").write_text("The rent is due on the third day.\n")
    library.create("Old").ingest(tmp_path / "Lease.txt")

    def do(what: str, **sent: str) -> str:
        return finished(empty, empty.post(f"/c/{what}", data=sent))

    assert "/c/New" in do("Old/do/collection update", name="New")
    case = library.get("New")
    undo = re.search(
        r'name="name_or_number" value="([^"]+)"', do("New/do/delete", name_or_id="Lease.txt")
    )
    assert not case.documents()
    do("New/snapshots", name_or_number=undo[1] if undo else "")
    assert [d.name for d in case.documents()] == ["Lease.txt"]
    do("New/do/doctor", repair="1")
    do("New/do/export", path=str(tmp_path))
    exported = {"files": ("New.ctcollection", (tmp_path / "New.ctcollection").read_bytes())}
    assert "New" in do("New/do/collection delete", sure="Nwe")
    assert library.get("New")
    for what in ("restore", "delete"):
        do("New/do/collection delete", sure="New")
        (aside,) = library.aside()
        assert not library.collections()
        assert empty.post("/aside", data={"collection": "no-such"}).status_code == 404
        for left in (".aside-damaged", f"{aside.id}/views"):
            (library.settings.data_dir / "collections" / left).mkdir(parents=True, exist_ok=True)
        assert aside.name in empty.get("/").text
        empty.post("/aside", data={"collection": aside.id, "do": what})
        assert not library.aside()
    assert not library.collections()
    assert not [*(library.settings.data_dir / "collections").glob("*" + aside.id)]
    finished(empty, empty.post("/import", files=exported))
    assert [d.name for d in library.get("New").documents()] == ["Lease.txt"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/c/Nope", 404, "Nope"),
        ("/c/Demo/passage/nope", 404, "nope"),
        ("/c/Demo/document/nope", 404, "nope"),
        ("/c/Demo/people/nobody-at-all", 404, "nobody-at-all"),
        ("/c/Demo/sql?q=DROP TABLE x", 400, "SELECT"),
        ("/c/Demo/timeline?start=never", 400, "never"),
        ("/c/Demo/search?q=rent&document=nothing-of-the-kind", 404, "nothing-of-the-kind"),
        ("/c/Demo/search?q=rent&kind=novel", 400, "novel"),
        ("/c/Demo/search?q=rent&since=2024-13", 400, "2024-13"),
        ("/c/Demo/search?q=rent&since=2025&until=2024", 400, "2025"),
        ("/c/Demo/search?q=rent&mentions=Xyzzy Plugh", 404, "Xyzzy Plugh"),
        ("/c/Demo/search?q=rent&order=sideways&limit=many", 200, ", p. "),
        ("/c/Demo/people?kind=person&name=zieLIN", 200, "Tomasz Zielinski"),
        ("/c/Demo/choose?at=/no/such/place", 404, "/no/such/place"),
        ("/jobs/j-none", 404, "none"),
        ("/no/such/page", 404, ""),
    ],
)
def test_what_cannot_be_shown_says_why(
    window: TestClient, path: str, status: int, text: str
) -> None:
    answer = window.get(path)
    assert text in text_of(answer.text)
    assert answer.status_code == status


_CONTENT = "plain prose cells citation ref cited said selectable hidden name".split()
_OF_DOCUMENTS = (
    "//bdi|//mark|//option|//style|//script|//kbd|//dd|//title|//textarea|//*[name()='tspan']"
    "|//*[@dir='auto']" + "".join(f"|//*[contains(concat(' ', @class), ' {c}')]" for c in _CONTENT)
)
_SAME = {text["de"] for text in all_texts().values()} | {
    *LANGUAGES.values(),
    "CaseTrack",
    "Pence",
    "Total",
}


def _own_texts(page: str) -> set[str]:
    """Return the texts of a page outside of the content of documents."""
    tree = lxml.html.fromstring(page)
    for each in tree.xpath(_OF_DOCUMENTS):
        each.clear(keep_tail=True)
    texts = {" ".join(text.split()) for text in tree.xpath("//text()")}
    same = re.compile(r".*[A-Z]\w+ \d{4}|((pdf|docx|markdown|txt|xlsx|ods|en|de) \d+(, )?)+")
    return {t for t in texts if re.search("[a-z]{2}", t) and not same.fullmatch(t)}


@pytest.mark.slow
def test_nothing_but_documents_reads_the_same_in_german(
    window: TestClient, empty: TestClient, library: Library, tmp_path: Path
) -> None:
    pages = [f"/c/Demo/{part}" for part in _PARTS.split()] + ["/", "/settings", "/jobs", "/none"]
    linked = [a for page in pages for a in links(window.get(page).text, "/c/Demo/")]
    kinds = {re.sub(r"[^/]*$", "", a) + str(n % 3): a for n, a in enumerate(linked)}
    similar = first_passage(window, "rent").split("/")[-1].partition("?")[0]
    pages += [f"/c/Demo/ask/similar?min_similarity=0.1&chunk_id={similar}"]
    files = {"damaged.pdf": b"%PDF-1.4 damaged", "broken.docx": b"PK\3\4no", "none.txt": b""}
    files |= {"song.mp3": b"ID3", "named.pdf": b"Not a PDF.", "Lease.txt": b"The rent is due."}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    library.create("Bad").ingest(tmp_path)
    (tmp_path / "Lease.txt").unlink()
    ended = [empty.post(f"/c/Bad/do/{what}", data={"paths": str(tmp_path)}) for what in _WORK]
    for each in ended:
        finished(empty, each)
    bad = ["/jobs", "/c/Bad/health", "/c/Bad/add", *(str(each.url) for each in ended)]
    clients = [(window, p) for p in (*pages, *(a for a in kinds.values() if "/ask" not in a))]
    for client, page in (*clients, *((empty, page) for page in bad)):
        german, english = (
            client.get(page, headers={"accept-language": each}).text for each in ("de", "en")
        )
        assert _own_texts(german) & _own_texts(english) <= _SAME, page
        assert not re.findall(r", (?:p\.|para\.|ll?\.) \d", german), page


_WORK = ("ingest", "doctor", "reindex")
_PARTS = """search?q=rent documents map timeline people likely-same correspondence graph
references topics related compare corrections ask kept sql health add choose folders manage
snapshots briefing search?q=malaria document/nope people/nobody-at-all ask/amounts
ask/audit%20list ask/audit%20verify related?document=Amendment%20No%201.docx ask/statistics
ask/mentions?name=Zielinski ask/citations?name=1 ask/by-type?document_type=contract
ask/by-type?document_type=nope ask/matrix?topics=rent ask/sources ask/clusters"""


def test_every_text_is_there_in_every_language() -> None:
    fields = re.compile(r"\{(\w+)\}")
    for name, by_language in all_texts().items():
        assert set(by_language) == set(LANGUAGES), name
        assert all(by_language.values()), name
        wanted = {tuple(sorted({*fields.findall(t)} - {"more"})) for t in by_language.values()}
        assert len(wanted) == 1, name
    source = "".join(p.read_text("utf-8") for p in Path(casetrack.__file__).parent.rglob("*.py"))
    source = re.sub(r'"\s*\n\s*f?"', "", source).replace("\\u201d", "\u201d")
    for name in (name for name in all_texts() if name.startswith("note.")):
        english = all_texts()[name]["en"]
        parts = [p.strip(" .:") for p in re.split(r"\{\w+\}| and |[;:] ", english)]
        parts = [end for p in parts if len(p) > 5 for end in (p[:40], p[-8:])]
        assert not parts or any(part in source for part in parts), name
        assert Texts("de").note(english) == all_texts()[name]["de"].replace("{more}", ""), name


def test_no_text_names_a_command_or_an_option() -> None:
    bad = re.compile(r"casetrack [a-z]|`|(?<!\w)--[a-z]|[Tt]erminal")
    texts = [text for by_language in all_texts().values() for text in by_language.values()]
    for name in [*operations(), "setup desktop", "no such command"]:
        steps = f"It failed. Run {See(name, 'X', force=True)}. Or {Opt('full')}. {Opt(ocr='auto')}."
        texts += [step(TITLES, Texts(language), steps) for language in LANGUAGES]
    assert [text for text in texts if bad.search(text)] == []


def test_every_shown_operation_and_template_has_its_texts() -> None:
    done = {name for page in PAGES for name in page.of}
    assert {f"type.{name}" for name in DOCUMENT_TYPES} <= set(all_texts())
    for name, each in reading().items():
        if not {name, name.split()[0]} & done:
            assert {f"operation.{name}", f"operation.{name}_about"} <= set(all_texts())
            for arg in arguments_of(each.method):
                texts = {f"argument.{name}_{arg.name}", f"argument.{arg.name}"}
                assert texts & set(all_texts()), (name, arg.name)
    jinja = re.compile(
        r"\{#.*?#\}|\{% block (kind|title) %\}.*?\{% endblock %\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL
    )
    english = {by_language["en"] for by_language in all_texts().values()} | {"problem."}
    phrase = re.compile(r'\b_\("([^"]+)"(?: if [^"]+? else "([^"]+)")?')
    folders = Path(window_package.__file__).parent / "templates", Path(report.__file__).parent
    for path in (path for folder in folders for path in folder.glob("*.html")):
        text = path.read_text("utf-8")
        assert {each for pair in phrase.findall(text) for each in pair if each} <= english
        plain = jinja.sub(" ", text)
        shown = re.findall(r'(?:aria-label|title|placeholder|alt)="([^"]*)"', plain)
        shown += re.split(r'<[^>]*>|[\w-]+="[^"]*"', plain)
        words = set(re.findall(r"[A-Za-z]{3,}", " ".join(shown)))
        assert words <= {*"CaseTrack SQL eng deu UTC Command casetrack show See them with".split()}


def test_a_first_visit_leads_to_the_sample(
    empty: TestClient, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "Lease.txt").write_text("The rent is due on the third day.\n")
    pulled: list[bool] = []
    supplies = "casetrack.api.models.supplies"
    monkeypatch.setattr(f"{supplies}.lacking", lambda _: () if pulled else ("mini",))
    monkeypatch.setattr(f"{supplies}.fetch", lambda *_: pulled.append(True) or iter(()))
    monkeypatch.setattr("casetrack.faces.window.pages.home.resource_dir", lambda _: tmp_path)
    assert 'action="/sample"' in empty.get("/").text
    finished(empty, empty.post("/sample"))
    assert pulled
    assert [d.name for d in library.get("Sample").documents()] == ["Lease.txt"]
    (again,) = re.findall(r'data-again="([^"]*)"', empty.get("/c/Sample").text)
    assert empty.get(again).status_code == 200


@pytest.mark.slow
def test_names_and_texts_are_never_markup(empty: TestClient, tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
    path = tmp_path / f"{hostile.replace('/', '')}.txt"
    path.write_text(f"{hostile} The rent is due. </script><script>alert(2)</script>\n")
    empty.post("/collections", data={"name": "X<b>"})
    begun = empty.post("/c/X<b>/add", data={"path": str(path)})
    message = finished(empty, begun)
    parts = ["", "/documents", "/search?q=rent", "/people?kind=concept", "/timeline", "/health"]
    parts += ["/map", "/graph", "/references", "/topics", f"/related?document={path.name}"]
    parts += ["/compare", "/corrections"]
    pages = [empty.get(f"/c/X<b>{part}").text for part in parts]
    within = links(pages[1], "/document/") + links(pages[2], "/passage/")
    for page in [message, *pages, *(empty.get(link).text for link in within)]:
        assert "<img src=x" not in page
        assert "<script>alert" not in page
        assert "<b>" not in page.replace("<b><bdi>", "")
