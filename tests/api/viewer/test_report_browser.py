"""Actions of a user on a report in a browser: reading, opening a passage, printing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from api.viewer.browsing import click, press, settle
from api.viewer.contrast import faint_texts
from api.viewer.reports import handmade
from api.viewer.sheets import HOSTILE
from casetrack.api.viewer.report import report_page

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
        "strange": report_page(handmade(3, " ".join(HOSTILE[4:]))),
    }
    for name, html in made.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8", errors="replace")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("name", ["demo", "markup", "endless", "strange"])
def test_nothing_overflows(watched: Any, pages: dict[str, Path], name: str, width: int) -> None:
    watched.show(pages[name], width=width, dark=width == 390)
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
    assert watched.js("document.documentElement.lang") == "en"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["demo", "markup"])
def test_every_text_stands_out_from_its_ground(
    watched: Any, pages: dict[str, Path], name: str, dark: bool
) -> None:
    watched.show(pages[name], width=1440, dark=dark)
    watched.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    watched.js("document.querySelector('a.ref').click()")
    assert faint_texts(watched) == []
    watched.js("document.querySelector('h1').style.color = 'rgb(128 128 128 / .3)'")
    assert [text[:3] for text in faint_texts(watched)] != []


def test_the_keyboard_is_led_and_seen(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["demo"], width=1440)
    press(watched, "Tab")
    assert watched.js("document.activeElement.className") == "skip"
    assert watched.js("document.activeElement.getBoundingClientRect().left") >= 0
    press(watched, "Enter")
    settle(watched)
    assert watched.js("location.hash") == "#glance"
    press(watched, "Tab")
    # The first statement after it; any element with the focus shows it.
    assert watched.js("document.activeElement.matches('#glance a.ref')")
    style = "getComputedStyle(document.activeElement)"
    assert watched.js(f"{style}.outlineStyle") == "solid"
    assert watched.js(f"parseFloat({style}.outlineWidth)") >= 2


def test_a_passage_opens_and_closes_by_keyboard(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["demo"], width=1280)
    wanted = watched.js(f"{FIRST}.title")
    watched.js(f"{FIRST}.focus()")
    press(watched, "Enter")
    assert watched.js(OPEN)
    assert watched.js(TITLE) == wanted
    assert watched.js("document.activeElement.id") == "panel-title"
    # Two statements may have the same place; the marked words distinguish their passages.
    body = "document.getElementById('panel-body').innerHTML"
    shown = watched.js(body)
    watched.js("document.getElementById('panel-on').click()")
    assert watched.js(body) != shown
    watched.js("document.getElementById('panel-back').click()")
    assert watched.js(TITLE) == wanted
    assert watched.js(body) == shown
    assert watched.js("document.querySelectorAll('#panel mark').length") > 0
    press(watched, "Escape")
    assert not watched.js(OPEN)
    assert watched.js(f"document.activeElement === {FIRST}")
    watched.js(f"{FIRST}.click()")
    click(watched, "document.getElementById('panel-close')")
    assert not watched.js(OPEN)


def test_it_prints_light_with_all_passages(watched: Any, pages: dict[str, Path]) -> None:
    watched.show(pages["demo"], dark=True)
    watched.call("Emulation.setEmulatedMedia", media="print")
    settle(watched)
    assert watched.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert watched.js("getComputedStyle(document.querySelector('.contents')).display") == "none"
    with pymupdf.open("pdf", watched.pdf()) as printed:
        sheets = [" ".join(page.get_text().split()) for page in printed]
        text = " ".join(sheets)
        assert 5 < len(printed) < 60
        edge = max(word[2] for page in printed for word in page.get_text("words"))
        assert edge <= printed[0].rect.width - 40  # nothing runs into the margin
    for number, sheet in enumerate(sheets, 1):
        assert "Demo" in sheet
        assert f"{number} / {len(sheets)}" in sheet
    count = watched.js("document.querySelectorAll('.passage').length")
    assert "[1]" in text
    assert f"[{count}]" in text
    last = watched.js("document.querySelector('.passage:last-of-type .cited bdi').textContent")
    assert " ".join(last.split()) in text
