"""Folders: listed files, omitted files, and the notes on the latter."""

from __future__ import annotations

import itertools
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import JobStopped, SourceError, UsageError
from casetrack.keep.sources import open_source
from casetrack.keep.sources.base import alternatives


def write(root: Path, *names: str, text: str = "word\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def open_folder(root: Path, **keys: Any) -> Any:
    return open_source("filesystem", "notes", {"root": str(root), **keys}, base=root.parent)


def names(root: Path, **keys: Any) -> list[str]:
    return [item.source_id for item in open_folder(root, **keys).items()]


def test_files_of_a_folder_with_their_facts(tmp_path: Path) -> None:
    write(tmp_path, "a b.md", "sub/ü.txt")
    os.utime(tmp_path / "a b.md", (0, 946684800))
    source = open_folder(tmp_path)
    first, second = source.items()
    assert (first.source_id, second.source_id) == ("a b.md", "sub/ü.txt")
    assert first.updated_at.isoformat() == "2000-01-01T00:00:00+00:00"
    assert first.url == (tmp_path / "a b.md").as_uri()
    assert source.file(second) == tmp_path / "sub" / "ü.txt"
    assert source.notes == source.dark == []
    target = tmp_path.parent / "copy"
    source.fetch(second, target)
    assert target.read_text() == "word\n"


def test_a_relative_root_is_relative_to_the_configuration(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md")
    source = open_source("filesystem", "notes", {"root": "./docs"}, base=tmp_path)
    assert [source.file(item) for item in source.items()] == [tmp_path / "docs" / "a.md"]


TREE = """
    readme.md notes.txt report.pdf table.xlsx app.py picture.png archive.zip
    .github/contributing.md build/page.html docs/build/how.md node_modules/pkg/readme.md
    dist/app.js target/debug/a.txt web/node_modules/x.md .env .env.example certs/server.pem
    .ssh/config.txt id_rsa secrets.yaml package-lock.json src/jquery.min.js .git/config.txt
    .venv/lib/a.py py/pkg.egg-info/top.txt a/__pycache__/b.txt
""".split()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, ".github/contributing.md app.py notes.txt readme.md report.pdf table.xlsx"),
        ({"include_globs": ["**/*.md"]}, ".github/contributing.md readme.md"),
        ({"include_globs": ["*.{md,txt}"]}, ".github/contributing.md notes.txt readme.md"),
        ({"include_globs": ["./*.md"], "exclude_globs": [".github/"]}, "readme.md"),
        ({"include_globs": ["**/*.png"]}, "picture.png"),
        ({"include_globs": ["/*.{png,PNG}", "/*.md"]}, "picture.png readme.md"),
        ({"include_globs": ["/p*", "/r*.md"]}, "readme.md"),  # a picture is named by its kind
        (
            {"include_globs": ["**/*"], "exclude_globs": ["**/*.{md,py,png,zip,pdf}"]},
            ".env.example notes.txt table.xlsx",
        ),
        # A file that is named is listed, and no other file of its kind.
        (
            {"include_globs": ["**/*.md", "build/**"]},
            ".github/contributing.md build/page.html readme.md",
        ),
        ({"include_globs": ["docs/build/*.md"]}, "docs/build/how.md"),
        ({"include_globs": ["**/*.pem"]}, "certs/server.pem"),
        ({"include_globs": ["**/.env"]}, ".env"),
        (
            {"include_globs": ["node_modules/pkg/**", "*.*"], "exclude_globs": ["*.??*", "!*.md"]},
            "node_modules/pkg/readme.md readme.md",
        ),
        ({"include_globs": ["*.*", "**", "*"], "exclude_globs": ["*.p*", "*.??*"]}, ""),
        ({"include_globs": [".ssh/config.txt"]}, ".ssh/config.txt"),
    ],
)
def test_what_is_taken(tmp_path: Path, keys: dict[str, Any], expected: str) -> None:
    write(tmp_path, *TREE)
    assert sorted(names(tmp_path, **keys)) == expected.split()


def test_what_was_left_out_is_said(tmp_path: Path, messages: Any) -> None:
    write(tmp_path, *(f"k{number}.pem" for number in range(5)), "a.md", "node_modules/a.md")
    write(tmp_path, "large.md", text="word " * 100)
    source = open_folder(tmp_path, include_globs=["**"], max_extract_bytes=100)
    for _ in range(2):  # a second listing reports it once
        assert [item.source_id for item in source.items()] == ["a.md"]
        assert len(source.notes) == 3
    messages("\n".join(source.notes))


