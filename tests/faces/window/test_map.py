"""The map in the window: its pages, corrections, and undo."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from casetrack.faces.window.texts import all_texts
from faces.window.conftest import links, text_of, visitor

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

TIMELINE = "/c/Demo/timeline"
PARTS = ("map", "people", "timeline", "graph", "references", "topics", "related", "compare")
A, B = "Master Services Agreement.pdf", "Amendment No 1.docx"


def kind_of(link: str) -> tuple[str, ...]:
    """Return the key that is equal for links to the same kind of page."""
    split = urlsplit(link)
    place = split.path.split("/")
    return (*place[3:4], str(len(place)), *sorted(parse_qs(split.query)))


def undo(window: TestClient, page: str) -> str:
    """Press the first "Undo" of a page, and return where that leads."""
    form = re.findall(r'<form method="post" action="[^"]*/corrections"(?s:.*?)</form>', page)[0]
    sent = re.findall(r'name="(\w+)" value="([^"]*)"', form)
    data = {name: [html.unescape(v) for n, v in sent if n == name] for name, _ in sent}
    answer = window.post("/c/Demo/corrections", data=data)
    assert answer.status_code == 200
    return answer.text


@pytest.mark.slow
def test_every_sort_of_link_leads_somewhere(window: TestClient) -> None:
    waiting = [f"/c/Demo/{part}" for part in PARTS]
    waiting += [f"/c/Demo/related?document={A}", f"/c/Demo/compare?before={A}&after={B}"]
    seen: set[tuple[str, ...]] = set()
    while waiting:
        link = waiting.pop(0)
        if kind_of(link) in seen or "briefing" in link:
            continue
        seen.add(kind_of(link))
        answer = window.get(link)
        assert answer.status_code == 200, link
        assert " style=" not in answer.text, link
        if kind_of(link)[0] in (*PARTS, "corrections"):
            waiting += links(answer.text)
    assert {"people", "passage", "document", "references", "corrections"} <= {k[0] for k in seen}


def test_the_timeline_is_looked_at_more_closely(window: TestClient) -> None:
    whole = window.get(TIMELINE).text
    assert 'class="axis-wide"><svg' in whole.replace("\n", "")
    year = next(li for li in links(whole, TIMELINE) if "start=2024&end=2024" in li)
    page = window.get(year).text
    assert set(re.findall(r'<section class="year">\s*<h2>(\d{4})', page)) == {"2024"}
    month = next(li for li in links(page, TIMELINE) if "start=2024-03&" in li)
    within = window.get(month).text
    days = re.findall(r'<time datetime="(\d{4}-\d\d)', within)
    assert days
    assert len(days) < len(re.findall("<time datetime", page))
    assert all(day <= "2024-03" for day in days)
    # Further steps: links with other keys.
    for key in ("-", "ArrowRight", "0"):
        link = re.findall(rf'href="([^"]+)" data-key="{key}"', within)[0]
        assert window.get(html.unescape(link)).status_code == 200


@pytest.mark.slow
def test_an_event_is_hidden_and_shown_again(window: TestClient) -> None:
    page = window.get(TIMELINE).text
    event = re.findall(r'name="event" value="(?!m-)([^"]+)"', page)[0]  # no own events
    shown = len(re.findall('id="event-', page))
    back = f"{TIMELINE}?limit=1000"
    hidden = window.post("/c/Demo/do/hide-event", data={"event": event, "back": back})
    assert 'id="hidden"' in hidden.text
    assert event not in hidden.text
    again = undo(window, hidden.text)
    assert 'id="hidden"' not in again
    assert event in again
    assert len(re.findall('id="event-', again)) >= shown


@pytest.mark.slow
def test_an_event_of_ones_own(window: TestClient) -> None:
    message = {"date": "3 July 2019", "text": "They met in Geneva <b>", "source": A, "page": "2"}
    message["back"] = TIMELINE
    page = window.post("/c/Demo/do/add-event", data=message).text
    assert "They met in Geneva &lt;b&gt;" in page
    assert "3 July 2019" in page
    mark = re.findall(r"edit=(m-[0-9a-f]{8})", page)[0]
    edited = window.get(TIMELINE, params={"edit": mark}).text
    assert 'action="/c/Demo/do/change-event"' in edited
    sent = {"event": mark, "date": "2019-07-04", "text": "They met in Rome", "back": TIMELINE}
    changed = window.post("/c/Demo/do/change-event", data=sent).text
    assert "They met in Rome" in changed
    assert "4 July 2019" in changed
    assert "Geneva" not in changed.partition("<ol")[2]
    assert re.search(r"They met in Rome.{0,200}?\.pdf, p\. 2", changed, re.DOTALL)
    new = re.findall(r"edit=(m-[0-9a-f]{8})", changed)[0]
    removed = window.post("/c/Demo/do/hide-event", data={"event": new}).text
    assert "They met in Rome" not in removed
    wrong = window.post("/c/Demo/do/add-event", data=message | {"date": "someday"})
    assert wrong.status_code == 400
    assert "someday" in text_of(wrong.text)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("what", "argument", "value"),
    [
        ("rename", "new", "Tom Zielinski"),
        ("merge", "other", "Elspeth Dray"),
        ("keep-apart", "other", "Elspeth Dray"),
        ("split", "spelling", "Mr Zielinski"),
        ("set-kind", "kind", "organization"),
        ("hide", "", ""),
    ],
)
def test_a_name_is_corrected_and_that_is_taken_back(
    window: TestClient, demo: Collection, what: str, argument: str, value: str
) -> None:
    place = "/c/Demo/people/person%3Atomasz-zielinski"
    text = (value or "Zielinski").split()[-1].casefold()
    before, known = window.get(place).text, demo.marks.all()
    page = window.post(f"/c/Demo/do/{what}", data={"name": "Tomasz Zielinski", argument: value})
    assert page.status_code == 200
    assert len(demo.marks.all()) == len(known) + 1
    listed = window.get("/c/Demo/corrections").text
    assert text in text_of(listed).casefold()
    undo(window, listed)
    assert demo.marks.all() == known
    assert text in text_of(window.get("/c/Demo/corrections?undone=1").text).casefold()
    assert text_of(window.get(place).text) == text_of(before)


def test_several_names_are_one(window: TestClient) -> None:
    people = window.get("/c/Demo/people").text
    who = [html.unescape(v) for v in re.findall(r'name="who" value="([^"]+)"', people)][:3]
    page = window.post("/c/Demo/people", data={"what": "merge", "who": who}).text
    left = [html.unescape(v) for v in re.findall(r'name="who" value="([^"]+)"', page)]
    assert who[0] in left
    assert not {*who[1:]} & {*left}
    again = undo(window, page)
    assert {*who} <= {html.unescape(v) for v in re.findall(r'name="who" value="([^"]+)"', again)}
    for wrong in ({"what": "hide"}, {"what": "merge", "who": who[:1]}):
        assert window.post("/c/Demo/people", data=wrong).status_code == 400


def test_who_sent_mails_to_whom_is_drawn(
    empty: TestClient, library: Library, tmp_path: Path
) -> None:
    for n in "123":
        head = f"From: Ada <ada@x.org>\nTo: Bo <bo@x.org>\nDate: 0{n} Jan 2024 10:00:00 +0000\n"
        (tmp_path / f"{n}.eml").write_text(f"{head}Subject: Rent {n}\n\nThe rent is {n} euros.\n")
    library.create("Post").ingest(tmp_path)
    (row,) = library.get("Post").map.correspondence()
    assert (row.mails, row.since, row.until) == (3, "2024-01-01", "2024-01-03")
    assert empty.get("/c/Post/correspondence").text.count('class="wedge"') == 2


def test_the_graph_leads_to_names_and_passages(window: TestClient) -> None:
    page = window.get("/c/Demo/graph").text
    drawn = page.partition('class="figure"')[2].partition("</svg>")[0]
    names = links(f"<svg{drawn}", "name=")
    assert window.get(names[0]).status_code == 200
    line = next(li for li in links(f"<svg{drawn}", "between=") if "person" in li)
    both = window.get(line).text
    part = both.partition('id="between"')[2].partition("</section>")[0]
    assert part.count("<mark>") >= 2
    assert "/passage/" in part


def test_pages_of_pro_say_what_pro_adds(window: TestClient, free_tier: None) -> None:
    for part in ("graph", "ask/together?names=A%0AB"):
        answer = window.get(f"/c/Demo/{part}")
        assert answer.status_code == 200
        assert all_texts()["pro.settings"]["en"] in answer.text


def test_what_is_referred_to_and_not_there(window: TestClient) -> None:
    remote = window.get("/c/Demo/references?there=there").text
    missing = window.get("/c/Demo/references?there=missing").text
    rows = [re.findall('<th scope="row"><a href="([^"]+)"', page) for page in (remote, missing)]
    assert all(rows)
    assert not {*rows[0]} & {*rows[1]}
    result, lost = (
        window.get(html.unescape(row[0])).text.partition("<main")[2].partition("</dl>")[0]
        for row in rows
    )
    assert "/document/" in result
    assert result != lost


def test_what_changed_and_what_both_say(window: TestClient) -> None:
    asked = {"before": A, "after": B}
    every = window.get("/c/Demo/compare", params=asked).text
    added = window.get("/c/Demo/compare", params=asked | {"kind": "added"}).text
    assert "<del>" in every
    assert "<ins>" in added
    assert "<del>" not in added
    text = window.get("/c/Demo/compare", params=asked | {"topic": "limit of liability"}).text
    assert {A, B} <= {
        c.partition(", p.")[0] for c in re.findall(r'class="citation"[^>]*>([^<]+)', text)
    }


def test_the_briefing_is_a_stranger_among_the_pages(window: TestClient) -> None:
    answer = window.get("/c/Demo/briefing?save=1")
    policy = answer.headers["content-security-policy"]
    assert "script-src 'sha256-" in policy
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy
    assert "<h1>" in answer.text
    assert answer.headers["content-disposition"].startswith("attachment")
    german = text_of(window.get("/c/Demo/briefing", headers={"accept-language": "de"}).text)
    assert "Auf einen Blick" in german
    assert "casetrack " not in german + answer.text


@pytest.mark.slow
def test_nothing_is_offered_that_a_reader_may_not_do(demo: Collection) -> None:
    reader = visitor(demo.workspace.settings, read_only=True)
    for part in (*PARTS, "people/person%3Atomasz-zielinski", "corrections", "folders"):
        page = reader.get(f"/c/Demo/{part}").text
        assert set(re.findall(r'method="post" action="([^"]+)"', page)) == {"/looks"}, part
    assert reader.post("/c/Demo/do/hide", data={"name": "Tomasz Zielinski"}).status_code == 403


def test_every_reading_operation_has_a_page(window: TestClient, demo: Collection) -> None:
    for name in re.findall(r'/c/Demo/ask/([a-z-]+)"', window.get("/c/Demo/ask").text):
        page = window.get(f"/c/Demo/ask/{name}")
        assert page.status_code in (200, 400), name
        assert " style=" not in page.text
    result = demo.map.amounts(least=400_000, limit=3)
    page = window.get("/c/Demo/ask/amounts?least=400000&limit=3")
    assert [each.citation in text_of(page.text) for each in result] == [True] * 3
    assert result[0].quote.chunk_id in page.text
    assert window.get("/c/Demo/ask/amounts?least=much").status_code == 400
