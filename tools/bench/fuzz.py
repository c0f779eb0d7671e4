"""Tens of thousands of hostile calls of all tools, and lines that are none: ``just fuzz``.

Calls go to servers in this process, in both eras of the protocol, with clients that can ask their
user and clients that cannot; lines go to a server of its own over its input. Whatever comes, an
answer has to come within a minute, keep to the protocol, tell nothing of the inside and say what
to do. Each seed draws other calls; what is wrong is printed with the call that shows it.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from hostile_calls import CLIENTS, LONG_WORK, NAMES, SECRET, Home, calls, check
from hostile_lines import HELLO, JUNK, Process, modern, mutations, request

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKOUT = Path(__file__).parents[2]
AT_ONCE = 500
_SHOWN = 600
QUICK = tuple(name for name in NAMES if name not in LONG_WORK)
"""Tools that read no files; the others are one call in ten, as each takes a second."""


@dataclass(slots=True)
class Tally:
    """What came of the calls of one seed."""

    answers: Counter[str] = field(default_factory=Counter)
    lines: int = 0
    wrong: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    seconds: float = 0.0


def try_calls(number: int, count: int, models: Path, tally: Tally, until: float, /) -> None:
    """Make *count* calls drawn from the seed *number*, and judge each; stop at the time *until*."""
    with tempfile.TemporaryDirectory(dir=_fast()) as folder:
        home = Home(Path(folder), models, random.Random(number))
        names = st.sampled_from([QUICK] * 9 + [NAMES])

        def one(call: tuple[str, dict[str, Any]], client: int) -> None:
            if home.worn():
                home.renew()
            tool, drawn = call
            arguments = {name: home.resolve(value) for name, value in drawn.items()}
            try:
                result = home.call(tool, arguments, client)
                check(home, arguments, result)
                tally.answers["refused" if result.is_error else "done"] += 1
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                kind = type(error).__name__
                tally.answers[kind] += 1
                shown = f"{tool} {arguments!r:.{_SHOWN}}"
                tally.wrong.append(f"{kind}: {str(error)[:_SHOWN]}\n    {shown}")
                print(tally.wrong[-1], file=sys.stderr, flush=True)
                home.renew()  # whatever it was, the next call finds a sound server

        how = settings(
            max_examples=AT_ONCE,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        try:
            for part in range(-(-count // AT_ONCE)):
                if time.monotonic() > until:
                    break
                size = min(AT_ONCE, count - part * AT_ONCE)
                drawn = given(names.flatmap(calls), st.sampled_from(CLIENTS))(one)
                seed(f"{number} {part}")(settings(how, max_examples=size)(drawn))()
                said = ", ".join(f"{n:,} {what}" for what, n in tally.answers.items())
                print(f"  {home.count:,} calls: {said}", file=sys.stderr, flush=True)
        finally:
            home.close()
        tally.slowest = max(tally.slowest, home.slowest)


def try_lines(number: int, count: int, tally: Tally, /) -> None:
    """Send *count* lines drawn from the seed *number* to a server in each era, and judge it."""
    for era in ("legacy", "modern"):
        with tempfile.TemporaryDirectory(dir=_fast()) as folder:
            own = {"CASETRACK_HOME": folder, "CASETRACK_MODELS": folder, "HOME": folder}
            server = Process({**os.environ, **own})
            try:
                _lines(server, era, [*JUNK, *mutations(count, random.Random(number))])
                tally.lines += count + len(JUNK)
                code = server.end()
                if code:
                    tally.wrong.append(f"lines, {era}: the server ended with code {code}")
            except BaseException as error:
                server.process.kill()
                if isinstance(error, KeyboardInterrupt):
                    raise
                tally.wrong.append(f"lines, {era}: {type(error).__name__}: {str(error)[:_SHOWN]}")


def _lines(server: Process, era: str, lines: Sequence[bytes]) -> None:
    hello = [modern("hello", "server/discover")]
    if era == "legacy":
        ready = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
        hello = [request("hello", "initialize", HELLO), ready]
    for line in hello:
        server.say(line)
    assert "result" in server.answer_to("hello")
    ask = modern if era == "modern" else request
    for place in range(0, len(lines), AT_ONCE):
        for line in lines[place : place + AT_ONCE]:
            server.say(line)
        mark = f"mark {place}"
        server.say(ask(mark, "tools/list"))
        assert len(server.answer_to(mark)["result"]["tools"]) > 40


def _fast() -> str | None:
    """Return a folder in memory, where there is one: nothing here is about disks."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main(argv: Sequence[str] | None = None) -> int:
    """Try everything and return the exit code: 0 where nothing was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5_000, help="calls of each seed")
    parser.add_argument("--lines", type=int, default=1_000, help="lines of each seed and era")
    parser.add_argument("--seed", type=int, action="append", help="may be given several times")
    parser.add_argument("--minutes", type=float, default=600, help="begin no more calls after")
    chosen = parser.parse_args(argv)
    until = time.monotonic() + 60 * chosen.minutes
    os.environ["CASETRACK_SECRET_OF_THE_TEST"] = SECRET
    os.environ.pop("OPENAI_API_KEY", None)
    logging.getLogger("casetrack").setLevel(logging.CRITICAL)
    bad = 0
    for number in chosen.seed or [random.SystemRandom().randrange(10**6)]:
        tally, begun = Tally(), time.process_time()
        try_lines(number, chosen.lines, tally)
        try_calls(number, chosen.calls, CHECKOUT / ".cache" / "models", tally, until)
        tally.seconds = time.process_time() - begun
        print(_told(number, tally), flush=True)
        bad += len(tally.wrong)
    return 1 if bad else 0


def _told(number: int, tally: Tally) -> str:
    said = ", ".join(f"{n:,} {what}" for what, n in sorted(tally.answers.items()))
    took, which = tally.slowest
    head = (
        f"seed {number}: {tally.answers.total():,} calls ({said}), {tally.lines:,} lines, "
        f"{tally.seconds:,.0f} s of processor; wrong: {len(tally.wrong)}; slowest {took:.1f} s: "
        f"{which:.120}"
    )
    return "\n".join([head, *tally.wrong])


if __name__ == "__main__":
    sys.exit(main())
