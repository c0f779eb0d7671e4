"""What a person does with a report in a browser: reads, opens a passage, prints."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest
from PIL import Image

from casetrack.viewer.report import report_page
from viewer.sheets import HOSTILE
from viewer.test_browser import yellow_share
from viewer.test_graph_page_browser import WATCH, click, press, settle
from viewer.test_report import handmade

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPEN = "document.getElementById('panel').open"
TITLE = "document.getElementById('panel-title').textContent"
FIRST = "document.querySelector('#people .rows a.ref')"


@pytest.fixture(scope="module")
def pages(demo_report: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports: of the sample case file, and of names that mean no good."""
    folder = tmp_path_factory.mktemp("reports")
    made = {
        "demo": demo_report,
        "markup": report_page(handmade(3, HOSTILE[2])),
        "endless": report_page(handmade(3, HOSTILE[3])),
    }
    for name, html in made.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8", errors="replace")
    return {name: folder / f"{name}.html" for name in made}


@pytest.fixture
def watched(browser: Any) -> Iterator[Any]:
    """The browser; nothing may have gone wrong in it, and nothing may have been loaded."""
    number = browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)["identifier"]
    yield browser
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=number)
    browser.call("Emulation.setEmulatedMedia", media="")
    assert browser.js("problems") == []
    assert [r for r in browser.requests if not r.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("width", [375, 768, 1280])
@pytest.mark.parametrize("name", ["demo", "markup", "endless"])
def test_nothing_overflows(watched: Any, pages: dict[str, Path], name: str, width: int) -> None:
    watched.show(pages[name], width=width, dark=width == 768)
    assert watched.js("document.documentElement.scrollWidth") <= width
    outside = watched.js(
        "[...document.querySelectorAll('main *, .masthead *')].filter(e => "
        "!e.closest('svg, .hidden, thead') && "
        f"e.getBoundingClientRect().right > {width} + 1).map(e => e.outerHTML.slice(0, 90))"
    )
    assert outside == []
    watched.js("document.querySelector('a.ref').click()")
    settle(watched)
    body = "document.getElementById('panel-body')"
    assert watched.js(f"{body}.scrollWidth - {body}.clientWidth") <= 0
    assert watched.js("document.scripts.length") == 1


def test_every_link_leads_somewhere(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["demo"], width=1280)
    links = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"
    assert watched.js(f"{links}.every(h => h[0] === '#' && document.getElementById(h.slice(1)))")
    click(watched, "document.querySelector('.contents a[href=\"#amounts\"]')")
    top = watched.js("document.getElementById('amounts').getBoundingClientRect().top")
    assert -5 <= top < 120
    here = "document.querySelector('.contents [aria-current]').textContent"
    assert watched.js(here) == "Amounts"


def test_a_passage_opens_and_closes_by_keyboard(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["demo"], width=1280)
    wanted = watched.js(f"{FIRST}.title")
    watched.js(f"{FIRST}.focus()")
    press(watched, "Enter")
    assert watched.js(OPEN)
    assert watched.js(TITLE) == wanted
    assert watched.js("document.activeElement.id") == "panel-title"
    watched.js("document.getElementById('panel-on').click()")
    assert watched.js(TITLE) != wanted
    watched.js("document.getElementById('panel-back').click()")
    assert watched.js(TITLE) == wanted
    assert watched.js("document.querySelectorAll('#panel mark').length") > 0
    press(watched, "Escape")
    assert not watched.js(OPEN)
    assert watched.js(f"document.activeElement === {FIRST}")
    watched.js(f"{FIRST}.click()")
    click(watched, "document.getElementById('panel-close')")
    assert not watched.js(OPEN)


def test_the_words_are_highlighted_on_their_page(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["demo"], width=1280)
    watched.js(
        "[...document.querySelectorAll('a.ref')].find(a => "
        "document.querySelector(a.getAttribute('href') + ' .pen')).click()"
    )
    settle(watched)
    box = watched.js(
        "(() => {const r = document.querySelector('#panel .pen rect').getBoundingClientRect();"
        "return [r.left, r.top, r.right, r.bottom]})()"
    )
    raw = base64.b64decode(watched.call("Page.captureScreenshot")["data"])
    picture = Image.open(io.BytesIO(raw)).convert("RGB")
    assert yellow_share(picture, tuple(box)) > 0.5
    left, top, right, bottom = box
    below = (left, bottom + 3, right, bottom + 6)
    assert yellow_share(picture, below) < yellow_share(picture, (left, top, right, bottom))
    # The page itself is there: its letters are dark within the highlight.
    dark = picture.crop(tuple(round(v) for v in box)).convert("L").getextrema()[0]
    assert dark < 100


def test_it_prints_light_with_all_passages(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["demo"], dark=True)
    watched.call("Emulation.setEmulatedMedia", media="print")
    settle(watched)
    assert watched.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert watched.js("getComputedStyle(document.querySelector('.contents')).display") == "none"
    with pymupdf.open("pdf", watched.pdf()) as printed:
        text = " ".join("".join(page.get_text() for page in printed).split())
        assert 5 < len(printed) < 60
    count = watched.js("document.querySelectorAll('.passage').length")
    assert "[1]" in text
    assert f"[{count}]" in text
    last = watched.js("document.querySelector('.passage:last-of-type .cited bdi').textContent")
    assert " ".join(last.split()) in text
