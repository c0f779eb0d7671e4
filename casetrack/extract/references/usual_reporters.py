"""Citations in the usual reporters, read without eyecite where it is not installed.

The reporters are those of the federal courts, the regional reporters, the official ones of the
states, and the databases of Westlaw and LexisNexis (The Bluebook, 21st edition, table T1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.extract.references.jurisdictions import STATES

if TYPE_CHECKING:
    from collections.abc import Iterator

_SERIES = ("", " 2d", " 3d", " 4th", " 5th")
_NAMES = (
    *("U.S.", "S. Ct.", "L. Ed.", "L. Ed. 2d", "F.", "F.2d", "F.3d", "F.4th", "F. App'x", "F.R.D."),
    *("F. Supp.", "F. Supp. 2d", "F. Supp. 3d", "B.R.", "Fed. Cl.", "Ct. Cl.", "T.C.", "M.J."),
    *("A.", "A.2d", "A.3d", "N.E.", "N.E.2d", "N.E.3d", "N.W.", "N.W.2d", "N.W.3d", "P.", "P.2d"),
    *("P.3d", "S.E.", "S.E.2d", "S.W.", "S.W.2d", "S.W.3d", "So.", "So. 2d", "So. 3d", "N.Y.S."),
    *("N.Y.S.2d", "N.Y.S.3d", "Cal. Rptr.", "Cal. Rptr. 2d", "Cal. Rptr. 3d", "A.D.", "A.D.2d"),
    *(
        "A.D.3d",
        "Misc.",
        "Misc. 2d",
        "Misc. 3d",
        "Ill. Dec.",
        "WL",
        "U.S. LEXIS",
        "U.S. Dist. LEXIS",
    ),
    *("U.S. App. LEXIS", "Bankr. LEXIS", "Pa. Super.", "N.J. Super.", "Va. App.", "Cal. App."),
    *("Ill. App.", "Ill. App. 2d", "Ill. App. 3d", "Ohio St.", "Ohio St. 2d", "Ohio St. 3d"),
    *("Ohio App. 3d", "Mass. App. Ct.", "Wash. App.", "Ga. App.", "N.C. App.", "Mich. App."),
    *(f"{name}. App.{series}" for name in STATES for series in _SERIES),
    *(f"Cal.{series}" for series in _SERIES),
    *(f"Cal. App.{series}" for series in _SERIES[1:]),
    *(
        f"{name}.{series}"
        for name in STATES
        if "." in name or len(name) < 5
        for series in _SERIES[:3]
    ),
)


def _letters(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", name).lower()


def _pattern(name: str) -> str:
    words = [
        re.escape(word).replace(r"\.", r"\.?\s?").replace("'", "['’]") for word in name.split()
    ]
    return r"\s?".join(words)


_SPELLINGS = {
    "Hawai'i": "Haw.",
    "Hawai'i App.": "Haw. App.",
    "Fed. Appx.": "F. App'x",
    "Fed. Rep.": "F.",
}
_BY_LETTERS = {_letters(name): name for name in _NAMES} | {
    _letters(name): usual for name, usual in _SPELLINGS.items()
}
_REPORTER = "|".join(
    _pattern(name) for name in sorted({*_NAMES, *_SPELLINGS}, key=len, reverse=True)
)
_CITED = re.compile(
    rf"(?<![\w.$])(?P<volume>\d{{1,4}})\s(?P<reporter>{_REPORTER})\s?(?:(?P<at>,?\sat\s)(?P<pin>"
    rf"\*?\d{{1,6}})|(?P<page>\d{{1,8}}|_{{2,}}))(?![\w%]|,\d{{3}})"
)
_SUPRA = re.compile(r"(?<=,\s)supra\b")
_YEAR = re.compile(r"[^();]{0,60}\((?:[^()]{0,40}\s)?(?P<year>(?:17|18|19|20)\d\d)\)")


def read_usual(
    text: str, /
) -> Iterator[tuple[str, re.Match[str], dict[str, str | None], str, str]]:
    """Yield what is cited in the usual reporters, in order.

    Yields
    ------
    tuple
        Kind (``case``, ``short``, ``supra``), the match, volume, reporter and page as written,
        the usual abbreviation of the reporter, and the year where one follows.
    """
    found = [*_CITED.finditer(text), *_SUPRA.finditer(text)]
    for match in sorted(found, key=lambda m: m.start()):
        if match.re is _SUPRA:
            yield "supra", match, {}, "", ""
            continue
        written = match["reporter"].strip()
        reporter = _BY_LETTERS.get(_letters(written))
        if reporter is None:
            continue
        page = match["pin"] if match["at"] else match["page"]
        groups = {"volume": match["volume"], "reporter": written, "page": page}
        year = _YEAR.match(text, match.end())
        yield (
            "short" if match["at"] else "case",
            match,
            groups,
            reporter,
            year["year"] if year else "",
        )
