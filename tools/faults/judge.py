"""Checks of one damaged data folder, step by step."""

from __future__ import annotations

import logging
import random
import shutil
import traceback
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.api.watch.watch_list import WatchList
from casetrack.base.errors import CaseTrackError
from faults.plant import FAULTS, area_of
from faults.world import BYSTANDER, VICTIM, answers, glance, open_library, states

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.base.records import HealthReport
    from faults.plant import Case

_DERIVED = ("views/", "jobs", "sources.json", "sync", ".upkeep", "watching")
"""Areas whose loss loses no data: their content is rebuilt."""


@dataclass(slots=True)
class Verdict:
    """Result of one case.

    Attributes
    ----------
    fault
        Description of the planted fault.
    failures
        Each violation: its name in the table, and details.
    end
        ``mended``, ``said`` (a check or an error names the remaining damage) or ``no harm``.
    """

    fault: str = ""
    failures: list[tuple[str, str]] = field(default_factory=list)
    end: str = "no harm"

    def fail(self, what: str, detail: str) -> None:
        """Note something that must not be."""
        self.failures.append((what, detail))


@dataclass(slots=True)
class Truth:
    """Answers of the undamaged data folder."""

    answers: dict[str, list[str]]
    bystander: dict[str, list[str]]
    states: list[str]


def truth_of(data_dir: Path, /) -> Truth:
    """Ask the undamaged data folder."""
    library = open_library(data_dir)
    victim, other = library.get(VICTIM), library.get(BYSTANDER)
    return Truth(answers(victim), glance(other), states(victim))


def is_derived(area: str, /) -> bool:
    """Whether nothing is lost with files of this kind."""
    return area.startswith(_DERIVED)


def victims(data_dir: Path, /) -> dict[str, list[str]]:
    """Return the files that faults may hit, by area; never those of the bystander, nor locks."""
    other = open_library(data_dir).find(BYSTANDER).id
    by_name: dict[str, list[str]] = {}
    for path in sorted(p for p in data_dir.rglob("*") if p.is_file()):
        name = str(path.relative_to(data_dir))
        if other in name or name.endswith(".lock") or not path.stat().st_size:
            continue
        by_name.setdefault(area_of(name), []).append(name)
    return by_name


def try_case(case: Case, seed: int, whole: Path, place: Path, truth: Truth, /) -> Verdict:
    """Plant one fault into a copy of a data folder and use the copy in every way.

    Parameters
    ----------
    seed
        Seed of all random choices.
    place
        Path of the copy, the same for all cases because paths are stored.
    truth
        Answers of the undamaged folder *whole*.
    """
    dice = random.Random(f"{seed} {case.number}")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(whole, place)
    path = place / case.path
    kind = [p for p in place.rglob("*") if p.is_file() and p != path]
    others = [p for p in kind if area_of(str(p.relative_to(place))) == case.area]
    verdict = Verdict(FAULTS[case.fault](path, others, dice))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _Trial(place, truth, verdict, is_derived(case.area), others).run(dice)
    return verdict


