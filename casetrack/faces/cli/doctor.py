"""``casetrack doctor``: whether everything is well, and what to do where it is not."""

from typing import Annotated

import typer

from casetrack.faces.cli.options import AnyCollectionOption, JsonOption
from casetrack.faces.cli.output import entry, line, write_json
from casetrack.faces.cli.state import State


def doctor(
    ctx: typer.Context,
    collection: AnyCollectionOption = None,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep",
            help="Read all unchanged source files again and compare every page; make the index "
            "anew and compare every row. May take as long as ingesting.",
        ),
    ] = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="First mend what can be mended without loss, and say what was done. No document "
            "and no file of yours is removed.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Check the data folder, the models and every collection (or the one named by -c).

    Exit code 0 says that all is well.
    """
    state = ctx.ensure_object(State)
    target = state.library if collection is None else state.library.get(collection).admin
    from casetrack.faces.cli.progress import Meter

    with Meter("Checking", unit="documents") as meter:
        report = target.doctor(deep=deep, repair=repair, progress=meter.step)
    if as_json:
        write_json(report.as_dict())
        return 0 if report.ok else 1
    for said in report.repairs:
        entry(("mended   ", "yellow"), said)
    for said in report.unmended:
        entry(("NOT MENDED  ", "bold red"), said)
    for check in report.checks:
        mark = ("ok       ", "green") if check.ok else ("PROBLEM  ", "bold red")
        entry(mark, (check.name, "bold"), f": {check.detail}")
        if check.remedy and not check.ok:
            line(check.remedy, indent=9)
    problems = sum(not check.ok for check in report.checks)
    line()
    if report.ok:
        line("All is well.")
    else:
        line(f"{problems} of {len(report.checks)} checks found a problem.")
    return 0 if report.ok else 1
