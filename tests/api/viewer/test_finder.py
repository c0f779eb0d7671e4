"""The page that searches a collection in the browser: the index's own words and order, and safe."""

from __future__ import annotations

import base64
import json
import random
import zlib
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st

import casetrack.api.viewer.finder as finder
from api.viewer.browsing import press
from api.viewer.contrast import faint_texts
from api.viewer.finders import MADE, gathered, passage, vocabulary
from api.viewer.sheets import HOSTILE
from casetrack.api.library import Library
from casetrack.api.viewer.finder import finder_html, finder_page
from casetrack.api.viewer.finder.page import FoundDocument, gather, pack
from casetrack.base.config import load_settings
from casetrack.ingest.steps.words import index_terms, terms_of_question
from casetrack.search.scores import lexical_top
from casetrack.store.index.scope import scope_of

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

READY = "document.documentElement.classList.contains('ready')"
TITLES = "[...document.querySelectorAll('#found h2')].map(h => h.textContent)"
TOLD = "document.getElementById('told').textContent"
_WORDS_JS = (Path(finder.__file__).parent / "words.js").read_text(encoding="utf-8")


def opened(browser: Any, html: str, folder: Path, **how: Any) -> None:
    """Open a page from a file and wait until it can be asked."""
    path = folder / "search.html"
    path.write_text(html, encoding="utf-8")
    browser.show(path, **how)
    wait(browser, READY)


def wait(browser: Any, condition: str) -> None:
    """Wait until *condition* holds in the page."""
    held = browser.js(
        "new Promise(done => {const began = performance.now(); const look = () => "
        f"({condition}) ? done(true) : performance.now() - began > 2e4 ? done(false) : "
        "setTimeout(look, 10); look();})"
    )
    assert held, condition


def ask(browser: Any, text: str) -> list[str]:
    """Type *text* and return the titles of the results."""
    browser.js(
        "new Promise(done => {const q = document.getElementById('q');"
        "const asked = () => performance.getEntriesByName('search').length, before = asked();"
        f"q.value = {json.dumps(text)}; q.dispatchEvent(new Event('input'));"
        "const look = () => asked() > before ? done() : setTimeout(look, 5); look();})"
    )
    titles: list[str] = browser.js(TITLES)
    return titles


# --- words ----------------------------------------------------------------------------------

TEXTS = (
    "The tenants' payments of $1,250,000.00 weren't made by O'Neill's firm",
    "running runs ran easily generously universities organisation organizations dying cities",
    "U.S.A. and e.g. the i.e. of J.R.R. Tolkien; Hawai'i, IŞIK ışık, Ankara'nın, 1990'da, 5'a",
    "Größe, straße, naïve café, Ångström, fiancée \u00bd \u00b2 ligature \ufb01ne",
    "1.234,56 1'234'567.80 12.000 3.50 0042 7, 2026-03-12 v2.0.1 x86_64 utf8 3d 404",
    "Работы выполнялись ежедневно, договоры аренды; чай, й й",
    "Οι εργασίες και το συμβόλαιο του ενοικιαστή",
    "合同的租金 東京都の契約 계약서 สัญญาเช่า",
    "किराया अनुबंध வாடகை ஒப்பந்தம் العقد والإيجار",
    "getUserName snake_case_name HTTPServer kebab-case path/to/file.py a_b __init__ _x",
    "the licence of colour, labour organised and catalogued programmes, judgement, travelling",
    "call maxRetries() of McDonald with `HTTPServer2`, MAX_SIZE or get_user_by_id, std::Map",
    "I a x 9 \u2019tis rock\u2019n\u2019roll the cat\u2019s",
    "",
)
_signs = st.sampled_from("abeinosty STX0195.,'\u2019-_/()éßü\u0301ийЖλά中文かกี")


def in_page(browser: Any, texts: list[str]) -> list[list[str]]:
    """Return the words that the page itself makes of *texts* as questions."""
    document = FoundDocument("x", "s", "x", None, MADE, tuple(passage(text) for text in texts))
    packed = pack(gathered([document]))["facts"]
    facts = zlib.decompress(base64.b64decode(packed)).decode()
    return browser.js(  # type: ignore[no-any-return]
        f"(() => {{{_WORDS_JS}; const words = wordsOf({facts});"
        f"return {json.dumps(texts)}.map(text => words.question(text))}})()"
    )


