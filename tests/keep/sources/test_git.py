"""Repositories through the real git: listing, fetching, links, and errors."""

from __future__ import annotations

import os
import stat
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import JobStopped, SourceError, SourceSkipped, UsageError
from casetrack.keep.sources import open_source
from casetrack.keep.sources.git.program import parse
from git_repository import Repository, contents, listing


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def open_git(base: Path, url: str, **keys: Any) -> Any:
    return open_source("git", "platform", {"url": url, **keys}, base=base, cache=base / "cache")


def test_files_with_author_date_and_page(repository: Repository) -> None:
    first = repository.commit({"docs/a.md": "one\n", "src/b.py": "x = 1\n"})
    second = repository.commit({"docs/a.md": "two\n"}, author="Bob Ü")
    repository.git("remote", "add", "origin", "git@github.com:acme/platform.git")
    source = repository.source()
    result = listing(source)
    assert list(result) == ["docs/a.md", "src/b.py"]
    a, b = result.values()
    assert (a.author, str(a.updated_at)) == ("Bob Ü", "2020-01-02 00:00:00+00:00")
    assert (b.author, str(b.updated_at)) == ("Ann", "2020-01-01 00:00:00+00:00")
    assert a.token == repository.git("rev-parse", "HEAD:docs/a.md")
    assert a.size == 4
    assert a.metadata == {"git_sha": second, "repo_url": str(repository.folder)}
    assert a.url == f"https://github.com/acme/platform/blob/{second}/docs/a.md"
    page = f"https://github.com/acme/platform/blob/{first}/src/b.py"
    assert source.link(b, 10, 20) == f"{page}#L10-L20"
    assert source.link(b, None, None) == page


def test_a_shallow_clone_has_the_facts_of_the_last_commit(repository: Repository) -> None:
    repository.commit({"a.md": "one", "b.md": "two"})
    repository.commit({"a.md": "three"}, author="Bob")
    shallow, whole = listing(repository.source(shallow=True)), listing(repository.source())
    assert [item.author for item in shallow.values()] == ["Bob", "Bob"]
    assert [item.author for item in whole.values()] == ["Bob", "Ann"]
    assert [item.token for item in shallow.values()] == [item.token for item in whole.values()]


def test_root_and_globs(repository: Repository) -> None:
    names = ["a.md", "docs/b.md", "docs/c.rst", "docs/build/d.md", "docs/.env", "doc/e.md"]
    names += ["docs/node_modules/f.md", "docs/picture.png"]
    repository.commit(dict.fromkeys(names, "text"))
    source = repository.source(root="./docs/")
    # A repository has only those built files that it wants to have.
    assert list(listing(source)) == ["docs/b.md", "docs/build/d.md", "docs/c.rst"]
    (note,) = source.notes
    assert "node_modules" in note
    globs = repository.source(root="docs", include_globs=["*.md"], exclude_globs=["/build/"])
    assert list(listing(globs)) == ["docs/b.md"]
    with pytest.raises(SourceError, match="'handbook'"):
        listing(repository.source(root="handbook"))


def test_submodules_links_and_odd_names(repository: Repository, messages: Any) -> None:
    other = Repository(repository.folder.parent / "other")
    other.commit({"x.md": "x"})
    repository.commit({"a.md": "a", "tab\tand\nline ü.md": "b"})
    repository.git("submodule", "add", "-q", str(other.folder), "vendor/other")
    (repository.folder / "l.md").symlink_to("a.md")
    Path(os.fsdecode(os.fsencode(repository.folder) + b"/c\xff.md")).write_text("c")
    repository.commit()
    source = repository.source()
    assert list(listing(source)) == ["a.md", "tab\tand\nline ü.md"]
    messages("\n".join(source.notes))


def test_contents_are_the_very_bytes(repository: Repository, tmp_path: Path) -> None:
    files = {"a.pdf": os.urandom(70_000), "b.txt": b"$Id$\r\n\0\xff", "c.docx": b"PK\x03\x04"}
    attributes = "*.txt text eol=lf ident\n*.pdf filter=other diff=other\n"
    repository.commit({".gitattributes": attributes})
    repository.git("config", "core.autocrlf", "false")
    repository.commit(files)
    (tmp_path / "out").mkdir()
    result = contents(repository.source(), tmp_path / "out")
    for name in files:
        command = ["git", "cat-file", "blob", f"HEAD:{name}"]
        raw = subprocess.run(command, cwd=repository.folder, check=True, capture_output=True)
        assert result[name] == raw.stdout
    assert result["a.pdf"] == files["a.pdf"]


