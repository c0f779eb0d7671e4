"""What is checked of a production: its Bates numbers and its dates."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.editions.legal.discovery.dialects import Trouble, shown
from casetrack.editions.legal.discovery.fields import day_first, read_moment
from casetrack.extract.papers.places import BatesRange

if TYPE_CHECKING:
    from casetrack.editions.legal.discovery.production import Member, Production


def take_dates(found: Production) -> None:
    """Set when documents were sent, or last changed; dates that cannot be read are told."""
    for role in ("modified", "created", "sent"):
        column = found.roles.get("sent" if role == "sent" else "created")
        if role == "modified":
            column = found.roles.get("modified")
        if column is None:
            continue
        values = [m.fields.get(column, "") for m in found.members]
        first = day_first(values)
        unsure = 0
        for member, value in zip(found.members, values, strict=True):
            time = found.told(member, "sent_time") if role == "sent" else ""
            moment = read_moment(value, time, days_first=bool(first))
            if moment is not None:
                member.moment = moment
                turned = read_moment(value, time, days_first=not first)
                unsure += first is None and turned != moment
            elif value.strip() and re.search(r"[1-9]", value):
                text = f"Line {member.line}: {column} {shown(value)!r} is no date that is known."
                found.troubles.append(
                    Trouble(found.load_file.path.name, member.line, member.key, "date", text)
                )
        if unsure:
            text = (
                f"{column}: {unsure:,} of its dates may be read with day or month first, and "
                "nothing in it tells which; the month is taken to stand first."
            )
            found.troubles.append(Trouble(found.load_file.path.name, 1, "", "date", text))


def check_numbers(found: Production) -> None:
    """Note Bates numbers that are in disorder, that two documents bear, and that are missing."""
    name = found.load_file.path.name
    ranged: dict[str, list[tuple[BatesRange, Member]]] = defaultdict(list)
    for member in found.members:
        span = member.bates
        if span is not None:
            ranged[span.key].append((span, member))
        elif member.begin and "begin" in found.roles:
            text = (
                f"Line {member.line}: {shown(member.begin)} to {shown(member.end)} is no range of "
                "Bates numbers; it is kept as it is written."
            )
            found.troubles.append(Trouble(name, member.line, member.key, "range", text))
    for spans in ranged.values():
        spans.sort(key=lambda pair: (pair[0].first, pair[0].last, pair[1].line or 0))
        covered = spans[0]
        runs = [spans[0][0]]
        for span, member in spans[1:]:
            high = covered[0].last
            if span.first <= high:
                text = (
                    f"Line {member.line}: {span} overlaps {covered[0]} ({covered[1].key}, line "
                    f"{covered[1].line})."
                )
                found.troubles.append(Trouble(name, member.line, member.key, "overlap", text))
            if span.first > high + 1:
                runs.append(span)
            else:
                last = runs[-1]
                top = max(last.last, span.last)
                runs[-1] = BatesRange(last.prefix, last.first, top, last.width)
            if span.last > high:
                covered = (span, member)
        found.ranges += runs
        for low, up in pairwise(runs):
            gap = BatesRange(low.prefix, low.last + 1, up.first - 1, low.width)
            found.gaps.append(gap)
            text = f"{gap} {'are' if gap.last > gap.first else 'is'} missing in the production."
            found.troubles.append(Trouble(name, None, "", "gap", text))
