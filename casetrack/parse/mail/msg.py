"""Read MSG, the files of Outlook: mails, appointments, tasks, contacts and notes."""

from __future__ import annotations

import base64
import datetime as dt
from dataclasses import dataclass, field
from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.policy import compat32
from email.utils import format_datetime
from typing import TYPE_CHECKING, Protocol

from casetrack.parse.base import DEFAULT_OPTIONS, FileHead, Reading, ReadOptions
from casetrack.parse.dates import mail_date
from casetrack.parse.detect import OLE_MAGIC
from casetrack.parse.mail import headers, storage
from casetrack.parse.mail.body import read_message
from casetrack.parse.mail.files import SUFFIXES, shown_pictures, signed_content
from casetrack.parse.mail.page import Mail, MailFile, mail_info, mail_page, transfer
from casetrack.parse.mail.storage import MESSAGE_HEADER, OTHER_HEADER, TOP_HEADER, Container

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path

    from casetrack.parse.mail.storage import Body, Folder, Properties

# Header lines for other Outlook items: appointments, tasks, contacts.

_APPOINTMENT = (("Start", 0x820D), ("End", 0x820E), ("Location", 0x8208))
_TASK = (("Start", 0x8104), ("Due", 0x8105), ("Completed", 0x810F), ("Owner", 0x811F))
_TASK_STATUS, _TASK_SHARE = 0x8101, 0x8102
_STATUS = ("not started", "in progress", "complete", "waiting", "deferred")
_CONTACT = (
    ("Name", 0x3001),
    ("Company", 0x3A16),
    ("Department", 0x3A18),
    ("Job title", 0x3A17),
    ("Profession", 0x3A46),
    ("Business phone", 0x3A08),
    ("Home phone", 0x3A09),
    ("Mobile phone", 0x3A1C),
    ("Fax", 0x3A24),
    ("Web page", 0x3A51),
)
_CONTACT_NAMED = (
    ("Email", 0x8083),
    ("Email 2", 0x8093),
    ("Email 3", 0x80A3),
    ("Business address", 0x801B),
    ("Home address", 0x801A),
    ("Other address", 0x801C),
    ("Instant messaging", 0x8062),
)


def item_lines(kind: str, props: Properties, named: dict[int, int], /) -> list[tuple[str, str]]:
    """Return header lines of an item of class *kind*; *named* maps named properties to ids."""
    kind = kind.lower()
    if kind.startswith(("ipm.appointment", "ipm.schedule.meeting")):
        return _lines(props, [(name, named.get(key)) for name, key in _APPOINTMENT])
    if kind.startswith("ipm.task"):
        lines = _lines(props, [(name, named.get(key)) for name, key in _TASK])
        return lines + _task_state(props, named)
    if kind.startswith("ipm.contact"):
        keys = [(name, named.get(key)) for name, key in _CONTACT_NAMED]
        return _lines(props, [*_CONTACT, *keys])
    return []


def _lines(props: Properties, keys: list[tuple[str, int | None]]) -> list[tuple[str, str]]:
    lines = []
    for name, key in keys:
        if key is None:
            continue
        time = props.time(key)
        text = time.isoformat(timespec="seconds") if time else props.line(key)
        if text:
            lines.append((name, text))
    return lines


def _task_state(props: Properties, named: dict[int, int]) -> list[tuple[str, str]]:
    lines = []
    status = props.number(named.get(_TASK_STATUS, 0))
    if status is not None and 0 <= status < len(_STATUS):
        lines.append(("Status", _STATUS[status]))
    share = props.values.get(named.get(_TASK_SHARE, 0))
    if isinstance(share, float) and 0 <= share <= 1:
        lines.append(("Complete", f"{share:.0%}"))
    return lines


# Writes a message inside an Outlook file as a separate mail (EML).


