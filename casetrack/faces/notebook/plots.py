"""Small charts for notebooks: bars, strips of dates and amounts, confidence, ablations.

Each function returns a :class:`Plot`. A notebook shows it as SVG in the text colour of its
environment, for light and dark themes; its Matplotlib figure can be changed before.
"""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import PackageMissing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from casetrack.api.evaluate import Run

# Common parts of all charts: style, frame, lanes, and number formats. Matplotlib is loaded with the
# first chart; if it is missing, the error names the package to install.

COLORS = ("#3f7fd6", "#c7721c", "#2c9a6b", "#9567cf", "#c8508a", "#7f8c23")
"""Colours of series: contrast of at least 3 to white and to near-black."""
INK = "#767677"
"""A grey that is readable on white and near-black; a page replaces it by its text colour."""
SMALL = 8.5
_WIDTH = 7.6
_ROW = 0.29
_LABEL_CHARS, _TAIL_CHARS = 44, 16
_LONG = 1000
"""Ratio of the largest to the least number above which an axis shows powers of ten only."""
_EPOCH = date(1970, 1, 1).toordinal()


@contextmanager
def style() -> Iterator[None]:
    """Use the style of all charts, independent of the notebook's settings.

    Raises
    ------
    PackageMissing
        Matplotlib is not installed.
    """
    instead = "Only the charts need it."
    PackageMissing.check("matplotlib", "no chart can be drawn", instead)
    from matplotlib import rc_context

    with warnings.catch_warnings(), rc_context(_PARAMETERS):
        # The page has the letters that Matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font")
        yield


_PARAMETERS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "casetrack",
    # A file may be called "$5 or $10.pdf"; that is no formula.
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.axisbelow": True,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "ytick.left": False,
    "grid.color": INK,
    "grid.alpha": 0.22,
    "grid.linewidth": 0.7,
}


@contextmanager
def chart(title: str, rows: int, /, *, legend: bool = False) -> Iterator[tuple[Figure, Axes]]:
    """Make a chart with a number of rows; after the block it gets its title and its legend.

    Raises
    ------
    PackageMissing
        Matplotlib is not installed.
    """
    with style():
        from matplotlib.figure import Figure

        figure = Figure((_WIDTH, max(rows, 2) * _ROW + 1.0 + 0.25 * legend), layout="constrained")
        axes = figure.subplots()
        yield figure, axes
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        if legend:
            axes.legend(
                loc="lower left",
                bbox_to_anchor=(-0.01, 1.0),
                ncols=6,
                frameon=False,
                handlelength=0.9,
                handleheight=0.9,
                columnspacing=1.4,
            )


def nothing(title: str, /) -> Figure:
    """Return a chart with a message that there are no values."""
    with style():
        from matplotlib.figure import Figure

        figure = Figure((_WIDTH, 0.75))
        figure.text(0.01, 0.92, title, va="top", fontsize=11, fontweight="bold")
        figure.text(0.01, 0.3, NOTHING, va="center")
    return figure


NOTHING = "No values to draw."


