"""The page of the timeline: an axis to scale, every event with its source."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from api.viewer.sheets import HOSTILE, check_page
from casetrack.api.viewer import timeline_html, timeline_page
from casetrack.api.viewer.timeline_figure import make_scale, timeline_figure, timeline_svg, when
from casetrack.base.records.graph import Event, Timeline
from graph_records import event, quote

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


def made(value: str, first: str, last: str, precision: str, text: str = "It happened") -> Event:
    return Event(value, first, last, precision, text, 1, 1, 0.5, quote(1, value))


DAY = made("2024-03-12", "2024-03-12", "2024-03-12", "day")
MIXED = (
    made("2023", "2023-01-01", "2023-12-31", "year"),
    made("2024-Q1", "2024-01-01", "2024-03-31", "quarter"),
    made("2024-H1", "2024-01-01", "2024-06-30", "half"),
    made("2024-W07", "2024-02-12", "2024-02-18", "week"),
    made("2024-03", "2024-03-01", "2024-03-31", "month"),
    DAY,
    made("2024-03-30/2024-04-02", "2024-03-30", "2024-04-02", "range"),
)
WORDS = (
    "2023",
    "Q1 2024",
    "H1 2024",
    "Week 7 of 2024",
    "March 2024",
    "12 March 2024",
    "30 March \u2013 2 April 2024",
)


def timeline(*events: Event, total: int | None = None, undated: int = 0) -> Timeline:
    return Timeline("Acme", None, None, total or len(events), events, undated)


@pytest.mark.parametrize(
    "events",
    [(), (DAY,), MIXED, tuple(sorted((event(n) for n in range(90)), key=lambda e: e.first))],
    ids=len,
)
def test_a_page_is_whole_and_cites_every_event(events: tuple[Event, ...]) -> None:
    shown = timeline(*events, undated=3)
    html = timeline_html(shown)
    tree = check_page(html)
    assert html == timeline_html(shown)
    assert "http://" not in html
    assert "https://" not in html
    assert re.search(r"\b3\b", "".join(tree.within("p.soft")) or re.sub(r"<[^>]*>", " ", html))
    assert html.count('class="event"') == len(events) == html.count('<article class="card"')
    sources = "".join(tree.within("p.source"))
    assert all(e.quote.citation in sources for e in events)


@pytest.mark.parametrize(("one", "words"), list(zip(MIXED, WORDS, strict=True)), ids=WORDS)
def test_a_time_is_shown_as_precisely_as_the_text_gives_it(one: Event, words: str) -> None:
    assert when(one) == words
    html = timeline_html(timeline(one))
    assert words in html
    is_day = one.precision == "day"
    drawn = timeline_svg(timeline(one))
    assert (drawn.count('class="point"'), drawn.count('class="stretch"')) == (is_day, not is_day)


def test_events_stand_under_their_year_and_month() -> None:
    html = timeline_html(timeline(*MIXED))
    matches = re.findall(r"<h([23])>([^<]*)</h", html)
    assert [text for level, text in matches if level == "2"] == ["2023", "2024"]
    assert [level for level, _ in matches] == [*"23", *"23333"]


def test_texts_of_documents_cannot_become_part_of_the_page() -> None:
    events = tuple(
        replace(made("2024", "2024-01-01", "2024-12-31", "year", words), quote=quote(n, words))
        for n, words in enumerate(HOSTILE)
    )
    shown = replace(timeline(*events), collection=HOSTILE[1])
    messages = "".join(data for _, data in check_page(timeline_html(shown)).texts)
    assert HOSTILE[0] in messages
    assert HOSTILE[2] in messages
    assert "\x00" not in messages
    assert "x" * 700 not in messages
    figure = timeline_figure(shown)
    assert "<img" not in figure
    assert "<script" not in figure


def ordinals(*days: str) -> list[tuple[int, int]]:
    return [(date.fromisoformat(d).toordinal(), date.fromisoformat(d).toordinal()) for d in days]


def test_the_axis_is_to_scale() -> None:
    spans = ordinals("2024-01-01", "2024-04-01", "2024-12-31")
    scale = make_scale(spans, 10, 910)
    assert len(scale.stretches) == 1
    a, b, c = (scale.at(day) for day, _ in spans)
    assert 10 < a < b < c < 910
    assert (b - a) / (c - a) == pytest.approx(91 / 365, abs=1e-6)


def test_a_long_empty_stretch_is_cut_out_and_shown() -> None:
    spans = ordinals("1998-05-04", "2024-01-01", "2024-12-31")
    scale = make_scale(spans, 0, 900)
    assert len(scale.stretches) == 2
    ((at, days),) = scale.cuts()
    assert scale.at(spans[0][0]) < at < scale.at(spans[1][0])
    assert days / 365.25 == pytest.approx(25.6, abs=0.3)
    shown = timeline(*(made(d, d, d, "day") for d in ("1998-05-04", "2024-01-01", "2024-12-31")))
    assert re.search(r"\b26\b", timeline_svg(shown))
    assert "May 1998" in [words for _, words in scale.ticks()]


def test_signs_of_one_day_do_not_cover_each_other() -> None:
    events = [replace(DAY, value=f"{n}") for n in range(8)]
    drawn = timeline_svg(timeline(*events))
    heights = re.findall(r'cy="([\d.]+)"', drawn)
    assert len(heights) == len(set(heights)) == 8


def test_the_sample_case_file_shows_pictures_of_its_weightiest_passages(demo: Collection) -> None:
    shown = demo.map.timeline(limit=12)
    html = timeline_page(demo.workspace.state(), shown)
    tree = check_page(html)
    layouts = [e for e in shown.events if e.quote.provenance.line_boxes]
    assert layouts
    assert len([h for h in tree.values("href") if h.startswith("data:")]) == len(layouts)


def test_a_notebook_shows_the_axis_with_cited_events(demo: Collection) -> None:
    shown = demo.map.timeline()
    html = shown._repr_html_()
    assert html is not None
    assert html.count("<tr>") == 13
    heaviest = max(shown.events, key=lambda e: e.weight)
    assert heaviest.quote.citation in html
    assert html.count("<circle") > 20
    assert pickle.loads(pickle.dumps(shown)) == shown
    assert "<table>" in timeline(DAY)._repr_html_()
    assert "<svg" not in timeline_figure(timeline())
