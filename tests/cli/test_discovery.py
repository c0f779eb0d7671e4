"""``casetrack discovery`` from the command line: its words, its JSON, its exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from legal.productions import label, produce

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def said(run: Run, *words: str) -> tuple[int, str]:
    ended = run(*words)
    return ended.code, ended.out + ended.err


def test_a_production_from_its_load_file_to_the_log(run: Run, tmp_path: Path) -> None:
    path = produce(tmp_path, images=False)
    code, out = said(run, "discovery", "load", str(path), "--create", "-c", "Mill")
    assert code == 0
    assert "production:VOL001  ABC000001-ABC000012" in out
    assert "8 documents, 2 families, 3 attachments" in out
    assert "8 are in the collection: 6 from natives, 1 from text files, 1 from their row" in out
    code, out = said(run, "discovery", "families", "-c", "Mill", "--document", label(8))
    assert (code, out.count(label(8))) == (0, 3)
    assert f"{label(7)}.eml  {label(7)}-{label(8)}  by the load file" in out
    code, out = said(run, "discovery", "duplicates", "-c", "Mill", "--exact", "--json")
    assert [d["control_number"] for d in json.loads(out)["groups"][0]["documents"]] == [
        label(3),
        label(8),
    ]
    code, out = said(run, "discovery", "threads", "-c", "Mill")
    assert out.startswith("0 threads (2 mails, 2 alone, 0 further copies)")
    assert said(run, "tag", f"{label(3)}.txt", "privileged", "work product", "-c", "Mill")[0] == 0
    log = tmp_path / "log.xlsx"
    code, out = said(
        run,
        *("discovery", "privilege", "-c", "Mill", "--attorney", "mill.example", "--to", str(log)),
    )
    assert code == 0
    assert log.read_bytes().startswith(b"PK")
    assert f"Wrote {log} (3 entries)" in out
    code, out = said(run, "discovery", "export", str(tmp_path / "out"), "-c", "Mill")
    assert (tmp_path / "out" / "DATA" / "VOL001.dat").read_bytes() == path.read_bytes()
    assert "8 documents, 6 natives, 7 texts, 0 images; ABC000001-ABC000012" in out


def test_what_is_wrong_is_said_and_told_by_the_exit_code(run: Run, tmp_path: Path) -> None:
    path = produce(tmp_path, images=False)
    path.write_bytes(path.read_bytes().replace(b"001\\ABC000004.txt", b"001\\lost.txt"))
    said(run, "collection", "create", "Mill")
    code, out = said(run, "discovery", "load", str(path), "-c", "Mill", "--check")
    assert code == 1
    assert "file: Line 4: \\VOL001\\NATIVES\\001\\lost.txt (native) is not there." in out
    assert "Checked only; nothing was stored." in out
    assert json.loads(said(run, "documents", "-c", "Mill", "--json")[1]) == []
    code, out = said(run, "discovery", "load", str(tmp_path / "none.dat"), "-c", "Mill")
    assert code != 0
    assert "none.dat" in out
    code, out = said(run, "discovery", "privilege", "-c", "Mill")
    assert code != 0
    assert "No document is chosen for the log." in out
    code, out = said(run, "discovery", "privilege", "-c", "Mill", "--to", str(tmp_path / "x.pdf"))
    assert "Name a file that ends in .csv, .docx, .json, .md or .xlsx." in out
