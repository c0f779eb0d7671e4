"""Documents in the window: listed, page by page, side by side, mails, sheets, tags."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from casetrack.api.collection.listing import listing
from faces.window.conftest import links, text_of, visitor

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

AGREEMENT, AMENDMENT = "Master Services Agreement.pdf", "Amendment No 1.docx"


def document(demo: Collection, name: str) -> str:
    return f"/c/Demo/document/{demo.document(name).document_id}"


def listed(window: TestClient, **values: object) -> list[str]:
    page = window.get("/c/Demo/documents", params=values).text
    return [html.unescape(n) for n in re.findall(r'data-nth="\d+"><bdi>(.*?)</bdi>', page)]


@pytest.mark.slow
def test_people_are_those_a_document_mentions_most(demo: Collection) -> None:
    for each in listing(demo.workspace.state()).documents:
        message = demo.map.document_entities(each.document, limit=50)
        people = {e.entity_id for e in message if e.kind == "person"}
        assert {key for key, _ in each.people} <= people
        assert len(each.people) == min(3, len(people))


def test_the_list_is_narrowed(window: TestClient, demo: Collection) -> None:
    names = {d.name for d in demo.documents()}
    assert set(listed(window)) == names
    assert set(listed(window, name="INVOICE")) == {n for n in names if "Invoice" in n}
    contracts = {d.name for d in demo.documents() if d.document_type == "contract"}
    assert set(listed(window, kind="contract", order="pages")) == contracts
    assert listed(window, name="100% sure_no'such") == []
    assert listed(window, partly="1") == [d.name for d in demo.documents() if d.missing]
    # A part that is not there any more is the first one.
    assert listed(window, sheet=999) == listed(window)


@pytest.mark.slow
def test_a_document_is_turned_page_by_page(window: TestClient, demo: Collection) -> None:
    place = document(demo, AGREEMENT)
    first = window.get(place).text
    assert "/1.png" in first
    (after,) = re.findall(r'rel="next" href="([^"]+)"', first)
    second = window.get(html.unescape(after)).text
    assert "/2.png" in second
    assert 'rel="prev"' in second
    last = window.get(place, params={"page": "9999"}).text
    assert f"/{demo.document(AGREEMENT).page_count}.png" in last
    assert 'rel="next"' not in last
    as_text = window.get(place, params={"page": "7", "as": "text"}).text
    assert "terminate for convenience" in text_of(as_text)
    assert ".png" not in as_text
    drawn = window.get(place, params={"page": "7"}).text
    assert "terminate for convenience" in text_of(drawn.partition('class="selectable"')[2])


def test_text_of_a_lost_file_is_shown(library: Library, samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "invoice.pdf"
    path.write_bytes((samples / "Finance" / "Invoice HCS-20417.pdf").read_bytes())
    (collection := library.create("Demo")).ingest([path])
    path.unlink()
    page = text_of(visitor(library.settings).get(document(collection, path.name)).text)
    assert "no longer where it was ingested from" in page
    assert "Halyard Cold Services" in page


def test_another_document_stands_beside(window: TestClient, demo: Collection) -> None:
    place = document(demo, AGREEMENT)
    both = window.get(place, params={"page": 3, "beside": AMENDMENT, "beside_page": 2}).text
    assert "/3.png" in both
    assert "forty-five days" in text_of(both)
    # Each is turned by itself.
    turned = [
        h for h in links(both, urlsplit(place).path) if "page=4" in h.split("?")[1].split("&")
    ]
    assert turned
    assert all("beside_page=2" in h for h in turned)
    other = [h for h in links(both, urlsplit(place).path) if "beside_page=3" in h]
    assert other
    assert all("page=3" in h for h in other)
    lost = window.get(place, params={"beside": "Amendment Nr 1.docx"})
    assert lost.status_code == 200
    assert AMENDMENT in text_of(lost.text)
    assert "`" not in text_of(lost.text)


def test_a_sheet_has_its_cells_and_its_neighbours(window: TestClient, demo: Collection) -> None:
    page = window.get(document(demo, "Operating Cost Model.xlsx"), params={"page": 2}).text
    assert "<td" in page
    assert re.search(r"<th[^>]*>B</th>", page)
    for name in ("Energy", "Staffing", "Availability", "Assumptions"):
        assert f"<bdi>{name}</bdi></a>" in page
    assert text_of(page).count("Reach truck driver") == 1
    chunk = demo.search('"Reach truck driver"', documents="Operating Cost Model.xlsx")[0].chunk_id
    cited = window.get(f"/c/Demo/passage/{chunk}", params={"q": "Reach truck driver"}).text
    (row,) = re.findall(r'class="target">.*?</tr>', cited, re.DOTALL)
    assert "Reach truck driver" in text_of(row)


def test_a_passage_is_tagged_and_untagged(window: TestClient, demo: Collection) -> None:
    chunk = demo.search("terminate for convenience", limit=1)[0].chunk_id
    place = f"/c/Demo/passage/{chunk}"
    sent = {"target": chunk, "tags": "To <cite>", "note": "p. 7", "back": place}
    page = window.post("/c/Demo/do/tag", data=sent)
    assert page.url.path == place
    assert "To &lt;cite&gt;" in page.text
    kept = window.get("/c/Demo/kept", params={"tag": "To <cite>"}).text
    assert demo.read.chunk(chunk).citation in text_of(kept)
    assert "To &lt;cite&gt;" not in window.post("/c/Demo/do/untag", data=sent).text


@pytest.mark.slow
def test_the_words_to_copy_have_their_citation(window: TestClient, demo: Collection) -> None:
    hit = demo.search("Who may terminate for convenience?", limit=1)[0]
    place = f"/c/Demo/passage/{hit.chunk_id}?q=Who+may+terminate+for+convenience%3F"
    page = window.get(place).text
    quotes = re.findall(r'data-quote="([^"]+)" data-citation="([^"]+)"', page)
    pairs = {(html.unescape(q), html.unescape(c)) for q, c in quotes}
    assert (hit.text.strip(), hit.citation) in pairs
    assert {(p.text.strip(), p.citation) for p in hit.pinpoint} <= pairs


HOSTILE = "<img src=x onerror=alert(1)>\"'{{7*7}}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("search", {"q": HOSTILE}),
        ("search", {"q": "notice", "document": HOSTILE}),
        ("search", {"q": "notice", "kind": HOSTILE, "year": HOSTILE, "order": HOSTILE}),
        ("search", {"q": "notice", "mentions": HOSTILE}),
        ("search", {"q": "notice", "since": HOSTILE}),
        ("documents", {"name": HOSTILE, "kind": HOSTILE, "order": HOSTILE, "sheet": HOSTILE}),
        ("kept", {"tag": HOSTILE}),
        ("document", {"beside": HOSTILE, "page": HOSTILE, "as": HOSTILE}),
    ],
)
def test_an_address_is_never_markup(
    window: TestClient, demo: Collection, part: str, values: dict[str, str]
) -> None:
    place = document(demo, AGREEMENT) if part == "document" else f"/c/Demo/{part}"
    page = window.get(place, params=values).text
    assert "<img src=x" not in page
    assert "'49" not in html.unescape(page)


@pytest.fixture
def mails(library: Library, tmp_path: Path) -> TestClient:
    """A visitor to a window on a thread of three mails, the last one with an attachment."""
    folder = tmp_path / "mails"
    folder.mkdir()
    began = datetime(2025, 3, 3, 9, tzinfo=UTC)
    before: list[str] = []
    for number, messages in enumerate(("When do the doors come?", "On 14 March.", "Thank you.")):
        mail = EmailMessage()
        mail["From"], mail["To"] = ("Ann <a@n.example>", "Bo <b@s.example>")[:: 1 - number % 2 * 2]
        mail["Subject"] = ("Re: " if number else "") + "The <doors>"
        mail["Date"] = format_datetime(began + timedelta(days=number))
        mail["Message-ID"] = f"<m{number}@n.example>"
        if before:
            mail["In-Reply-To"], mail["References"] = before[-1], " ".join(before)
        before.append(mail["Message-ID"])
        mail.set_content(messages)
        if number == 2:
            mail.add_attachment("Two doors, one frame.\n", filename="Delivery note.txt")
        (folder / f"{number}.eml").write_bytes(bytes(mail))
    box = ""
    for files in (["Note.txt", "Plan.txt"], ["Note.txt"], []):
        mail = EmailMessage()
        for name in files:
            mail.add_attachment(f"{name} of {len(files)} files, {'or' * len(box)}", filename=name)
        box += f"From - Mon Mar  3 09:00:00 2025\nSubject: Box {len(box)}\n{mail}\n\n"
    (folder / "Box.mbox").write_text(box)
    library.create("Mails").ingest(folder)
    return visitor(library.settings)


def test_a_mail_is_in_its_thread_with_what_is_attached(mails: TestClient) -> None:
    listed = mails.get("/c/Mails/documents").text
    (last,) = re.findall(r'href="([^"]+)" data-nth="\d+"><bdi>2.eml<', listed)
    page = mails.get(last).text
    thread = page.partition('<ol class="mails"')[2].partition("</ol>")[0]
    message = text_of(thread)
    bodies = [message.index(body) for body in ("doors come?", "On 14", "Thank", "Subject: Re")]
    assert bodies[:2] == sorted(bodies[:2])
    assert bodies[2] < message.rindex("Subject: Re")
    days = [message.index(day) for day in ("03-03", "03-04", "03-05")]
    assert days == sorted(days)
    assert "The <doors>" in message
    (attached,) = re.findall(r'href="([^"]+)"><bdi>Delivery note.txt<', page)
    note = text_of(mails.get(html.unescape(attached)).text)
    assert all(part in note for part in ("Two doors, one frame.", "2.eml"))
    boxed = re.findall(r'href="([^"]+)" data-nth="\d+"><bdi>Box \d+.eml<', listed)
    thread = [mails.get(each).text.partition('<ol class="mails"')[2] for each in boxed]
    files = [re.findall(r"<bdi>(\w+[.]txt)", each.partition("</ol>")[0]) for each in thread]
    assert sorted(files) == [[], ["Note.txt"], ["Note.txt", "Plan.txt"]]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When do the doors come?", "When do the doors come?"),
        ("Who sent the mail?", "From: Ann <a@n.example>"),
        ("", "When do the doors come?"),
    ],
)
def test_the_mark_and_the_copy_of_a_mail_are_in_its_body(
    mails: TestClient, question: str, said: str
) -> None:
    (chunk_id,) = set(
        re.findall(r"/passage/([\w-]+)", mails.get("/c/Mails/search?q=doors&document=0.eml").text)
    )
    page = mails.get(f"/c/Mails/passage/{chunk_id}", params={"q": question}).text
    marked = re.findall(r'<mark id="passage" class="target[^"]*">(.*?)</mark>', page, re.DOTALL)
    assert [html.unescape(text) for text in marked] == [said]
    assert html.unescape(re.findall(r'data-key="c" data-quote="([^"]*)"', page)[0]) == said
