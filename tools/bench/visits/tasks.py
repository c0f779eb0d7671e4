"""The tasks, in the order of a first day: each sees what it needs before it clicks."""

from __future__ import annotations

import functools
import zipfile
from dataclasses import dataclass
from email.message import EmailMessage
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.visits.visitor import Visitor

CASE = "Stanwick Bridge"
SHELF = "Contracts"
QUESTION = "Who is liable for the spoiled goods?"


class Desk:
    """What a visitor has before them.

    Attributes
    ----------
    at
        The visitor.
    samples, contracts
        Folders of documents.
    place
        A folder for files of the visitor's own.
    requests
        All addresses that the browser asked for.
    """

    def __init__(self, at: Visitor, samples: Path, contracts: Path | None, place: Path, /) -> None:
        self.at, self.samples, self.contracts, self.place = at, samples, contracts, place
        self.requests: list[str] = []

    @functools.cached_property
    def is_free(self) -> bool:
        """Whether no license key is there; goes to the settings when it is first asked."""
        self.at.go("/settings")
        return "Free tier" in self.at.text()

    def ask(self, question: str, collection: str = CASE) -> None:
        """Go to the search of a collection, type a question and press Enter."""
        self.at.go(f"/c/{quote(collection)}")
        self.at.fill("ask a question", question)
        self.at.key("Enter")
        self.requests += self.at.browser.requests


@dataclass(frozen=True, slots=True)
class Task:
    """Something that a user wants done.

    Attributes
    ----------
    name
        What, in words.
    do
        Does it; raises where something is not to be seen.
    first
        Whether later tasks rest on it.
    needs_contracts
        Whether it is about the folder of contracts.
    """

    name: str
    do: Callable[[Desk], None]
    first: bool = False
    needs_contracts: bool = False


def _make(desk: Desk) -> None:
    desk.at.go("/")
    desk.at.sees("There is no collection yet")
    desk.at.fill("name", CASE)
    desk.at.click("make it")
    desk.at.sees("Nothing has been added yet")


def _add(desk: Desk) -> None:
    desk.at.click("add documents")
    desk.at.click("choose a folder")
    desk.at.go(f"/c/{quote(CASE)}/choose?at={quote(str(desk.samples.parent))}")
    desk.at.click("files")
    desk.at.sees("can be read")
    desk.at.click("take this folder")
    desk.at.click("add", within="form.make")
    desk.at.sees("documents were added", seconds=600)
    desk.at.click("ask the collection")


def _ask(desk: Desk) -> None:
    desk.ask(QUESTION)
    desk.at.finds(".result mark")
    desk.at.finds("#preview .target, #preview mark")


def _open(desk: Desk) -> None:
    desk.ask(QUESTION)
    desk.at.browser.js("document.querySelector('a[data-nth=\"1\"]').removeAttribute('data-into')")
    desk.at.click_on("a[data-nth='1']")
    desk.at.sees("Back to the results")
    desk.at.sees("Page ")


def _keys(desk: Desk) -> None:
    _open(desk)
    before = desk.at.text()
    desk.at.key("j")
    desk.at.sees("Result 2")
    if desk.at.text() == before:
        raise AssertionError("the next hit is the same page")
    desk.at.key("k")
    desk.at.sees("Result 1")


def _quote(desk: Desk) -> None:
    desk.at.browser.call(
        "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"]
    )
    _open(desk)
    desk.at.click("copy")
    desk.at.sees("opied")
    copied = str(desk.at.browser.js("navigator.clipboard.readText()"))
    assert copied.startswith("\u201c"), copied
    assert ", p. " in copied, copied


def _keep(desk: Desk) -> None:
    _open(desk)
    desk.at.click("keep")
    desk.at.sees("Kept")


