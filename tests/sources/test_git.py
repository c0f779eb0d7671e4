"""Repositories, through the real git: what is listed, fetched, linked, and said of trouble."""

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

from casetrack.errors import JobStopped, SourceError, SourceSkipped, UsageError
from casetrack.sources import open_source
from casetrack.sources.git.address import parse
from casetrack.sources.git.program import Git
from git_repository import Repository, contents, listing


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that are run."""
    seen: list[str] = []
    command = Git.command

    def tell(self: Git, *arguments: str) -> Any:
        seen.append(next(word for word in arguments if word[0] != "-" and "=" not in word))
        return command(self, *arguments)

    monkeypatch.setattr(Git, "command", tell)
    return seen


def told(caught: pytest.ExceptionInfo[Any]) -> tuple[str, str]:
    return caught.value.message, caught.value.hint


class TestListing:
    def test_files_with_author_date_and_page(self, repository: Repository) -> None:
        first = repository.commit({"docs/a.md": "one\n", "src/b.py": "x = 1\n"})
        second = repository.commit({"docs/a.md": "two\n"}, author="Bob Ü")
        repository.git("remote", "add", "origin", "git@github.com:acme/platform.git")
        source = repository.source()
        found = listing(source)
        assert list(found) == ["docs/a.md", "src/b.py"]
        a, b = found.values()
        assert (a.author, str(a.updated_at)) == ("Bob Ü", "2020-01-02 00:00:00+00:00")
        assert (b.author, str(b.updated_at)) == ("Ann", "2020-01-01 00:00:00+00:00")
        assert a.token == repository.git("rev-parse", "HEAD:docs/a.md")
        assert a.size == 4
        assert a.metadata == {"git_sha": second, "repo_url": str(repository.folder)}
        assert a.url == f"https://github.com/acme/platform/blob/{second}/docs/a.md"
        page = f"https://github.com/acme/platform/blob/{first}/src/b.py"
        assert source.link(b, 10, 20) == f"{page}#L10-L20"
        assert source.link(b, None, None) == page

    def test_root_and_globs(self, repository: Repository) -> None:
        names = ["a.md", "docs/b.md", "docs/c.rst", "docs/build/d.md", "docs/.env", "doc/e.md"]
        names += ["docs/node_modules/f.md", "docs/picture.png"]
        repository.commit(dict.fromkeys(names, "text"))
        source = repository.source(root="./docs/")
        # A repository has only those built files that it wants to have.
        assert list(listing(source)) == ["docs/b.md", "docs/build/d.md", "docs/c.rst"]
        assert source.notes == [
            (
                "1 folder with packages of others left out: node_modules. Name them in "
                "include_globs to have them read."
            )
        ]
        globs = repository.source(root="docs", include_globs=["*.md"], exclude_globs=["/build/"])
        assert list(listing(globs)) == ["docs/b.md"]
        with pytest.raises(SourceError, match="there is no folder 'handbook' in the default"):
            listing(repository.source(root="handbook"))

    def test_submodules_links_and_odd_names_are_said(self, repository: Repository) -> None:
        other = Repository(repository.folder.parent / "other")
        other.commit({"x.md": "x"})
        repository.commit({"a.md": "a", "tab\tand\nline ü.md": "b"})
        repository.git("submodule", "add", "-q", str(other.folder), "vendor/other")
        (repository.folder / "l.md").symlink_to("a.md")
        Path(os.fsdecode(os.fsencode(repository.folder) + b"/c\xff.md")).write_text("c")
        repository.commit()
        source = repository.source()
        assert list(listing(source)) == ["a.md", "tab\tand\nline ü.md"]
        assert source.notes == [
            "1 submodule not read: vendor/other. Make a source of its own for each.",
            "1 link not followed: l.md.",
            "1 file left out: c\\xff.md. The name is not valid Unicode; rename it.",
        ]

    def test_one_log_tells_all_dates_and_later_ones_only_what_is_new(
        self, repository: Repository, commands: list[str]
    ) -> None:
        repository.commit({f"{number}.md": str(number) for number in range(50)})
        source = repository.source()
        listing(source)
        assert commands.count("log") == 1
        assert "cat-file" in commands  # the sizes, as the repository lies on this machine
        assert len(commands) <= 10
        commands.clear()
        listing(source)
        assert set(commands) == {"ls-remote", "rev-parse", "ls-tree", "cat-file", "config"}
        repository.commit({"7.md": "new"}, author="Bob")
        assert [i.author for i in listing(source).values()].count("Bob") == 1


class TestContents:
    def test_come_in_one_fetch_and_nothing_else_does(
        self, repository: Repository, tmp_path: Path, commands: list[str]
    ) -> None:
        files = {f"{number}.md": f"text {number}\n" * number for number in range(1, 40)}
        repository.commit({**files, "huge.bin": os.urandom(3_000_000)})
        repository.commit({"1.md": "new"})
        target = tmp_path / "out"
        target.mkdir()
        source = repository.source()
        found = contents(source, target)
        assert found == {k: v.encode() for k, v in {**files, "1.md": "new"}.items()}
        assert commands.count("fetch") == 2  # the branch, and the contents
        packs = (tmp_path / "cache").rglob("*.pack")
        assert sum(pack.stat().st_size for pack in packs) < 20_000

    def test_of_all_kinds_are_the_very_bytes(self, repository: Repository, tmp_path: Path) -> None:
        files = {"a.pdf": os.urandom(70_000), "b.txt": b"$Id$\r\n\0\xff", "c.docx": b"PK\x03\x04"}
        attributes = "*.txt text eol=lf ident\n*.pdf filter=other diff=other\n"
        repository.commit({".gitattributes": attributes})
        repository.git("config", "core.autocrlf", "false")
        repository.commit(files)
        (tmp_path / "out").mkdir()
        found = contents(repository.source(), tmp_path / "out")
        blobs = {name: repository.git("rev-parse", f"HEAD:{name}") for name in files}
        for name, blob in blobs.items():
            raw = subprocess.run(
                ["git", "cat-file", "blob", blob],
                cwd=repository.folder, check=True, capture_output=True,
            )  # fmt: skip
            assert found[name] == raw.stdout
        assert found["a.pdf"] == files["a.pdf"]

    def test_what_is_too_large_is_left_out_and_said(self, repository: Repository) -> None:
        repository.commit({"a.md": "a", "large.md": "x" * 2001})
        source = repository.source(max_extract_bytes=2000)
        assert list(listing(source)) == ["a.md"]
        assert source.notes == [
            (
                "1 file larger than 2,000 bytes left out: large.md. Set max_extract_bytes to have "
                "larger ones read."
            )
        ]

    def test_a_server_that_tells_no_sizes_is_stopped_in_time(
        self, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # As from a host: sizes are told by nobody, and what comes is watched.
        monkeypatch.setattr("casetrack.sources.git.clone._FIRST_PACK_BYTES", 1_000)
        files = {f"{number}.md": os.urandom(300) for number in range(70)}
        repository.commit({**files, "large.pdf": os.urandom(4_000_000)})
        source = repository.source(max_extract_bytes=20_000)
        monkeypatch.setattr(type(source._clone), "sizes_there", lambda *_: {})
        items = listing(source)
        source.prepare(list(items.values()))
        for name, item in items.items():
            target = tmp_path / name
            if name in files:
                source.fetch(item, target)
                assert target.read_bytes() == files[name]
            else:
                with pytest.raises(SourceSkipped) as caught:
                    source.fetch(item, target)
                assert told(caught) == (
                    "git:platform: large.pdf is larger than 20,000 bytes.",
                    "Set max_extract_bytes to have larger files read.",
                )
        assert not list((tmp_path / "cache").rglob("tmp_pack*"))
        source.close()

    def test_pointers_to_large_files_are_no_text(
        self, repository: Repository, tmp_path: Path
    ) -> None:
        pointer = (
            "version https://git-lfs.github.com/spec/v1\noid sha256:" + 64 * "a" + "\nsize 9\n"
        )
        repository.commit({"a.pdf": pointer, "b.md": f"{pointer}is what a pointer looks like" * 20})
        source = repository.source()
        a, b = listing(source).values()
        source.prepare([a, b])
        with pytest.raises(SourceSkipped) as caught:
            source.fetch(a, tmp_path / "a")
        assert told(caught) == (
            "git:platform: a.pdf is a pointer to a file in Git LFS, which is not fetched.",
            "Make a filesystem source of a checkout with `git lfs pull`.",
        )
        assert not (tmp_path / "a").exists()
        source.fetch(b, tmp_path / "b")
        source.close()

    def test_can_be_had_without_getting_ready(self, repository: Repository, tmp_path: Path) -> None:
        repository.commit({"a.md": "text"})
        source = repository.source()
        [item] = source.items()
        source.fetch(item, tmp_path / "a")
        assert (tmp_path / "a").read_bytes() == b"text"
        source.close()


class TestBranches:
    def test_switch_rename_force_push_and_deletion(self, repository: Repository) -> None:
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
        with pytest.raises(SourceError) as caught:
            listing(fresh)
        assert told(caught) == (
            f"git:platform: {repository.folder} has no branch or tag 'fresh' (any more).",
            "Set 'branch' to one of: trunk.",
        )

    def test_a_tag_is_a_branch_that_stays(self, repository: Repository) -> None:
        repository.commit({"a.md": "one"})
        repository.git("tag", "-a", "v1.0", "-m", "first")
        repository.commit({"b.md": "two"})
        assert list(listing(repository.source(branch="v1.0"))) == ["a.md"]

    def test_a_near_name_is_offered(self, repository: Repository) -> None:
        repository.commit({"a.md": "one"})
        for name in ("release/1.0", "other"):
            repository.git("branch", name)
        with pytest.raises(SourceError) as caught:
            listing(repository.source(branch="realease/1.0"))
        assert caught.value.hint == "Set 'branch' to one of: release/1.0."

    def test_two_branches_share_a_clone(self, repository: Repository, tmp_path: Path) -> None:
        repository.commit({"a.md": "one"})
        repository.git("checkout", "-q", "-b", "side")
        repository.commit({"a.md": "two"})
        main, side = (repository.source(branch=branch) for branch in ("main", "side"))
        for _ in range(2):
            assert listing(main)["a.md"].size == listing(side)["a.md"].size == 3
            assert listing(main)["a.md"].token != listing(side)["a.md"].token
        assert len(list((tmp_path / "cache" / "git").glob("*.git"))) == 1


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


@given(EDITS)
@settings(max_examples=4, deadline=None)
def test_a_listing_after_others_is_that_of_a_fresh_clone(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, str]]
) -> None:
    check_history(tmp_path_factory.mktemp("history"), edits)


@pytest.mark.slow
@given(EDITS)
@settings(max_examples=100, deadline=None)
def test_so_are_a_hundred(
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
                # One side took away what the other changed; the merge makes a content of its own.
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


class TestTrouble:
    def test_a_folder_that_is_no_repository(self, tmp_path: Path) -> None:
        (tmp_path / "plain").mkdir()
        source = open_source("git", "platform", {"url": "plain"}, base=tmp_path, cache=tmp_path)
        with pytest.raises(SourceError) as caught:
            listing(source)
        message, hint = told(caught)
        assert message.startswith(
            f"git:platform: {tmp_path}/plain: there is no such repository, or you may not see it: "
        )
        assert hint == f"Check 'url' in a browser or with `git ls-remote {tmp_path}/plain`."

    def test_a_repository_without_commits(self, repository: Repository) -> None:
        with pytest.raises(SourceError) as caught:
            listing(repository.source())
        assert told(caught) == (
            f"git:platform: {repository.folder} has no branch yet.",
            "Push a commit to it, or check 'url'.",
        )

    def test_a_host_that_is_not_there(self, tmp_path: Path) -> None:
        url = "https://nowhere.invalid/acme/platform.git"
        source = open_source("git", "platform", {"url": url}, base=tmp_path, cache=tmp_path)
        with pytest.raises(SourceError) as caught:
            listing(source)
        assert caught.value.message.startswith(f"git:platform: {url}: the host cannot be found: ")

    def test_a_host_that_does_not_answer(self, tmp_path: Path) -> None:
        url = "git://127.0.0.1:1/acme/platform.git"
        source = open_source("git", "platform", {"url": url}, base=tmp_path, cache=tmp_path)
        with pytest.raises(SourceError, match="the host does not answer, or broke off"):
            listing(source)

    @pytest.mark.skipif(os.name == "nt", reason="needs a script as ssh")
    def test_a_login_that_is_refused_asks_nobody_and_shows_no_secret(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ssh = tmp_path / "ssh"
        ssh.write_text(
            '#!/bin/sh\necho "$@" > args\necho "git@host: Permission denied (publickey)." >&2\n'
            "exit 255\n"
        )
        ssh.chmod(0o700)
        monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
        monkeypatch.chdir(tmp_path)
        source = open_source(
            "git", "platform", {"url": "git@host:acme/platform.git"}, base=tmp_path, cache=tmp_path
        )
        with pytest.raises(SourceError) as caught:
            listing(source)
        message, hint = told(caught)
        assert "the host does not let git in without a login, or not with this one" in message
        assert hint == (
            "Try `git ls-remote host:acme/platform.git` in a terminal. Set up a credential helper "
            "or ssh-agent, or put a variable into 'url': "
            "https://user:${TOKEN}@host/owner/name.git."
        )
        assert "BatchMode=yes" in (tmp_path / "args").read_text()

    def test_a_password_is_neither_shown_nor_stored(
        self, repository: Repository, tmp_path: Path
    ) -> None:
        url = "https://ann:s3cr%40t@nowhere.invalid/acme/platform.git"
        source = open_source("git", "platform", {"url": url}, base=tmp_path, cache=tmp_path / "c")
        with pytest.raises(SourceError) as caught:
            listing(source)
        assert "s3cr" not in str(caught.value)
        # One that is found is given by the user's own settings, as a mirror is.
        repository.commit({"a.md": "text"})
        found = open_source("git", "platform", {"url": url}, base=tmp_path, cache=tmp_path / "c")
        rewrite = f"url.{repository.folder.as_uri()}.insteadOf"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GIT_CONFIG_COUNT", "1")
            patch.setenv("GIT_CONFIG_KEY_0", rewrite)
            patch.setenv("GIT_CONFIG_VALUE_0", url)
            [item] = found.items()
        assert item.metadata["repo_url"] == "https://nowhere.invalid/acme/platform.git"
        for path in (tmp_path / "c").rglob("*"):
            assert not path.is_file() or b"s3cr" not in path.read_bytes()

    def test_hooks_do_not_run(self, repository: Repository, tmp_path: Path) -> None:
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

    @pytest.mark.parametrize("what", ["HEAD", "objects", "config", "pack", "history"])
    def test_a_damaged_clone_is_made_anew(
        self, repository: Repository, tmp_path: Path, what: str
    ) -> None:
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

    def test_it_can_be_stopped(self, repository: Repository) -> None:
        repository.commit({"a.md": "text"})
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(JobStopped):
            list(repository.source().items(cancel=cancel))

    @pytest.mark.skipif(os.name == "nt", reason="needs a script as git")
    def test_a_git_that_hangs_is_stopped_with_all_it_started(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = tmp_path / "bin" / "git"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\nsleep 61 &\necho $! > child\nsleep 61\n")
        program.chmod(0o700)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("GIT_SSH_COMMAND", "ssh")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("casetrack.sources.git.program.SILENCE_SECONDS", 0.2)
        source = open_source("git", "platform", {"url": "x.git"}, base=tmp_path, cache=tmp_path)
        with pytest.raises(SourceError, match="git was silent for 0 seconds and was stopped"):
            listing(source)
        child = int((tmp_path / "child").read_text())
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and _is_alive(child):
            time.sleep(0.01)
        assert not _is_alive(child)

    def test_no_git_at_all(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        source = open_source("git", "platform", {"url": "x.git"}, base=tmp_path, cache=tmp_path)
        with pytest.raises(SourceError) as caught:
            listing(source)
        assert told(caught) == (
            "git:platform: git is not installed, or not on the search path.",
            "Install git (https://git-scm.com/downloads) and sync again.",
        )


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
    with pytest.raises(UsageError, match=r"'url' of git:a cannot be used\. .*\.\n") as caught:
        open_source("git", "a", {"url": url}, base=tmp_path)
    assert caught.value.hint.startswith("Write https://host/owner/name.git, ")


@pytest.mark.parametrize(
    "branch",
    ["-x", "--upload-pack=x", "a..b", "a b", "a:b", "x^", "*", "a.lock", "/a", "a/", "@{1}"],
)
def test_branches_that_cannot_be_are_refused(tmp_path: Path, branch: str) -> None:
    with pytest.raises(UsageError, match="'branch' of git:a cannot be the name of a branch"):
        open_source("git", "a", {"url": "x", "branch": branch}, base=tmp_path)


def test_a_root_outside_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'root' of git:a leads out of the repository"):
        open_source("git", "a", {"url": "x", "root": "../x"}, base=tmp_path)


@pytest.mark.parametrize(
    ("url", "host", "page"),
    [
        ("https://github.com/acme/a.git", None, "https://github.com/acme/a/blob/C/d/x%20y.md"),
        ("git@github.com:acme/a.git", None, "https://github.com/acme/a/blob/C/d/x%20y.md"),
        ("ssh://git@ssh.github.com:443/acme/a.git", None,
         "https://github.com/acme/a/blob/C/d/x%20y.md"),
        ("https://x:tok@github.acme.com/a/b", None,
         "https://github.acme.com/a/b/blob/C/d/x%20y.md"),
        ("https://gitlab.com/g/sub/a.git/", None, "https://gitlab.com/g/sub/a/-/blob/C/d/x%20y.md"),
        ("git@gitlab.acme.com:g/a.git", None, "https://gitlab.acme.com/g/a/-/blob/C/d/x%20y.md"),
        ("git@bitbucket.org:g/a.git", None, "https://bitbucket.org/g/a/src/C/d/x%20y.md"),
        ("https://codeberg.org/g/a", None, "https://codeberg.org/g/a/src/commit/C/d/x%20y.md"),
        ("https://git.sr.ht/~ann/a", None, "https://git.sr.ht/~ann/a/tree/C/item/d/x%20y.md"),
        ("git@ssh.dev.azure.com:v3/org/proj/a", None,
         "https://dev.azure.com/org/proj/_git/a?path=/d/x%20y.md&version=GCC"),
        ("https://org@dev.azure.com/org/proj/_git/a", None,
         "https://dev.azure.com/org/proj/_git/a?path=/d/x%20y.md&version=GCC"),
        ("https://code.acme.com:8443/g/a.git", "gitlab",
         "https://code.acme.com:8443/g/a/-/blob/C/d/x%20y.md"),
        ("https://code.acme.com/g/a.git", None, None),
        ("file:///srv/a.git", None, None),
        ("../a", "github", None),
    ],
)  # fmt: skip
def test_pages_of_hosts(tmp_path: Path, url: str, host: str | None, page: str | None) -> None:
    address = parse(url, base=tmp_path, where="git:a", host=host)
    assert address.page("C", "d/x y.md") == page
    assert "tok" not in address.shown


def test_an_unknown_host_style_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'host' of git:a is 'gitub', which is not known"):
        open_source("git", "a", {"url": "x", "host": "gitub"}, base=tmp_path)
