"""Read exports of chats (Slack, Microsoft Teams, Skype): each message is a paragraph.

A message is a JSON object with a time, a sender and a text, each under one of a few keys. Other
JSON under the same extension is left to its reader.
"""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.years import recorded
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, Page, Reading, ReadOptions
from casetrack.parse.detect import HEAD_BYTES
from casetrack.parse.links import LinkTargets
from casetrack.parse.mail.page import Mail
from casetrack.parse.mail.quotes import html_body
from casetrack.parse.page_builder import PageBuilder, SourceLine
from casetrack.parse.text.json_lines import JsonReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    Message = Mapping[str, Any]

_HEAD = re.compile(rb'"(?:ts|originalarrivaltime|createdDateTime)"\s*:')
_KIND = re.compile(rb'"(?:type|subtype|messagetype|messageType|MessageList)"\s*:')
_TIMES = ("originalarrivaltime", "composetime", "createdDateTime")
_SENDERS = ("user", "application", "device")
_TEXTS = ("text", "content", "body")
_LISTS = ("value", "messages", "MessageList", "conversations")
_PAGE_MESSAGES, _MOST_BYTES = 200, 256 << 20
_SLACK_LINK = re.compile(r"<(?P<target>[^<>|\s]+)(?:\|(?P<name>[^<>]*))?>")
_MENTION = re.compile(r"<@(\w+)>")
_DAY = re.compile(r"(?:.*/)?[^/]+/\d{4}-\d\d-\d\d\.json")


