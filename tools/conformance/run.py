"""Run the protocol's own test programs against the server: ``just conformance``.

The Inspector's command line requests every list and calls every tool, as a child process and over
HTTP, in the protocol of 2025-11-25 (``legacy``) and that of 2026-07-28 (``modern``). The
conformance suite runs the scenarios that need no example server. The only network access is the
download of the two programs by npm, once.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance import checks
from conformance.cases import REFUSALS, lay_out, readings, writings
from conformance.checks import ERAS, LISTS, SCENARIOS, SERVE, Result, environment, serving
from conformance.programs import CHECKOUT, NotAvailable, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.cases import Ground
    from conformance.programs import Outcome, Programs

SAMPLE = CHECKOUT / "data-samples" / "files" / "Finance" / "Invoice TS-2024-0187.pdf"
AT_ONCE = 2


class Run:
    """One run over one data folder, with the test programs and their environment."""

    def __init__(self, programs: Programs, ground: Ground, env: dict[str, str]) -> None:
        self.programs, self.ground, self.env = programs, ground, env
        self.results: list[Result] = []
        self.checks_passed = 0

    def record(
        self, what: str, where: str, work: Callable[[], Outcome], judge: Callable[[Outcome], str]
    ) -> Outcome:
        """Do one piece, print its row and keep it."""
        begun = time.monotonic()
        outcome = work()
        result = Result(what, where, time.monotonic() - begun, judge(outcome))
        self.results.append(result)
        mark = "FAILED" if result.problem else "ok"
        print(f"{mark:<7}{result.seconds:5.1f} s  {where:<16} {what}", flush=True)
        if result.problem:
            print(f"        {result.problem}", flush=True)
        return outcome

    def lists(self, target: list[str], place: str, methods: tuple[str, ...] = LISTS) -> None:
        """Ask for lists in both eras; the tools have to be those that are called below."""
        for era in ERAS:
            for method in methods:
                strict = ["--strict"] if method == "tools/list" else []
                work = partial(
                    self.programs.inspect,
                    target,
                    "--method",
                    method,
                    *strict,
                    era=era,
                    env=self.env,
                )
                judge = partial(self._judge_list, method)
                self.record(method, f"{place} {era}", work, judge)

    def _judge_list(self, method: str, outcome: Outcome) -> str:
        problem = checks.list_problem(outcome, method)
        if problem or method != "tools/list":
            return problem
        answer: Any = outcome.json()
        listed = {tool["name"] for tool in answer["result"]["tools"]}
        called = {row[0] for row in (*readings(self.ground), *writings(self.ground, ""), *REFUSALS)}
        different = sorted(listed ^ called)
        return f"not listed, or never called: {', '.join(different)}" if different else ""

    def pages(self, target: list[str], place: str) -> None:
        """Ask which pages there are, as a program that shows some."""
        from casetrack.faces.mcp.apps import PAGES

        asked = ("--method", "tools/list", "--advertise-apps", "--app-info")
        wanted = {page.uri for page in PAGES.values()}
        for era in ERAS:
            work = partial(self.programs.inspect, target, *asked, era=era, env=self.env)
            self.record("pages", f"{place} {era}", work, partial(_judge_pages, wanted))

    def call(
        self, target: list[str], era: str, place: str, row: tuple[str, dict[str, Any], str]
    ) -> None:
        """Call one tool."""
        tool, arguments, refusal = row
        asked = ("--method", "tools/call", "--tool-name", tool)
        asked += ("--tool-args-json", json.dumps(arguments))
        work = partial(self.programs.inspect, target, *asked, era=era, env=self.env)
        judge = partial(_judge_call, refusal)
        self.record(f"tools/call {tool}", f"{place} {era}", work, judge)

    def tools(self, target: list[str], place: str) -> None:
        """Call every tool in both eras: reading ones side by side, writing ones in their order."""
        for era in ERAS:
            read = [(*row, "") for row in readings(self.ground)] + list(REFUSALS)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                list(pool.map(partial(self.call, target, era, place), read))
            for row in writings(self.ground, f"Own {place} {era}"):
                self.call(target, era, place, (*row, ""))

    def scenarios(self, url: str, versions: Iterable[str] = tuple(SCENARIOS)) -> None:
        """Run the scenarios of the conformance suite."""
        for version in versions:
            for name in SCENARIOS[version]:
                work = partial(self.programs.scenario, url, name, version, env=self.env)
                judge = partial(_judge_scenario, name)
                outcome = self.record(f"scenario {name}", f"http {version}", work, judge)
                self.checks_passed += checks.passed_checks(outcome)

    def summary(self) -> str:
        """Return the last line."""
        failed = [r for r in self.results if r.problem]
        scenarios = [r for r in self.results if r.what.startswith("scenario")]
        good = sum(not r.problem for r in scenarios)
        asked = len(self.results) - len(scenarios)
        fine = sum(not r.problem for r in self.results) - good
        return (
            f"Inspector: {fine} of {asked} requests answered as they should be. "
            f"Conformance suite: {good} of {len(scenarios)} scenarios passed, with "
            f"{self.checks_passed} checks. Failed in all: {len(failed)}."
        )


def _judge_call(refusal: str, outcome: Outcome) -> str:
    return checks.call_problem(outcome, refusal)


def _judge_pages(wanted: set[str], outcome: Outcome) -> str:
    return checks.pages_problem(outcome, wanted)


def _judge_scenario(name: str, outcome: Outcome) -> str:
    return checks.scenario_problem(outcome, name)


def main(argv: list[str] | None = None) -> int:
    """Run everything and return the exit code: 0 where all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="lists and scenarios, no calls")
    chosen = parser.parse_args(argv)
    try:
        programs = prepare()
    except NotAvailable as reason:
        print(f"The test programs cannot be run: {reason}.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        run = start(programs, Path(folder))
        run.lists(SERVE, "stdio")
        run.pages(SERVE, "stdio")
        if not chosen.quick:
            run.tools(SERVE, "stdio")
        with serving(run.env) as url:
            run.lists([url], "http")
            run.scenarios(url)
        print(run.summary())
    return 1 if any(r.problem for r in run.results) else 0


def start(programs: Programs, root: Path, /) -> Run:
    """Return a run over a new data folder below *root*, with the embedded model."""
    from casetrack.models.pull import pull

    models = CHECKOUT / ".cache" / "models"
    pull("mini", models)
    env = environment(root / "home", root / "data", models) | licensed(root)
    ground = lay_out(root, SAMPLE, models)
    return Run(programs, ground, env)


def licensed(root: Path, /) -> dict[str, str]:
    """Return the environment with a license, so that no tool answers with the limits of a tier."""
    from casetrack.base.license.key import Claims
    from release.license_keys import new_key_pair, sign

    seed, public = new_key_pair()
    keys = root / "public_keys.txt"
    keys.write_text(f"{public.hex()}\n", encoding="ascii")
    issued = datetime.now(UTC).date() - timedelta(days=1)
    claims = Claims(tier="PRO", serial=1, seats=1, issued=issued, expires=None, offline=True)
    return {
        "CASETRACK_LICENSE_PUBLIC_KEYS": str(keys),
        "CASETRACK_LICENSE": sign(claims, seed).text(),
    }


if __name__ == "__main__":
    sys.exit(main())
