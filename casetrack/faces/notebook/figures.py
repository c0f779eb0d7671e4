"""What all charts share: their style, their frame, their lanes, and how numbers are written.

Matplotlib is loaded when the first chart is drawn; where it is missing, the error says what to
install.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import PackageMissing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#3f7fd6", "#c7721c", "#2c9a6b", "#9567cf", "#c8508a", "#7f8c23")
"""Of series, in order: each has a contrast of at least 3 to white and to near-black."""
INK = "#767677"
"""A grey that reads on white and on near-black; on a page it becomes the colour of its text."""
SMALL = 8.5
"""Size of the letters inside a chart, in points."""
_WIDTH = 7.6
_ROW = 0.29
_LABEL_CHARS, _TAIL_CHARS = 44, 16
_LONG = 1000
"""Times the least number, from which on an axis shows powers of ten only."""
_EPOCH = date(1970, 1, 1).toordinal()


@contextmanager
def style() -> Iterator[None]:
    """Draw as all charts are drawn, whatever the notebook has set for its own.

    Raises
    ------
    PackageMissing
        Matplotlib is not installed.
    """
    instead = "Everything but the charts works without it."
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
    """Make a chart of so many rows; after the block it gets its title and its legend.

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
    """Return a chart that says that there is nothing to draw."""
    with style():
        from matplotlib.figure import Figure

        figure = Figure((_WIDTH, 0.75))
        figure.text(0.01, 0.92, title, va="top", fontsize=11, fontweight="bold")
        figure.text(0.01, 0.3, NOTHING, va="center")
    return figure


NOTHING = "Nothing to draw."


def name_rows(axes: Axes, labels: Sequence[str], /, *, ruled: bool = False) -> None:
    """Name the rows of a chart, the first on top; *ruled* draws a line for each."""
    axes.set_yticks(range(len(labels)), [short_label(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(visible=True, axis="both" if ruled else "x")


def short_label(label: str, /) -> str:
    """Return a label that fits beside a chart: what tells names apart stands at both ends."""
    label = " ".join(label.split())
    if len(label) <= _LABEL_CHARS:
        return label
    head = label[: _LABEL_CHARS - _TAIL_CHARS - 1].rstrip()
    return f"{head}\u2026{label[-_TAIL_CHARS:].lstrip()}"


def say_values(axes: Axes, values: Sequence[float], /) -> None:
    """Write the value of each bar beside its end, all with as many decimals."""
    digits = _digits(values)
    for row, value in enumerate(values):
        axes.annotate(f"{value:,.{digits}f}", (value, row), (4, 0), textcoords="offset points",
                      va="center", fontsize=SMALL)  # fmt: skip
    axes.margins(x=0.08)
    if digits == 0:
        axes.locator_params(axis="x", integer=True)


def _digits(values: Iterable[float]) -> int:
    numbers = list(values)
    if all(float(number).is_integer() for number in numbers):
        return 0
    return 3 if max(map(abs, numbers)) < 10 else 1


def short_dates(axes: Axes, /) -> None:
    """Write few and short dates below a chart whose axis counts days."""
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
    """Make the axis below a chart logarithmic, with round numbers, few where it is long.

    Parameters
    ----------
    low, high
        The least and the greatest number that is drawn, both above 0.
    """
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
    """Return the colours of so many series."""
    return [COLORS[number % len(COLORS)] for number in range(count)]