def test_what_is_too_large_is_left_out_and_reported(repository: Repository) -> None:
    repository.commit({"a.md": "a", "large.md": "x" * 2001})
    source = repository.source(max_extract_bytes=2000)
    assert list(listing(source)) == ["a.md"]
    (note,) = source.notes
    assert "large.md" in note


def test_a_server_without_sizes_is_stopped(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As from a host: sizes are unknown, and the transfer is observed.
    monkeypatch.setattr("casetrack.keep.sources.git.clone._FIRST_PACK_BYTES", 1_000)
    files = {f"{number}.md": os.urandom(300) for number in range(70)}
    repository.commit({**files, "large.pdf": os.urandom(4_000_000)})
    source = repository.source(max_extract_bytes=20_000)
    monkeypatch.setattr(type(source._clone), "local_sizes", lambda *_: {})
    items = listing(source)
    source.prepare(list(items.values()))
    for name, item in items.items():
        target = tmp_path / name
        if name in files:
            source.fetch(item, target)
            assert target.read_bytes() == files[name]
        else:
            with pytest.raises(SourceSkipped, match=r"large\.pdf(?s:.*)max_extract_bytes"):
                source.fetch(item, target)
    assert not list((tmp_path / "cache").rglob("tmp_pack*"))
    source.close()


def test_pointers_to_large_files_are_no_text(repository: Repository, tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + 64 * "a" + "\nsize 9\n"
    repository.commit({"a.pdf": pointer, "b.md": f"{pointer}is what a pointer looks like" * 20})
    source = repository.source()
    a, b = listing(source).values()
    source.prepare([a, b])
    with pytest.raises(SourceSkipped, match=r"a\.pdf(?s:.*)`git lfs pull`"):
        source.fetch(a, tmp_path / "a")
    assert not (tmp_path / "a").exists()
    source.fetch(b, tmp_path / "b")
    source.close()


def test_contents_can_be_had_unprepared(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"a.md": "text"})
    source = repository.source()
    source.fetch(next(source.items()), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"text"
    source.close()


@pytest.mark.slow
def test_switch_rename_force_push_and_deletion(repository: Repository) -> None:
    repository.commit({"a.md": "one", "gone.md": "g"})
    repository.git("branch", "-m", "main", "trunk")
    source = repository.source()
    assert list(listing(source)) == ["a.md", "gone.md"]
    repository.git("checkout", "-q", "--orphan", "fresh")
    repository.git("rm", "-rfq", ".")
    repository.commit({"b.md": "two"})
    fresh = repository.source(branch="fresh")
    assert list(listing(fresh)) == ["b.md"]
    # The other branch takes its place by force.
    repository.git("branch", "-f", "trunk", "fresh")
    assert list(listing(repository.source(branch="trunk"))) == ["b.md"]
    repository.git("checkout", "-q", "trunk")
    repository.git("branch", "-D", "fresh")
    with pytest.raises(SourceError, match=rf"{repository.folder} .*'fresh'(?s:.*): trunk\."):
        listing(fresh)


def test_a_tag_is_a_branch_that_stays(repository: Repository) -> None:
    repository.commit({"a.md": "one"})
    repository.git("tag", "-a", "v1.0", "-m", "first")
    repository.commit({"b.md": "two"})
    assert list(listing(repository.source(branch="v1.0"))) == ["a.md"]


def test_a_near_name_is_offered(repository: Repository) -> None:
    repository.commit({"a.md": "one"})
    for name in ("release/1.0", "other"):
        repository.git("branch", name)
    with pytest.raises(SourceError) as caught:
        listing(repository.source(branch="realease/1.0"))
    assert "release/1.0" in caught.value.hint
    assert "other" not in caught.value.hint


EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from("abc"), st.sampled_from("12")),
        st.tuples(st.just("rename"), st.sampled_from("abc"), st.sampled_from("xyz")),
        st.tuples(st.just("delete"), st.sampled_from("abcxyz"), st.just("")),
        st.tuples(st.just("branch"), st.sampled_from("pq"), st.just("")),
        st.tuples(st.just("merge"), st.sampled_from("pq"), st.sampled_from(["ours", "theirs"])),
        st.tuples(st.just("back"), st.just(""), st.just("")),
        st.tuples(st.just("list"), st.just(""), st.just("")),
    ),
    max_size=10,
)


@pytest.mark.slow
@given(EDITS)
@settings(max_examples=4, deadline=None)
def test_a_listing_is_that_of_a_fresh_clone(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, str]]
) -> None:
    check_history(tmp_path_factory.mktemp("history"), edits)