class _Trial:
    """The operations on one damaged data folder."""

    def __init__(
        self, place: Path, truth: Truth, verdict: Verdict, derived: bool, others: list[Path]
    ) -> None:
        self.place, self.truth, self.verdict, self.derived = place, truth, verdict, derived
        self.said = _Said()
        self.others = others
        self.went_back = False

    def run(self, dice: random.Random) -> None:
        repairs = logging.getLogger("casetrack")
        repairs.addHandler(self.said)
        try:
            middle = [self.look, self.snapshots, self.doctor, self.upkeep]
            dice.shuffle(middle)
            for step in (self.listing, *middle, self.repair, self.after):
                step()
        finally:
            repairs.removeHandler(self.said)

    def ask(self, what: str, question: Callable[[], Any]) -> Any:
        """Return the answer, or ``None`` after an error, which must be a CaseTrackError."""
        try:
            return question()
        except CaseTrackError as error:
            if not error.message or not error.hint:
                self.verdict.fail("an error without a next step", f"{what}: {error!r}")
            self.verdict.end = "said"
            self.said.errors.append(f"{what}: {error.message}")
        except BaseException as error:  # other exceptions are failures, including panics of Rust
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            last = traceback.extract_tb(error.__traceback__)
            ours = [f for f in last if "/casetrack/" in f.filename]
            at = f"{ours[-1].filename.split('/casetrack/')[-1]}:{ours[-1].lineno}" if ours else "?"
            text = str(error).splitlines()[0][:120] if str(error) else ""
            self.verdict.fail(
                "an unexpected error", f"{what}: {type(error).__name__} at {at}: {text}"
            )
        return None

    def listing(self) -> None:
        library = open_library(self.place)
        result = self.ask("list", library.collections) or []
        names = {i.name for i in result}
        damaged = self.ask("list", library.damaged) or []
        if BYSTANDER not in names:
            self.verdict.fail("another collection is hidden", f"list: {sorted(names)}")
        elif not any(BYSTANDER in str(p) for p in self.others):
            answer = self.ask("bystander", lambda: glance(library.get(BYSTANDER)))
            if answer is not None and answer != self.truth.bystander and not self.swapped():
                self.verdict.fail(
                    "another collection answers otherwise", _first(answer, self.truth.bystander)
                )
        if len(names) + len(damaged) < 2:
            self.verdict.fail("the damaged one is not listed", f"{names} {damaged}")
        for info in result:
            self.ask("stats", lambda info=info: library.get(info.id).stats())
        self.ask("jobs", library.jobs.list)
        self.ask("watches", WatchList(self.place).watches)

    def swapped(self) -> bool:
        return self.verdict.fault.startswith("swapped")

    def victim(self) -> Any:
        library = open_library(self.place)
        other = library.find(BYSTANDER).id if not self.swapped() else None
        ids = [i.id for i in library.collections() if i.name == VICTIM]
        ids += [i.id for i in library.collections() if i.id != other and i.name != BYSTANDER]
        folder = next((p.name for p, _ in library.damaged()), VICTIM)
        return library.get(ids[0] if ids else folder)

    def look(self) -> None:
        """Ask everything: nothing wrong, and nothing less without a word."""
        self.compare(self.ask("search", lambda: answers(self.victim())), "search")

    def compare(self, result: dict[str, list[str]] | None, when: str) -> None:
        if result is None or result == self.truth.answers:
            return
        for what, rows in result.items():
            right = self.truth.answers[what]
            if rows == right:
                continue
            foreign = [row for row in rows if row not in right]
            sort = "derived data are answered from unverified" if self.derived else None
            if foreign and ("search" in what or what == "chunks"):
                self.verdict.fail(
                    sort or "wrong text or source is cited", f"{when}, {what}: {foreign[0][:160]!r}"
                )
            elif foreign and not self.said:
                self.verdict.fail(
                    sort or "wrong facts are told", f"{when}, {what}: {foreign[0][:200]!r}"
                )
            elif not foreign and not self.said:
                self.verdict.fail(sort or "less is found, and nothing said", f"{when}, {what}")
            return

    def snapshots(self) -> None:
        result = self.ask("snapshots", lambda: states(self.victim()))
        if result is not None and result != self.truth.states and not self.said:
            self.verdict.fail("a snapshot is lost, and nothing said", f"{result}")

    def upkeep(self) -> None:
        self.ask("upkeep", self._upkeep)

    def doctor(self) -> None:
        self.ask("doctor", self._doctor)

    def _doctor(self) -> HealthReport:
        return self.victim().admin.doctor()

    def _upkeep(self) -> object:
        return self.victim().admin.upkeep()

    def repair(self) -> None:
        report = self.ask("repair", lambda: open_library(self.place).doctor(repair=True))
        if report is not None and report.repairs:
            self.verdict.end = "mended"
            # A return to an earlier state is reported with the missing documents; then the checks
            # pass.
            self.went_back = any("were stored" in repair for repair in report.repairs)

    def after(self) -> None:
        """Check that a repair restored everything, or that a check names the remaining damage."""
        report = self.ask("doctor after", self._doctor)
        result = self.ask("search after", lambda: answers(self.victim()))
        well = report is not None and report.ok
        self.compare(result, "after the repair")
        if result == self.truth.answers:
            if not well and self.derived and report is not None:
                wrong = [f"{c.name}: {c.detail}" for c in report.checks if not c.ok]
                self.verdict.fail("derived data stay damaged", f"{wrong}")
            return
        if well and not self.went_back:
            detail = "error" if result is None else _first(result, self.truth.answers)
            self.verdict.fail("doctor passes over damage", detail)
        elif self.derived and result is None:
            self.verdict.fail("derived data stay damaged", "search")
        self.verdict.end = "said"


class _Said(logging.Handler):
    """Messages in addition to the answers."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.errors.append(record.getMessage())

    def __bool__(self) -> bool:
        return bool(self.errors)


def _first(result: dict[str, list[str]], right: dict[str, list[str]]) -> str:
    for what, rows in right.items():
        if result.get(what) != rows:
            odd = [r for r in result.get(what, []) if r not in rows]
            return (
                f"{what}: {odd[0][:160]!r}"
                if odd
                else f"{what}: {len(result.get(what, []))} of {len(rows)}"
            )
    return ""
