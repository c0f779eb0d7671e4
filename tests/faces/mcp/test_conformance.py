"""The protocol's own test programs find nothing wrong; `just conformance` asks for more."""

from __future__ import annotations

import pytest

from conformance.checks import SERVE, serving, unexplained
from conformance.programs import NotAvailable, installed
from conformance.run import Run, start

pytestmark = pytest.mark.needs("npm")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run over a small data folder, where the test programs are installed."""
    try:
        programs = installed()
    except NotAvailable as reason:
        pytest.skip(f"the protocol's test programs are not installed: {reason}")
    return start(programs, tmp_path_factory.mktemp("conformance"))


def _failed(run: Run) -> list[str]:
    return [f"{r.where} {r.what}: {r.problem}" for r in run.results if r.problem]


def test_the_inspector_finds_every_schema_portable(run: Run) -> None:
    run.results.clear()
    run.lists(SERVE, "stdio", ("tools/list",))
    assert run.results
    assert _failed(run) == []


def test_the_inspector_finds_every_page(run: Run) -> None:
    run.results.clear()
    run.pages(SERVE, "stdio")
    assert run.results
    assert _failed(run) == []


def test_every_scenario_is_run_or_left_out_for_a_reason(run: Run) -> None:
    names = run.programs.scenarios(env=run.env)
    assert len(names) > 40
    assert unexplained(names) == []


def test_the_scenarios_of_the_conformance_suite_pass(run: Run) -> None:
    run.results.clear()
    with serving(run.env) as url:
        run.scenarios(url, ("2026-07-28", "2025-11-25"))
    assert run.results
    assert run.checks_passed > 60
    assert _failed(run) == []
