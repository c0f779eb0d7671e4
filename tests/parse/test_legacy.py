"""DOC and PPT through LibreOffice; files with only these suffixes; no leftovers."""

from __future__ import annotations

import http.server
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docx
import psutil
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from casetrack.base.config import ParseLimits
from casetrack.base.errors import (
    ConverterFailed,
    ConverterMissing,
    FileEncrypted,
    FormatMismatch,
    ParseFailed,
    ParseLimit,
)
from casetrack.parse.base import Page, Reading, ReadOptions
from casetrack.parse.detect import choose, read_head
from casetrack.parse.legacy import libreoffice
from casetrack.parse.legacy.libreoffice import find_libreoffice
from casetrack.parse.legacy.reader import DocReader, PptReader
from casetrack.parse.package import ole_facts
from tests.ole_container import ole
from tests.parse.processes import wait_until

needs_libreoffice = pytest.mark.needs("libreoffice")
READERS = (DocReader(), PptReader())
RTF = r"{\rtf1\ansi\b Heading\b0\par The lease ends in \u8364? May.\par}"


def read(path: Path, options: ReadOptions | None = None) -> tuple[Reading, list[Page]]:
    reading = choose(read_head(path), READERS).read(path, options or ReadOptions())
    return reading, list(reading.pages)