def as_eml(mail: Mail, body: Body, /) -> bytes:
    """Return a mail as an EML file with the same page."""
    text = _text_part(mail, body)
    message: Message = text
    if mail.files:
        message = MIMEMultipart("mixed")
        message.attach(text)
        for file in mail.files:
            part = MIMEApplication(file.data)
            part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", file.name))
            message.attach(part)
    for name, value in (
        ("From", mail.sender),
        ("To", mail.to),
        ("Cc", mail.cc),
        ("Bcc", mail.bcc),
        ("Date", format_datetime(mail.date) if mail.date else mail.date_text),
        ("Subject", mail.subject),
        ("Message-ID", mail.message_id),
        ("In-Reply-To", mail.in_reply_to),
        ("References", mail.references),
    ):
        if value:
            message[name] = _header(value)
    return message.as_bytes(policy=compat32.clone(mangle_from_=False))


def _text_part(mail: Mail, body: Body) -> Message:
    if not body.plain.strip() and body.html.strip() and not mail.extra:
        if isinstance(body.html, str):
            return MIMEText(body.html.encode("utf-8", "replace").decode(), "html", "utf-8")
        part = MIMEApplication(body.html)
        part.replace_header("Content-Type", "text/html")
        if body.charset:
            part.set_param("charset", body.charset)
        return part
    lines = [f"{name}: {value}" for name, value in mail.extra]
    paragraphs = ["\n".join(lines)] if lines else []
    paragraphs += ["\n".join(block.lines) for block in mail.blocks]
    text = "\n\n".join(paragraphs)
    return MIMEText(text.encode("utf-8", "replace").decode(), "plain", "utf-8")


def _header(value: str) -> str:
    """Return a header's value without line breaks, encoded if it is not ASCII."""
    line = " ".join("".join(char if char.isprintable() else " " for char in value).split())
    if line.isascii():
        return line
    return Header(line.encode("utf-8", "replace").decode(), "utf-8").encode()


_MARK = "__properties_version1.0"
RECIPIENT, ATTACHMENT = "__recip_version1.0_", "__attach_version1.0_"
EMBEDDED = "__substg1.0_3701000D"
_METHOD_MESSAGE, _METHOD_OLE = 5, 6
_BY_REFERENCE = frozenset({2, 3, 4, 7})
_KINDS = {1: "to", 2: "cc", 3: "bcc"}
_SMIME = "ipm.note.smime"
_MAX_DEPTH = 8
_MAX_RECIPIENTS = 5000
_SAME_TIME = dt.timedelta(minutes=2)


class MsgReader:
    """Messages and other items saved by Outlook."""

    name = "MSG"
    extensions: tuple[str, ...] = (".msg",)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept an OLE container with MAPI properties, or one without any known stream."""
        return file.head.startswith(OLE_MAGIC) and (not file.members or _MARK in file.members)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Read the message; see :class:`casetrack.parse.base.Reader`."""
        with Container(path, options.limits.unpacked_mb) as container:
            item = _Item(container).read((), TOP_HEADER)
            if container.damaged:
                count = len(container.damaged)
                item.mail.add_missing(f"{count:,} of the parts inside the file are damaged.")
        reading = Reading(mail_info(item.mail, "msg"), iter([mail_page(item.mail)]))
        transfer(item.mail, reading, options)
        return reading


@dataclass(slots=True)
class _Read:
    """A message of a container: the displayed mail, and its original body."""

    mail: Mail
    body: storage.Body


class MapiSource(Protocol):
    """Properties of a message, of its recipients and attachments, by the names of storages."""

    def names(self, folder: Folder, prefix: str = "", /) -> list[str]:
        """Return the names in a storage that begin with *prefix*."""

    def properties(self, folder: Folder, header: int, /) -> Properties:
        """Return the properties of a storage; *header* is the number of bytes before them."""

    def named(self) -> dict[int, int]:
        """Return the ids of named properties by their number."""


def eml_of(source: MapiSource, /) -> tuple[bytes, list[str]]:
    """Return a message as an EML file, and sentences on its unreadable content."""
    read = _Item(source).read((), TOP_HEADER)
    return as_eml(read.mail, read.body), read.mail.missing