def test_words_are_those_of_the_index(browser: Any) -> None:
    wanted = [terms_of_question(text) for text in TEXTS]
    assert in_page(browser, list(TEXTS)) == wanted
    words = " ".join(vocabulary(3_000, seed=11))
    assert in_page(browser, [words]) == [terms_of_question(words)]


@runs(max_examples=10, deadline=None)
@given(st.lists(st.text(_signs, max_size=60), min_size=30, max_size=60))
def test_any_text_is_read_as_by_the_index(browser: Any, texts: list[str]) -> None:
    assert in_page(browser, texts) == [terms_of_question(text) for text in texts]


# --- order ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A real collection of forty short notes, with their titles and headings in the index."""
    folder = tmp_path_factory.mktemp("finder")
    lot, words = random.Random(3), vocabulary(300, seed=3)
    for number in range(40):
        head = " ".join(lot.choices(words, k=2))
        paragraphs = [" ".join(lot.choices(words[: 40 + number], k=60)) for _ in range(4)]
        text = f"# {head}\n\n" + "\n\n".join(paragraphs)
        path = folder / "notes" / f"note {number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings = replace(load_settings(folder / "home"), models_dir=folder / "none")
    library = Library(settings)
    collection = library.create("Notes")
    collection.ingest(folder / "notes", progress=False)
    return collection


def test_order_is_that_of_the_index(watched: Any, filled: Collection, tmp_path: Path) -> None:
    state = filled.workspace.state()
    opened(watched, finder_html(state, made=MADE), tmp_path)
    titles = {d.document_id: d.title or d.name for d in state.snapshot.documents.values()}
    assert len(set(titles.values())) == len(titles)
    words = vocabulary(300, seed=3)
    for question in (*words[:12], *(" ".join(words[n : n + 4]) for n in range(0, 60, 5))):
        counts = {term: float(n) for term, n in Counter(index_terms(question)).items()}
        scope = scope_of(state.index)
        places, scores = lexical_top(scope, counts, scope.chunk_count)
        best: dict[str, float] = {}
        for (number, row), score in zip(places, scores.tolist(), strict=True):
            part = state.index.segments[number]
            owner = part.documents[int(part.data.column("revision")[row])]
            best.setdefault(owner, round(score, 4))
        shown = ask(watched, question)
        wanted = sorted(best.values(), reverse=True)[:12]
        by_title = {titles[owner]: score for owner, score in best.items()}
        assert [by_title[title] for title in shown] == wanted, question


def test_a_source_alone_is_searched(watched: Any, few: list[FoundDocument], tmp_path: Path) -> None:
    label = "filesystem:notes"
    opened(watched, finder_page(gathered(few)), tmp_path)
    assert {*ask(watched, "doors validation")} == {"The gate", "Notes"}
    buttons = "[...document.querySelectorAll('#sources button')]"
    watched.js(f"{buttons}.find(b => b.textContent.startsWith('{label}')).click()")
    assert ask(watched, "doors validation") == ["Notes"]
    assert watched.js("location.hash").endswith("source=filesystem%3Anotes")


# --- display --------------------------------------------------------------------------------


@pytest.fixture
def few() -> list[FoundDocument]:
    """Three documents."""
    gate = "How requests come in.\nThe gate validates tokens before a body is read."
    url = "https://git.example/p/blob/1/gate.md"
    tokens = (
        passage(gate, (3, 4), heading="Doors", url=f"{url}#L3-L4"),
        passage("A token has an end.", (9, 9), url=f"{url}#L9"),
    )
    notes = (passage("Nothing about doors, a validation of parcels."),)
    before = MADE - timedelta(days=3)
    return [
        FoundDocument("The gate", "git:platform", "docs/gate.md", url, MADE, tokens),
        FoundDocument("Notes", "filesystem:notes", "/n/notes.txt", None, before, notes),
        FoundDocument("Empty", "filesystem:notes", "/n/e.txt", None, MADE - timedelta(days=9), ()),
    ]