class ChatReader(JsonReader):
    """JSON; of an export of a chat, a page has up to 200 messages of one conversation."""

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Read the messages; see :class:`casetrack.parse.base.Reader`."""
        encoding = self.encoding_of(path)
        chats: list[tuple[str, list[Message]]] = []
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        is_likely = _HEAD.search(head) and _KIND.search(head)
        if is_likely and path.stat().st_size <= _MOST_BYTES:
            try:
                data = json.loads(path.read_text(encoding.name, encoding.errors).lstrip("\ufeff"))
                chats = list(_chats(data, ""))
            except (ValueError, RecursionError):
                # The general reader says where it is not JSON.
                chats = []
        if not chats:
            return super().read(path, options)
        pages = [
            (name, chat[start : start + _PAGE_MESSAGES])
            for name, chat in chats
            for start in range(0, len(chat), _PAGE_MESSAGES)
        ]
        times = [time for _, chat in chats for message in chat if (time := _time(message))]
        title = chats[0][0] if len(chats) == 1 else None
        info = DocumentInfo(
            "chat", len(pages), title=title or None, created_at=min(times, default=None)
        )
        warnings = [encoding.warning] if encoding.warning else []
        return Reading(info, (_page(n, *page) for n, page in enumerate(pages, 1)), warnings)


def with_names(data: bytes, users: Mapping[str, str], /) -> bytes:
    """Return a day of a Slack export with the names of the people; other data unchanged."""
    try:
        messages = json.loads(data)
    except ValueError:
        return data
    objects = [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
    named = [m for m in objects if "ts" in m and str(m.get("user")) in users]
    for message in named:
        message.setdefault("user_profile", {"real_name": users[str(message["user"])]})
        message["text"] = _MENTION.sub(
            lambda m: f"<@{m[1]}|{users.get(m[1], m[1])}>", str(message.get("text") or "")
        )
    return json.dumps(messages, ensure_ascii=False, indent=1).encode() if named else data


def slack_users(data: bytes, /) -> dict[str, str]:
    """Return names by the ids of ``users.json``; empty if it is another file."""
    try:
        users = json.loads(data)
    except ValueError:
        return {}
    return {
        str(user["id"]): name
        for user in (users if isinstance(users, list) else ())
        if isinstance(user, dict) and "id" in user and (name := _slack_name(user))
    }


def is_slack_day(path: str, /) -> bool:
    """Return whether a path is that of a day in the folder of a channel."""
    return _DAY.fullmatch(path) is not None


def _slack_name(user: Message) -> str:
    profile = user["profile"] if isinstance(user.get("profile"), dict) else user
    known = (profile.get(key) for key in ("real_name", "display_name", "name", "username"))
    return next((str(name) for name in known if name), "")


def _chats(data: Any, name: str) -> Iterator[tuple[str, list[Message]]]:
    """Yield the conversations with their names; a list with other objects is none."""
    if isinstance(data, dict):
        name = str(data.get("displayName") or data.get("topic") or name)
        for key in _LISTS:
            yield from _chats(data.get(key), name)
    elif isinstance(data, list):
        objects = [each for each in data if isinstance(each, dict)]
        messages = [each for each in objects if _is_message(each)]
        if messages and len(messages) == len(data):
            yield name, sorted(messages, key=_moment)
        elif not messages:
            for each in objects:
                if any(key in each for key in _LISTS):
                    yield from _chats(each, name)


def _is_message(each: Message) -> bool:
    is_slack = "ts" in each and each.get("type") == "message"
    is_kind = is_slack or "messagetype" in each or "messageType" in each
    return is_kind and any(key in each for key in _TEXTS) and _time(each) is not None


def _moment(message: Message) -> float:
    time = _time(message)
    return time.timestamp() if time else 0.0


def _time(message: Message) -> datetime | None:
    try:
        if isinstance(stamp := message.get("ts"), str):
            return recorded(datetime.fromtimestamp(float(stamp), UTC))
        text = next((str(message[key]) for key in _TIMES if message.get(key)), "")
        time = datetime.fromisoformat(text) if text else None
        return (
            recorded(time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC))
            if time
            else None
        )
    except (ValueError, OverflowError, OSError):
        return None


def _sender(message: Message) -> str:
    for key in ("user_profile", "bot_profile"):
        if isinstance(message.get(key), dict):
            return _slack_name(message[key])
    sender = message.get("from")
    if isinstance(sender, dict):
        people = [sender[key] for key in _SENDERS if isinstance(sender.get(key), dict)]
        return next((str(each["displayName"]) for each in people if each.get("displayName")), "")
    known = (message.get(k) for k in ("displayName", "imdisplayname", "username", "user", "bot_id"))
    return next((str(name) for name in known if name), str(sender or ""))


def _lines(message: Message) -> list[str]:
    """Return the text of a message, then the names of its files."""
    if "ts" in message:
        parts = [message, *_objects(message, "attachments")]
        texts = (part.get("text") or part.get("fallback") or "" for part in parts)
        lines = [line for text in texts for line in _slack_text(str(text)).splitlines()]
        files = _objects(message, "files")
    else:
        body = message.get("body")
        content = body.get("content") if isinstance(body, dict) else message.get("content")
        blocks = html_body(str(content or ""), None, Mail(), LinkTargets(remaining=0))
        lines = [line for block in blocks for line in block.lines]
        files = _objects(message, "attachments")
    names = (file.get("name") or file.get("title") for file in files)
    lines += [f"File: {name}" for name in names if name]
    return [line for line in lines if line.strip()]


def _objects(message: Message, key: str) -> list[Message]:
    values = message.get(key)
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def _slack_text(text: str) -> str:
    return html.unescape(_SLACK_LINK.sub(_link, text))


def _link(match: re.Match[str]) -> str:
    target, name = match["target"], match["name"]
    if target[0] in "@#!":
        return f"{target[0]}{name or target[1:]}".lstrip("!")
    return f"{name} ({target})" if name and name != target else target


def _page(number: int, name: str, messages: Sequence[Message]) -> Page:
    builder = PageBuilder(number)
    if name:
        builder.paragraph([SourceLine(name)], kind="heading", level=1)
    for message in messages:
        first, *rest = _lines(message) or ["(no text)"]
        notes = "".join(
            (
                ", reply" * (message.get("thread_ts", message.get("ts")) != message.get("ts")),
                ", edited" * bool(message.get("edited") or message.get("lastEditedDateTime")),
                ", deleted" * bool(message.get("deletedDateTime")),
            )
        )
        head = f"{_time(message):%Y-%m-%d %H:%M} UTC, {_sender(message) or '(system)'}{notes}: "
        builder.paragraph(map(SourceLine, [head + first, *rest]))
    return builder.build()
