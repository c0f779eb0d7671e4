"""The memory mode: measurement, choice, effect."""

from __future__ import annotations

import logging
import sys
from types import SimpleNamespace

import psutil
import pytest

from casetrack.base.config import load_settings
from casetrack.base.errors import UsageError
from casetrack.models.memory import Memory, cgroup_memory, choose_plan, measure

GB = 10**9


@pytest.mark.parametrize(
    ("total", "available", "limited", "mode"),
    [
        (64, 60, False, "full"),
        (15.4, 12, False, "full"),
        (14.9, 12, False, "standard"),
        (6.9, 4, False, "constrained"),
        (2, 1.9, True, "constrained"),
        (32, 0.9, False, "constrained"),
    ],
)
def test_the_mode_follows_the_memory_and_says_why(total, available, limited, mode, caplog):
    caplog.set_level(logging.INFO, logger="casetrack")
    plan = choose_plan(None, Memory(int(total * GB), int(available * GB), limited))
    assert plan.mode == mode
    (message,) = caplog.messages
    assert mode in message
    assert plan.reason in message


def test_an_unknown_mode_names_the_known(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="huge") as caught:
        choose_plan("huge")
    assert "full, standard, constrained" in caught.value.hint
    monkeypatch.setenv("CASETRACK_MEMORY_MODE", "huge")
    with pytest.raises(UsageError, match="huge") as caught:
        load_settings(tmp_path)
    assert "CASETRACK_MEMORY_MODE" in caught.value.hint


def test_the_environment_goes_before_the_file(tmp_path, monkeypatch):
    monkeypatch.delenv("CASETRACK_MEMORY_MODE", raising=False)
    assert load_settings(tmp_path).memory_mode is None
    (tmp_path / "config.toml").write_text('memory_mode = "constrained"')
    assert load_settings(tmp_path).memory_mode == "constrained"
    monkeypatch.setenv("CASETRACK_MEMORY_MODE", " Full ")
    assert load_settings(tmp_path).memory_mode == "full"


def tree(root, cgroup: str, files: dict[str, str]):
    """Write the files of the kernel for control groups."""
    for name, text in {"proc/self/cgroup": cgroup, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


V2 = "sys/fs/cgroup"
V1 = "sys/fs/cgroup/memory"
CASES = {
    "no groups": ("", {}, (None, None)),
    "version 2, container": (
        "0::/\n",
        {f"{V2}/memory.max": "2000\n", f"{V2}/memory.current": "500\n"},
        (2000, 1500),
    ),
    "version 2, page cache is left": (
        "0::/\n",
        {
            f"{V2}/memory.max": "2000\n",
            f"{V2}/memory.current": "1800\n",
            f"{V2}/memory.stat": "anon 100\ninactive_file 700\nactive_file 3\n",
        },
        (2000, 900),
    ),
    "version 2, the tightest above counts": (
        "0::/user.slice/app.scope\n",
        {
            f"{V2}/user.slice/app.scope/memory.max": "max\n",
            f"{V2}/user.slice/app.scope/memory.current": "10\n",
            f"{V2}/user.slice/memory.max": "3000\n",
            f"{V2}/user.slice/memory.current": "2900\n",
        },
        (3000, 100),
    ),
    "version 2, no limit": (
        "0::/a\n",
        {f"{V2}/a/memory.max": "max\n", f"{V2}/a/memory.current": "10\n"},
        (None, None),
    ),
    "version 1, the host's path is not here": (
        "12:cpu,cpuacct:/docker/1\n5:memory:/docker/1\n",
        {
            f"{V1}/memory.limit_in_bytes": "4000\n",
            f"{V1}/memory.usage_in_bytes": "1000\n",
            f"{V1}/memory.stat": "inactive_file 1\ntotal_inactive_file 200\n",
        },
        (4000, 3200),
    ),
    "version 1, no limit": (
        "5:memory:/\n",
        {f"{V1}/memory.limit_in_bytes": "9223372036854771712\n"},
        (None, None),
    ),
    "both, more used than allowed": (
        "5:memory:/job\n0::/job\n",
        {f"{V1}/job/memory.limit_in_bytes": "700", f"{V1}/job/memory.usage_in_bytes": "900"},
        (700, 0),
    ),
    "paths that lead out": ("0::/../../etc\n", {f"{V2}/memory.max": "50"}, (50, None)),
    "nonsense": ("what\n0::/\n", {f"{V2}/memory.max": "lots"}, (None, None)),
}


@pytest.mark.parametrize("case", CASES)
def test_limits_of_control_groups_are_read(case, tmp_path):
    cgroup, files, wanted = CASES[case]
    assert cgroup_memory(tree(tmp_path, cgroup, files)) == wanted


@pytest.mark.skipif(sys.platform != "linux", reason="control groups are a Linux matter")
def test_a_container_has_the_memory_of_its_limit(tmp_path, monkeypatch):
    machine = SimpleNamespace(total=64 * GB, available=40 * GB)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: machine)
    files = {f"{V2}/memory.max": str(3 * GB), f"{V2}/memory.current": str(GB)}
    assert measure(tree(tmp_path, "0::/\n", files)) == Memory(3 * GB, 2 * GB, limited=True)
    files = {f"{V2}/memory.max": str(99 * GB), f"{V2}/memory.current": str(GB)}
    assert measure(tree(tmp_path, "0::/\n", files)) == Memory(64 * GB, 40 * GB, limited=False)


def test_this_machine_has_memory():
    result = measure()
    assert 0 < result.available <= result.total
    assert result.total <= psutil.virtual_memory().total
