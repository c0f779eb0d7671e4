"""Read archives (ZIP, tar, gzip, 7-Zip) and Outlook data files: a list of their files or mails.

Each of these is a document. The list depends only on the headers of the archive, so that its text
is the same for every limit and password. Files are copied one after another into the spool folder
under generated paths.
"""

from __future__ import annotations

import gzip
import io
import lzma
import re
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import starmap
from pathlib import Path, PurePosixPath
from time import gmtime
from typing import Any, NamedTuple

from casetrack.base.errors import FileEncrypted, ParseFailed, ReaderMissing
from casetrack.base.years import recorded
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.detect import EMPTY_ZIP, GZIP, OUTLOOK, SEVEN_ZIP, ZIP
from casetrack.parse.embedded import file_name, place
from casetrack.parse.encoding import NotText, decode
from casetrack.parse.mail.chats import is_slack_day, slack_users, with_names
from casetrack.parse.mail.eml import is_mailbox, mailbox_messages
from casetrack.parse.mail.page import file_size
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_text

_ENCRYPTED, _UNSAFE, _HIDDEN = "encrypted", "unsafe path", "hidden file"
_LINK, _DEVICE = "link", "not a regular file"
_DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, RuntimeError, ValueError),
)
_MAILBOXES = {".mbox", ".mbx"}
_UNPACKED = {*_MAILBOXES, ".pst", ".ost"}
_MARKS = {".zip": {ZIP, EMPTY_ZIP}, ".7z": {SEVEN_ZIP}, ".pst": {OUTLOOK}, ".ost": {OUTLOOK}}
_TOO_LARGE, _MINUTE = "too large when unpacked, unpacked_mb", "%Y-%m-%d %H:%M"
_SLACK_USERS, _MOST_USERS = {"users.json", "org_users.json"}, 64 << 20
_AES, _UTF_8 = 99, 0x800
_OUTSIDE = re.compile(r"/|[A-Za-z]:|(?:.*/)?\.\.(?:/|$)", re.DOTALL)
_LONGEST_PATH, _PAGE_LINES, _SHOWN, _BLOCK = 1000, 1000, 5, 1 << 20
_SMALL_BYTES, _BOMB_RATIO = 32 << 20, 250
"""An archive that unpacks to more than both is a bomb: files of text shrink 10 to 100 times."""


class _Left(Exception):
    """The reason for not reading a file."""


class _Member(NamedTuple):
    """A file in an archive; *note* is the reason for not reading it, or ``encrypted``.

    *openers* are tried in order: one for each password of an encrypted file.
    """

    path: str
    size: int | None
    modified: str
    note: str
    openers: Sequence[Callable[[], Any]]


class ArchiveReader:
    """Archives as one document with the list of their files, each of which is an attachment."""

    name = "Archive"
    extensions: tuple[str, ...] = (
        ".zip",
        ".tar",
        ".tgz",
        ".gz",
        ".7z",
        ".pst",
        ".ost",
        ".mbox",
        ".mbx",
    )

    def accepts(self, file: FileHead, /) -> bool:
        """Accept archives that are not documents, such as Office files."""
        if file.extension in _MAILBOXES:
            return is_mailbox(file.head)
        if file.extension in _MARKS:
            return file.mark in _MARKS[file.extension]
        is_packed = file.extension == ".gz" and file.mark == GZIP
        return is_packed or tarfile.is_tarfile(file.path)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """List the files and copy them; see :class:`casetrack.parse.base.Reader`."""
        lines: list[str] = []
        left: dict[str, list[str]] = defaultdict(list)
        reading = Reading(DocumentInfo("archive", 0), _pages(lines))
        length, most = path.stat().st_size, options.limits.unpacked_mb << 20
        if path.suffix.lower() in _UNPACKED:
            most = max(most, 2 * length)
        most = min(most, max(_SMALL_BYTES, _BOMB_RATIO * length))
        try:
            for member in _members(path, options.passwords, most, reading.missing):
                size = "" if member.size is None else file_size(member.size)
                facts = ", ".join(filter(None, (size, member.modified, member.note)))
                lines.append(f"{member.path} ({facts})" if facts else member.path)
                try:
                    most -= _copy(member, reading, options, most)
                except _Left as reason:
                    left[str(reason)].append(member.path)
        except _DAMAGE as error:
            if not lines:
                raise ParseFailed(path, self.name, f"it is damaged: {error}") from error
            reading.missing.append(f"The archive is damaged after its file {lines[-1]}.")
        if lines and [*left] == [_ENCRYPTED] and len(left[_ENCRYPTED]) == len(lines):
            raise FileEncrypted(path, tried=len(options.passwords))
        for why, names in left.items():
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            target = reading.warnings if why in {_LINK, _DEVICE, _HIDDEN} else reading.missing
            target.append(f"Not read ({why}): {', '.join(names[:_SHOWN])}{more}.")
        return reading