@dataclass(slots=True)
class _Item:
    container: MapiSource
    _named: dict[int, int] = field(default_factory=dict)

    def read(self, folder: Folder, header: int, /, depth: int = 0) -> _Read:
        self._named = self._named or self.container.named()
        props = self.container.properties(folder, header)
        mail = _head(props)
        self._recipients(folder, props, mail)
        kind = props.line(storage.MESSAGE_CLASS)
        mail.extra = item_lines(kind, props, self._named)
        body = storage.find_body(props, mail)
        mail.blocks = storage.body_blocks(body, mail)
        self._attachments(folder, props, mail, body, depth)
        if kind.lower().startswith(_SMIME):
            _unwrap(mail)
        return _Read(mail, body)

    def _recipients(self, folder: Folder, message: storage.Properties, mail: Mail) -> None:
        lists: dict[str, list[str]] = {"to": [], "cc": [], "bcc": []}
        for name in self.container.names(folder, RECIPIENT)[:_MAX_RECIPIENTS]:
            props = self.container.properties((*folder, name), OTHER_HEADER)
            props.encoding = props.encoding or message.encoding
            shown = _address(
                props.line(storage.DISPLAY_NAME),
                props.line(storage.SMTP_ADDRESS),
                props.line(storage.ADDRESS),
            )
            kind = _KINDS.get((props.number(storage.RECIPIENT_TYPE) or 1) & 0xF)
            if kind and shown:
                lists[kind].append(shown)
        mail.to = ", ".join(lists["to"]) or message.line(storage.DISPLAY_TO)
        mail.cc = ", ".join(lists["cc"]) or message.line(storage.DISPLAY_CC)
        mail.bcc = ", ".join(lists["bcc"]) or message.line(storage.DISPLAY_BCC)

    # --- files -----------------------------------------------------------------------------

    def _attachments(
        self,
        folder: Folder,
        message: storage.Properties,
        mail: Mail,
        body: storage.Body,
        depth: int,
    ) -> None:
        html = body.html.encode("utf-8", "replace") if isinstance(body.html, str) else body.html
        shown = shown_pictures(html)
        objects = 0
        for name in self.container.names(folder, ATTACHMENT):
            place = (*folder, name)
            props = self.container.properties(place, OTHER_HEADER)
            props.encoding = props.encoding or message.encoding
            method = props.number(storage.ATTACH_METHOD)
            if method == _METHOD_MESSAGE or (
                method is None and self.container.names((*place, EMBEDDED))
            ):
                self._message(place, props, mail, depth)
            elif method == _METHOD_OLE:
                objects += 1
            else:
                _add_file(props, mail, shown, method)
        if objects:
            mail.warn(f"{objects:,} embedded object{'s' if objects > 1 else ''} left out: no file.")

    def _message(self, place: Folder, props: storage.Properties, mail: Mail, depth: int) -> None:
        if depth >= _MAX_DEPTH:
            mail.add_missing("Messages nested too deeply were not read.")
            return
        name = props.line(storage.DISPLAY_NAME, storage.ATTACH_NAME) or "message"
        if not self.container.names((*place, EMBEDDED)):
            mail.add_missing(f"The attached message {name} could not be read.")
            return
        inner = self.read((*place, EMBEDDED), MESSAGE_HEADER, depth + 1)
        name = inner.mail.subject or name
        for text in inner.mail.missing:
            mail.add_missing(f"{name}: {text}")
        data = as_eml(inner.mail, inner.body)
        mail.files.append(MailFile(f"{name.replace('/', '_')}.eml", data))