def _word(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/kept")
    desk.at.click("save as word file")
    with zipfile.ZipFile(desk.at.saved(".docx")) as made:
        assert "p. " in made.read("word/document.xml").decode(), "no citation in the file"


def _markdown(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/kept")
    desk.at.click("markdown")
    assert ", p. " in desk.at.saved(".md").read_text(encoding="utf-8")


def _narrow(desk: Desk) -> None:
    desk.ask(QUESTION)
    before = desk.at.text()
    desk.at.click_on(".facets input[type=checkbox]")
    desk.at.finds("p.tags .badge")
    assert desk.at.text() != before
    desk.at.click("everything")


def _sort(desk: Desk) -> None:
    desk.ask(QUESTION)
    desk.at.finds(".sorting select")
    desk.at.choose("order", "Newest")
    desk.at.finds(".result")


def _absent(desk: Desk) -> None:
    desk.ask("What did the veterinarian say about the giraffe's vaccination?")
    desk.at.sees("Probably not in these documents")


def _documents(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/documents")
    desk.at.click("pages", within="thead")
    desk.at.finds("[aria-sort]")
    desk.at.fill("name or title", "pdf")
    desk.at.key("Enter")
    desk.at.finds("tbody tr")


def _page(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/documents?order=pages")
    desk.at.click_on("tbody a[data-nth='1']")
    desk.at.finds("article.passage")
    desk.at.key("ArrowRight")
    desk.at.finds("a[rel=prev]")
    assert "page=2" in str(desk.at.browser.js("location.search"))


def _within(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/documents?order=pages")
    desk.at.click_on("tbody a[data-nth='1']")
    desk.at.fill("search in this document", "price")
    desk.at.key("Enter")
    desk.at.finds(".result mark")


def _mail(desk: Desk) -> None:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = (
        "Keys",
        "Ada Reed <ada@example.org>",
        "b@example.org",
    )
    mail["Date"] = "Mon, 06 May 2024 10:00:00 +0000"
    mail.set_content("The keys of the depot are with the night watch.")
    mail.add_attachment("Depot list: 14 keys.", filename="list of keys.txt")
    (desk.place / "keys.eml").write_bytes(mail.as_bytes())
    desk.at.go(f"/c/{quote(CASE)}/add")
    desk.at.fill("a folder or file", str(desk.place / "keys.eml"))
    desk.at.click("add", within="form.make")
    desk.at.sees("added")
    desk.ask("Who has the keys of the depot?")
    desk.at.sees("night watch")
    desk.at.go(f"/c/{quote(CASE)}/documents?name=keys.eml")
    desk.at.click("keys.eml")
    desk.at.sees("night watch")
    desk.at.click("list of keys.txt")
    desk.at.sees("14 keys")


def _sheet(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/documents?name=xlsx")
    desk.at.click_on("tbody a[data-nth='1']")
    desk.at.finds("article.passage table td")


def _beside(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/documents?order=pages")
    desk.at.click_on("tbody a[data-nth='1']")
    desk.at.click("side by side")
    desk.at.fill("name of another document", "Amendment No 1.docx")
    desk.at.key("Enter")
    desk.at.finds(".pair")
    desk.at.sees("Amendment No 1.docx")


def _timeline(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/timeline")
    desk.at.finds(".figure svg")
    before = desk.at.counts(".events li")
    desk.at.click("closer")
    desk.at.finds("form.filter input[name=start]:not([value=''])")
    assert desk.at.counts(".events li") <= before
    desk.at.click("all")


def _own_event(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/timeline")
    desk.at.fill("date", "2024-06-30")
    desk.at.fill("what happened", "The gate was painted red")
    desk.at.fill("the document that says so", "Amendment No 1.docx")
    desk.at.fill("page, where", "1")
    desk.at.click("add it")
    desk.at.sees("The gate was painted red")
    desk.at.sees("yours")


def _hide(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/timeline")
    desk.at.click_on(".events form button.quiet")
    desk.at.sees("1 hidden event")
    desk.at.go(f"/c/{quote(CASE)}/timeline")
    desk.at.click("undo", within="#hidden")
    desk.at.sees("events")
    desk.at.go(f"/c/{quote(CASE)}/timeline")
    desk.at.sees_no("hidden event")


def _people(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/people")
    desk.at.click_on("tbody a[data-nth='1']")
    desk.at.finds(".quotes li")


def _merge(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/people?kind=organization&order=name")
    before = desk.at.counts("table.who tbody tr")
    for nth in (1, 2):
        desk.at.click_on(f"table.who tbody tr:nth-child({nth}) input")
    desk.at.click("they are the same")
    desk.at.sees("is ")
    assert desk.at.counts("table.who tbody tr") == before - 1
    desk.at.click("undo")
    desk.at.go(f"/c/{quote(CASE)}/people?kind=organization&order=name")
    assert desk.at.counts("table.who tbody tr") == before


def _retype(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/people?kind=organization")
    desk.at.click_on("tbody a[data-nth='2']")
    desk.at.choose("it is one of", "Place")
    desk.at.click("apply", within="form:has(select#kind)")
    desk.at.sees("is of the kind")
    desk.at.click("undo")


def _graph(desk: Desk) -> None:
    _ = desk.is_free
    desk.at.go(f"/c/{quote(CASE)}/graph")
    if desk.is_free:  # it says what would do instead
        desk.at.sees("Free tier does not include the graph")
        desk.at.sees("People and firms")
        return
    desk.at.finds(".figure svg a")
    desk.at.click_on("section a[data-nth='1']")
    desk.at.finds("#between .quotes li")


def _references(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/references")
    desk.at.click_on("tbody a[data-nth='1']")
    desk.at.finds(".quotes li, .card")


def _related(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/related")
    desk.at.fill("document", "Amendment No 1.docx")
    desk.at.key("Enter")
    desk.at.finds("ol.plainlist li details")
    desk.at.click_on("ol.plainlist details summary")


def _topics(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/topics")
    desk.at.finds(".glance .card")


def _compare(desk: Desk) -> None:
    for number, price in enumerate(("5,000", "7,500"), start=1):
        text = f"1. The price is EUR {price}.\n\n2. The term is two years.\n"
        (desk.place / f"Offer v{number}.txt").write_text(text, encoding="utf-8")
        desk.at.go(f"/c/{quote(CASE)}/add")
        desk.at.fill("a folder or file", str(desk.place / f"Offer v{number}.txt"))
        desk.at.click("add", within="form.make")
        desk.at.sees("1 document was added")
    desk.at.go(f"/c/{quote(CASE)}/compare")
    desk.at.fill("earlier version", "Offer v1.txt")
    desk.at.fill("later version", "Offer v2.txt")
    desk.at.click("compare", within="form")
    desk.at.finds("ins, del")
    desk.at.sees("7,500")


def _briefing(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/map")
    desk.at.sees("At a glance")
    desk.at.click("briefing")
    desk.at.finds("h1")


def _shelf(desk: Desk) -> None:
    desk.at.go("/")
    desk.at.fill("name", SHELF)
    desk.at.click("make it")
    desk.at.click("add documents")
    desk.at.fill("a folder or file", str(desk.contracts))
    desk.at.click("add", within="form.make")
    desk.at.sees("documents were added", seconds=1800)


def _law(desk: Desk) -> None:
    desk.ask("Which law governs the agreement?", SHELF)
    desk.at.finds(".result mark")
    desk.at.finds("#preview .target, #preview mark")


def _ends(desk: Desk) -> None:
    desk.ask("termination for convenience upon written notice", SHELF)
    desk.at.finds(".result mark")
    desk.at.click_on(".facets input[type=checkbox]")
    desk.at.finds("p.tags .badge")
    desk.at.browser.js("document.querySelector('a[data-nth=\"1\"]').removeAttribute('data-into')")
    desk.at.click_on("a[data-nth='1']")
    desk.at.click("keep")
    desk.at.sees("Kept")
    desk.at.go(f"/c/{SHELF}/kept")
    desk.at.click("save as word file")
    with zipfile.ZipFile(desk.at.saved("Contracts.docx")) as made:
        assert "p. " in made.read("word/document.xml").decode(), "no citation in the file"


def _parties(desk: Desk) -> None:
    _ = desk.is_free
    desk.at.go(f"/c/{SHELF}/people?kind=organization")
    desk.at.click_on("tbody a[data-nth='1']")
    desk.at.finds(".quotes li")
    desk.at.click("who belongs together")
    if desk.is_free:
        desk.at.sees("Free tier does not include the graph")
    else:
        desk.at.finds(".figure svg")


def _sql(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/sql")
    desk.at.fill("statement", "SELECT name, page_count FROM docu")
    desk.at.sees("documents view")
    desk.at.key("ArrowDown")
    desk.at.key("Enter")
    desk.at.key("Enter", ctrl=True)
    desk.at.sees("rows")
    desk.at.click("as bars")
    desk.at.finds(".bars rect")


def _behind(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/documents")
    desk.at.click("show as sql")
    desk.at.sees("rows")


def _health(desk: Desk) -> None:
    desk.at.go(f"/c/{quote(CASE)}/health")
    desk.at.sees("on disk")


def _broken(desk: Desk) -> None:
    file = desk.place / "broken.pdf"
    file.write_bytes(b"no PDF at all")
    desk.at.go(f"/c/{quote(CASE)}/add")
    desk.at.fill("a folder or file", str(file))
    desk.at.click("add", within="form.make")
    desk.at.sees("broken.pdf")
    desk.at.sees("Not added, or only in part")


def _send(desk: Desk) -> None:
    file = desk.place / "note of the visit.txt"
    file.write_text("The purple crane was inspected on 3 May 2024.", encoding="utf-8")
    desk.at.go(f"/c/{quote(CASE)}/add")
    desk.at.attach("or choose files", [file])
    desk.at.click("add", within="form.make")
    desk.at.sees("1 document was added")
    desk.ask("When was the purple crane inspected?")
    desk.at.sees("3 May 2024")


def _watch(desk: Desk) -> None:
    folder = desk.place / "Inbox"
    folder.mkdir()
    (folder / "first.txt").write_text("The green turbine failed.", encoding="utf-8")
    desk.at.go(f"/c/{quote(CASE)}/add")
    desk.at.fill("a folder or file", str(folder))
    desk.at.click("keep the collection in step")
    desk.at.click("add", within="form.make")
    desk.at.sees("in step", seconds=90)
    desk.at.sees("1 new", seconds=90)
    (folder / "second.txt").write_text("The yellow turbine was repaired.", encoding="utf-8")
    for _ in range(60):
        desk.ask("yellow turbine")
        if "yellow" in desk.at.text().replace("yellow turbine", "", 1):
            return
    raise AssertionError("the new file did not come in")


def _german(desk: Desk) -> None:
    desk.at.go("/")
    desk.at.click_on("details.menu summary")
    desk.at.click("deutsch")
    desk.at.sees("Ihre Sammlungen")
    desk.at.click_on("details.menu summary")
    desk.at.click("english")
    desk.at.sees("Your collections")


def _dark(desk: Desk) -> None:
    desk.at.go("/")
    desk.at.click_on("details.menu summary")
    desk.at.click("dark")
    assert desk.at.browser.js("document.documentElement.dataset.theme") == "dark"
    desk.at.click_on("details.menu summary")
    desk.at.click("as the system")


def _settings(desk: Desk) -> None:
    desk.at.go("/")
    desk.at.click_on("details.menu summary")
    desk.at.click("settings")
    desk.at.sees("Free tier")
    desk.at.fill("license key", "nonsense")
    desk.at.click("enter")
    desk.at.sees("key")


def _wrong_address(desk: Desk) -> None:
    desk.at.go("/c/Nobody")
    desk.at.sees("Nobody")
    desk.at.click("collections")
    desk.at.sees("Your collections")


TASKS = (
    Task("01 make a collection", _make, first=True),
    Task("02 choose a folder and add it", _add, first=True),
    Task("03 ask, and see the sentence marked", _ask),
    Task("04 open the page of the first answer", _open),
    Task("05 go from answer to answer by keys", _keys),
    Task("06 copy a quotation with its citation", _quote),
    Task("07 keep a passage", _keep),
    Task("08 save what is kept as a Word file", _word),
    Task("09 save it as Markdown", _markdown),
    Task("10 narrow by a facet, and widen again", _narrow),
    Task("11 see the newest first", _sort),
    Task("12 learn that something is not there", _absent),
    Task("13 sort and filter the documents", _documents),
    Task("14 turn the pages of a document", _page),
    Task("15 search within a document", _within),
    Task("16 read a mail, and what is attached to it", _mail),
    Task("17 read a sheet", _sheet),
    Task("18 put a second document beside it", _beside),
    Task("19 look closer at the timeline", _timeline),
    Task("20 add an event of one's own", _own_event),
    Task("21 hide an event, and have it back", _hide),
    Task("22 see who somebody is, with every place", _people),
    Task("23 say that two are one, and undo it", _merge),
    Task("24 say that a name is a place, and undo it", _retype),
    Task("25 see who belongs together, and where", _graph),
    Task("26 see what is referred to", _references),
    Task("26b see what belongs with a document", _related),
    Task("26c see the topics", _topics),
    Task("26d compare two versions", _compare),
    Task("26e read the briefing", _briefing),
    Task("27 ask in SQL, with names offered and bars", _sql),
    Task("28 see the statement behind a page", _behind),
    Task("29 see what could not be read", _health),
    Task("30 learn why a file did not come in", _broken),
    Task("31 send a file, and ask about it", _send),
    Task("32 keep a folder in step", _watch),
    Task("33 change the language", _german),
    Task("34 change to dark", _dark),
    Task("35 see the tier, and a key that is none", _settings),
    Task("36 come to a wrong address", _wrong_address),
    Task("40 add fifty contracts", _shelf, first=True, needs_contracts=True),
    Task("41 ask the contracts", _law, needs_contracts=True),
    Task("42 from a question to a quotation in Word", _ends, needs_contracts=True),
    Task("43 see a party, and with whom it is named", _parties, needs_contracts=True),
)