def name_rows(axes: Axes, labels: Sequence[str], /, *, ruled: bool = False) -> None:
    """Name the rows of a chart, the first on top; *ruled* draws a line for each."""
    axes.set_yticks(range(len(labels)), [short_label(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(visible=True, axis="both" if ruled else "x")


def short_label(label: str, /) -> str:
    """Return a label that fits next to a chart; names differ at both ends, so cut the middle."""
    label = " ".join(label.split())
    if len(label) <= _LABEL_CHARS:
        return label
    head = label[: _LABEL_CHARS - _TAIL_CHARS - 1].rstrip()
    return f"{head}\u2026{label[-_TAIL_CHARS:].lstrip()}"


def short_dates(axes: Axes, /) -> None:
    """Write few and short dates below a chart with an axis of days."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    axes.xaxis_date()
    locator = AutoDateLocator(maxticks=9)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    formatter = ConciseDateFormatter(locator, show_offset=False)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(formatter)


def day_number(day: date, /) -> int:
    """Return a day as Matplotlib counts it."""
    return day.toordinal() - _EPOCH


def logarithmic(axes: Axes, low: float, high: float, /) -> None:
    """Make the horizontal axis logarithmic, with round ticks; *low* and *high* are above 0."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_xlim(low / 2, high * 2)
    steps = (1.0,) if high / low >= _LONG else (1.0, 2.0, 5.0)
    axes.xaxis.set_major_locator(LogLocator(subs=steps))
    axes.xaxis.set_major_formatter(lambda value, _position: short_number(value))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(which="minor", bottom=False)


def short_number(value: float, /) -> str:
    """Return a number of an axis: ``10 k``, ``1 m``, ``2 bn``."""
    for size, sign in ((1e9, "bn"), (1e6, "m"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {sign}"
    return f"{value:g}"


def cycle(count: int, /) -> list[str]:
    """Return the colours for a number of series."""
    return [COLORS[number % len(COLORS)] for number in range(count)]


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart: its Matplotlib figure, and a description (*alt*) for screen readers."""

    figure: Figure
    alt: str

    def save(self, path: str | Path, /) -> Path:
        """Write it to a file with a transparent background; the ending (.svg, .png) decides."""
        target = Path(path)
        with style():
            self.figure.savefig(target, transparent=True, dpi=200)
        return target

    def __repr__(self) -> str:
        """Return the description."""
        return self.alt

    def _repr_html_(self) -> str:
        buffer = io.StringIO()
        with style():
            self.figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        drawn = buffer.getvalue()
        drawn = drawn[drawn.index("<svg") :].replace(INK, "currentColor")
        drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
        # The names of groups would be there twice as soon as a page has two charts.
        drawn = re.sub(r'(<g) id="[a-z][\w.]*_\d+"', r"\1", drawn)
        label = f'<svg role="img" aria-label="{html.escape(self.alt)}" style="max-width:100%;'
        return drawn.replace("<svg", f'{label}height:auto;background:none"', 1)


def bars(
    labels: Sequence[str],
    values: Sequence[float] | Mapping[str, Sequence[float]],
    /,
    *,
    title: str,
    unit: str = "",
) -> Plot:
    """Draw horizontal bars, the first label on top.

    Parameters
    ----------
    labels
        One per bar; long ones are shortened.
    values
        A number per label, or the numbers of several series by name, which are stacked; negative
        ones go to the left. A series of zeros is left out.
    unit
        Unit of the values, below the axis.

    Raises
    ------
    UsageError
        Matplotlib is not installed; this applies to all charts.
    """
    if not labels:
        return _no_plot(title)
    series = values if isinstance(values, Mapping) else {"": values}
    # Sums come as decimals from SQL.
    series = {name: [float(n) for n in some] for name, some in series.items() if any(some)} or {
        "": [0.0] * len(labels)
    }
    with chart(title, len(labels), legend=len(series) > 1) as (figure, axes):
        right, left = [0.0] * len(labels), [0.0] * len(labels)
        for color, (name, numbers) in zip(cycle(len(series)), series.items(), strict=True):
            starts = [r if n >= 0 else at for n, r, at in zip(numbers, right, left, strict=True)]
            drawn = axes.barh(range(len(labels)), numbers, 0.68, starts, color=color, label=name)
            right = [r + max(n, 0.0) for r, n in zip(right, numbers, strict=True)]
            left = [at + min(n, 0.0) for at, n in zip(left, numbers, strict=True)]
        if len(series) == 1:
            digits = (
                0 if all(map(float.is_integer, right)) else 3 if max(map(abs, right)) < 10 else 1
            )
            axes.bar_label(drawn, fmt=f"{{:,.{digits}f}}", padding=4, fontsize=SMALL)
            axes.margins(x=0.08)
            axes.locator_params(axis="x", integer=digits == 0)
        if min(left, default=0.0) < 0:
            axes.axvline(0, color=INK, linewidth=0.8)
        name_rows(axes, labels)
        axes.set_xlabel(unit)
    totals = [r + at for r, at in zip(right, left, strict=True)]
    shown = "; ".join(f"{label}: {total:g}" for label, total in zip(labels, totals, strict=True))
    return Plot(figure, f"{title}. Bars, {unit or 'numbers'}: {shown}.")


def confidence_histogram(
    values: Sequence[float] | Mapping[str, Sequence[float]],
    /,
    *,
    title: str,
    doubt: float | None = None,
    unit: str = "",
) -> Plot:
    """Draw the distribution of confidences.

    Parameters
    ----------
    values
        Confidences from 0 to 1, or those of several series by name, which overlap.
    doubt
        Marked limit below which a reader should check.
    unit
        Unit of the counts, next to the axis.
    """
    series = values if isinstance(values, Mapping) else {"": values}
    numbers = [[float(v) for v in some] for some in series.values()]
    if not any(numbers):
        return _no_plot(title)
    with chart(title, 8, legend=len(series) > 1) as (figure, axes):
        axes.hist(
            numbers,
            bins=20,
            range=(0.0, 1.0),
            stacked=True,
            color=cycle(len(series)),
            label=list(series),
            rwidth=0.9,
        )
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter("{x:.0%}")
        axes.set_ylabel(unit)
        axes.grid(visible=True, axis="y")
        if doubt is not None:
            axes.axvline(doubt, color=INK, linewidth=1, linestyle=(0, (3, 3)))
            axes.annotate("doubtful ", (doubt, 0.97), xycoords=("data", "axes fraction"),
                          ha="right", va="top", fontsize=SMALL)  # fmt: skip
    every = [v for some in numbers for v in some]
    low = "" if doubt is None else f", {sum(v < doubt for v in every)} of them below {doubt:.0%}"
    return Plot(figure, f"{title}. Histogram of {len(every)} confidences{low}.")


def timeline_strip(
    spans: Iterable[tuple[str, str, str]], /, *, title: str, lanes: int = 14
) -> Plot:
    """Draw dates and periods on an axis to scale, one lane for each name.

    Parameters
    ----------
    spans
        Name of the lane, first and last day (``YYYY-MM-DD``).
    lanes
        Highest number of lanes, those with the most dates; the earliest start is on top.
    """
    days: dict[str, list[tuple[date, date]]] = {}
    for lane, first, last in spans:
        days.setdefault(lane, []).append((date.fromisoformat(first), date.fromisoformat(last)))
    most = sorted(days, key=lambda lane: -len(days[lane]))[:lanes]
    names = sorted(most, key=lambda lane: _median(days[lane]))
    if not names:
        return _no_plot(title)
    with chart(title, len(names), legend=True) as (figure, axes):
        for row, name in enumerate(names):
            long = [(day_number(a), day_number(b)) for a, b in days[name] if b > a]
            short = [day_number(a) for a, b in days[name] if b == a]
            starts, ends = [a for a, _ in long], [b for _, b in long]
            axes.hlines([row] * len(long), starts, ends, COLORS[1], alpha=0.6, linewidth=7)
            axes.scatter(short, [row] * len(short), 24, color=COLORS[0], zorder=3, linewidths=0)
        axes.scatter([], [], 24, color=COLORS[0], linewidths=0, label="a day")
        axes.hlines([], [], [], COLORS[1], alpha=0.6, linewidth=7, label="a longer time")
        short_dates(axes)
        name_rows(axes, names, ruled=True)
    every = [day for name in names for pair in days[name] for day in pair]
    reach = f"from {min(every)} to {max(every)}"
    return Plot(figure, f"{title}. Dates in {len(names)} lanes, {reach}: {', '.join(names)}.")


def amount_strip(
    amounts: Iterable[tuple[str, float]], /, *, title: str, unit: str = "", lanes: int = 14
) -> Plot:
    """Draw amounts as dots on a logarithmic axis, one lane for each name.

    Parameters
    ----------
    amounts
        Name of the lane and a number; only numbers above 0 are drawn.
    unit
        Unit of the numbers, below the axis.
    lanes
        Highest number of lanes, those with the highest amounts; the highest is on top.
    """
    by_lane: dict[str, list[float]] = {}
    for lane, value in amounts:
        if value > 0:
            by_lane.setdefault(lane, []).append(value)
    names = sorted(by_lane, key=lambda lane: -max(by_lane[lane]))[:lanes]
    if not names:
        return _no_plot(title)
    with chart(title, len(names)) as (figure, axes):
        for row, name in enumerate(names):
            values = by_lane[name]
            axes.scatter(values, [row] * len(values), 22, color=COLORS[0], alpha=0.75, linewidths=0)
        every = [value for name in names for value in by_lane[name]]
        logarithmic(axes, min(every), max(every))
        name_rows(axes, names, ruled=True)
        axes.set_xlabel(unit)
    most = "; ".join(f"{name}: up to {max(by_lane[name]):,.0f}" for name in names)
    return Plot(figure, f"{title}. Dots on a logarithmic axis, {unit or 'numbers'}: {most}.")


def ablation_dots(runs: Sequence[Run], /, *, title: str, measure: str = "ndcg@10") -> Plot:
    """Draw the mean of one measure for each run, with its 95 % interval over the questions.

    The interval is that of a bootstrap over the questions (Efron 1979): how much the mean could
    change with another set of such questions. *runs* are the results of
    :func:`casetrack.api.evaluate.measure`.
    """
    if not runs:
        return _no_plot(title)
    ordered = sorted(runs, key=lambda run: -run.means[measure])
    bounds = [_interval([scores[measure] for scores in run.scores.values()]) for run in ordered]
    with chart(title, len(ordered)) as (figure, axes):
        for row, (run, (low, high)) in enumerate(zip(ordered, bounds, strict=True)):
            mean = run.means[measure]
            axes.plot([low, high], [row, row], color=COLORS[0], linewidth=2.2, alpha=0.5)
            axes.scatter([mean], [row], 44, color=COLORS[0], zorder=3)
            axes.annotate(f"{mean:.3f}", (mean, row), (0, 6), textcoords="offset points",
                          ha="center", color=INK, fontsize=SMALL)  # fmt: skip
        name_rows(axes, [run.label for run in ordered], ruled=True)
        axes.set_ylim(len(ordered) - 0.5, -0.8)
        name, over = measure.replace("ndcg", "nDCG"), _questions(ordered)
        axes.set_xlabel(f"{name} (1 is best)\nmean over {over}, with its 95 % interval")
    means = "; ".join(f"{run.label}: {run.means[measure]:.3f}" for run in ordered)
    return Plot(figure, f"{title}. Mean {name} over {over} of each way to ask: {means}.")


def _no_plot(title: str) -> Plot:
    return Plot(nothing(title), f"{title}. {NOTHING}")


# --- numbers -------------------------------------------------------------------------------


def _median(pairs: Sequence[tuple[date, date]]) -> date:
    return sorted(first for first, _last in pairs)[len(pairs) // 2]


def _interval(scores: Sequence[float]) -> tuple[float, float]:
    import numpy as np

    draws = np.random.default_rng(0).choice(scores, (2000, len(scores)))
    low, high = np.quantile(draws.mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def _questions(runs: Sequence[Run]) -> str:
    """Return the numbers of questions of the runs, which may differ."""
    counts = sorted({len(run.scores) for run in runs})
    number = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return f"{number} question{'' if counts == [1] else 's'}"