def test_a_result_says_where_it_stands(
    watched: Any, few: list[FoundDocument], tmp_path: Path
) -> None:
    opened(watched, finder_page(gathered(few)), tmp_path)
    assert watched.js(TITLES) == ["The gate", "Notes", "Empty"]  # changed last
    assert ask(watched, "Are tokens validated?") == ["The gate", "Notes"]
    marks = "[...document.querySelectorAll('#found li:first-child mark')].map(m => m.textContent)"
    assert watched.js(marks) == ["validates", "tokens"]
    link = "document.querySelector('#found a.at')"
    assert watched.js(f"{link}.href") == "https://git.example/p/blob/1/gate.md#L3-L4"
    assert watched.js(f"{link}.textContent") == "p. 1, para. 1, ll. 3-4"
    assert watched.js("document.querySelector('#found .under').textContent") == "Doors"
    watched.js("document.querySelector('#found summary').click()")
    wait(watched, "document.querySelector('.whole.lines i')")
    numbers = "[...document.querySelectorAll('.whole.lines i')].map(i => i.textContent)"
    assert watched.js(numbers) == ["3", "4"]
    watched.js("document.querySelector('#found .more').click()")
    wait(watched, "document.querySelectorAll('#found li:first-child .passage').length === 2")
    assert watched.js("document.querySelectorAll('#found a').length") == 3  # the notes have none


def test_what_is_not_found_is_said(
    watched: Any, few: list[FoundDocument], tmp_path: Path, messages: Any
) -> None:
    opened(watched, finder_page(gathered(few)), tmp_path)
    assert ask(watched, "zebra") == []
    messages(watched.js(TOLD), "nothing")
    assert ask(watched, "gate zebra") == ["The gate"]
    assert "zebra" in watched.js(TOLD)
    assert ask(watched, "what is the") == ["The gate", "Notes", "Empty"]
    messages(watched.js(TOLD), "common words")
    assert ask(watched, "toke") == ["The gate"]  # still being typed
    assert ask(watched, "  ") == ["The gate", "Notes", "Empty"]
    opened(watched, finder_page(gathered([])), tmp_path)
    assert ask(watched, "gate") == []


def test_keys_lead_through_the_results(
    watched: Any, few: list[FoundDocument], tmp_path: Path
) -> None:
    opened(watched, finder_page(gathered(few)), tmp_path)
    focus = "document.activeElement"
    assert watched.js(f"{focus}.id") == "q"
    assert ask(watched, "gate tokens doors") == ["The gate", "Notes"]
    press(watched, "ArrowDown")
    assert watched.js(f"{focus}.textContent") == "The gate"
    press(watched, "ArrowDown")
    assert watched.js(f"{focus}.tagName") == "LI"  # no address to lead to
    press(watched, "Escape")
    assert watched.js(f"{focus}.id") == "q"
    assert watched.js("location.hash") == "#q=gate+tokens+doors"
    watched.js("location.hash = '#q=doors'")
    wait(watched, "document.getElementById('q').value === 'doors'")


@pytest.mark.parametrize("number", [0, 2, 3, 7])
def test_no_text_gets_through_as_markup(watched: Any, number: int, tmp_path: Path) -> None:
    text = HOSTILE[number]
    document = FoundDocument(
        text, text, text, None, MADE, (passage(f"{text} needle", heading=text, url=None),)
    )
    opened(watched, finder_page(gathered([document], text)), tmp_path, width=390)
    assert len(ask(watched, "needle")) == 1
    assert watched.js("document.documentElement.scrollWidth") <= 390
    assert watched.js("[...document.querySelectorAll('#found img, #found script')].length") == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_stands_out(
    watched: Any, few: list[FoundDocument], tmp_path: Path, dark: bool
) -> None:
    opened(watched, finder_page(gathered(few)), tmp_path, dark=dark)
    ask(watched, "gate tokens doors")
    watched.js("document.querySelector('#found summary').click()")
    wait(watched, "document.querySelector('.whole')")
    assert faint_texts(watched) == []


def test_addresses_that_are_scripts_are_left_out(bare: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("Some words.", encoding="utf-8")
    collection = bare.create("One")
    collection.ingest(path, progress=False)
    state = collection.workspace.state()

    def url(wanted: str) -> str | None:
        held = gather(state, link=lambda _document, _place: wanted)
        return held.documents[0].passages[0].url

    assert url("https://example.com/a#L1") == "https://example.com/a#L1"
    assert [url(u) for u in ("javascript:alert(1)", "data:text/html,x", "//[", "")] == [None] * 4
