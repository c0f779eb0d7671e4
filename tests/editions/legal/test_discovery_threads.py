"""Threads of mails: by headers of every kind, by quotation, and by words where nothing else is."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import DocumentNotFound, UnsupportedFormat
from casetrack.editions.legal.discovery.threads import mail_threads
from casetrack.parse import detect
from editions.legal.cases import new_case
from graph.belonging.mails import mail
from graph.belonging.measure import write

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

ADA, BO, CY = (
    "Ada Mossop <ada@mill.example>",
    "Bo Renner <bo@mill.example>",
    "Cyril Haleworth <cyril@hale.example>",
)
ROOT = bytes(range(22))


def indexed(message: bytes, *answers: int) -> bytes:
    """Give a mail the index that Outlook gives it: five bytes more for each answer."""
    index = ROOT + b"".join(bytes([n] * 5) for n in answers)
    return b"Thread-Index: " + base64.b64encode(index) + b"\nThread-Topic: Silo\n" + message


FILES = {
    # Headers of the internet, with one mail that is not here.
    "net/1.eml": mail(ADA, BO, "Rent of the mill", "What is it?", 0, message_id="<n1@m.x>"),
    "net/2.eml": mail(
        BO, ADA, "Re: Rent", "Ask Cyril.", 1, message_id="<n2@m.x>", answers="<n1@m.x>"
    ),
    "net/4.eml": mail(
        *(CY, ADA, "The mill, finally", "It is 48,000.", 9),
        message_id="<n4@m.x>",
        answers="<n3@m.x>",
        references="<n1@m.x> <n2@m.x> <n3@m.x>",
    ),
    # References without In-Reply-To.
    "ref/1.eml": mail(ADA, BO, "Keys", "Where are they?", 2, message_id="<k1@m.x>"),
    "ref/2.eml": mail(BO, ADA, "Not those", "In the hall.", 3, references="<k1@m.x>"),
    # Outlook without ids; the second was answered twice, the third answers one that is not here.
    "idx/1.eml": indexed(mail(ADA, BO, "Silo", "Is it full?", 4)),
    "idx/2.eml": indexed(mail(BO, ADA, "RE: Silo", "Half.", 5), 1),
    "idx/3.eml": indexed(mail(ADA, BO, "AW: Silo and roof", "Which half?", 6), 1, 2),
    "idx/4.eml": indexed(mail(CY, BO, "RE: Silo", "The upper.", 7), 3, 4),
    # Neither ids nor quotations: the same mail in two folders, and an answer.
    "enron/inbox/1.": mail(ADA, CY, "Delivery of grain", "Monday, if it is dry.", 20, folder="in"),
    "enron/sent/7.": mail(ADA, CY, "Delivery of grain", "Monday, if it is dry.", 20, folder="out"),
    "enron/inbox/2.": mail(CY, ADA, "Re: Delivery of grain", "It will be.", 22),
    # Two mails that each claim to answer the other.
    "loop/1.eml": mail(ADA, BO, "Loop", "One.", 30, message_id="<l1@m.x>", answers="<l2@m.x>"),
    "loop/2.eml": mail(BO, ADA, "Loop", "Two.", 31, message_id="<l2@m.x>", answers="<l1@m.x>"),
    "alone.eml": mail(CY, BO, "Lost", "Nobody has seen the pallets.", 40),
}


@pytest.fixture(scope="module", name="mails")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("threads")
    return new_case(folder, write(FILES, folder / "files"))


def short(path: str) -> str:
    return path.rpartition("/files/")[2]


def test_who_follows_whom_and_what_says_so(mails: Collection) -> None:
    result = mail_threads(mails)
    paths = {d.document_id: short(d.path) for d in mails.documents()}
    rows = {
        short(m.path): (m.depth, paths.get(m.follows or ""), " ".join(m.basis))
        for thread in result.threads
        for m in thread.mails
    }
    assert rows == {
        "net/1.eml": (0, None, ""),
        "net/2.eml": (1, "net/1.eml", "message id"),
        "net/4.eml": (2, "net/2.eml", "references"),
        "ref/1.eml": (0, None, ""),
        "ref/2.eml": (1, "ref/1.eml", "references"),
        "idx/1.eml": (0, None, ""),
        "idx/2.eml": (1, "idx/1.eml", "thread index"),
        "idx/3.eml": (2, "idx/2.eml", "thread index"),
        "idx/4.eml": (1, "idx/1.eml", "thread index"),
        "enron/inbox/1.": (0, None, ""),
        "enron/inbox/2.": (1, "enron/inbox/1.", "subject correspondents time"),
        "loop/1.eml": (0, None, ""),
        "loop/2.eml": (0, None, ""),
    }


def test_what_is_missing_copied_and_guessed_is_reported(mails: Collection) -> None:
    result = mail_threads(mails)
    assert (result.thread_count, result.mail_count, result.copy_count) == (5, 14, 1)
    assert result.single_count == 1
    by_subject = {thread.subject: thread for thread in result.threads}
    assert by_subject["Rent of the mill"].missing == ("n3@m.x",)
    assert by_subject["Rent of the mill"].people == (ADA, BO, CY)
    grain = by_subject["Delivery of grain"].mails[0]
    assert [short(path) for path in grain.copies] == ["enron/sent/7."]
    assert len(result.notes) == 2  # one mail is missing, one is placed by a guess
    assert [thread.first_sent_at for thread in result.threads] == sorted(
        thread.first_sent_at for thread in result.threads if thread.first_sent_at
    )


def test_the_threads_of_one_mail(mails: Collection) -> None:
    copy = next(d for d in mails.documents() if short(d.path) == "enron/sent/7.")
    assert [t.subject for t in mail_threads(mails, document=copy).threads] == ["Delivery of grain"]
    alone = mail_threads(mails, document="alone.eml").threads
    assert [(t.subject, t.mail_count) for t in alone] == [("Lost", 1)]
    with pytest.raises(DocumentNotFound):
        mail_threads(mails, document="none.eml")
    assert len(mail_threads(mails, singles=True).threads) == 6
    assert [t.mail_count for t in mail_threads(mails, limit=1).threads] == [4]


def test_headers_that_are_not_shown_are_kept(mails: Collection) -> None:
    facts = {short(d.path): dict(d.properties) for d in mails.documents()}
    assert facts["idx/2.eml"]["thread_topic"] == "Silo"
    assert base64.b64decode(facts["idx/2.eml"]["thread_index"]) == ROOT + b"\1" * 5
    assert facts["enron/sent/7."]["x_folder"] == "out"


@pytest.mark.parametrize("name", ["20.", "20", "1354.M2P9.host:2,S"])
def test_a_mail_without_an_ending_is_recognised_by_its_head(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES["alone.eml"])
    assert detect(path).name == "EML"


def test_other_files_without_an_ending_of_mails_are_none(tmp_path: Path) -> None:
    no_head = b"From: the authors\nSubject to the following:\n\nDate: 2024\n"
    for name, content in (("notes.xyz", FILES["alone.eml"]), ("LICENSE", no_head)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UnsupportedFormat):
            detect(tmp_path / name)


def test_messages_of_a_mailbox_have_threads_by_their_headers(tmp_path: Path) -> None:
    names = ("net/1.eml", "idx/1.eml", "net/2.eml", "idx/2.eml", "net/4.eml", "ref/1.eml")
    box = b"".join(
        b"From x Mon Sep  4 08:30:00 2023\n" + FILES[name].replace(b"\r\n", b"\n") + b"\n"
        for name in names
    )
    (tmp_path / "all.mbox").write_bytes(box)
    result = mail_threads(new_case(tmp_path, tmp_path / "all.mbox"))
    rows = [[(m.depth, " ".join(m.basis)) for m in thread.mails] for thread in result.threads]
    assert rows == [[(0, ""), (1, "message id"), (2, "references")], [(0, ""), (1, "thread index")]]
    assert result.threads[0].missing == ("n3@m.x",)
