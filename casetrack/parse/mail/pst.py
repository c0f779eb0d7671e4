"""Read the messages of an Outlook data file (PST, OST) with libpff, each as a separate mail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import ReaderMissing
from casetrack.parse.detect import OUTLOOK
from casetrack.parse.mail import storage
from casetrack.parse.mail.msg import ATTACHMENT, EMBEDDED, RECIPIENT
from casetrack.parse.mail.storage import BINARY, OBJECT, STRING8, UNICODE, Properties, named_ids

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.mail.msg import MapiSource
    from casetrack.parse.mail.storage import Folder

_KIND_BITS, _FOLDER, _MESSAGE = 0x1F, 2, 4
"""Kinds of nodes in their numbers ([MS-PST] 2.2.2.1); others are search folders and settings."""
_HIDDEN = ("ipm.configuration.", "ipm.microsoft.", "ipm.messagemanager")
"""Classes of messages with settings of Outlook, which it does not show."""
_ENTRY_STREAM, _TOP, _DEEPEST = 3, "Top of ", 64


class Stored(NamedTuple):
    """A message: its folders and subject as a path; *source* is ``None`` if it is damaged."""

    path: str
    moment: dt.datetime | None = None
    source: MapiSource | None = None


def stored_messages(path: Path, /) -> Iterator[Stored]:
    """Yield the messages of a data file, by folder; ``ValueError`` if it is damaged."""
    try:
        import pypff
    except ImportError as error:
        raise ReaderMissing(path, OUTLOOK, "libpff-python") from error
    file = pypff.file()
    try:
        file.open(str(path))
    except OSError as error:
        raise ValueError(_reason(error)) from error
    try:
        table = file.name_to_id_map
        names = _properties(table.record_sets[0]) if table else Properties()
        if (root := file.root_folder) is None:
            raise ValueError("it has no folders")
        yield from _inside(root, "", named_ids(names.data(_ENTRY_STREAM)))
    except (OSError, MemoryError) as error:
        # libpff also raises ``MemoryError`` for damaged items.
        raise ValueError(_reason(error)) from error
    finally:
        file.close()


def _reason(error: OSError | MemoryError) -> str:
    """Return the cause: the second of the sentences of libpff, each with the name of a function."""
    sentences = str(error).split(". ")
    return sentences[min(1, len(sentences) - 1)].partition(": ")[2]


def _inside(folder: Any, above: str, named: dict[int, int], depth: int = 0) -> Iterator[Stored]:
    for number in range(folder.number_of_sub_items):
        try:
            item = folder.get_sub_item(number)
            kind = item.identifier & _KIND_BITS
            name = item.name or "" if kind == _FOLDER else ""
            props = _properties(item.record_sets[0]) if kind == _MESSAGE else Properties()
        except (OSError, IndexError, MemoryError):
            yield Stored(f"{above}item {number + 1}")
            continue
        if kind == _FOLDER and depth < _DEEPEST:
            is_top = not above and name.startswith(_TOP)
            place = above if is_top else f"{above}{_safe(name) or '_'}/"
            yield from _inside(item, place, named, depth + 1)
        elif kind == _MESSAGE and not props.line(storage.MESSAGE_CLASS).lower().startswith(_HIDDEN):
            moment = props.time(storage.SUBMIT_TIME, storage.DELIVERY_TIME, storage.CREATED)
            title = props.line(storage.SUBJECT, storage.NORMALIZED_SUBJECT, storage.DISPLAY_NAME)
            source = _Source(item, named)
            yield Stored(f"{above}{_safe(title) or 'message'}.eml", moment, source)


def _safe(name: str) -> str:
    return name.replace("/", "_").replace("\\", "_").strip(" .")


def _properties(record: Any) -> Properties:
    """Return the readable MAPI properties of a record."""
    result = Properties()
    for entry in record.entries:
        kind, data = entry.value_type, entry.data or b""
        value: storage.Value | None
        if kind == UNICODE:
            value = data.decode("utf-16-le", "replace").rstrip("\x00")
        elif kind in {STRING8, BINARY, OBJECT}:
            value = data
        else:
            value = storage.fixed_value(kind, data.ljust(8, b"\x00"))
        if value is not None:
            result.values[entry.entry_type] = value
    subject = result.values.get(storage.SUBJECT)
    if isinstance(subject, str) and subject[:1] == "\x01":
        # The mark and the length of a prefix such as "RE: " ([MS-PST] 2.5.3.1.1.1).
        result.values[storage.SUBJECT] = subject[2:]
    result.find_encoding()
    return result


class _Source:
    """A message of a data file in the layout of the storages of an MSG file."""

    def __init__(self, item: Any, named: dict[int, int]) -> None:
        self._nodes: dict[Folder, Any] = {(): item}
        self._named = named
        self.damaged: set[str] = set()

    def names(self, folder: Folder, prefix: str = "", /) -> list[str]:
        if folder[-1:] == (EMBEDDED,):
            return ["0"] if self._node(folder[:-1]).number_of_sub_items else []
        return [f"{prefix}{number}" for number in range(len(self._kept(folder, prefix)))]

    def properties(self, folder: Folder, header: int, /) -> Properties:
        del header
        node = self._node(folder)
        result = _properties(node.record_sets[0] if hasattr(node, "record_sets") else node)
        if hasattr(node, "read_buffer") and storage.ATTACH_DATA in result.values:
            result.values[storage.ATTACH_DATA] = node.read_buffer(node.size)
        return result

    def named(self) -> dict[int, int]:
        return self._named

    def _node(self, folder: Folder) -> Any:
        if folder not in self._nodes:
            *above, name = folder
            if name == EMBEDDED:
                self._nodes[folder] = self._node(tuple(above)).get_sub_item(0)
            else:
                prefix = RECIPIENT if name.startswith(RECIPIENT) else ATTACHMENT
                number = int(name.removeprefix(prefix))
                self._nodes[folder] = self._kept(tuple(above), prefix)[number]
        return self._nodes[folder]

    def _kept(self, folder: Folder, prefix: str) -> Any:
        """Return the recipients or attachments of a message; none if their list is damaged."""
        node = self._node(folder)
        try:
            if prefix == RECIPIENT:
                return getattr(getattr(node, "recipients", None), "record_sets", ())
            return getattr(node, "attachments", ())
        except OSError:
            self.damaged.add("recipients" if prefix == RECIPIENT else "attachments")
            return ()
