"""The tasks, in order: each uses what is on the page, and asserts what a person would see."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from headless import Browser

NAME = "Files & <papers> / 50%"
_SECONDS = 900
_WIDTHS = (1440, 820, 390)
TASKS: dict[str, Callable[[Person], str | None]] = {}


@dataclass
class Person:
    """A person at the window; *address* contains its key."""

    browser: Browser
    address: str
    files: Path
    question: str
    absent: str
    home: str = ""

    @property
    def root(self) -> str:
        """The address of the window without a path."""
        split = urlsplit(self.address)
        return f"{split.scheme}://{split.netloc}"

    def js(self, expression: str) -> Any:
        """Return the value of an expression on the page."""
        return self.browser.js(expression)

    def go(self, part: str = "", width: int = 1440) -> None:
        """Open a part of the collection."""
        self.browser.show(f"{self.root}{self.home}{part}", width=width, height=900)

    def click(self, selector: str, text: str = "") -> None:
        """Click the first visible element that fits and contains a text; wait for its page."""
        find = f"""[...document.querySelectorAll({json.dumps(selector)})].find(e =>
            e.checkVisibility() && e.textContent.includes({json.dumps(text)}))"""
        assert self.js(f"Boolean({find})"), f"nothing to click: {selector} {text}"
        leaves = self.js(
            f"(e => {{ window.old = true; e.click(); return Boolean(e.closest('a[href]:not("
            f"[data-into], [data-swap], [download]), form:not([data-quiet]) button'))}})({find})"
        )
        if leaves:
            self.until("!window.old && document.body", _SECONDS)
        self.settle()

    def settle(self) -> None:
        """Wait until the page stands still: loaded, and without new content."""
        last = None
        for _ in range(200):
            time.sleep(0.15)
            now = self.js("document.readyState + location.href + document.body?.innerHTML.length")
            if now == last and str(now).startswith("complete"):
                return
            last = now

    def type(self, selector: str, text: str) -> None:
        """Fill a field, as typing does."""
        field = f"document.querySelector({json.dumps(selector)})"
        assert self.js(f"Boolean({field})"), f"no field {selector}"
        self.js(f"{field}.value = {json.dumps(text)}; {field}.focus()")

    def press(self, key: str) -> None:
        """Press a key."""
        self.js(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
            f"{{key: {json.dumps(key)}, bubbles: true}}))"
        )
        self.settle()

    def has(self, selector: str) -> bool:
        """Return whether an element is visible."""
        found = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return bool(self.js(f"{found}.some(e => e.checkVisibility())"))

    def see(self, selector: str, seconds: float = 20) -> None:
        """Assert that an element appears."""
        end = time.monotonic() + seconds
        while not self.has(selector):
            assert time.monotonic() < end, f"not on the page: {selector}"
            time.sleep(0.2)

    def until(self, expression: str, seconds: float = 15) -> None:
        """Assert that an expression becomes true."""
        end = time.monotonic() + seconds
        while not self.js(f"Boolean({expression})"):
            assert time.monotonic() < end, f"not true: {expression}"
            time.sleep(0.1)

    def finished(self) -> None:
        """Wait for the end of work that the page shows."""
        end = time.monotonic() + _SECONDS
        while self.has("[data-again]"):
            assert time.monotonic() < end, "the work does not end"
            time.sleep(0.5)
        self.settle()

    def unoccupied(self) -> None:
        """Wait for the end of all work."""
        end = time.monotonic() + _SECONDS
        self.browser.show(f"{self.root}/jobs")
        while self.js("/running|waiting/.test(document.querySelector('main').innerText)"):
            assert time.monotonic() < end, "work goes on"
            time.sleep(1)
            self.browser.show(f"{self.root}/jobs")

    def text(self) -> str:
        """Return the visible text of the page."""
        return str(self.js("document.body.innerText"))

    def count(self, selector: str) -> int:
        """Return the number of elements."""
        return int(self.js(f"document.querySelectorAll({json.dumps(selector)}).length"))

    def open_document(self, ending: str) -> bool:
        """Open the first document whose name has an ending; return whether there is one."""
        self.go("/documents?name=" + quote(ending))
        names = "[...document.querySelectorAll('a[data-nth]')].map(a => a.textContent.trim())"
        name = next((each for each in self.js(names) if each.endswith(ending)), None)
        if name is not None:
            self.click("a[data-nth]", name)
        return name is not None


def task(title: str) -> Callable[[Callable[[Person], str | None]], Callable[[Person], str | None]]:
    """Register a task."""

    def register(do: Callable[[Person], str | None]) -> Callable[[Person], str | None]:
        TASKS[title] = do
        return do

    return register


def page(title: str, part: str, selector: str) -> None:
    """Register a task that opens a page and sees something on it."""

    @task(title)
    def _(p: Person) -> None:
        p.go(part)
        p.see(selector)


@task("see what CaseTrack does, and a sample to try")
def _(p: Person) -> None:
    p.browser.show(p.address)
    p.see("form[action='/sample'] button")
    p.see("main ol li")


@task("create a collection")
def _(p: Person) -> None:
    p.type("#name", NAME)
    p.click("form[action='/collections'] button")
    p.see("form[data-drop]")
    p.home = urlsplit(str(p.js("location.href"))).path.removesuffix("/add")


@task("see whether search by meaning is ready")
def _(p: Person) -> str:
    return (
        "models are being loaded or missing"
        if p.has("div[role=status]")
        else "models are installed"
    )


@task("choose a folder by mouse")
def _(p: Person) -> None:
    p.go(f"/choose?at={p.files}")
    p.click("a.button.main")
    assert p.js("document.getElementById('path').value"), "the folder is not taken"


@task("add the folder, and see it being read")
def _(p: Person) -> None:
    p.click("form[data-drop] button.main")
    p.see("progress, .counts", 60)
    p.finished()
    p.see(".counts")


@task("see which files were not added, with reasons")
def _(p: Person) -> None:
    assert "damaged.pdf" in p.text(), "the damaged file is not listed"
    assert "protected.pdf" in p.text(), "the protected file is not listed"


@task("enter the password of a protected file")
def _(p: Person) -> None:
    p.go("/health")
    form = "form:has(input[value$='protected.pdf'])"
    p.type(f"{form} input[name=passwords]", "key")
    p.click(f"{form} button")
    p.finished()
    p.go("/documents?name=protected")
    assert p.count("a[data-nth]") == 1, "the protected file was not added"


@task("read a scan again, now with text recognition")
def _(p: Person) -> str | None:
    p.unoccupied()
    p.go("/health")
    form = "form:has(input[value$='scan.png'])"
    if not p.count(form):
        return "it was read at once"
    p.click(f"{form} button")
    p.finished()
    p.go("/documents?name=scan.png")
    assert p.count("a[data-nth]") == 1, "the scan was not added"
    return None


@task("wait for search by meaning and the map")
def _(p: Person) -> None:
    p.unoccupied()
    p.go("/map")
    p.finished()


@task("take a suggested question")
def _(p: Person) -> None:
    p.go()
    p.see(".tags .badge")
    p.click(".tags .badge")
    p.see(".result")


@task("ask a question")
def _(p: Person) -> None:
    p.go()
    p.type("#q", p.question)
    p.click(".ask button")
    p.see(".result mark")


@task("see the evidence of the answer")
def _(p: Person) -> str:
    p.see(".results .badge")
    return str(p.js("document.querySelector('.results .badge').textContent"))


@task("see the marked sentence whole in the list")
def _(p: Person) -> None:
    cut = "(e => e.scrollHeight - e.clientHeight > 4)(document.querySelector('.result .excerpt'))"
    assert not p.js(cut), "the excerpt is cut"


@task("see the page next to the answer")
def _(p: Person) -> None:
    p.see("#preview .passage")


@task("go through the results with the keyboard")
def _(p: Person) -> None:
    p.js("document.querySelector('#q').focus()")
    p.press("ArrowDown")
    assert p.js("document.activeElement.dataset.nth") == "1", "the first result has no focus"
    p.press("j")
    assert p.js("document.activeElement.dataset.nth") == "2", "the second result has no focus"


@task("open the second result beside the list")
def _(p: Person) -> None:
    p.js("document.activeElement.click()")
    p.until("document.querySelector('a[data-nth=\"2\"]').ariaCurrent == 'true'")


@task("filter by a document without losing the place")
def _(p: Person) -> None:
    p.js("scrollTo(0, 120)")
    before = p.js("[scrollY, performance.timeOrigin]")
    p.js("document.querySelector('.facets input[name=document]').click()")
    p.until("location.search.includes('document=')")
    assert p.js("[scrollY, performance.timeOrigin]") == before, "the page was loaded again"


@task("remove the filter")
def _(p: Person) -> None:
    p.click(".tags a[data-swap]")
    p.until("!location.search.includes('document=')")


@task("order the results by date")
def _(p: Person) -> None:
    p.js(
        "(s => { s.value = 'newest'; s.dispatchEvent(new Event('change', {bubbles: true})) })"
        "(document.querySelector('select[name=order]'))"
    )
    p.until("location.search.includes('order=newest')")


@task("see related questions")
def _(p: Person) -> None:
    p.see(".results h2 + .tags .badge")


@task("ask for something absent")
def _(p: Person) -> str:
    p.go()
    p.type("#q", p.absent)
    p.click(".ask button")
    p.see(".result, .empty")
    return "told" if p.has(".results .note") else "not told"


@task("see what is there instead")
def _(p: Person) -> None:
    p.see(".results h2 + .tags .badge")


@task("keep a passage")
def _(p: Person) -> None:
    p.go("/search?q=" + p.question.replace(" ", "+").rstrip("?"))
    p.see("#preview form[action$=star] button")
    p.click("#preview form[action$=star] button")
    p.see("#preview [aria-pressed=true]")
    p.go("/kept")
    p.see(".kept blockquote")


@task("tag a kept passage")
def _(p: Person) -> None:
    p.click(".kept .choose summary")
    p.type(".kept input[name=tags]", "Important <1>")
    p.click(".kept form[action$=tag] button")
    assert "Important <1>" in p.text(), "the tag is not shown"


@task("save kept passages as a Word file")
def _(p: Person) -> None:
    assert p.js("fetch(document.querySelector('a[href*=docx]').href).then(r => r.ok)")


@task("copy with citation")
def _(p: Person) -> None:
    p.click(".kept .citation")
    p.js("navigator.clipboard.writeText = async text => { window.copied = text }")
    p.click("button[data-key=c]")
    assert "(" in str(p.js("window.copied")), "nothing was copied"


page("find a document by its type", "/documents", "select[name=kind]")


@task("filter the documents by name without losing the place")
def _(p: Person) -> None:
    p.go("/documents")
    p.type("#name", "a")
    p.js("document.querySelector('#name').dispatchEvent(new Event('change', {bubbles: true}))")
    p.until("location.search.includes('name=a')")


@task("turn the pages of a PDF with the keyboard")
def _(p: Person) -> None:
    assert p.open_document(".pdf"), "no PDF"
    for _ in range(30):
        if p.has("a[rel=next]"):
            p.press("ArrowRight")
            assert "page=2" in p.js("location.search"), "the page was not turned"
            return
        p.js("history.back()")
        p.settle()
        p.js("document.querySelectorAll('a[data-nth]')[1].click()")
        p.settle()


@task("select words over the picture of a page")
def _(p: Person) -> None:
    assert p.open_document(".pdf"), "no PDF"
    p.see(".selectable text")
    words = p.js(
        "getSelection().selectAllChildren(document.querySelector('.selectable')), "
        "getSelection().toString()"
    )
    assert len(str(words)) > 20, "no words are selected"


@task("read a scan, with its recognised words to select")
def _(p: Person) -> None:
    assert p.open_document("scan.png")
    p.see(".frame img")
    p.see(".selectable text")


@task("read a page as text")
def _(p: Person) -> None:
    p.press("x")
    p.see(".prose")


@task("search within a document")
def _(p: Person) -> None:
    p.type("#within", "the")
    p.js("document.querySelector('#within').form.requestSubmit()")
    p.settle()
    assert "document=" in p.js("location.search")


@task("see two documents side by side")
def _(p: Person) -> None:
    assert p.open_document(".pdf"), "no PDF"
    other = p.js("document.querySelectorAll('#names option')[0].value")
    p.click(".choose summary[data-key=b]")
    p.type("#beside", str(other))
    p.js("document.querySelector('#beside').form.requestSubmit()")
    p.settle()
    p.see(".beside")


@task("read a sheet as a grid with letters and numbers that stay")
def _(p: Person) -> str | None:
    if not p.open_document(".xlsx"):
        return "no sheet among the files"
    p.see(".cells .letters th")
    assert p.js("getComputedStyle(document.querySelector('.cells thead')).position") == "sticky"
    return None


@task("read a mail: text first, then its head")
def _(p: Person) -> None:
    assert p.open_document("Gate keys.mbox")
    p.js("location.href += '?page=2'")
    p.settle()
    p.see(".mails details[open] .prose")
    p.see(".mail-head")
    assert p.count(".mails details[open] .badge") == 2, "the attachments are not linked"


page("see the map", "/map", ".glance .card")
page("see the timeline", "/timeline", ".figure svg, .empty")


@task("hide an event, and undo that")
def _(p: Person) -> str | None:
    p.go("/timeline")
    if not p.count(".events form button"):
        return "no events"
    p.click(".events form[action$=hide-event] button")
    p.see(".done")
    p.click(".done button")
    return None


@task("zoom into the timeline")
def _(p: Person) -> str | None:
    p.go("/timeline")
    if not p.count(".zoom a"):
        return "too few events"
    p.click(".zoom a")
    assert "start=" in p.js("location.search")
    return None


@task("open the page of a person")
def _(p: Person) -> None:
    p.go("/people")
    p.click("a[data-nth='1']")
    p.see(".quotes mark")


@task("rename a person")
def _(p: Person) -> None:
    p.type("#rename", "Another Name")
    p.click("form[action$=rename] button")
    assert "Another Name" in p.text()


@task("undo the correction")
def _(p: Person) -> None:
    p.click(".done button")
    assert "Another Name" not in str(p.js("document.querySelector('h1').innerText"))


page("see who sent mails to whom", "/correspondence", ".figure svg, .empty")


@task("keep two similar names apart, and undo that")
def _(p: Person) -> str | None:
    p.go("/likely-same")
    if not p.count(".pairs-list form"):
        return "no similar names"
    p.click(".pairs-list button[formaction$=keep-apart]")
    p.see(".done")
    p.click(".done button")
    return None


page("see what Connections needs", "/graph", "main a[href='/settings'], .figure svg")
page("see the references", "/references", "h1")
page("see the topics", "/topics", "h1")


@task("choose a document and see related ones")
def _(p: Person) -> None:
    p.go("/related")
    p.js("(s => { s.value = s.options[1].value })(document.querySelector('#document'))")
    p.click("main .filter button")
    p.see(".plainlist li, .empty")


@task("choose two documents and compare them")
def _(p: Person) -> None:
    p.go("/compare")
    for place, name in enumerate(("before", "after"), 1):
        p.js(f"(s => {{ s.value = s.options[{place}].value }})(document.querySelector('#{name}'))")
    p.click("main .filter button")
    p.see(".changes, [role=status]")


page("ask for amounts by size", "/ask/amounts", ".told, .empty")
page("open the briefing", "/briefing", "h1")


@task("run a statement and see bars")
def _(p: Person) -> None:
    p.go("/sql")
    p.click("form.statement button.main")
    p.see(".rows td")


@task("open a page as SQL")
def _(p: Person) -> None:
    p.go("/documents")
    p.click(".behind a")
    p.see(".rows td")


@task("take a snapshot")
def _(p: Person) -> None:
    p.go("/snapshots")
    p.type("#name", "First")
    p.click("form.make button")
    assert "First" in p.text()


@task("remove a document, and undo that")
def _(p: Person) -> None:
    p.go("/documents")
    before = p.text()
    p.click("a[data-nth='1']")
    p.click("aside summary", "…")
    p.click("form[action$='/do/delete'] button")
    p.click(".done button")
    p.finished()
    p.go("/documents")
    assert p.text() == before, "the documents are not those before"


@task("change the description of the collection")
def _(p: Person) -> None:
    p.go("/manage")
    p.type("#collection-update-description", "Described")
    p.click("#collection-update button")
    p.go()
    assert "Described" in p.text()


@task("check the collection")
def _(p: Person) -> None:
    p.go("/manage")
    p.click("#doctor button")
    p.finished()
    assert not p.has(".note.danger"), "a check failed"


@task("export the collection")
def _(p: Person) -> None:
    p.go("/manage")
    p.type("#export-path", str(p.files.parent))
    p.click("#export button")
    p.finished()
    assert list(p.files.parent.glob("*.ctcollection")), "there is no exported file"


page("see the watched folders", "/folders", "a.button.main")


@task("see tier, models and folders in the settings")
def _(p: Person) -> None:
    p.browser.show(f"{p.root}/settings")
    p.see("#key")


@task("see the shortcuts with a key")
def _(p: Person) -> None:
    p.go()
    p.js("document.activeElement.blur()")
    p.press("?")
    p.see(".keys kbd")


@task("read in German and in dark")
def _(p: Person) -> None:
    p.click("button[value=de]")
    assert p.js("document.documentElement.lang") == "de"
    p.click(".menu > summary")
    p.click("button[value=dark]")
    assert p.js("document.documentElement.dataset.theme") == "dark"


@task("read every page at three widths without scrolling sideways")
def _(p: Person) -> None:
    parts = "/search?q=a /documents /map /timeline /people /topics /compare /kept /sql /health /add"
    wide = []
    for part in ("", *parts.split()):
        for width in _WIDTHS:
            p.go(part, width)
            if p.js("document.documentElement.scrollWidth > innerWidth"):
                wide.append(f"{part} {width}")
    assert not wide, ", ".join(wide)


@task("see an address that does not exist explained")
def _(p: Person) -> None:
    p.go("/nothing-here")
    p.see("[role=alert]")


@task("have no page that asks another computer")
def _(p: Person) -> None:
    others = set()
    for part in ("", "/search?q=a", "/map", "/timeline", "/documents"):
        p.go(part)
        others |= {url for url in p.browser.requests if not url.startswith((p.root, "data:"))}
    assert not others, ", ".join(sorted(others))


def _delete(p: Person, typed: str) -> None:
    p.go("/manage")
    p.type("#collection-delete input[name=sure]", typed)
    p.click("#collection-delete button")


@task("not delete the collection without its name")
def _(p: Person) -> None:
    _delete(p, "other")
    p.see(".note.danger")


@task("delete the collection, and restore it")
def _(p: Person) -> None:
    _delete(p, NAME)
    p.click("#aside form button")
    p.see("main h1")
    assert NAME in p.text(), "the collection is not restored"


@task("delete the collection for good, and import it again")
def _(p: Person) -> None:
    _delete(p, NAME)
    p.click("#aside details summary")
    p.click("#aside details button")
    assert NAME not in p.text()
    (exported,) = p.files.parent.glob("*.ctcollection")
    p.click("details.make summary")
    document = p.browser.call("DOM.getDocument")["root"]["nodeId"]
    node = p.browser.call("DOM.querySelector", nodeId=document, selector="#archive")["nodeId"]
    p.browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(exported)])
    p.click("form[action='/import'] button")
    p.finished()
    p.browser.show(f"{p.root}/")
    assert NAME in p.text(), "the collection is not imported"