@pytest.mark.slow
@given(EDITS)
@settings(max_examples=40, deadline=None)
def test_many_histories(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, str]]
) -> None:
    check_history(tmp_path_factory.mktemp("history"), edits)


def check_history(folder: Path, edits: list[tuple[str, str, str]]) -> None:
    repository = Repository(folder / "repo")
    repository.commit({"a.md": "1", "b.md": "1"})
    source = repository.source()
    for what, name, value in edits:
        path = repository.folder / f"{name}.md"
        if what == "write":
            repository.commit({f"{name}.md": value}, author=f"{name}{value}")
        elif what == "rename" and path.exists():
            path.rename(repository.folder / f"{value}.md")
            repository.commit()
        elif what == "delete" and path.exists():
            path.unlink()
            repository.commit()
        elif what == "branch":
            repository.git("branch", "-f", name)
        elif what == "merge" and name in repository.git("branch", "--format=%(refname:short)"):
            try:
                repository.git("merge", "-q", "--no-edit", "--no-ff", "-X", value, name)
            except subprocess.CalledProcessError:
                # One side removed a file that the other changed; the merge has new content.
                repository.commit({"a.md": f"both {value}"})
        elif what == "back" and int(repository.git("rev-list", "--count", "HEAD")) > 1:
            repository.git("reset", "-q", "--hard", "HEAD^")
            repository.commits += 1
        elif what == "list":
            listing(source)
    fresh = repository.source(cache_dir="fresh")
    assert list(source.items()) == list(fresh.items())
    for item in fresh.items():
        # Lines of a passage are the same in the commit that is linked.
        commit = item.metadata["git_sha"]
        assert repository.git("rev-parse", f"{commit}:{item.source_id}") == item.token


@pytest.mark.parametrize(
    "url", ["plain", "https://nowhere.invalid/acme/web.git", "git://127.0.0.1:1/acme/web.git"]
)
def test_a_repository_that_is_not_there(tmp_path: Path, url: str, messages: Any) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(SourceError) as caught:
        listing(open_git(tmp_path, url))
    # Git's own message is in the language of the system.
    messages(f"{caught.value.message.partition(': ')[2].rpartition(': ')[0]}\n{caught.value.hint}")


def test_a_repository_without_commits(repository: Repository) -> None:
    with pytest.raises(SourceError, match=rf"{repository.folder} (?s:.*)'url'"):
        listing(repository.source())


@pytest.mark.skipif(os.name == "nt", reason="needs a script as ssh")
def test_a_refused_login_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, messages: Any
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(
        '#!/bin/sh\necho "$@" > args\necho "git@host: Permission denied (publickey)." >&2\n'
        "exit 255\n"
    )
    ssh.chmod(0o700)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError) as caught:
        listing(open_git(tmp_path, "git@host:acme/platform.git"))
    messages(str(caught.value))
    assert "BatchMode=yes" in (tmp_path / "args").read_text()


def test_a_password_is_neither_shown_nor_stored(repository: Repository, tmp_path: Path) -> None:
    url = "https://ann:s3cr%40t@nowhere.invalid/acme/platform.git"
    with pytest.raises(SourceError) as caught:
        listing(open_git(tmp_path, url))
    assert "s3cr" not in str(caught.value)
    # One that is found is given by the user's own settings, as a mirror is.
    repository.commit({"a.md": "text"})
    result = open_git(tmp_path, url)
    rewrite = f"url.{repository.folder.as_uri()}.insteadOf"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_COUNT", "1")
        patch.setenv("GIT_CONFIG_KEY_0", rewrite)
        patch.setenv("GIT_CONFIG_VALUE_0", url)
        [item] = result.items()
    assert item.metadata["repo_url"] == "https://nowhere.invalid/acme/platform.git"
    for path in (tmp_path / "cache").rglob("*"):
        assert not path.is_file() or b"s3cr" not in path.read_bytes()


