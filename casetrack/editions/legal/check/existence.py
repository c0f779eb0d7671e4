"""Citations that cannot exist as written, or that contradict the same draft."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from datetime import UTC, datetime
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.errors import UsageError
from casetrack.base.words import WordLists
from casetrack.editions.legal.check.resolve import REPORTED, differ_in_one, name_fit, own_name
from casetrack.extract.papers.courts import cited_court_id
from casetrack.extract.references.matches import slug
from casetrack.graph.cited import distinctive

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from casetrack.editions.legal.records.check import Verdict
    from casetrack.extract.papers.text import LegalCitation

# An index of reported decisions: files that the user adds to the folder ``citations``.

FOLDER = "citations"
_MADE = "index.parquet"
_PLACE = ("volume", "reporter", "page", "cluster_id")
_CLUSTER = ("id", "case_name", "date_filed")


class Reported(NamedTuple):
    """A decision of the index."""

    name: str
    year: int | None


def decisions_at(data_dir: Path, keys: Collection[str], /) -> dict[str, list[Reported]] | None:
    """Return the decisions of the index by citation key; ``None`` without an index.

    The index is made again when a source file is newer. Raises ``UsageError``: a file has none of
    the known columns.
    """
    import pyarrow.parquet as pq

    folder = data_dir / FOLDER
    sources = [p for p in sorted(folder.glob("*")) if p.name != _MADE] if folder.is_dir() else []
    if not sources:
        return None
    made = folder / _MADE
    if not made.exists() or made.stat().st_mtime < max(p.stat().st_mtime for p in sources):
        pq.write_table(_read(sources).sort_by("key"), made, row_group_size=50_000)
    found: dict[str, list[Reported]] = {key: [] for key in keys}
    for row in pq.read_table(made, filters=[("key", "in", list(keys) or [""])]).to_pylist():
        year = (row["date_filed"] or "")[:4]
        found[row["key"]].append(Reported(row["case_name"] or "", int(year) if year else None))
    return found


def _read(sources: Iterable[Path]) -> pa.Table:
    places, names, rows = [], [], list[dict[str, Any]]()
    for path in sources:
        if path.suffix == ".json":
            rows += [
                {"cite": each["cite"], "case_name": case["name_abbreviation"],
                 "date_filed": case["decision_date"]}
                for case in json.loads(path.read_text(encoding="utf-8"))
                for each in case["citations"]
            ]  # fmt: skip
            continue
        table = _csv(path)
        if set(_PLACE) <= set(table.column_names):
            places.append(table.select(_PLACE))
        elif set(_CLUSTER) <= set(table.column_names):
            names.append(table.select(_CLUSTER))
        else:
            raise UsageError(
                f"{path} has no columns of a citation index.",
                hint=f"Use {', '.join(_PLACE)}; or {', '.join(_CLUSTER)}; or Harvard's JSON.",
            )
    columns = {"cite": pa.string(), "case_name": pa.string(), "date_filed": pa.string()}
    whole = pa.Table.from_pylist(rows, pa.schema(columns))
    if places:
        table = pa.concat_tables(places)
        parts = [table["volume"], table["reporter"], table["page"]]
        table = table.append_column("cite", pc.binary_join_element_wise(*parts, " "))
        clusters = (
            pa.concat_tables(names)
            if names
            else pa.table({c: pa.array([], pa.string()) for c in _CLUSTER})
        )
        joined = table.join(clusters, "cluster_id", "id").select(list(columns))
        whole = pa.concat_tables([whole, joined])
    plain = pc.replace_substring(pc.utf8_lower(whole["cite"]), ".", "")
    keys = pc.binary_join_element_wise(
        "case:", pc.replace_substring_regex(plain, "[^a-z0-9]+", "-"), ""
    )
    return whole.append_column("key", keys).select(["key", "case_name", "date_filed"])


def _csv(path: Path) -> pa.Table:
    from pyarrow import csv

    with pa.input_stream(str(path)) as stream:
        names = [*_PLACE, *_CLUSTER]
        return csv.read_csv(
            stream,
            parse_options=csv.ParseOptions(newlines_in_values=True, escape_char="\\"),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True
            ),
        )


_SERIES = WordLists(__file__).groups("series")
"""Volumes and years of a reporter: "100:1879" means that volume 100 has decisions of about 1879."""
_CLOSED = "closed"
_SLACK = 3
"""Years between a decision and the year of its volume in the table."""
_ACROSS_BLANK = re.compile(r",[ \t]*\n\s{0,9}\n\s{0,9}\d")
_DATABASE = re.compile(r"case:(?P<year>\d{4})-(?P<base>wl|[a-z-]*lexis)-(?P<number>\d+)")
_DIGITS = {"wl": 8}
_LEXIS_DIGITS = 6
_NO_REPORTER = re.compile(
    r",?\s(?P<volume>\d{1,4})\s\d{1,5}(?:,\s\d+)*\s\((?:[^()]{0,40}\s)?\d{4}\)"
)
_SUPREME = frozenset(("us", "s-ct", "l-ed", "l-ed-2d"))
_APPEALS = frozenset(("f3d", "f4th"))
_TRIALS = frozenset(("f-supp", "f-supp-2d", "f-supp-3d"))
_COURT_OF_APPEALS = re.compile(r"ca(?:\d+|dc|fc)")
_IN_REPORTER = re.compile(
    r"(?<![\w.])(\d{1,4}) ([A-Z][A-Za-z.’' ]*?(?:[234](?:d|th))?) ?(\d{1,5})(?!\w)"
)
_SHORT = re.compile(r"(?P<name>[A-Z][^,;]{2,60}), (?P<volume>\d+) (?P<series>\D[\w. ]*?),? at \d")


class Doubt(NamedTuple):
    """An error that shows without the source."""

    verdict: Verdict
    said: str


def impossible(citation: LegalCitation, text: str, /) -> Doubt | None:
    """Return the error in the form of a citation; *text* is the draft from its start.

    Silent for reporters without a table.
    """
    if citation.kind != "case":
        return None
    if citation.form == "name":
        bare = _NO_REPORTER.search(text[: len(citation.text) + 60])
        return _none(citation, "it has no reporter between volume and page") if bare else None
    if citation.form != "full":
        return None
    this_year = datetime.now(UTC).year
    if citation.year and citation.year > this_year + 1:
        return _none(citation, f"the year {citation.year} is in the future")
    if base := _DATABASE.fullmatch(citation.key):
        most = _DIGITS.get(base["base"], _LEXIS_DIGITS)
        if len(base["number"]) > most:
            return _none(citation, f"numbers of this database have at most {most} digits")
        return _other_year(citation, int(base["year"]), 1)
    reported = REPORTED.fullmatch(citation.key)
    if reported is None:
        return None
    series, page = reported["series"], int(reported["page"])
    if page == 0 or int(reported["volume"]) == 0:
        return _none(citation, "volumes and pages begin with 1")
    early = [p for p in citation.pins if p.unit == "page" and p.first.isdigit() and not p.key]
    broken = _ACROSS_BLANK.search(text[: citation.end - citation.start])  # a number of lines
    if len(citation.keys) == 1 and early and int(early[0].first) < page and not broken:
        said = f"The draft cites page {early[0].first} of a decision that begins on page {page}."
        return Doubt("wrong_page", said)
    return _of_court(citation, series) or _of_volume(citation, series, int(reported["volume"]))


def _none(citation: LegalCitation, reason: str) -> Doubt:
    return Doubt("impossible", f"\u201c{citation.text}\u201d cannot exist as written: {reason}.")


def _of_court(citation: LegalCitation, series: str) -> Doubt | None:
    court = cited_court_id(citation.court) if citation.court else None
    if court is None or len(citation.keys) > 1:
        return None
    of_appeals = _COURT_OF_APPEALS.fullmatch(court) is not None
    wrong = (
        series in _SUPREME
        or (series in _APPEALS and not of_appeals and court.endswith("d"))
        or (series in _TRIALS and of_appeals)
    )
    said = f"The draft names {citation.court}; this reporter has no decisions of that court."
    return Doubt("court_differs", said) if wrong else None


def _of_volume(citation: LegalCitation, series: str, volume: int) -> Doubt | None:
    points = [
        tuple(map(int, point.split(":"))) for point in _SERIES.get(series, ()) if point != _CLOSED
    ]
    if not points:
        return None
    volumes, years = zip(*points, strict=True)
    at = bisect_right(volumes, volume)
    if at == len(volumes) and volume > volumes[-1]:
        room = 0 if _CLOSED in _SERIES[series] else volumes[-1] // 8
        if volume > volumes[-1] + room:
            return _none(citation, f"the reporter has no volume {volume}")
        return None
    low, high = max(at - 1, 0), min(at, len(volumes) - 1)
    first, last = years[low], years[high]
    share = (volume - volumes[low]) / max(volumes[high] - volumes[low], 1)
    return _other_year(
        citation, round(first + share * (last - first)), max(_SLACK, (last - first) // 4)
    )


def _other_year(citation: LegalCitation, meant: int, slack: int) -> Doubt | None:
    year = citation.year
    if year is None or abs(year - meant) <= slack:
        return None
    said = f"The draft has the year {year}; the cited volume has decisions of about {meant}."
    return Doubt("year_differs", said)


def of_index(citation: LegalCitation, reported: Sequence[Reported] | None, /) -> Doubt | None:
    """Return the difference between a citation and the decisions of the index at its place."""
    if not reported or citation.form != "full":
        return None
    name = own_name(citation)
    fits = {name_fit(name, each.name, spelling=False).fits for each in reported}
    if fits == {"other"}:
        other = "; ".join(each.name for each in reported)
        return Doubt("name_differs", f"The citation index has {other} at the place of {name}.")
    years = {each.year for each in reported if each.year}
    if citation.year and years and citation.year not in years and fits == {"same"}:
        listed = ", ".join(map(str, sorted(years)))
        said = f"The draft has the year {citation.year}; the citation index has {listed}."
        return Doubt("year_differs", said)
    return None


def contradictions(citations: Sequence[LegalCitation], /) -> dict[int, Doubt]:
    """Return the citations that contradict another one of the draft, by index.

    Two years, courts or orders of the parties of one decision; two places of one name that differ
    in volume, series or page alone. The more frequent form counts as meant; of equal ones the
    first.
    """
    doubts: dict[int, Doubt] = {}
    by_key: defaultdict[str, list[tuple[int, LegalCitation]]] = defaultdict(list)
    by_name: defaultdict[str, list[tuple[int, LegalCitation]]] = defaultdict(list)
    for n, c in enumerate(citations):
        reported = REPORTED.fullmatch(c.key)
        if reported and c.form == "full":
            by_key[c.key].append((n, c))
            by_name[_name(c)].append((n, c))
        elif not c.resolved and (other := _of_other_volume(c, citations[:n])):
            said = f"The draft contradicts itself in the volume: it also has \u201c{other}\u201d."
            doubts[n] = Doubt("reporter_differs", said)
    for group in by_key.values():
        order = partial(_order, first=group[0][1])
        doubts |= _minority(group, lambda c: str(c.year or ""), "year_differs", "the year")
        doubts |= _minority(group, lambda c: cited_court_id(c.court), "court_differs", "the court")
        doubts |= _minority(group, order, "name_differs", "the parties")
        for series in {_squeezed(key.group("series")) for _, c in group for key in _places(c)}:
            own = partial(_page_of, series=series)
            doubts |= _minority(group, own, "reporter_differs", "the parallel citation")
    for places in (places for name, places in by_name.items() if name):
        for pair in combinations({c.key for _, c in places}, 2):
            both = [(n, c) for n, c in places if c.key in pair and differ_in_one(*pair)]
            doubts |= _minority(both, lambda c: c.key, "reporter_differs", "the place")
    return doubts


def _of_other_volume(citation: LegalCitation, earlier: Sequence[LegalCitation]) -> str:
    """Return the one decision with the name of a short form in the same reporter, or ""."""
    short = _SHORT.match(" ".join(citation.text.split()))
    if short is None:
        return ""
    series = slug(short["series"].replace(".", ""))
    words = re.compile(rf"\b{re.escape(short['name'])}\b")
    fitting = {
        c.key: c.text
        for c in earlier
        if c.form == "full"
        and (reported := REPORTED.fullmatch(c.key))
        and reported["series"] == series
        and words.search(c.name)
    }
    return next(iter(fitting.values())) if len(fitting) == 1 else ""


def _order(citation: LegalCitation, first: LegalCitation) -> str:
    """Return whether the parties are in the order of the first citation, or "" if unknown."""
    fits = name_fit(own_name(citation), own_name(first)).fits
    return fits if fits in {"same", "swapped"} else ""


def _places(citation: LegalCitation) -> Iterator[re.Match[str]]:
    return filter(None, map(REPORTED.fullmatch, citation.keys))


def _squeezed(series: str) -> str:
    return re.sub(r"\W", "", series).casefold()


def _page_of(citation: LegalCitation, series: str) -> str:
    """Return the volume and first page in a reporter as this citation has them, or ""."""
    places = _IN_REPORTER.finditer(" ".join(citation.text.split()))
    own = (f"{m[1]} {m[3]}" for m in places if _squeezed(m[2]) == series)
    return next(own, "")


def _name(citation: LegalCitation) -> str:
    """Return the first distinctive words of both parties with the year, or ""."""
    words = re.split(r",\s\d", citation.text, maxsplit=1)[0]
    left, right = distinctive(re.sub(r"^[\d.\s]+", "", words))
    named = re.search(r"\sv\.?\s|^(?:In re|Ex parte)\s", words) and (left or right)
    return f"{left[:1] if right else left} {right[:1]} {citation.year}" if named else ""


def _minority(
    group: Sequence[tuple[int, LegalCitation]],
    value_of: Callable[[LegalCitation], str | None],
    verdict: Verdict,
    what: str,
) -> dict[int, Doubt]:
    known = [(n, c, value) for n, c in group if (value := value_of(c))]
    counts = Counter(value for _, _, value in known)
    if len(counts) != 2:
        return {}
    meant = counts.most_common(1)[0][0]
    other = next(c for _, c, value in known if value == meant)
    said = f"The draft contradicts itself in {what}: elsewhere it has \u201c{other.text}\u201d."
    return {n: Doubt(verdict, said) for n, c, value in known if value != meant}
