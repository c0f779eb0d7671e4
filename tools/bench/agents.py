"""What it costs an AI program to find an answer with its place: thirty tasks, tokens and calls.

``python -m bench.agents --contracts FOLDER`` asks thirty questions over the sample case file and
over a folder of contracts (those of CUAD, as PDF), each on a connection of its own. A program
without knowledge goes about them: it knows the question, the list of tools and what its calls have
shown; a call with any other word ends the run. Counted are the tokens of the list with the
instructions, of the calls and of the results as a client shows them, and whether what came back
holds the answer and its place. ``--program`` measures another CaseTrack, ``--beside`` compares.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.asking import homes
from bench.asking.agent import Agent
from bench.asking.client import connected
from bench.asking.tasks import TASKS
from vocabulary import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.asking.agent import Outcome, Task

_CACHE = Path(__file__).resolve().parents[2] / ".cache"
_SHOWN = 1_200


def main() -> int:
    """Ask, judge, print the table."""
    options = _options()
    homes.make(options.program, options.work, options.contracts, options.models)
    rooms = {"case"} | ({"shelf"} if options.contracts else set())
    tasks = [t for t in TASKS if t.room in rooms and (not options.only or t.name in options.only)]
    outcomes = [dict(o.as_dict()) for o in asked(tasks, options)]
    if options.json:
        options.json.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")
    earlier = json.loads(options.beside.read_text("utf-8")) if options.beside else []
    sys.stdout.write(table(outcomes, {o["task"]: o for o in earlier}) + "\n")
    return 0


def asked(tasks: Sequence[Task], options: argparse.Namespace, /) -> Iterator[Outcome]:
    """Yield what each task took; where it is to be shown, its calls go to standard error."""
    for task in tasks:
        with tempfile.TemporaryDirectory(dir=options.work) as scratch:
            home = options.work / task.room
            if task.changes:
                home = Path(shutil.copytree(home, Path(scratch) / "home"))
            question = task.question.replace("{files}", str(options.work / "files"))
            with connected(options.program, home, options.tools, options.models) as server:
                agent = Agent(replace(task, question=question), server)
                outcome = agent.work()
        if options.show:
            sys.stderr.write(_told(agent, outcome))
        yield outcome


def table(outcomes: Sequence[Mapping[str, Any]], earlier: Mapping[str, Any], /) -> str:
    """Return the outcomes as a table in Markdown, beside earlier ones where there are any."""
    if earlier:
        heads = ["task", "calls", "tokens", "found", "before: calls", "tokens", "found", "fewer"]
        rows = [_beside(o, earlier.get(o["task"])) for o in outcomes]
    else:
        heads = ["task", "calls", "list", "calls' tokens", "results", "all", "as text", "found"]
        rows = [_alone(o) for o in outcomes]
    rule = ["---", *("---:" for _ in heads[1:])]
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]
    return "\n".join([*lines, "", *_summary(outcomes, "now"), *_compared(outcomes, earlier)])


def _alone(outcome: Mapping[str, Any]) -> list[str]:
    figures = (f"{outcome[k]:,}" for k in ("listed", "asked", "results", "total", "text_results"))
    return [outcome["task"], str(len(outcome["calls"])), *figures, _found(outcome)]


def _beside(outcome: Mapping[str, Any], before: Mapping[str, Any] | None) -> list[str]:
    if before is None:
        return [outcome["task"], *_short(outcome), *[""] * 4]
    less = 1 - outcome["total"] / before["total"]
    return [outcome["task"], *_short(outcome), *_short(before), f"{less:.0%}"]


def _short(outcome: Mapping[str, Any]) -> list[str]:
    return [str(len(outcome["calls"])), f"{outcome['total']:,}", _found(outcome)]


def _found(outcome: Mapping[str, Any]) -> str:
    if outcome["place"]:
        return "yes" if outcome["in_text"] else "yes, not as text"
    return "without its place" if outcome["answer"] else "no"


def _summary(outcomes: Sequence[Mapping[str, Any]], when: str) -> Iterator[str]:
    found = [o for o in outcomes if o["place"]]
    totals = median(o["total"] for o in found) if found else 0
    results = median(o["results"] for o in found) if found else 0
    calls = median(len(o["calls"]) for o in found) if found else 0
    yield (
        f"{when}: {len(found)} of {len(outcomes)} answers found with their place; median of these: "
        f"{totals:,.0f} tokens ({NAME}), {results:,.0f} of them results, {calls:g} calls"
    )


def _compared(outcomes: Sequence[Mapping[str, Any]], earlier: Mapping[str, Any]) -> Iterator[str]:
    before = [earlier[o["task"]] for o in outcomes if o["task"] in earlier]
    if not before:
        return
    yield from _summary(before, "before")
    was = {o["task"]: o for o in before if o["place"]}
    both = [o for o in outcomes if o["place"] and o["task"] in was]
    if both:
        less = 1 - median(o["total"] for o in both) / median(was[o["task"]]["total"] for o in both)
        yield f"found both times: {len(both)}; their median is {less:.0%} lower"


def _told(agent: Agent, outcome: Outcome) -> str:
    lines = [f"=== {outcome.task}: {agent.question}"]
    for answer in agent.answers:
        lines += [
            f"--> {answer.tool} {json.dumps(dict(answer.arguments), ensure_ascii=False)}",
            f"<-- {answer.cost:,} tokens (as text {answer.text_cost:,}): {answer.shown[:_SHOWN]}",
        ]
    verdict = "found" if outcome.place else "without its place" if outcome.answer else "not found"
    return "\n".join([*lines, f"=== {verdict}; as text: {outcome.in_text}", "", ""])


def _options() -> argparse.Namespace:
    models = os.environ.get("CASETRACK_MODELS")
    parser = argparse.ArgumentParser(prog="python -m bench.agents", description=__doc__)
    add = parser.add_argument
    add("--contracts", type=Path, help="folder of contracts; else the samples alone")
    add("--program", type=shlex.split, default=[sys.executable, "-m", "casetrack"])
    add("--tools", default="daily", help="set of tools that is served; empty: the program's own")
    add("--only", action="append", metavar="TASK", help="only this task; may be repeated")
    add("--show", action="store_true", help="write every call and what came back to stderr")
    add("--json", type=Path, metavar="FILE", help="write the figures")
    add("--beside", type=Path, metavar="FILE", help="figures of an earlier run")
    add("--work", type=Path, default=_CACHE / "agents", help="folder for what is kept between runs")
    add("--models", type=Path, default=Path(models) if models else _CACHE / "models")
    options = parser.parse_args()
    for name in ("contracts", "work", "models"):
        path = getattr(options, name)
        setattr(options, name, path.resolve() if path else None)
    return options


if __name__ == "__main__":
    raise SystemExit(main())