def test_the_nearest_ignore_file_decides(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md", "sub/a.md", "sub/b.md", "sub/deep/a.md", "gen/x.md")
    (tmp_path / ".gitignore").write_text("b.md\ngen/\n")
    (tmp_path / "sub" / ".gitignore").write_text("!b.md\n/a.md\n")
    assert names(tmp_path) == ["a.md", "sub/b.md", "sub/deep/a.md"]
    assert len(names(tmp_path, gitignore=False)) == 6


def test_our_ignore_file_goes_before_that_of_git(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "sub/a.md", "sub/b.md")
    (tmp_path / ".casetrackignore").write_text("a.md\n!b.md\n")
    (tmp_path / "sub" / ".gitignore").write_text("!a.md\nb.md\n")
    assert names(tmp_path) == ["sub/b.md"]


def test_ignore_files_count_up_to_the_repository(tmp_path: Path) -> None:
    write(tmp_path / "repo", "docs/a.md", "docs/b.md", "docs/c.md", ".git/HEAD")
    (tmp_path / ".gitignore").write_text("c.md\n")
    (tmp_path / "repo" / ".gitignore").write_text("docs/b.md\n")
    assert names(tmp_path / "repo" / "docs") == ["a.md", "c.md"]


def test_a_folder_that_is_ignored_but_named_is_read(tmp_path: Path) -> None:
    write(tmp_path, ".git/HEAD", "notes/a.md", "notes/b.md")
    (tmp_path / ".gitignore").write_text("notes/\n")
    (tmp_path / "notes" / ".gitignore").write_text("b.md\n")
    assert names(tmp_path / "notes") == ["a.md"]


def test_a_line_that_git_does_not_understand_is_no_error(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfb.md\r\n!\n\\\n[z-a]\n\xff\n")
    assert names(tmp_path) == ["a.md"]


def test_a_line_that_we_do_not_understand_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / ".casetrackignore").write_text("[z-a]\n")
    with pytest.raises(SourceError, match=r"\.casetrackignore"):
        names(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_links_never_lead_out_of_the_folder(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, "real/a.md")
    write(outside, "secret.md")
    (root / "again").symlink_to(root / "real")
    (root / "loop").symlink_to(root)
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "gone.md").symlink_to(root / "nothing.md")
    assert names(root) == ["real/a.md"]
    source = open_folder(root, follow_symlinks=True)
    assert [item.source_id for item in source.items()] == ["real/a.md"]
    (note,) = source.notes
    assert f"{root}/out.md" in note


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_links_lead_to_files_without_another_path(tmp_path: Path) -> None:
    write(tmp_path, "build/kept.md")
    (tmp_path / "kept.md").symlink_to(tmp_path / "build" / "kept.md")
    assert names(tmp_path, follow_symlinks=True) == ["kept.md"]


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    write(tmp_path, "a.md")  # is no folder
    for gone in ("disk", "a.md"):
        with pytest.raises(SourceError, match=f"filesystem:notes: {tmp_path / gone} (?s:.*)'root'"):
            names(tmp_path / gone)


def test_a_closed_folder_is_dark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md", "closed/b.md")
    scandir = os.scandir

    def refuse(path: str) -> Any:
        # Root, who may run this, may open all folders.
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    source = open_folder(tmp_path)
    assert [item.source_id for item in source.items()] == ["a.md"]
    assert source.dark == ["closed"]
    (note,) = source.notes
    assert f"{tmp_path}/closed" in note
    with pytest.raises(SourceError, match=f"{tmp_path}/closed"):
        names(tmp_path / "closed")


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_text_and_a_pipe_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.md")).write_text("word")
    os.mkfifo(tmp_path / "pipe.md")
    source = open_folder(tmp_path)
    assert [item.source_id for item in source.items()] == ["a.md"]
    first, second = source.notes
    assert r"'b\udcff.md'" in first
    assert f"{tmp_path}/pipe.md" in second


def test_it_can_be_stopped(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(JobStopped):
        list(open_folder(tmp_path).items(cancel=cancel))


def test_folders_of_our_own_are_not_entered(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "data/ctx/models/b.md")
    source = open_source(
        "filesystem", "notes", {"root": "."}, base=tmp_path, apart=[tmp_path / "data" / "ctx"]
    )
    assert [item.source_id for item in source.items()] == ["a.md"]


def test_a_changed_file_has_another_token_whatever_its_time(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    source = open_folder(tmp_path)
    before = {item.source_id: item.token for item in source.items()}
    facts = (tmp_path / "a.md").stat()
    write(tmp_path, "a.md", text="duty\n")
    os.utime(tmp_path / "a.md", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    after = {item.source_id: item.token for item in source.items()}
    assert after["a.md"] != before["a.md"]
    assert after["b.md"] == before["b.md"]


BRACES = {
    "./docs/*.md": "docs/*.md",
    "*.{md,txt}": "*.md *.txt",
    "{a,b/{c,d}}/x": "a/x b/c/x b/d/x",
    "{a}{b,b}": "ab",
    "a{b": "a{b",
    "a}b": "a}b",
    "{,x}.md": ".md x.md",
}


@pytest.mark.parametrize("glob", BRACES)
def test_braces(glob: str) -> None:
    assert alternatives(glob, where="here") == BRACES[glob].split()


def test_braces_without_end_are_an_error() -> None:
    with pytest.raises(UsageError, match="filesystem:notes"):
        alternatives("{a,b}" * 40, where="filesystem:notes")


@given(st.lists(st.lists(st.sampled_from(["a", "bc", ""]), min_size=1, max_size=3), max_size=4))
@settings(max_examples=50)
def test_braces_stand_for_every_choice(groups: list[list[str]]) -> None:
    glob = "x".join("{" + ",".join(group) + "}" for group in groups)
    chosen = ["x".join(parts) for parts in itertools.product(*groups)]
    assert alternatives(glob, where="here") == list(dict.fromkeys(chosen))