def _pages(lines: list[str]) -> Iterator[Page]:
    """Yield pages of the list; *lines* is complete when the first one is requested."""
    for start in range(0, len(lines) or 1, _PAGE_LINES):
        builder = PageBuilder(start // _PAGE_LINES + 1)
        shown = lines[start : start + _PAGE_LINES] or ["The archive contains no files."]
        builder.paragraph(map(SourceLine, shown), kind="list")
        yield builder.build()


def _copy(member: _Member, reading: Reading, options: ReadOptions, most: int) -> int:
    """Copy a file of up to *most* bytes as an attachment; return its size, or raise ``_Left``."""
    if member.note not in {"", _ENCRYPTED}:
        raise _Left(member.note)
    if options.spool is None or member.size == 0:
        return 0
    *folders, last = member.path.split("/")
    folder = "".join(f"{file_name(name, len(reading.attachments))}/" for name in folders)
    part = options.spool / "part"
    for opener in member.openers:
        copied = member.size or 0
        try:
            with opener() as source, part.open("wb") as copy:
                while copied <= most and (block := source.read(_BLOCK)):
                    copy.write(block)
                    copied = max(copied, copy.tell())
        except (*_DAMAGE, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            continue
        if copied > most:
            raise _Left(_TOO_LARGE)
        if target := place(reading, options, last, folder):
            part.replace(target)
        return copied
    raise _Left(member.note or "damaged or compressed in an unknown way")


def _members(
    path: Path, passwords: Sequence[str], most: int, missing: list[str]
) -> Iterator[_Member]:
    """Yield the files; paths outside the archive and those of a file and a folder are unsafe."""
    files, folders = set[str](), set[str]()
    suffix = path.suffix.lower()
    if suffix == ".zip":
        members = _of_zip(path, passwords)
    elif suffix == ".7z":
        members = _of_7z(path, passwords, most)
    elif suffix in _MAILBOXES:
        members = starmap(_mail, mailbox_messages(path))
    elif suffix in _UNPACKED:
        members = _of_outlook(path, missing)
    elif tarfile.is_tarfile(path):
        members = _of_tar(path)
    else:
        members = iter([_Member(path.stem, None, "", "", [partial(gzip.open, path)])])
    for member in members:
        name = clean_text(member.path).replace("\\", "/")
        inside = PurePosixPath(name)
        above = set(map(str, inside.parents))
        note, shown = member.note, str(inside)
        if _OUTSIDE.match(name) or above & files or shown in folders or len(name) > _LONGEST_PATH:
            note, shown = _UNSAFE, name[:_LONGEST_PATH]
        elif any(part.startswith((".", "~$")) for part in inside.parts):
            note = _HIDDEN
        else:
            files.add(shown)
            folders |= above
        yield member._replace(path=shown, note=note)


def _of_zip(path: Path, passwords: Sequence[str]) -> Iterator[_Member]:
    with zipfile.ZipFile(path) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        # zipfile decodes names without a flag for UTF-8 as code page 437.
        plain = [info.filename for info in infos if not info.flag_bits & _UTF_8]
        codec = _codec("\n".join(plain).encode("cp437"))
        users = _slack_users(archive, infos)
        for info in infos:
            note, raw = "", info.filename.encode("utf-8" if info.flag_bits & _UTF_8 else "cp437")
            name = raw.decode("utf-8" if info.flag_bits & _UTF_8 else codec, "replace")
            mode, keys = info.external_attr >> 16, list[bytes | None]([None])
            if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
                note = _LINK if stat.S_ISLNK(mode) else _DEVICE
            elif info.flag_bits & 1:
                note = _ENCRYPTED
                keys = [p.encode() for p in passwords if info.compress_type != _AES]
            openers: list[Callable[[], Any]] = [partial(archive.open, info, pwd=k) for k in keys]
            if users and is_slack_day(name):
                openers = [partial(_named_day, opener, users) for opener in openers]
            yield _Member(name, info.file_size, _time(info.date_time), note, openers)


def _slack_users(archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo]) -> dict[str, str]:
    """Return the names of the people in a Slack export by their ids."""
    for info in infos:
        if info.filename in _SLACK_USERS and info.file_size <= _MOST_USERS:
            return slack_users(archive.read(info)) if not info.flag_bits & 1 else {}
    return {}


def _named_day(opener: Callable[[], Any], users: dict[str, str]) -> io.BytesIO:
    with opener() as source:
        return io.BytesIO(with_names(source.read(), users))


def _of_tar(path: Path) -> Iterator[_Member]:
    with tarfile.open(path) as archive:
        for info in archive:
            if not info.isdir():
                note = _LINK if info.issym() or info.islnk() else "" if info.isreg() else _DEVICE
                raw = info.name.encode("utf-8", "surrogateescape")
                modified = _time(gmtime(max(0, min(info.mtime, 1 << 32)))[:6])
                opener = partial(archive.extractfile, info)
                name = raw.decode(_codec(raw), "replace")
                yield _Member(name, info.size, modified, note, [opener])


def _of_7z(path: Path, passwords: Sequence[str], most: int) -> Iterator[_Member]:
    """Yield the files of a 7-Zip archive; the first one that is opened unpacks up to *most* bytes.

    Files are compressed together, so that single ones cannot be read without those before them.
    """
    try:
        from py7zr import SevenZipFile
        from py7zr.exceptions import DecompressionBombError, PasswordRequired
    except ImportError as error:
        raise ReaderMissing(path, SEVEN_ZIP, "py7zr") from error

    def unpacked(name: str, key: str | None) -> Any:
        if key not in done:
            target = done[key] = Path(tempfile.mkdtemp(dir=folder))
            try:
                with SevenZipFile(path, password=key, max_extract_size=most) as archive:
                    archive.extract(target, [info.filename for info in infos if info.is_file])
            except DecompressionBombError as error:
                raise _Left(_TOO_LARGE) from error
            except Exception as error:
                # Damage and wrong passwords make py7zr raise anything.
                raise ValueError(error) from error
        if not (done[key] / name).is_file():
            raise ValueError(name)
        return (done[key] / name).open("rb")

    done: dict[str | None, Path] = {}
    failure: Exception = FileEncrypted(path, tried=len(passwords))
    for key in (None, *passwords):
        try:
            with SevenZipFile(path, password=key) as archive:
                infos, is_sealed = archive.list(), archive.needs_password()
            break
        except PasswordRequired:
            continue
        except Exception as error:  # noqa: BLE001 - as above
            failure = failure if key else ValueError(error)
    else:
        raise failure
    with tempfile.TemporaryDirectory() as folder:
        for info in infos:
            made = info.creationtime
            note = _ENCRYPTED if is_sealed else "" if info.is_file else _LINK
            keys: Sequence[str | None] = passwords if is_sealed else [None]
            openers = [partial(unpacked, info.filename, key) for key in keys]
            if not info.is_directory:
                modified = f"{made:{_MINUTE}}" if made else ""
                yield _Member(info.filename, info.uncompressed, modified, note, openers)


def _of_outlook(path: Path, missing: list[str]) -> Iterator[_Member]:
    """Yield the messages of an Outlook data file as mails; extend *missing* when one is read."""
    from casetrack.parse.mail.msg import eml_of
    from casetrack.parse.mail.pst import stored_messages

    for stored in stored_messages(path):
        moment, source = stored.moment, stored.source

        def opened(path: str = stored.path, source: Any = source) -> Any:
            try:
                data, sentences = eml_of(source)
            except Exception as error:
                # Damage makes libpff raise anything.
                raise ValueError(error) from error
            lost = [f"Its {part} are damaged." for part in sorted(source.damaged)]
            missing.extend(f"In {path}: {text}" for text in (*sentences, *lost))
            return io.BytesIO(data)

        member = _mail(stored.path, moment, opened)
        yield member if source else member._replace(note="damaged")


def _mail(path: str, moment: datetime | None, opener: Callable[[], Any]) -> _Member:
    # A subject such as "R: Offer" is no path, and a first dot hides nothing.
    name = "/".join(file_name(part, 0).replace("~$", "_$") for part in path.split("/"))
    return _Member(name, None, f"{moment:{_MINUTE}}" if moment else "", "", [opener])


def _codec(names: bytes) -> str:
    """Return the likely encoding: UTF-8, code page 437 if it gives Latin letters, or another."""
    try:
        codec = decode(names).encoding
    except NotText:
        codec = "cp437"
    letters = [c for c in names.decode("cp437") if not c.isascii()]
    is_latin = all(c.isalpha() and c < "\u0180" for c in letters)
    return "cp437" if is_latin and codec != "utf-8" else codec


def _time(moment: tuple[int, int, int, int, int, int]) -> str:
    """Return a time of an archive with minutes, empty if its clock was not set."""
    try:
        known = recorded(datetime(*moment, tzinfo=UTC))
    except ValueError:
        return ""
    return f"{known:{_MINUTE}}" if known else ""
