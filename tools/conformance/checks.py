"""Requests to the test programs and the checks of their answers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.programs import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from conformance.programs import Outcome

ERAS = ("legacy", "modern")
SERVE = [sys.executable, "-m", "casetrack", "serve"]
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
_EVERYWHERE = (
    *("tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"),
    *("server-sse-multiple-streams", "completion-complete"),
)
_HANDSHAKE = (
    *("server-initialize", "server-session-lifecycle", "ping"),
    *("resources-subscribe", "resources-unsubscribe"),
)
# Scenarios that need no tool, prompt or resource of the suite's own example server.
SCENARIOS: dict[str, tuple[str, ...]] = {
    "2026-07-28": (
        *_EVERYWHERE,
        *("caching", "http-header-validation", "sep-2164-resource-not-found", "server-stateless"),
        "input-required-result-unsupported-methods",
    ),
    "2025-11-25": (*_EVERYWHERE, *_HANDSHAKE),
    "2025-06-18": (
        *("tools-list", "resources-list", "prompts-list", "completion-complete"),
        *_HANDSHAKE,
    ),
    "2025-03-26": ("server-session-lifecycle",),
}
_FIXTURE = "needs a tool, prompt or resource of the suite's own example server"
_EXTENSION = "is about an extension that CaseTrack does not offer"
# All others that the suite has, by the beginnings of their names.
LEFT_OUT: dict[str, str] = {
    **dict.fromkeys(("tools-call-", "prompts-get-", "resources-read-"), _FIXTURE),
    **dict.fromkeys(("resources-templates-read", "json-schema-2020-12"), _FIXTURE),
    **dict.fromkeys(("elicitation-", "input-required-result-", "server-sse-polling"), _FIXTURE),
    "http-custom-header-server-validation": _FIXTURE,
    **dict.fromkeys(("sep-2640-skills-", "tasks-"), _EXTENSION),
    "logging-set-level": "is about logging over the protocol, which is deprecated; logs go to "
    "standard error",
}
# Checks inside these scenarios that call a tool of that example server.
NEED_FIXTURE = {
    "server-stateless": {
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream",
        "sep-2575-server-no-log-without-loglevel",
    }
}
_CHECK = re.compile(r"\[([\w-]+) *\].*?(SUCCESS|FAILURE|WARNING|SKIPPED|INFO)")
_COLOUR = re.compile(r"\x1b\[\d+m")


@dataclass(frozen=True, slots=True)
class Result:
    """One row of the table; *problem* is empty where all was well."""

    what: str
    where: str
    seconds: float
    problem: str = ""


def environment(home: Path, data: Path, models: Path, /) -> dict[str, str]:
    """Return the environment of the test programs and of the servers that they start."""
    home.mkdir(parents=True, exist_ok=True)
    paths = os.pathsep.join(str(CHECKOUT / part) for part in (".", "tools", "tests"))
    return {
        **os.environ,
        "HOME": str(home),
        "CASETRACK_HOME": str(data),
        "CASETRACK_MODELS": str(models),
        "PYTHONPATH": paths,
        # The test programs are large, and one is started for every question.
        "NODE_COMPILE_CACHE": str(home / "compiled"),
    }


def list_problem(outcome: Outcome, method: str, /) -> str:
    """Return the problem of the list that the Inspector received, or an empty text."""
    if outcome.code != 0:
        return f"exit code {outcome.code}: {outcome.err.strip()[-300:]}"
    answer: Any = outcome.json()
    key = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}
    listed = answer.get("result", {}).get(key.get(method, "resourceTemplates"))
    if not listed:
        return "the list is empty"
    findings = answer.get("schemaFindings") or []
    if findings or outcome.err.strip():
        return f"portability: {json.dumps(findings)[:600]} {outcome.err.strip()[:300]}"
    return ""


def pages_problem(outcome: Outcome, wanted: set[str], /) -> str:
    """Return the problem of the pages (MCP Apps) that the Inspector received, or an empty text.

    *wanted* are the expected addresses.
    """
    if outcome.code != 0:
        return f"exit code {outcome.code}: {outcome.err.strip()[-300:]}"
    data = [json.loads(line) for line in outcome.out.splitlines() if line.startswith("{")]
    shown = [each for each in data if each["hasApp"]]
    if (named := {each["resourceUri"] for each in shown}) != wanted:
        return f"pages: {', '.join(sorted(named ^ wanted))}"
    loading = [each["toolName"] for each in shown if any((each.get("csp") or {}).values())]
    wrong = [e["toolName"] for e in shown if e["resourceMimeType"] != "text/html;profile=mcp-app"]
    return f"pages of {', '.join(loading + wrong)} are none, or load something" * bool(
        loading or wrong
    )


def call_problem(outcome: Outcome, refusal: str = "", /) -> str:
    """Return the problem of the result of a call, or an empty text.

    *refusal* is a part of the message with which the call must fail; empty if it must succeed.
    """
    answer: Any = outcome.json()
    result = answer.get("result", {})
    content = result.get("content") or []
    text = "".join(block.get("text", "") for block in content)
    if not content:
        return f"no result, exit code {outcome.code}: {(outcome.err or outcome.out).strip()[-300:]}"
    if refusal:
        good = bool(result.get("isError")) and refusal in text
        return "" if good else f"should have been refused: {text[:200]}"
    if result.get("isError") or outcome.code != 0:
        return f"failed: {text[:300]}"
    return ""


def scenario_problem(outcome: Outcome, name: str, /) -> str:
    """Return which checks of a scenario have failed, or nothing."""
    matches = _CHECK.findall(_COLOUR.sub("", outcome.out))
    failed = {check for check, how in matches if how in {"FAILURE", "WARNING"}}
    passed = sum(how == "SUCCESS" for _, how in matches)
    wrong = failed - NEED_FIXTURE.get(name, set())
    if wrong:
        return ", ".join(sorted(wrong))
    if not passed or (outcome.code != 0 and not failed):
        return f"exit code {outcome.code}, {passed} checks passed: {outcome.err.strip()[-300:]}"
    return ""


def unexplained(names: Iterable[str], /) -> list[str]:
    """Return the scenarios of the suite that are neither run nor left out for a reason."""
    run = {name for scenarios in SCENARIOS.values() for name in scenarios}
    return [name for name in names if name not in run and not name.startswith(tuple(LEFT_OUT))]


def passed_checks(outcome: Outcome, /) -> int:
    """Return how many checks of a scenario have passed."""
    matches = _CHECK.findall(_COLOUR.sub("", outcome.out))
    return sum(how == "SUCCESS" for _, how in matches)


@contextmanager
def serving(env: dict[str, str], /) -> Iterator[str]:
    """Serve over HTTP on a free port while the block lasts; give the address."""
    command = [*SERVE, "--transport", "http", "--port", "0"]
    process = subprocess.Popen(
        command,
        env=env,
        cwd=env["HOME"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines: list[str] = []
    url = ""
    try:
        for line in process.stderr:
            lines.append(line)
            match = re.search(r"http://\S+/mcp", line)
            if match:
                url = match[0]
                break
        if not url:
            raise RuntimeError(f"the server printed no address: {''.join(lines)}")
        # The log must be read, or the server would block at a full pipe.
        drain = threading.Thread(target=process.stderr.read, daemon=True)
        drain.start()
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)
        if url:
            drain.join(timeout=10)
        process.stderr.close()
