"""``casetrack discovery`` from the command line: its words, its JSON, its exit codes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from editions.legal.productions import label, produce

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from faces.cli.conftest import Run


def said(run: Run, *words: str) -> tuple[int, str]:
    ended = run(*words)
    return ended.code, ended.out + ended.err


def test_a_production_from_its_load_file_to_the_log(
    run: Run, tmp_path: Path, messages: Callable[..., None]
) -> None:
    path = produce(tmp_path, images=False)
    code, out = said(run, "discovery", "load", str(path), "--create", "-c", "Mill")
    assert (code, "ABC000001-ABC000012" in out) == (0, True)
    messages(out, hide=dict.fromkeys(re.findall(r"\d+\.\d+ s\b", out), "<time>"))
    code, out = said(run, "discovery", "families", "-c", "Mill", "--document", label(8))
    assert (code, out.count(label(8))) == (0, 3)
    assert f"{label(7)}.eml  {label(7)}-{label(8)}  " in out
    code, out = said(run, "discovery", "duplicates", "-c", "Mill", "--exact", "--json")
    (group,) = json.loads(out)["groups"]
    assert [d["control_number"] for d in group["documents"]] == [label(3), label(8)]
    code, out = said(run, "discovery", "threads", "-c", "Mill")
    assert re.findall(r"\d+", out.splitlines()[0]) == ["0", "2", "2", "0"]
    assert said(run, "tag", f"{label(3)}.txt", "privileged", "work product", "-c", "Mill")[0] == 0
    log = tmp_path / "log.xlsx"
    words = ("privilege", "-c", "Mill", "--attorney", "mill.example", "--to", str(log))
    code, out = said(run, "discovery", *words)
    assert code == 0
    assert log.read_bytes().startswith(b"PK")
    assert re.search(rf"{log}\D+3\D", out)
    code, out = said(run, "discovery", "export", str(tmp_path / "out"), "-c", "Mill")
    assert (tmp_path / "out" / "DATA" / "VOL001.dat").read_bytes() == path.read_bytes()
    assert re.search(r"8\D+6\D+7\D+0\D+ABC000001-ABC000012", out)


def test_what_is_wrong_is_an_exit_code(run: Run, tmp_path: Path) -> None:
    path = produce(tmp_path, images=False)
    path.write_bytes(path.read_bytes().replace(b"001\\ABC000004.txt", b"001\\lost.txt"))
    said(run, "collection", "create", "Mill")
    code, out = said(run, "discovery", "load", str(path), "-c", "Mill", "--check")
    assert code == 1
    assert re.search(r"\b4: \\VOL001\\NATIVES\\001\\lost\.txt", out)
    assert json.loads(said(run, "documents", "-c", "Mill", "--json")[1]) == []
    code, out = said(run, "discovery", "load", str(tmp_path / "none.dat"), "-c", "Mill")
    assert (code != 0, "none.dat" in out) == (True, True)
    assert said(run, "discovery", "privilege", "-c", "Mill")[0] != 0  # no document is chosen
    code, out = said(run, "discovery", "privilege", "-c", "Mill", "--to", str(tmp_path / "x.pdf"))
    assert all(ending in out for ending in (".csv", ".docx", ".json", ".md", ".xlsx"))
