"""Chat exports: Slack, Microsoft Teams, Skype; other JSON is left to its reader."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.parse import detect
from casetrack.parse.mail.chats import ChatReader, slack_users, with_names

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

SLACK = [
    {
        "type": "message",
        "user": "U2",
        "ts": "1355517601.1",
        "text": "Yes",
        "thread_ts": "1355517523.5",
    },
    {
        "type": "message",
        "user": "U1",
        "ts": "1355517523.5",
        "text": "<@U2> is <http://x.org/a|the offer> &lt; 5 %?\nSee <#C1|roof>.",
        "files": [{"name": "offer.pdf"}],
        "edited": {"user": "U1", "ts": "1355517600.0"},
    },
]
TEAMS = {
    "value": [
        {
            "messageType": "message",
            "createdDateTime": "2022-11-05T13:06:30.582Z",
            "from": {"application": None, "user": {"displayName": "Megan Bowen"}},
            "body": {"contentType": "html", "content": "<p>Friday?</p><p>Or <b>later</b>?</p>"},
            "attachments": [{"name": "plan.docx"}],
        },
        {
            "messageType": "systemEventMessage",
            "createdDateTime": "2022-11-05T13:07:00Z",
            "from": None,
            "body": {"content": "<systemEventMessage/>"},
        },
    ]
}
SKYPE = {
    "userId": "8:ann",
    "conversations": [
        {
            "displayName": "Roof",
            "MessageList": [
                {
                    "displayName": name,
                    "originalarrivaltime": "2023-01-01T12:00:00.000Z",
                    "messagetype": "RichText",
                    "content": "It costs 4,200 &euro;.",
                    "from": "8:bob",
                }
                for name in ("Bob", None)
            ],
        },
        {"displayName": "Empty", "MessageList": []},
    ],
}


def pages(path: Path, data: Any) -> tuple[str, list[str]]:
    path.write_text(json.dumps(data))
    reading = detect(path).read(path)
    return reading.info.format, [page.text for page in reading.pages]


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (
            SLACK,
            [
                (
                    "2012-12-14 20:38 UTC, U1, edited: @U2 is the offer (http://x.org/a) < 5 %?\n"
                    "See #roof.\nFile: offer.pdf\n\n2012-12-14 20:40 UTC, U2, reply: Yes"
                )
            ],
        ),
        (
            TEAMS,
            [
                (
                    "2022-11-05 13:06 UTC, Megan Bowen: Friday?\nOr later?\nFile: plan.docx\n\n"
                    "2022-11-05 13:07 UTC, (system): (no text)"
                )
            ],
        ),
        (
            SKYPE,
            [
                (
                    "Roof\n\n2023-01-01 12:00 UTC, Bob: It costs 4,200 €.\n\n"
                    "2023-01-01 12:00 UTC, 8:bob: It costs 4,200 €."
                )
            ],
        ),
    ],
)
def test_messages_have_time_sender_and_text(tmp_path: Path, data: Any, texts: list[str]) -> None:
    assert pages(tmp_path / "a.json", data) == ("chat", texts)


@pytest.mark.parametrize(
    "data",
    [
        [{"ts": "x", "type": "message", "text": "no time"}],
        [{"ts": "1355517601.1", "type": "sale"}, {"other": 1}, {"other": 2}],
        [{"ts": "1355517601.1", "type": "log", "text": "a line", "severity": "high"}],
        [*SLACK, *SLACK, *SLACK, {"total": 6}],
        {"ts": "1355517601.1", "type": "message"},
    ],
)
def test_other_json_is_no_chat(tmp_path: Path, data: Any) -> None:
    assert pages(tmp_path / "a.json", data)[0] == "json"


VALUES = st.recursive(
    st.none()
    | st.integers()
    | st.text(max_size=3)
    | st.just("1355517601.1")
    | st.just("2023-01-01T12:00:00"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "ts type text user user_profile profile real_name files attachments from body "
                "content createdDateTime messageType value MessageList displayName name".split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(VALUES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_read(tmp_path: Path, data: Any) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    reading = ChatReader().read(path)
    assert all(page.text is not None for page in reading.pages)
    assert isinstance(slack_users(path.read_bytes()), dict)
    with_names(path.read_bytes(), {"U1": "Ann"})


def test_a_long_conversation_has_several_pages(tmp_path: Path) -> None:
    many = [{**SLACK[0], "ts": f"{1355517601 + n}.0"} for n in range(450)]
    _, texts = pages(tmp_path / "a.json", many)
    assert [text.count("Yes") for text in texts] == [200, 200, 50]


def test_a_slack_export_has_the_names_of_its_people(library: Library, tmp_path: Path) -> None:
    users = [{"id": "U1", "profile": {"real_name": "Ann Lee"}}, {"id": "U2", "name": "bo"}]
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("roof/2012-12-14.json", json.dumps(SLACK))
        archive.writestr("roof/2012-12-15.json", "[] broken")
        archive.writestr("users.json", json.dumps(users))
    path = tmp_path / "export.zip"
    path.write_bytes(target.getvalue())
    collection = library.create("Case")
    assert collection.ingest([path]).counts["ingested"] == 4
    result = collection.search("offer", limit=1).results[0]
    assert "Ann Lee, edited: @bo is the offer" in result.text
    assert result.provenance.document_path == f"{path}/roof/2012-12-14.json"
