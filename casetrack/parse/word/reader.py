"""Reads DOCX: body in document order, lists with numbers, tables as rows, notes, text boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import FileEncrypted
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.detect import OLE_MAGIC, ZIP_MAGIC
from casetrack.parse.embedded import take_embedded
from casetrack.parse.package import Package
from casetrack.parse.passwords import decrypted
from casetrack.parse.word.body import Body
from casetrack.parse.word.parts import Parts

if TYPE_CHECKING:
    from pathlib import Path


class DocxReader:
    """Word documents (Office Open XML)."""

    name = "DOCX"
    extensions: tuple[str, ...] = (".docx", ".docm", ".dotx", ".dotm")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a container with a Word folder, a damaged container, or an encrypted document."""
        if file.head.startswith(ZIP_MAGIC):
            return not file.members or any(m.startswith("word/") for m in file.members)
        return file.head.startswith(OLE_MAGIC) and "EncryptedPackage" in file.members

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the container; see :class:`casetrack.parse.base.Reader`."""
        with decrypted(path, options, self.name) as content:
            return read_docx(path, options, content)


def read_docx(
    path: Path,
    options: ReadOptions,
    content: Path,
    /,
    *,
    file_format: str = "docx",
    unstable_fields: frozenset[str] = frozenset(),
) -> Reading:
    """Read a document.

    Parameters
    ----------
    path
        The file that errors name.
    content
        Where its content stands: the same, or a decrypted or converted copy, which is not needed
        any more afterwards.
    file_format
        For ``DocumentInfo.format``.
    unstable_fields
        Names of fields whose results are not those of the file, and are left out.
    """
    with content.open("rb") as file:
        if file.read(len(OLE_MAGIC)) == OLE_MAGIC:
            raise FileEncrypted(path)
    with Package(path, DocxReader.name, content=content, limits=options.limits) as package:
        parts = Parts.of(package)
        facts = package.facts(parts.warnings)
        embedded = Reading(DocumentInfo(file_format, 0), iter(()), missing=parts.missing)
        take_embedded(package, embedded, options)
    parts.unstable_fields = unstable_fields
    pages = Body(parts).pages()
    if parts.left_out_fields:
        names = ", ".join(sorted(parts.left_out_fields))
        parts.warnings.append(
            f"Fields whose value depends on the day or the place of reading were left out: {names}."
        )
    info = DocumentInfo(
        file_format,
        len(pages),
        facts.title,
        facts.author,
        facts.created_at,
        facts.modified_at,
        facts.properties,
    )
    return Reading(info, iter(pages), parts.warnings, parts.missing, embedded.attachments)