def _head(props: storage.Properties) -> Mail:
    sent = props.text(storage.HEADERS).encode("utf-8", "replace")
    # Outlook puts a mailbox separator or its version before the header fields.
    internet, _ = headers.split_head(sent, 0, len(sent))
    sender = _address(
        props.line(storage.SENT_NAME),
        props.line(storage.SENT_SMTP),
        props.line(storage.SENT_ADDRESS),
    ) or _address(
        props.line(storage.SENDER_NAME),
        props.line(storage.SENDER_SMTP),
        props.line(storage.SENDER_ADDRESS),
    )
    if "@" not in sender:
        # An address of Exchange's directory is not an internet address, which the header contains.
        written_sender = headers.fields(internet, "from")
        sender = written_sender if "@" in written_sender else sender or written_sender
    written = headers.field(internet, "date")
    mail = Mail(
        subject=props.line(storage.SUBJECT)
        or f"{props.line(storage.SUBJECT_PREFIX)} {props.line(storage.NORMALIZED_SUBJECT)}".strip(),
        sender=sender,
        date=_date(props, mail_date(written)),
        date_text=written,
        message_id=props.line(storage.MESSAGE_ID) or headers.field(internet, "message-id"),
        in_reply_to=props.line(storage.IN_REPLY_TO) or headers.field(internet, "in-reply-to"),
        references=props.line(storage.REFERENCES) or headers.field(internet, "references"),
        thread_index=base64.b64encode(props.data(storage.CONVERSATION_INDEX)).decode("ascii")
        or "".join(headers.field(internet, "thread-index").split()),
        kept=_kept(props, internet),
    )
    mail.check_date([*headers.received(internet), props.time(storage.DELIVERY_TIME)])
    return mail


def _kept(props: storage.Properties, internet: Message) -> tuple[tuple[str, str], ...]:
    """Return further facts; drafts have the topic of their conversation only as a property."""
    facts = dict(headers.kept(internet))
    topic = props.line(storage.CONVERSATION_TOPIC)
    if topic:
        facts.setdefault("thread_topic", topic)
    return tuple(facts.items())


def _date(props: storage.Properties, written: dt.datetime | None) -> dt.datetime | None:
    """Return the time of sending, with the time zone of a consistent header."""
    sent = props.time(storage.SUBMIT_TIME)
    if sent is None:
        return written or props.time(storage.DELIVERY_TIME, storage.CREATED)
    if written is not None and abs(written - sent) < _SAME_TIME:
        return written
    return sent


def _address(name: str, *addresses: str) -> str:
    """Return name and address as mails show them; ignore addresses of Exchange's directory."""
    address = next((text for text in addresses if "@" in text and text[0] != "/"), "")
    name = name.strip(" '\"")
    if not address or address.lower() == name.lower():
        return address or name
    return f"{name} <{address}>" if name else address


def _add_file(props: storage.Properties, mail: Mail, shown: set[str], method: int | None) -> None:
    name = props.line(storage.ATTACH_NAME, storage.ATTACH_SHORT_NAME, storage.DISPLAY_NAME)
    data = props.data(storage.ATTACH_DATA)
    if method in _BY_REFERENCE and not data:
        mail.warn(f"The attachment {name or 'without a name'} is not in the file, only linked to.")
        return
    kind = props.line(storage.ATTACH_MIME).lower()
    places = (props.line(storage.ATTACH_CONTENT_ID), props.line(storage.ATTACH_PLACE))
    if not data or any(place.strip("<> ").lower() in shown for place in places if place):
        return
    number = len(mail.files) + 1
    mail.files.append(MailFile(name or f"attachment-{number}{SUFFIXES.get(kind, '.bin')}", data))


def _unwrap(mail: Mail) -> None:
    """Replace the file of a signed mail by its content; report an encrypted one as missing."""
    files, mail.files = mail.files, []
    for file in files:
        inner = signed_content(file.data)
        if inner is None and file.data[:1] != b"\x30":
            inner = file.data
        if inner is None:
            mail.add_missing("The mail is encrypted (S/MIME); its content was not read.")
            continue
        signed = read_message(inner)
        mail.blocks += signed.blocks
        mail.files += signed.files
        for text in signed.missing:
            mail.add_missing(text)