def test_hooks_do_not_run(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"a.md": "text"})
    source = repository.source()
    listing(source)
    [clone] = (tmp_path / "cache" / "git").glob("*.git")
    (clone / "hooks").mkdir()
    for name in ("reference-transaction", "post-checkout", "pre-auto-gc"):
        (clone / "hooks" / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (clone / "hooks" / name).chmod(stat.S_IRWXU)
    repository.commit({"a.md": "more"})
    assert listing(source)["a.md"].size == 4
    assert not (tmp_path / "ran").exists()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", ["HEAD", "objects", "pack", "history"])
def test_a_damaged_clone_is_rebuilt(repository: Repository, tmp_path: Path, what: str) -> None:
    repository.commit({"a.md": "text"})
    before = list(repository.source().items())
    [clone] = (tmp_path / "cache" / "git").glob("*.git")
    if what == "objects":
        for path in (clone / "objects").rglob("*.*"):
            path.unlink()
    elif what == "pack":
        for path in clone.rglob("*.pack"):
            path.chmod(0o600)
            path.write_bytes(b"PACK")
    elif what == "history":
        [kept] = clone.glob("casetrack-history-*.json")
        kept.write_text("{")
    else:
        (clone / what).write_bytes(b"\0")
    for name in ("config.lock", "HEAD.lock", "objects/pack/tmp_pack_x"):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).touch()
    assert list(repository.source().items()) == before


def test_it_can_be_stopped(repository: Repository) -> None:
    repository.commit({"a.md": "text"})
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(JobStopped):
        list(repository.source().items(cancel=cancel))


@pytest.mark.skipif(os.name == "nt", reason="needs a script as git")
def test_a_git_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 61 &\necho $! > child\nsleep 61\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("casetrack.keep.sources.git.program.SILENCE_SECONDS", 1.5)
    with pytest.raises(SourceError):
        listing(open_git(tmp_path, "x.git"))
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and _is_alive(child):
        time.sleep(0.01)
    assert not _is_alive(child)


def test_no_git_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match=r"https://git-scm\.com/downloads"):
        listing(open_git(tmp_path, "x.git"))


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c touch% ran", "ext::x", "fd::17", "--upload-pack=touch ran", "-x", "http://h/x",
        "ftp://h/x", "ext+https://h/x", "ssh://-oProxyCommand=touch/x", "-oProxyCommand=x:y",
        "https:///x", "https://h/a b", "git@-h:x", "ssh://h:port/x", "https://h\n/x",
    ],
)  # fmt: skip
def test_addresses_that_would_do_something_else_are_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError, match="'url' of git:platform") as caught:
        open_git(tmp_path, url)
    assert "https://host/owner/name.git" in caught.value.hint


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("branch", name) for name in "-x|--upload-pack=x|a..b|a b|a:b|x^|*".split("|")),
        *(("branch", name) for name in ("a.lock", "/a", "a/", "@{1}")),
        ("root", "../x"),
        ("host", "gitub"),
    ],
)
def test_values_that_cannot_be_are_refused(tmp_path: Path, key: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"'{key}' of git:platform"):
        open_git(tmp_path, "x", **{key: value})


AZURE = "dev.azure.com/o/p/_git/a"


@pytest.mark.parametrize(
    ("url", "host", "page"),
    [
        ("https://github.com/acme/a.git", None, "github.com/acme/a/blob/C/FILE"),
        ("git@github.com:acme/a.git", None, "github.com/acme/a/blob/C/FILE"),
        ("ssh://git@ssh.github.com:443/acme/a.git", None, "github.com/acme/a/blob/C/FILE"),
        ("https://x:tok@github.acme.com/a/b", None, "github.acme.com/a/b/blob/C/FILE"),
        ("https://gitlab.com/g/sub/a.git/", None, "gitlab.com/g/sub/a/-/blob/C/FILE"),
        ("git@gitlab.acme.com:g/a.git", None, "gitlab.acme.com/g/a/-/blob/C/FILE"),
        ("git@bitbucket.org:g/a.git", None, "bitbucket.org/g/a/src/C/FILE"),
        ("https://codeberg.org/g/a", None, "codeberg.org/g/a/src/commit/C/FILE"),
        ("https://git.sr.ht/~ann/a", None, "git.sr.ht/~ann/a/tree/C/item/FILE"),
        ("git@ssh.dev.azure.com:v3/o/p/a", None, f"{AZURE}?path=/FILE&version=GCC"),
        ("https://o@dev.azure.com/o/p/_git/a", None, f"{AZURE}?path=/FILE&version=GCC"),
        ("https://code.acme.com:8443/g/a.git", "gitlab", "code.acme.com:8443/g/a/-/blob/C/FILE"),
        ("https://code.acme.com/g/a.git", None, None),
        ("file:///srv/a.git", None, None),
        ("../a", "github", None),
    ],
)
def test_pages_of_hosts(tmp_path: Path, url: str, host: str | None, page: str | None) -> None:
    address = parse(url, base=tmp_path, where="git:a", host=host)
    expected = page and f"https://{page.replace('FILE', 'd/x%20y.md')}"
    assert address.page("C", "d/x y.md") == expected
    assert "tok" not in address.shown
