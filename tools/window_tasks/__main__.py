"""Do tasks in the window with a headless Chromium, from an empty data folder.

A damaged and a protected PDF, a scan and a mailbox are added to the files. Prints each task with
its seconds; the exit code is the number of failed tasks.
"""

from __future__ import annotations

import argparse
import mailbox
import shutil
import sys
import tempfile
import time
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf

from window_tasks.opened import opened
from window_tasks.tasks import TASKS, Person
from window_tasks.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Sequence

_SAMPLES = Path(__file__).resolve().parents[2] / "data-samples" / "files"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the tasks; return the number of failed ones."""
    parser = argparse.ArgumentParser(prog="just window-tasks", description=__doc__)
    parser.add_argument("--files", type=Path, default=_SAMPLES, help="folder of documents")
    parser.add_argument("--question", default="Who may terminate the agreement?")
    parser.add_argument("--absent", default="Which hospital in Nairobi treats malaria?")
    parser.add_argument("--pictures", type=Path, help="folder for a picture after each task")
    parser.add_argument("--walk", type=Path, help="docs folder for the page of the walk")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        home, files = work / "home", work / "files"
        home.mkdir()
        shutil.copytree(asked.files, files, dirs_exist_ok=True)
        _add_problems(files)
        with opened(home, work / "profile") as (browser, address, _):
            person = Person(browser, address, files, asked.question, asked.absent)
            return _do(person, asked.pictures, Walk(asked.walk) if asked.walk else None)


def _add_problems(files: Path) -> None:
    (files / "damaged.pdf").write_bytes(b"%PDF-1.4 damaged")
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The deposit of the protected file is 900 euros.")
        pdf.save(files / "protected.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="key")  # type: ignore[attr-defined]

    with pymupdf.open() as pdf:
        page = pdf.new_page(width=420, height=300)
        page.insert_text((40, 60), "Receipt of the gate pass", fontsize=20)
        page.insert_text((40, 110), "The driver returned 14 keys on 9 May 2024.", fontsize=15)
        page.get_pixmap(dpi=150).save(files / "scan.png")
    _write_mailbox(files / "Gate keys.mbox")


def _write_mailbox(path: Path) -> None:
    """Write a thread of three mails, the second with two attachments."""
    ann, bo = "Ann Weber <ann@gate.example>", "Bo Larsen <bo@keys.example>"
    box = mailbox.mbox(path)
    for number, text in enumerate(
        ("How many keys does the gate have?", "Fourteen; see the list.", "Thank you, all are here.")
    ):
        mail = EmailMessage()
        mail["From"], mail["To"] = (bo, ann) if number % 2 else (ann, bo)
        mail["Subject"] = "Re: Keys of the gate" if number else "Keys of the gate"
        mail["Date"] = f"{6 + number} May 2024 09:00:00 +0000"
        mail["Message-ID"] = f"<{number}@gate.example>"
        mail["In-Reply-To"] = f"<{number - 1}@gate.example>"
        mail.set_content(text)
        for name in ("Key list.txt", "Handover.txt") if number == 1 else ():
            mail.add_attachment(f"{name}: 14 keys of the gate, numbered 1 to 14.", filename=name)
        box.add(mail)
    box.close()


def _do(person: Person, pictures: Path | None, walk: Walk | None) -> int:
    failed, opened = 0, time.monotonic()
    for number, (task, do) in enumerate(TASKS.items(), 1):
        began = time.monotonic()
        try:
            result = do(person)
        except AssertionError as error:
            result, failed = f"FAILED: {error}", failed + 1
        print(
            f"{number:2} {time.monotonic() - began:6.1f} s  {task}: {result or 'done'}", flush=True
        )
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
            person.browser.screenshot(whole=False).save(pictures / f"{number:02}.png")
        if walk is not None:
            walk.take(task, time.monotonic() - opened, person.browser)
    if walk is not None:
        walk.write()
    print(f"{len(TASKS) - failed} of {len(TASKS)} tasks done")
    return failed


if __name__ == "__main__":
    sys.exit(main())
