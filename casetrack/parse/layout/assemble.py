"""Arranges the text of a page into paragraphs and tables in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from casetrack.base.words.lists import any_month
from casetrack.parse.layout.blocks import Block, BlockFinder
from casetrack.parse.layout.columns import reading_order
from casetrack.parse.layout.lines import TextLine, Vocabulary, join_line_ends, visual_lines
from casetrack.parse.layout.segments import Segment
from casetrack.parse.layout.tables import TableText, boxes_fit, flow_tables, row_box
from casetrack.parse.layout.tables_align import aligned_tables
from casetrack.parse.layout.tables_model import ColumnCarry, Rule, Table, strokes_in_frame
from casetrack.parse.layout.tags import tagged_tables

# Titles above a table at the start of a page, such as those of statements and schedules.

_OPENING_LINES, _TITLE_LINES = 8, 4
_TITLE_CHARS, _BLOCK_CHARS = 110, 220
_MONTH = rf"(?:{any_month('en_short')})[a-z]*\.?"
_DAY = rf"{_MONTH} \d{{1,2}},?(?: \d{{4}})?"
_LENGTH = r"(?:(?:fiscal |calendar )?(?:years?|quarters?|periods?)|\w+ (?:months|weeks))"
# Units, periods, days: they explain how to read a table.
_ASIDE = re.compile(
    r"\W*(?:[\w ,&$-]{0,40}\b(?:thousands?|millions?|billions?)\b.*|unaudited|audited|continued|"
    rf"(?:for |as of |as at |at |of )?(?:the |or )*(?:{_LENGTH} )?(?:ended|ending)?:?(?: {_DAY})?"
    rf"(?:(?:,| and|;)? ?(?:{_DAY}|\d{{4}}))*|(?:years?|months|quarters?) ended.*|[\W\d]*)\W*",
    re.IGNORECASE,
)
_FIRM = re.compile(
    r"(?:\b(?:inc|co|corp|corporation|company|companies|ltd|limited|plc|llc|l\.p|n\.v|s\.a|ag|se)\.?"
    r"|\bsubsidiar(?:y|ies)(?: compan(?:y|ies))?)\W*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_CAPITALS, _LARGER = 0.6, 1.3


def name_titles(blocks: Sequence[Block], level: int, /) -> None:
    """Make the title above the first table of a page a heading, in place, and no column name."""
    for block, after in pairwise(blocks):
        is_untagged = block.kind == "heading" and not block.is_tagged_heading
        is_larger = block.lines[0].size > _LARGER * after.lines[0].size
        if is_untagged and after.kind == "table" and not is_larger and _heads_columns(block, after):
            block.kind, block.level = "body", None
    title: Block | None = None
    lines = 0
    for block in blocks:
        lines += len(block.lines)
        if block.kind == "table":
            if title is not None and not _heads_columns(title, block):
                title.kind, title.level = "heading", level
            break
        if block.kind == "heading" or lines > _OPENING_LINES:
            break
        if title is None and _is_title(block):
            title = block
        elif not all(_is_aside(line.text) for line in block.lines):
            break


def _heads_columns(block: Block, table: Block) -> bool:
    """Return whether a block gives units, periods or column heads over a part of the table."""
    if all(_ASIDE.fullmatch(line.text) for line in block.lines):
        return True
    everything = [*block.lines, *table.lines]
    left, right = min(n.u0 for n in everything), max(n.u1 for n in everything)
    return not any(_is_left_or_centred(line, left, right) for line in block.lines)


def _is_left_or_centred(line: TextLine, left: float, right: float) -> bool:
    """Return whether a line begins at the left edge or is centred."""
    width = max(right - left, 1.0)
    off_centre = abs((line.u0 + line.u1) / 2 - (left + right) / 2)
    return line.u0 - left < 0.12 * width or off_centre < 0.06 * width


def _is_aside(text: str) -> bool:
    return bool(_ASIDE.fullmatch(text) or _FIRM.search(text))


def _is_title(block: Block) -> bool:
    texts = [line.text for line in block.lines]
    if block.kind != "body" or len(texts) > _TITLE_LINES or sum(map(len, texts)) > _BLOCK_CHARS:
        return False
    if block.tag is not None and block.tag.role != "text":
        return False
    own = [text for text in texts if not _is_aside(text)]
    return bool(own) and all(_reads_as_title(text) for text in own)


def _reads_as_title(text: str) -> bool:
    words = _WORD.findall(text)
    if len(words) < 2 or len(text) > _TITLE_CHARS or text[-1] in ".,;:" or "|" in text:
        return False
    return sum(1 for word in words if word[0].isupper()) >= _CAPITALS * len(words)


_MIN_SEGMENTS = 4


def lay_out(
    flows: Sequence[Sequence[Segment]],
    loose: Sequence[Segment],
    finder: BlockFinder,
    words: Vocabulary,
    /,
    *,
    rules: Sequence[Rule] = (),
    carry: ColumnCarry | None = None,
) -> tuple[list[Block], list[TextLine]]:
    """Return the blocks of a page in reading order, and its numbered lines.

    A table row is a block of one line, with cells joined by ``" | "``. A line that lost its only
    word to the line before keeps its number but belongs to no block. *flows* are the text by
    direction, the longest first; *loose* is slanted text; *carry* is the last table of the previous
    page and is updated.
    """
    carry = carry or ColumnCarry()
    everything = [*(s for flow in flows for s in flow), *loose]
    parts = list(_parts(flows, loose, rules, everything, carry))
    for part in parts:
        if isinstance(part, TableText):
            part.add_words(words)
        else:
            for line in part:
                words.add(line.text)
    for part in parts:
        if isinstance(part, TableText):
            part.write(words)
    _carry_headers(parts, carry)
    runs = _runs(parts)
    join_line_ends([line for run in runs if isinstance(run, list) for line in run], words)
    blocks: list[Block] = []
    lines: list[TextLine] = []
    for run in runs:
        if isinstance(run, TableText):
            blocks.append(Block(run.rows, "table", header=run.header))
            lines += run.rows
        else:
            blocks += finder.find(run)
            lines += run
    if not finder.profile.has_tags:
        name_titles(blocks, finder.plain_level)
    finder.unname_margins(blocks)
    return blocks, lines


def _runs(parts: Sequence[list[TextLine] | TableText]) -> list[list[TextLine] | TableText]:
    """Join the lines between two tables, so that paragraphs continue from column to column."""
    runs: list[list[TextLine] | TableText] = []
    for part in parts:
        if isinstance(part, list) and runs and isinstance(runs[-1], list):
            runs[-1] += part
        else:
            runs.append(part)
    return runs


def _parts(
    flows: Sequence[Sequence[Segment]],
    loose: Sequence[Segment],
    rules: Sequence[Rule],
    everything: Sequence[Segment],
    carry: ColumnCarry,
) -> Iterator[list[TextLine] | TableText]:
    """Yield lines and tables in reading order; only tables divide the lines of a region."""
    region = 0
    for flow in (*flows, *([s] for s in loose)):
        whole = _tables_of(flow, rules, everything, carry)
        rest, table_of = _with_placeholder_rows(flow, whole)
        placed: set[int] = set()
        for segments in reading_order(rest):
            tables, plain = [], []
            for s in segments:
                table = table_of.get(id(s))
                if table is None:
                    plain.append(s)
                elif id(table) not in placed:
                    placed.add(id(table))
                    tables.append(table)
            for table in aligned_tables(plain):
                if boxes_fit(table, _without(everything, table)):
                    tables.append(table)
                    plain = _without(plain, table)
            lines = visual_lines(plain, region)
            region += 1
            if not tables:
                yield lines
                continue
            for part in _interleaved(lines, tables):
                if isinstance(part, list):
                    yield part
                else:
                    yield TableText(part, region)
                    region += 1


def _tables_of(
    flow: Sequence[Segment],
    rules: Sequence[Rule],
    everything: Sequence[Segment],
    carry: ColumnCarry,
) -> list[Table]:
    """Return the tables of a flow, given by tags, drawn lines or aligned amounts."""
    if len(flow) < _MIN_SEGMENTS:
        return []
    tables = [t for t in tagged_tables(flow) if boxes_fit(t, _without(everything, t))]
    for table in tables:
        flow = _without(flow, table)
    if len(flow) < _MIN_SEGMENTS:
        return tables
    others = flow_tables(strokes_in_frame(rules, flow), flow, carry)
    return tables + [t for t in others if boxes_fit(t, _without(everything, t))]


def _without(segments: Sequence[Segment], table: Table) -> list[Segment]:
    held = {id(s) for s in table.sources}
    return [s for s in segments if id(s) not in held]


def _with_placeholder_rows(
    flow: Sequence[Segment], tables: Sequence[Table]
) -> tuple[list[Segment], dict[int, Table]]:
    """Replace each table row by one line as wide as the table, to cut columns as in prose."""
    if not tables:
        return list(flow), {}
    table_of: dict[int, Table] = {}
    held = {id(s) for table in tables for s in table.sources}
    out = [s for s in flow if id(s) not in held]
    for table in tables:
        segments = [s for row in table.rows for s in row.segments]
        left, right = min(s.u0 for s in segments), max(s.u1 for s in segments)
        for row in table.rows:
            size = row.segments[0].size
            text = "x" * max(1, round(2 * (right - left) / size))
            stand_in = Segment(
                text, left, row.v0, right, row.v1, row.v1, size, bold=False, box=row_box(row)
            )
            table_of[id(stand_in)] = table
            out.append(stand_in)
    return out, table_of


def _interleaved(
    lines: Sequence[TextLine], tables: Sequence[Table]
) -> Iterator[list[TextLine] | Table]:
    """Yield the lines of a region and its tables from top to bottom."""
    at = 0
    for table in sorted(tables, key=lambda t: t.rows[0].v0):
        top = (table.rows[0].v0 + table.rows[0].v1) / 2
        end = at
        while end < len(lines) and lines[end].base < top:
            end += 1
        if end > at:
            yield list(lines[at:end])
        yield table
        at = end
    if at < len(lines):
        yield list(lines[at:])


def _carry_headers(parts: Sequence[list[TextLine] | TableText], carry: ColumnCarry) -> None:
    """Give tables the header of the table that they continue, on this page or the previous one."""
    is_first = True
    for part in parts:
        if isinstance(part, TableText):
            own = part.header if part.table.is_header_sure else None
            # Across a page break, the first row of a table without a header is a normal row.
            if carry.continues(part.table, own) and (carry.names or is_first):
                part.header = own or carry.names
            is_first = False
            carry.remember(part.table, part.header)
        else:
            carry.pass_text(line.text for line in part)