@pytest.fixture(scope="module")
def doc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Word 97 document, made by LibreOffice itself."""
    folder = tmp_path_factory.mktemp("doc")
    document = docx.Document()
    document.core_properties.title = "The lease"
    document.core_properties.author = "Ann Lee"
    document.add_heading("Term", 1)
    document.add_paragraph("The lease ends in May.")
    document.add_page_break()
    document.add_paragraph("Second page.")
    document.save(str(folder / "lease.docx"))
    return converted_to("doc:MS Word 97", folder / "lease.docx")


def converted_to(target: str, path: Path) -> Path:
    program = find_libreoffice()
    subprocess.run(
        [
            str(program), "--headless", "--norestore", "--convert-to", target,
            f"-env:UserInstallation={(path.parent / 'profile').as_uri()}",
            "--outdir", str(path.parent), str(path),
        ],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return path.with_suffix(f".{target.partition(':')[0]}")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the folder of temporary files, which is empty at the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


# --- with LibreOffice ----------------------------------------------------------------------


@needs_libreoffice
def test_a_doc_is_read_with_its_structure(doc: Path, temporary: Path) -> None:
    reading, pages = read(doc)
    assert [page.text for page in pages] == ["Term\n\nThe lease ends in May.", "Second page."]
    assert [(p.kind, p.level) for p in pages[0].paragraphs] == [("heading", 1), ("body", None)]
    assert not pages[0].is_estimated
    info = reading.info
    assert (info.format, info.page_count, info.title, info.author) == (
        "doc", 2, "The lease", "Ann Lee",
    )  # fmt: skip
    assert info.created_at is not None
    assert info.created_at.utcoffset() is not None
    assert reading.warnings == []


@needs_libreoffice
def test_values_that_the_conversion_makes_up_are_left_out(tmp_path: Path, temporary: Path) -> None:
    document = docx.Document()
    for code in ("DATE \\@ yyyy-MM-dd", "FILENAME", "AUTHOR"):
        paragraph = document.add_paragraph("Shown: ")
        paragraph._p.append(
            parse_xml(
                f'<w:fldSimple {nsdecls("w")} w:instr="{code}"><w:r><w:t>old</w:t></w:r>'
                "</w:fldSimple>"
            )
        )
    document.save(str(tmp_path / "fields.docx"))
    reading, pages = read(converted_to("doc:MS Word 97", tmp_path / "fields.docx"))
    assert pages[0].text.split("\n\n") == ["Shown:", "Shown:", "Shown: old"]
    assert len(reading.warnings) == 1
    assert "DATE, FILENAME" in reading.warnings[0]


@needs_libreoffice
def test_names_and_content_reach_no_shell(doc: Path, tmp_path: Path, temporary: Path) -> None:
    trap = tmp_path / "trap"
    path = tmp_path / f"--help; touch {trap.name} $(touch trap) 'é\".doc"
    path.write_bytes(doc.read_bytes())
    assert read(path)[1][0].text.startswith("Term")
    assert not trap.exists()
    assert not Path("trap").exists()


@needs_libreoffice
def test_nothing_is_fetched_from_the_network(tmp_path: Path, temporary: Path) -> None:
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def send_error(self, code: int, *_: object) -> None:
            """Record the requests of every method."""
            asked.append(self.path)
            super().send_error(code)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        page = tmp_path / "remote.html"
        page.write_text(
            f'<html><body>Before <img src="http://127.0.0.1:{port}/a.png"> after</body></html>',
            encoding="utf-8",
        )
        path = converted_to("doc:MS Word 97", page)
        made = len(asked)
        assert b"1\x002\x007\x00" in path.read_bytes() or b"127.0.0.1" in path.read_bytes()
        _, pages = read(path)
        server.shutdown()
    assert "Before" in pages[0].text
    assert len(asked) == made


@needs_libreoffice
@pytest.mark.parametrize(
    ("limits", "words"), [({"timeout_seconds": 0.05}, r"0\.0"), ({"memory_mb": 5}, "5 MB")]
)
def test_limits_end_the_conversion(
    doc: Path, temporary: Path, limits: dict[str, float], words: str
) -> None:
    options = ReadOptions(limits=replace(ParseLimits(), **limits))
    with pytest.raises(ParseLimit, match=words) as caught:
        read(doc, options)
    assert str(doc) in caught.value.message
    assert office_processes(temporary) == []


def office_processes(folder: Path) -> list[psutil.Process]:
    """Return the processes whose command names the folder."""
    return [
        process
        for process in psutil.process_iter(["cmdline", "name"])
        if any(str(folder) in part for part in process.info["cmdline"] or ())
    ]


def is_running(folder: Path) -> bool:
    return any("soffice" in process.info["name"] for process in office_processes(folder))


def started(doc: Path, temporary: Path) -> subprocess.Popen[bytes]:
    """Start another program that reads a document."""
    program = (
        "import sys, tempfile\nfrom pathlib import Path\n"
        "from casetrack.parse.legacy.reader import DocReader\n"
        f"tempfile.tempdir = {str(temporary)!r}\nDocReader().read(Path({str(doc)!r}))\n"
    )
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)


@needs_libreoffice
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_stays_where_the_reading_process_is_killed(
    doc: Path, tmp_path: Path, temporary: Path, number: signal.Signals
) -> None:
    reader = started(doc, temporary)
    try:
        assert wait_until(lambda: is_running(temporary))
        os.kill(reader.pid, number)
        reader.wait(timeout=60)
        assert wait_until(lambda: not list(temporary.iterdir()) and not office_processes(temporary))
    finally:
        reader.kill()
        reader.wait()


@needs_libreoffice
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux ends orphans")
def test_not_even_a_killed_guard_leaves_libreoffice_running(doc: Path, tmp_path: Path) -> None:
    reader = started(doc, tmp_path)
    try:
        assert wait_until(lambda: is_running(tmp_path))
        for process in psutil.Process(reader.pid).children():
            process.kill()
        assert wait_until(lambda: not is_running(tmp_path))
        assert reader.wait(timeout=60) == 0, "another try with a fresh profile reads it"
        assert not is_running(tmp_path)
    finally:
        reader.kill()
        reader.wait()


@needs_libreoffice
def test_what_libreoffice_cannot_open_is_a_parse_error(tmp_path: Path, temporary: Path) -> None:
    for reader, stream, name in (
        (DocReader(), "WordDocument", "a.doc"),
        (PptReader(), "PowerPoint Document", "a.ppt"),
    ):
        (tmp_path / name).write_bytes(ole({stream: b"x"}))
        with pytest.raises(ParseFailed, match=name):
            reader.read(tmp_path / name)


@needs_libreoffice
def test_real_files_of_several_versions(corpus: Callable[[str], Path], temporary: Path) -> None:
    suite = corpus("office-suite")
    options = ReadOptions(passwords=("password", "hello"))
    for name, words in (
        ("doc/password_password_cryptoapi.doc", "This is a test"),
        ("doc/Bug51944.doc", "Yours faithfully"),
        ("ppt/54722.ppt", ""),
        # Its objects are not in the order of their numbers.
        ("ppt/Password_Protected-hello.ppt", ""),
    ):
        reading, pages = read(suite / name, options)
        assert reading.info.format == name[:3]
        text = "\n".join(page.text for page in pages)
        assert text
        assert words in text
    with pytest.raises(FileEncrypted):
        read(suite / "doc/password_password_cryptoapi.doc")


# --- without it ----------------------------------------------------------------------------


def test_without_libreoffice_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, messages: Callable[..., None]
) -> None:
    monkeypatch.setattr(libreoffice, "find_libreoffice", lambda: None)
    for reader, stream, name in (
        (DocReader(), "WordDocument", "a.doc"),
        (PptReader(), "PowerPoint Document", "a.ppt"),
    ):
        path = tmp_path / name
        path.write_bytes(ole({stream: b"x"}))
        with pytest.raises(ConverterMissing) as caught:
            reader.read(path)
        messages(str(caught.value), name)


FAULTS = {
    "abort": ("kill -ABRT $$", ConverterFailed, "SIGABRT"),
    "code": ("echo 'no display' >&2; exit 77", ConverterFailed, "no display"),
    "cut": ('echo PK > "${11}/document.pptx"', ConverterFailed, "code 0"),
    "unloaded": ("echo 'Error: source file could not be loaded' >&2; exit 1", ParseFailed, "-impr"),
    "no impress": ("exit 1", ConverterMissing, "libreoffice-impress"),
    "time": ("sleep 9", ParseLimit, "LibreOffice did not finish within 0.45 s"),
}


@pytest.mark.sampled(5)
@pytest.mark.skipif(sys.platform == "win32", reason="the fake program is a shell script")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_converter_that_fails_is_tried_twice_and_named(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    script, error, word = FAULTS[fault]
    program = fake_libreoffice(tmp_path, monkeypatch, script)
    if fault == "no impress":
        registry = tmp_path / "share" / "registry"
        registry.mkdir(parents=True)
        (registry / "main.xcd").touch()
    path = tmp_path / "a.ppt"
    path.write_bytes(ole({"PowerPoint Document": b"x"}))
    limits = replace(ParseLimits(), timeout_seconds=0.5 if fault == "time" else 60)
    with pytest.raises(error) as caught:
        PptReader().read(path, ReadOptions(limits=limits))
    text = str(caught.value)
    assert word in text
    assert ("may be damaged" in text) == (error is ParseFailed)
    profiles = program.with_name("profiles").read_text(encoding="utf-8").split()
    assert len(set(profiles)) == len(profiles) == (1 if fault == "time" else 2)


@pytest.mark.skipif(sys.platform == "win32", reason="the fake program is a shell script")
def test_a_crash_is_followed_by_a_conversion(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = docx.Document()
    document.add_paragraph("The lease ends in May.")
    document.save(str(tmp_path / "made.docx"))
    once = f"[ -e {tmp_path}/crashed ] || {{ touch {tmp_path}/crashed; kill -ABRT $$; }}"
    made = f'cp {tmp_path}/made.docx "${{11}}/document.docx"'
    fake_libreoffice(tmp_path, monkeypatch, f"{once}\n{made}")
    (tmp_path / "a.doc").write_bytes(ole({"WordDocument": b"\0\0\x69\0"}))
    reading, pages = read(tmp_path / "a.doc")
    assert (reading.info.format, pages[0].text) == ("doc", "The lease ends in May.")


def fake_libreoffice(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """Make a program that notes the profile that it is given, and then runs *script*."""
    program = folder / "program" / "soffice"
    program.parent.mkdir()
    note = f'echo "$6" >> {folder}/program/profiles'
    program.write_text(f"#!/bin/sh\n{note}\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(libreoffice, "find_libreoffice", lambda: program)
    return program


def test_libreoffice_is_found_on_the_path_and_next_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("ProgramFiles", str(tmp_path / "programs"))
    monkeypatch.setattr(libreoffice, "_FOLDERS", ())
    monkeypatch.setattr(libreoffice, "_OPTIONAL", tmp_path / "opt")
    assert find_libreoffice() is None
    for folder, name in (
        ("programs/LibreOffice/program", "soffice.exe"),
        ("opt/libreoffice24.8/program", "soffice"),
        ("bin", "libreoffice"),
    ):
        program = tmp_path / folder / name
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n", encoding="ascii")
        program.chmod(0o755)
        assert find_libreoffice() == program


def test_other_formats_named_doc_go_to_their_readers(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("In a DOCX.")
    document.save(str(tmp_path / "new.doc"))
    (tmp_path / "rich.doc").write_text(RTF, encoding="ascii")
    (tmp_path / "web.doc").write_text(
        "<html><head><title>T</title></head><body><p>In a page.</p></body></html>", encoding="ascii"
    )
    for name, file_format, words in (
        ("new.doc", "docx", "In a DOCX."),
        ("rich.doc", "rtf", "The lease ends in € May."),
        ("web.doc", "html", "In a page."),
    ):
        reading, pages = read(tmp_path / name)
        assert reading.info.format == file_format
        assert words in pages[0].text


def test_other_containers_are_refused(tmp_path: Path) -> None:
    for reader, stream, error in (
        (None, "Workbook", FormatMismatch),
        (DocReader(), "Nothing", ParseFailed),
        (PptReader(), "EncryptedPackage", FileEncrypted),
    ):
        path = tmp_path / "a.doc"
        path.write_bytes(ole({stream: b"x"}))
        with pytest.raises(error, match=r"a\.doc"):
            (reader or choose(read_head(path), READERS)).read(path)


def test_damaged_facts_are_reported(tmp_path: Path) -> None:
    warnings: list[str] = []
    path = tmp_path / "a.doc"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + struct.pack("<8x40I", *range(40)))
    assert ole_facts(path, warnings).title is None
    assert len(warnings) == 1
    # A list with two thousand million items by its header, before the title.
    entries = struct.pack("<44x11I", 48, 0, 2, 12, 24, 2, 32, 0x1005, 1 << 31, 31, 6)
    path.write_bytes(ole({"\5SummaryInformation": entries + "Lease".encode("utf-16-le")}))
    began = time.process_time()
    assert ole_facts(path, warnings).title == "Lease"
    assert time.process_time() - began < 5
