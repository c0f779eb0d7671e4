"""Mail: headers, bodies, charsets, files, quotes; EML, MBOX and MSG; broken and hostile ones."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import quopri
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.header import Header
from email.message import EmailMessage, Message
from email.mime.text import MIMEText
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from casetrack.base.config import ParseLimits
from casetrack.base.errors import ParseFailed
from casetrack.parse.archive import ArchiveReader
from casetrack.parse.base import FileHead, Page, Reader, Reading, ReadOptions
from casetrack.parse.detect import read_head
from casetrack.parse.mail.body import read_message
from casetrack.parse.mail.eml import EmlReader
from casetrack.parse.mail.headers import decode_base64, decode_text, decode_words
from casetrack.parse.mail.msg import MsgReader
from casetrack.parse.mail.page import mail_page
from casetrack.parse.page_builder import clean_text
from tests.ole_container import Tree, ole
from tests.parse.paging import lines_of

PDF = b"%PDF-1.4 not really\n" * 60


def read(reader: Reader, path: Path, data: bytes, **limits: int) -> tuple[Reading, list[Page]]:
    path.write_bytes(data)
    spool = path.with_name(f"{path.name}-spool")
    spool.mkdir()
    reading = reader.read(path, ReadOptions(spool=spool, limits=ParseLimits(**limits)))
    return reading, list(reading.pages)


def read_eml(tmp_path: Path, data: bytes) -> tuple[Reading, Page]:
    reading, pages = read(EmlReader(), tmp_path / "a.eml", data)
    assert len(pages) == reading.info.page_count == 1
    return reading, pages[0]


def files(reading: Reading) -> dict[str, bytes]:
    return {file.name: file.path.read_bytes() for file in reading.attachments}


def blocks(page: Page) -> list[tuple[str, str]]:
    """Return kind and text of each paragraph behind the head."""
    return [(p.kind, page.text[p.start : p.end]) for p in page.paragraphs[1:]]


def mail(**headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in ({"From": "ann@x.org", "Subject": "Hello"} | headers).items():
        message[name.replace("_", "-")] = value
    return message


# --- EML -----------------------------------------------------------------------------------


def test_head_body_and_facts(tmp_path: Path) -> None:
    facts = {
        "from": "Ann Müller <ann@x.org>",
        "to": '"Lee, Bob" <bob@y.org>, cy@z.org',
        "cc": "Dee <dee@x.org>",
        "subject": "Über die Rechnung № 7",
        "message_id": "<1@x.org>",
        "in_reply_to": "<0@x.org>",
        "references": "<a@x.org> <0@x.org>",
    }
    named = {name.title() if name in {"from", "subject"} else name: v for name, v in facts.items()}
    message = mail(Date="Thu, 04 Oct 2012 13:02:39 +0200", **named)
    message.set_content("Guten Tag,\n\nanbei die Rechnung.\n\nAnn\n")
    message.add_attachment(PDF, "application", "pdf", filename="Rechnung Müller.pdf")
    reading, page = read_eml(tmp_path, message.as_bytes())
    assert page.kind == "page"
    assert lines_of(page)[:6] == [
        f"From: {facts['from']}",
        f"To: {facts['to']}",
        f"Cc: {facts['cc']}",
        "Date: 2012-10-04T13:02:39+02:00 (Thu, 04 Oct 2012 13:02:39 +0200)",
        f"Subject: {facts['subject']}",
        "Attachments: Rechnung Müller.pdf (1 KB)",
    ]
    output = ("Guten Tag,", "anbei die Rechnung.", "Ann")
    assert blocks(page) == [("body", text) for text in output]
    info = reading.info
    assert (info.format, info.title, info.author) == ("eml", facts["subject"], facts["from"])
    zone = dt.timezone(dt.timedelta(hours=2))
    assert info.created_at == dt.datetime(2012, 10, 4, 13, 2, 39, tzinfo=zone)
    further = {"date": "2012-10-04T13:02:39+02:00", "attachments": "Rechnung Müller.pdf"}
    further["attached_files"] = hashlib.sha256(PDF).hexdigest()
    assert dict(info.properties) == facts | further
    assert files(reading) == {"Rechnung Müller.pdf": PDF}
    assert reading.warnings == reading.missing == []


ALPHABETS = {
    "utf-8": "abc äß λж 日本 😀 !?",
    "iso-8859-1": "abcäöüßéÿ 19!?",
    "iso-8859-15": "abcäö€ž 7",
    "windows-1251": "абвгдё №x",
    "koi8-r": "абвгдё xyz",
    "gb18030": "中文字符 abc",
    "big5": "中文字 abc",
    "euc-jp": "日本語カナ abc",
    "iso-2022-jp": "日本語カナ abc",
    "shift_jis": "日本語カナ表 abc",
    "euc-kr": "한국어 abc",
    "utf-16": "abc ä日 x",
}
CODERS: dict[str, Callable[[bytes], bytes]] = {
    "base64": base64.encodebytes,
    "quoted-printable": quopri.encodestring,
    "8bit": bytes,
}
LINES = st.sampled_from(sorted(ALPHABETS)).flatmap(
    lambda charset: st.tuples(
        st.just(charset),
        st.lists(st.text(ALPHABETS[charset], min_size=1, max_size=120), min_size=1, max_size=6),
    )
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(LINES, st.sampled_from(["base64", "quoted-printable", "8bit"]), st.booleans())
def test_body_in_is_body_out(
    charset_lines: tuple[str, list[str]], encoding: str, has_windows_ends: bool
) -> None:
    charset, lines = charset_lines
    assume(charset != "utf-16" or encoding == "base64")
    data = "\n".join(lines).encode(charset)
    if charset not in {"utf-8", "iso-2022-jp", "utf-16"} and not data.isascii():
        assume(not _is_utf8(data))  # by chance it may be
    message = MIMEText("", "plain", charset if charset != "utf-16" else "utf-8")
    del message["Content-Transfer-Encoding"]
    message.set_param("charset", charset)
    message["Content-Transfer-Encoding"] = encoding
    head = message.as_bytes().rstrip(b"\n") + b"\n\n"
    whole = head + CODERS[encoding](data)
    if has_windows_ends:
        whole = whole.replace(b"\n", b"\r\n")
    page = mail_page(read_message(whole))
    shown = [clean_text(line).strip() for line in lines]
    assert page.text.split() == " ".join(shown).split()


WORDS = st.lists(
    st.text(st.characters(categories=("L", "N")), min_size=1, max_size=30), min_size=1, max_size=12
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(WORDS, st.booleans(), st.sampled_from(["utf-8", "iso-8859-1", "koi8-r", "gb18030"]))
def test_subject_in_is_subject_out(words: list[str], is_raw: bool, charset: str) -> None:
    subject = " ".join(words)
    if is_raw:
        data = b"Subject: " + subject.encode() + b"\r\n\r\nx"
    else:
        message = Message()
        with suppress(UnicodeEncodeError):
            assume(subject.encode(charset).isascii() or not _is_utf8(subject.encode(charset)))
            message["Subject"] = Header(subject, charset, header_name="Subject").encode()
        if "Subject" not in message:
            message["Subject"] = Header(subject, "utf-8", header_name="Subject").encode()
        data = message.as_bytes() + b"x"
    assert read_message(data).subject == subject


def _is_utf8(data: bytes) -> bool:
    return decode_text(data).warning is None


SERVERS = ("Tue, 12 Mar 2024 10:00:05 +0000", "Tue, 12 Mar 2024 10:00:01 +0000", "no date")


@pytest.mark.parametrize(
    ("sent", "received", "day", "noted"),
    [
        ("Tue, 12 Mar 2024 10:00:00 +0000", SERVERS, "2024-03-12", False),
        ("Sat, 9 Mar 2024 10:00:00 +0000", SERVERS, "2024-03-09", False),
        ("Thu, 1 Jan 1970 00:00:00 +0000", SERVERS, "2024-03-12", True),
        ("Wed, 12 Mar 2003 10:00:00 +0000", SERVERS, "2024-03-12", True),
        ("Mon, 12 Mar 2057 10:00:00 +0000", SERVERS, "2024-03-12", True),
        ("Mon, 12 Mar 2057 10:00:00 +0000", (), None, True),
        ("Wed, 12 Mar 2003 10:00:00 +0000", ("no date",), "2003-03-12", False),
        ("", SERVERS, None, False),
    ],
)
def test_a_date_of_a_wrong_clock_is_noted_and_the_receipt_counts(
    tmp_path: Path, sent: str, received: tuple[str, ...], day: str | None, noted: bool
) -> None:
    lines = [f"Received: from a by b; {when}" for when in received]
    data = "\n".join([*lines, *([f"Date: {sent}"] if sent else []), "From: a@b.c", "", "Hi."])
    reading, page = read_eml(tmp_path, data.encode())
    made = reading.info.created_at
    assert (made.date().isoformat() if made else None) == day
    assert bool(reading.warnings) == noted
    assert sent in page.text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("=?utf-8?b?w7w=?= =?utf-8?q?b=C3=BCr?=", "übür"),
        ("=?utf-8?b?w?= x", " x"),
        ("=?utf-8?q?=C3?= =?utf-8?q?=BC?=", "ü"),  # a letter cut in two words
        ("a =?iso-8859-1?q?b=FC?= c", "a bü c"),
        ("=?utf-8*de?q?what?_yes?=", "what? yes"),
        ("=?unknown-cs?q?abc?=", "abc"),
        ("=?utf-8?q?not closed", "=?utf-8?q?not closed"),
        ("plain", "plain"),
    ],
)
def test_encoded_words(raw: str, shown: str) -> None:
    assert decode_words(raw) == shown


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        (b"filename*=utf-8''na%C3%AFve%20plan.pdf", "naïve plan.pdf"),
        (b'filename*0="long "; filename*1=name.pdf', "long name.pdf"),
        (b"filename*0*=utf-8''%C3%A4; filename*1=b.pdf", "äb.pdf"),
        (b'filename="\xc3\xa4.pdf"', "ä.pdf"),
        (b'filename="\xe4.pdf"', "ä.pdf"),
        (b'filename="../../etc/passwd"', "passwd"),
        (b"filename*=x", "x"),
        (b"", "attachment-1.pdf"),
    ],
)
def test_file_names(tmp_path: Path, disposition: bytes, name: str) -> None:
    data = (
        b"Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nText\n--b\n"
        b"Content-Type: application/pdf\nContent-Disposition: attachment; " + disposition + b"\n\n"
        b"%PDF\n--b--\n"
    )
    assert list(files(read_eml(tmp_path, data)[0])) == [name]


def alternative(plain: str, html: str) -> EmailMessage:
    message = mail()
    message.set_content(plain)
    message.add_alternative(html, subtype="html")
    return message


def test_plain_text_is_preferred_where_it_carries_the_content(tmp_path: Path) -> None:
    html = "<p>The <b>whole</b> story, with a table</p><table><tr><td>x</td></tr></table>"
    page = read_eml(tmp_path, alternative("The whole story, with a table", html).as_bytes())[1]
    assert blocks(page) == [("body", "The whole story, with a table"), ("body", "x")]


def test_html_is_read_where_plain_text_is_a_stub(tmp_path: Path) -> None:
    html = f"<h1>News</h1><p>{'word ' * 20}</p><blockquote>said</blockquote>"
    page = read_eml(tmp_path, alternative("See HTML.", html).as_bytes())[1]
    words = ("word " * 20).strip()
    assert blocks(page) == [("heading", "News"), ("body", words), ("quote", "said")]


def test_a_page_sent_as_plain_text_is_read_as_a_page(tmp_path: Path) -> None:
    head = b"From: a@b.example\nSubject: News\nContent-Type: text/plain\n\n\n"
    page = b"<!DOCTYPE html>\n<html><body><p>Rent is <b>due</b> on Friday.</p></body></html>\n"
    _, eml = read_eml(tmp_path, head + page)
    assert "Rent is due on Friday." in str(blocks(eml))
    assert "<b>" not in str(blocks(eml))


def test_pictures_of_the_body_are_no_files(tmp_path: Path) -> None:
    message = alternative("short", "<p>one two three four <img src='cid:pic@x'></p>")
    part = list(message.iter_parts())[1]
    assert isinstance(part, EmailMessage)
    part.add_related(b"\x89PNG shown", "image", "png", cid="<pic@x>", filename="a.png")
    part.add_related(b"\x89PNG other", "image", "png", cid="<other@x>", filename="b.png")
    assert files(read_eml(tmp_path, message.as_bytes())[0]) == {"b.png": b"\x89PNG other"}


def test_messages_inside_become_files_of_their_own(tmp_path: Path) -> None:
    inner = mail(Subject="Inner / matter")
    inner.set_content("Inside.")
    message = mail()
    message.set_content("Outside.")
    message.add_attachment(inner)
    reading, page = read_eml(tmp_path, message.as_bytes())
    assert blocks(page) == [("body", "Outside.")]
    (name, data), *_ = files(reading).items()
    assert name == "Inner _ matter.eml"
    again, shown = read(EmlReader(), tmp_path / "inner.eml", data)
    assert (again.info.title, blocks(shown[0])) == ("Inner / matter", [("body", "Inside.")])


def multipart(kind: str, *parts: tuple[str, bytes], more: str = "") -> bytes:
    body = b"".join(b"--b\n" + head.encode() + b"\n\n" + data + b"\n" for head, data in parts)
    return f"Subject: s\nContent-Type: {kind}; boundary=b{more}\n\n".encode() + body + b"--b--\n"


TEXT = "Content-Type: text/plain"


def test_signed_mails(tmp_path: Path) -> None:
    clear = multipart(
        "multipart/signed",
        (TEXT, b"Agreed."),
        ("Content-Type: application/pkcs7-signature; name=smime.p7s", b"sig"),
    )
    reading, page = read_eml(tmp_path, clear)
    assert (blocks(page), files(reading), reading.missing) == ([("body", "Agreed.")], {}, [])


def der(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    size = len(body).to_bytes(2, "big")
    return bytes((tag, 0x82)) + size + body


@pytest.mark.parametrize("is_in_parts", [False, True])
def test_wrapped_signature(tmp_path: Path, is_in_parts: bool) -> None:
    inner = TEXT.encode() + b"\n\nAgreed."
    octets = der(0x24, der(4, inner[:9]), der(4, inner[9:])) if is_in_parts else der(4, inner)
    data_id = bytes.fromhex("06092a864886f70d010701")
    signed_id = bytes.fromhex("06092a864886f70d010702")
    signed = der(0x30, b"\2\1\1", der(0x31), der(0x30, data_id, der(0xA0, octets)))
    if is_in_parts:
        # Indefinite lengths, as programs write them that sign while they send.
        whole = b"\x30\x80" + signed_id + b"\xa0\x80" + signed + b"\0\0\0\0"
    else:
        whole = der(0x30, signed_id, der(0xA0, signed))
    head = b"Subject: s\nContent-Type: application/pkcs7-mime; smime-type=signed-data\n"
    coded = head + b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(whole)
    reading, page = read_eml(tmp_path, coded)
    assert (blocks(page), reading.missing) == ([("body", "Agreed.")], [])


@pytest.mark.parametrize(
    "data",
    [
        multipart(
            "multipart/encrypted",
            ("Content-Type: application/pgp-encrypted", b"Version: 1"),
            ("Content-Type: application/octet-stream", b"x"),
        ),
        b"Subject: s\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\n0abc",
        b"Subject: s\n\n-----BEGIN PGP MESSAGE-----\nabc\n-----END PGP MESSAGE-----\n",
    ],
    ids=["PGP/MIME", "S/MIME", "inline PGP"],
)
def test_encrypted_mails_are_partial(tmp_path: Path, data: bytes) -> None:
    reading, page = read_eml(tmp_path, data)
    assert "Subject: s" in page.text
    assert len(reading.missing) == 1


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("New.\n> old\n> old 2\nAgain", ["body", "quote", "body"]),
        ("New.\n\nOn 1 May 2020, Bob wrote:\n\n> old\n\nAgain", ["body", "quote", "quote", "body"]),
        ("New.\n\nOn 1 May 2020, Bob <b@y>\nwrote:\n\nold\n\nold", ["body", *["quote"] * 3]),
        ("New.\n\nAm 1.5.2020 schrieb Bob:\n> alt", ["body", "quote", "quote"]),
        ("New.\n-----Original Message-----\nFrom: B\n\nold", ["body", "quote", "quote"]),
        ("New.\n\nFrom: B\nSent: 1 May\nTo: A\nSubject: s\n\nold", ["body", "quote", "quote"]),
        ("New.\n\nVon: B\nGesendet: 1. Mai\nAn: A\n\nalt", ["body", "quote", "quote"]),
        ("From: the beginning\n\nto the end", ["body", "body"]),
        ("On page 3 he wrote\n\nTo: nobody", ["body", "body"]),
    ],
)
def test_quotes(tmp_path: Path, body: str, expected: list[str]) -> None:
    page = read_eml(tmp_path, f"Subject: s\n\n{body}".encode())[1]
    assert [kind for kind, _ in blocks(page)] == expected
    shown = " ".join(text for _, text in blocks(page)).split()
    assert shown == body.split()


def test_flowed_text(tmp_path: Path) -> None:
    data = (
        b"Subject: s\nContent-Type: text/plain; format=flowed; delsp=no\n\n"
        b"one \ntwo \nthree\n> quoted \n> on\n From here\n-- \nAnn"
    )
    page = read_eml(tmp_path, data)[1]
    assert blocks(page) == [
        ("body", "one two three"),
        ("quote", "> quoted on"),
        ("body", "From here\n--\nAnn"),
    ]


@pytest.mark.parametrize(
    ("head", "body", "text", "warned"),
    [
        ("text/plain; charset=utf-8", "caf\xe9 cr\xe8me".encode("cp1252"), "café crème", True),
        ("text/plain; charset=iso-8859-1", "café".encode(), "café", True),
        ("text/plain; charset=iso-8859-1", b"5 \x80 \x93x\x94", "5 € “x”", False),
        ("text/plain; charset=gb2312", "镕基".encode("gbk"), "镕基", False),
        ("text/plain; charset=nonsense", "naïve".encode(), "naïve", False),
        ("text/plain; charset=hex", b"61", "61", False),
        ("text/plain", "naïve".encode(), "naïve", False),
        ("text/html; charset=windows-1251", "<p>Привет".encode("cp1251"), "Привет", False),
        ("text/plain; charset", b"x", "x", False),
    ],
)
def test_charsets(tmp_path: Path, head: str, body: bytes, text: str, warned: bool) -> None:
    reading, page = read_eml(tmp_path, f"Subject: s\nContent-Type: {head}\n\n".encode() + body)
    assert blocks(page) == [("body", text)]
    assert bool(reading.warnings) is warned


@pytest.mark.parametrize(
    ("coded", "plain"),
    [
        (b"YWJ\r\nj ", b"abc"),
        (b"YWJjZA", b"abcd"),
        (b"YW=\nJj", b"a&"),
        (b"YWI=YWI=", b"abab"),
        (b"Y", b""),
        (b"!!", b""),
    ],
)
def test_broken_base64(coded: bytes, plain: bytes) -> None:
    assert decode_base64(coded) == plain


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"Subject: s\n\n\x00\x01\xff", "Subject: s"),
        (b"Subject: s\rTo: a\r\rold Mac", "Subject: s"),
        (b"From x Mon Jan 1 10:00:00 2020\nSubject: s\n\nb", "Subject: s\n\nb"),
        (b"Subject: s\nno field\nb", "Subject: s\n\nno field\nb"),
        (b"Subject: s\nDate: never\n\nb", "Date: never\nSubject: s\n\nb"),
        (b"Subject: s\nContent-Type: multipart/mixed\n\nno boundary", "Subject: s\n\nno boundary"),
        (b"Subject: s\nContent-Type: multipart/mixed; boundary=b\n\nx", "Subject: s\n\nx"),
        (multipart("multipart/mixed", (TEXT, b"cut"))[:-7], "Subject: s\n\ncut"),
        (b"Subject: s\nContent-Transfer-Encoding: base64\n\nplain words here", "plain words here"),
        (b"Subject: s\nContent-Transfer-Encoding: x-uuencode\n\n#86)C\nend\n", "abc"),
    ],
)
def test_broken_mails(tmp_path: Path, data: bytes, text: str) -> None:
    assert text in read_eml(tmp_path, data)[1].text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("declared", ["utf-16", "utf-8", "iso-8859-1", "us-ascii"])
@pytest.mark.parametrize("before", ["", "\r\n \t\r\n" * 300])
def test_mails_that_a_program_saved_again(
    tmp_path: Path, encoding: str, declared: str, before: str
) -> None:
    text = (
        f"{before}From: ann@x.org\r\nSubject: Größe\r\nContent-Type: text/plain; "
        f"charset={declared}\r\nContent-Transfer-Encoding: 8bit\r\n\r\nStraße 5, Ćma, 山"
    )
    _, page = read_eml(tmp_path, text.encode(encoding))
    assert page.text == "From: ann@x.org\nSubject: Größe\n\nStraße 5, Ćma, 山"


def test_a_file_without_a_mail_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParseFailed, match=r"a\.eml"):
        read(EmlReader(), tmp_path / "a.eml", b"X-Nothing:\n\n")
    with pytest.raises(ParseFailed, match=r"a\.mbox"):
        read(ArchiveReader(), tmp_path / "a.mbox", b"From a@b\nno header")


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("extension", "head", "members", "accepted"),
    [
        (".eml", b"Received: from x", "", True),
        (".eml", b"\xef\xbb\xbf\r\nFrom: x", "", True),
        (".eml", b"From a@b Mon\nSubject: x", "", True),
        (".eml", b" \r\n" * 2000 + b"From: x", "", True),
        (".eml", "Subject: é".encode("utf-16"), "", True),
        (".eml", "just words".encode("utf-16"), "", False),
        (".eml", b"just words", "", False),
        (".emlx", b"1234   \nSubject: x", "", True),
        (".mbox", b"From a@b Mon", "", True),
        (".mbox", b"Subject: x", "", False),
        (".msg", OLE, "__properties_version1.0", True),
        (".msg", OLE, "", True),
        (".msg", OLE, "Workbook", False),
        (".msg", b"Subject: x", "", False),
    ],
)
def test_accepts(tmp_path: Path, extension: str, head: bytes, members: str, accepted: bool) -> None:
    readers: dict[str, Reader] = {".mbox": ArchiveReader(), ".msg": MsgReader()}
    file = FileHead(tmp_path / "a", extension, head, frozenset(filter(None, [members])))
    assert readers.get(extension, EmlReader()).accepts(file) is accepted


def test_apple_mail(tmp_path: Path) -> None:
    message = b"Subject: s\n\nText.\n"
    data = b"%d      \n%s<?xml version='1.0'?><plist/>" % (len(message), message)
    _, pages = read(EmlReader(), tmp_path / "a.emlx", data)
    assert pages[0].text == "Subject: s\n\nText."


HOSTILE = {
    "nested parts": b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(3000)
    ),
    "many parts": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 20_000,
    "same boundary": b"Content-Type: multipart/mixed; boundary=b\n\n"
    + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 20_000,
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_too_many_parts_are_missing(tmp_path: Path, name: str) -> None:
    reading, _ = read_eml(tmp_path, b"Subject: s\n" + HOSTILE[name])
    assert len(reading.missing) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"Subject: " + b"=?a?q?" * 40_000,
        b'Subject: s\nContent-Type: text/plain; a="' + b";" * 300_000,
        b"A: b\n" * 100_000 + b"Subject: s",
        b"Subject: s\n" + b" x\n" * 200_000,
        b"Subject: s\n\n" + b"On 1 " * 100_000,
        b"Subject: s\n\n" + b"From: a\n\n" * 10_000,
        b"Subject: s\nContent-Transfer-Encoding: base64\nContent-Type: a/b\n\n" + b"=" * 999_999,
    ],
    ids=["words", "parameters", "fields", "folds", "wrote", "from", "padding"],
)
def test_hostile_mails_end_soon(data: bytes) -> None:
    assert mail_page(read_message(data)).number == 1


# --- winmail.dat ---------------------------------------------------------------------------


def tnef_attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("<BII", 2, kind, len(value)) + value + b"\0\0"


def tnef(*attributes: bytes) -> bytes:
    return struct.pack("<IH", 0x223E9F78, 1) + b"".join(attributes)


def tnef_text(identity: int, text: str) -> bytes:
    raw = text.encode("utf-16-le") + b"\0\0"
    return struct.pack("<HHII", 0x1F, identity, 1, len(raw)) + raw + b"\0" * (-len(raw) % 4)


def winmail(data: bytes) -> bytes:
    message = mail()
    message.set_content("")
    message.add_attachment(data, "application", "ms-tnef", filename="winmail.dat")
    return message.as_bytes()


def test_winmail_dat_is_opened(tmp_path: Path) -> None:
    named = struct.pack("<HH16sII", 0x03, 0x8001, b"\1" * 16, 0, 7) + struct.pack("<I", 5)
    data = tnef(
        tnef_attribute(0x69003, struct.pack("<I", 2) + named + tnef_text(0x1000, "From Outlook.")),
        tnef_attribute(0x69002, b"\0" * 14),
        tnef_attribute(0x18010, b"PLAN~1.PDF\0"),
        tnef_attribute(0x6800F, PDF),
        tnef_attribute(0x69005, struct.pack("<I", 1) + tnef_text(0x3707, "Plän.pdf")),
        tnef_attribute(0x69002, b"\0" * 14),
        tnef_attribute(0x18010, b"b.txt\0"),
        tnef_attribute(0x6800F, b"bee"),
    )
    reading, page = read_eml(tmp_path, winmail(data))
    assert files(reading) == {"Plän.pdf": PDF, "b.txt": b"bee"}
    assert blocks(page) == [("body", "From Outlook.")]


def test_winmail_dat_that_cannot_be_opened_is_kept(tmp_path: Path) -> None:
    reading, _ = read_eml(tmp_path, winmail(b"something else"))
    assert files(reading) == {"winmail.dat": b"something else"}
    assert "winmail.dat" in reading.warnings[0]


# --- MBOX ----------------------------------------------------------------------------------


def mailbox(*messages: bytes) -> bytes:
    return b"".join(b"From a@b Mon Jun 01 10:00:00 2009\n" + m + b"\n\n" for m in messages)


def test_each_message_of_a_mailbox_is_a_mail(tmp_path: Path) -> None:
    second = mail(Subject="Two/2", Date="Mon, 1 Jun 2009 10:00:00 +0000")
    second.set_content("Second.")
    second.add_attachment(PDF, "application", "pdf", filename="a.pdf")
    data = mailbox(
        b"Subject: One\n\n>From here on\nFrom there\n>>From deeper\n\nFrom a new paragraph on",
        second.as_bytes(),
        b"Subject: Three\n\nThird.",
    )
    (tmp_path / "a.mbox").write_bytes(data)
    (tmp_path / "spool").mkdir()
    reading = ArchiveReader().read(tmp_path / "a.mbox", ReadOptions(spool=tmp_path / "spool"))
    assert next(reading.pages).text.splitlines() == [
        "One.eml", "Two_2.eml (2009-06-01 10:00)", "Three.eml",
    ]  # fmt: skip
    bodies = [
        read(EmlReader(), a.path, a.path.read_bytes())[1][0].text for a in reading.attachments
    ]
    assert bodies[0] == (
        "Subject: One\n\nFrom here on\nFrom there\n\n>From deeper\n\nFrom a new paragraph on"
    )
    assert "Subject: Two/2\nAttachments: a.pdf (1 KB)" in bodies[1]
    assert bodies[2] == "Subject: Three\n\nThird."


@pytest.mark.parametrize(
    "subject", ["R: Offerta", ".hidden", "~$lock", "../up", "/root", "C:\\\\x"]
)
def test_no_subject_hides_a_mail(tmp_path: Path, subject: str) -> None:
    (tmp_path / "a.mbox").write_bytes(mailbox(f"Subject: {subject}\n\nText.".encode()))
    (tmp_path / "spool").mkdir()
    reading = ArchiveReader().read(tmp_path / "a.mbox", ReadOptions(spool=tmp_path / "spool"))
    assert len(reading.attachments) == 1
    assert not reading.warnings + reading.missing


# --- MSG -----------------------------------------------------------------------------------


def storage(header: int, values: Mapping[int, object], more: Tree | None = None) -> Tree:
    """Return a storage with MAPI properties; bytes are 8-bit strings, ``(bytes,)`` binary."""
    fixed = b"\0" * header
    tree: Tree = {}
    for identity, value in values.items():
        if isinstance(value, str):
            tree[f"__substg1.0_{identity:04X}001F"] = value.encode("utf-16-le")
        elif isinstance(value, bytes):
            tree[f"__substg1.0_{identity:04X}001E"] = value
        elif isinstance(value, tuple):
            tree[f"__substg1.0_{identity:04X}0102"] = value[0]
        elif isinstance(value, dt.datetime):
            ticks = int((value - dt.datetime(1601, 1, 1, tzinfo=dt.UTC)).total_seconds()) * 10**7
            fixed += struct.pack("<HHIQ", 0x40, identity, 6, ticks)
        elif isinstance(value, float):
            fixed += struct.pack("<HHId", 0x05, identity, 6, value)
        else:
            fixed += struct.pack("<HHIq", 0x03, identity, 6, value)
    return {"__properties_version1.0": fixed} | tree | (more or {})


SENT = dt.datetime(2020, 5, 6, 7, 8, 9, tzinfo=dt.UTC)
MESSAGE = {0x1A: "IPM.Note", 0x37: "Überblick", 0x42: "Ann", 0x5D02: "ann@x.org", 0x39: SENT}
LZFU = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c"
    "647d0a800fa0"
)


def read_msg(tmp_path: Path, tree: Mapping[str, object]) -> tuple[Reading, Page]:
    reading, pages = read(MsgReader(), tmp_path / "a.msg", ole(tree))
    return reading, pages[0]


def streams(kind: str, *held: Tree) -> Tree:
    return {f"__{kind}_version1.0_#{number:08}": one for number, one in enumerate(held)}


def recipient(kind: int, name: str, address: str) -> Tree:
    return storage(8, {0x0C15: kind, 0x3001: name, 0x3003: address})


@pytest.mark.parametrize("how", ["upper", "lower"])
def test_names_of_streams_mean_the_same_in_any_case(tmp_path: Path, how: str) -> None:
    file = storage(8, {0x3707: "a.txt", 0x3701: (b"attached",)})
    tree = storage(32, MESSAGE | {0x1000: "The body."}, {"__attach_version1.0_#00000000": file})
    usual = read_msg(tmp_path, tree)
    renamed = tmp_path / "other"
    renamed.mkdir()
    reading, page = read_msg(renamed, _renamed(tree, how))
    assert page == usual[1]
    assert "Date:" in page.text
    assert files(reading) == {"a.txt": b"attached"}
    assert read_head(renamed / "a.msg").members == {"__properties_version1.0"}


def _renamed(tree: Tree, how: str) -> Tree:
    return {
        getattr(name, how)(): _renamed(held, how) if isinstance(held, dict) else held
        for name, held in tree.items()
    }


def test_outlook_message(tmp_path: Path, messages: Callable[..., None]) -> None:
    inner = storage(24, {**MESSAGE, 0x37: "Within – it", 0x1000: "From within.\r\nÄ"})
    tree = storage(
        32,
        {
            **MESSAGE,
            0x1000: "Hello Bob,\r\n\r\nall well.\r\n",
            0x1013: (b"<p>Hello <img src='cid:pic'></p>",),
            0x7D: "Message-ID: <1@x>\r\nIn-Reply-To: <0@x>\r\n"
            "Date: Wed, 6 May 2020 09:08:09 +0200\r\n",
        },
        {
            **streams(
                "recip",
                recipient(1, "Bob", "bob@y.org"),
                recipient(2, "cy@z.org", "cy@z.org"),
                recipient(3, "Dee", "/O=EX/CN=DEE"),
            ),
            **streams(
                "attach",
                storage(8, {0x3705: 1, 0x3707: "plan.pdf", 0x3704: "P~1.PDF", 0x3701: (PDF,)}),
                storage(8, {0x3705: 5, 0x3001: "x"}, {"__substg1.0_3701000D": inner}),
                storage(8, {0x3705: 6, 0x3701: (b"ole",)}),
                storage(8, {0x3705: 1, 0x3707: "p.png", 0x3712: "pic", 0x3701: (b"png",)}),
                storage(8, {0x3705: 4, 0x3707: "far.doc"}),
            ),
        },
    )
    reading, page = read_msg(tmp_path, tree)
    assert page.text == (
        "From: Ann <ann@x.org>\nTo: Bob <bob@y.org>\nCc: cy@z.org\nBcc: Dee\n"
        "Date: 2020-05-06T09:08:09+02:00 (Wed, 6 May 2020 09:08:09 +0200)\nSubject: Überblick\n"
        f"Attachments: plan.pdf (1 KB), Within – it.eml ({len(files(reading)['Within – it.eml'])}"
        " bytes)\n\nHello Bob,\n\nall well."
    )
    assert (reading.info.format, reading.info.created_at) == ("msg", SENT)
    assert dict(reading.info.properties)["in_reply_to"] == "<0@x>"
    messages("\n".join(sorted(reading.warnings)))
    assert files(reading)["plan.pdf"] == PDF
    again, shown = read(EmlReader(), tmp_path / "b.eml", files(reading)["Within – it.eml"])
    assert again.info.title == "Within – it"
    assert again.info.created_at == SENT
    assert blocks(shown[0]) == [("body", "From within.\nÄ")]


@pytest.mark.parametrize(
    ("values", "subject"),
    [
        ({0x3FFD: 1251, 0x37: "тема".encode("cp1251")}, "тема"),
        ({0x3FF1: 0x0411, 0x37: "件名".encode("cp932")}, "件名"),
        ({0x3FDE: 65001, 0x3FF1: 0x0407, 0x37: "größe".encode("cp1252")}, "größe"),
        ({0x3FDE: 28592, 0x37: "żółw".encode("iso8859-2")}, "żółw"),
        ({0x37: "größe".encode()}, "größe"),
        ({0x37: "", 0x3D: "RE:", 0x0E1D: "it"}, "RE: it"),
    ],
)
def test_outlook_code_pages(tmp_path: Path, values: dict[int, object], subject: str) -> None:
    assert read_msg(tmp_path, storage(32, values))[0].info.title == subject


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({0x1013: ("<p>Größe".encode("cp1252"),), 0x3FDE: 1252}, [("body", "Größe")]),
        ({0x1013: "<h2>Head</h2>"}, [("heading", "Head")]),
        ({0x1009: (LZFU,)}, [("body", "hello world")]),
        ({}, []),
    ],
)
def test_outlook_bodies(
    tmp_path: Path, values: dict[int, object], expected: list[tuple[str, str]]
) -> None:
    reading, page = read_msg(tmp_path, storage(32, MESSAGE | values))
    assert (blocks(page), reading.missing) == (expected, [])


def test_a_body_that_cannot_be_unpacked_is_missing(tmp_path: Path) -> None:
    reading, _ = read_msg(tmp_path, storage(32, {**MESSAGE, 0x1009: (b"x" * 40,)}))
    assert len(reading.missing) == 1


def named(*numbers: int) -> Tree:
    entries = b"".join(struct.pack("<IHH", n, 0, i) for i, n in enumerate(numbers))
    return {"__nameid_version1.0": {"__substg1.0_00030102": entries}}


@pytest.mark.parametrize(
    ("kind", "names", "values", "lines"),
    [
        (
            "IPM.Appointment",
            (0x820D, 0x820E, 0x8208),
            {0x8000: SENT, 0x8001: SENT + dt.timedelta(hours=1), 0x8002: "Room 5"},
            [f"Start: {SENT.isoformat()}", "End: 2020-05-06T08:08:09+00:00", "Location: Room 5"],
        ),
        (
            "IPM.Task",
            (0x8105, 0x8101, 0x8102),
            {0x8000: SENT, 0x8001: 1, 0x8002: 0.5},
            ["Due: 2020-05-06T07:08:09+00:00", "Status: in progress", "Complete: 50%"],
        ),
        (
            "IPM.Contact",
            (0x8083,),
            {0x3001: "Dr Ann", 0x3A16: "Acme", 0x3A08: "555", 0x8000: "ann@x.org"},
            ["Name: Dr Ann", "Company: Acme", "Business phone: 555", "Email: ann@x.org"],
        ),
    ],
)
def test_other_outlook_items(
    tmp_path: Path, kind: str, names: tuple[int, ...], values: dict[int, object], lines: list[str]
) -> None:
    tree = storage(32, {0x1A: kind, 0x37: "s", 0x1000: "Body"} | values, named(*names))
    page = read_msg(tmp_path, tree)[1]
    assert page.text == "\n".join(["Subject: s", *lines]) + "\n\nBody"


def test_messages_nested_too_deep_are_missing(tmp_path: Path) -> None:
    tree = storage(24, MESSAGE)
    for _ in range(12):
        attached = storage(8, {0x3705: 5}, {"__substg1.0_3701000D": tree})
        tree = storage(24, MESSAGE, {"__attach_version1.0_#00000000": attached})
    tree["__properties_version1.0"] = b"\0" * 32
    reading, _ = read_msg(tmp_path, tree)
    assert len(reading.missing) == 1


def test_damaged_containers(tmp_path: Path) -> None:
    data = ole(storage(32, {**MESSAGE, 0x1000: "Text " * 500}))
    for size in (8, 100, 511, 700):
        with pytest.raises(ParseFailed, match=r"cut\.msg"):
            read(MsgReader(), tmp_path / f"{size}-cut.msg", data[:size])
    for at in range(512, len(data), 97):
        damaged = data[:at] + b"\xff" * 24 + data[at + 24 :]
        with suppress(ParseFailed):
            assert len(read(MsgReader(), tmp_path / f"{at}.msg", damaged)[1]) == 1
