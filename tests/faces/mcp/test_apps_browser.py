"""Actions of a user on a page in a conversation: a browser, a simulated host, a real server."""

from __future__ import annotations

import json
import re
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp.client import Client
from mcp.client.extension import advertise

from api.viewer.sheets import HOSTILE
from casetrack.faces.mcp import apps
from casetrack.faces.mcp.server import build_server
from casetrack.store.session import write_session
from headless import SECONDS, Browser, chromium
from hostile import HOSTILE_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.api.library import Library

PAGES_SHOWN = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
SAYS = tomllib.loads(
    (Path(apps.__file__).parent / "static" / "texts.toml").read_text(encoding="utf-8")
)
HOST = Path(__file__).with_name("app_host.html")
PDF, WORD = "Master Services Agreement.pdf", "Amendment No 1.docx"
PAY = {"query": "When are invoices paid?", "collection": "Case", "response_format": "concise"}
pytestmark = pytest.mark.usefixtures("as_models_see", "drawn_once")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium."""
    opened = Browser(str(chromium()), tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


class Program:
    """A program that shows pages: it passes their calls on to a server, and nothing else."""

    def __init__(
        self, browser: Browser, call: Callable[[str, dict[str, Any]], Any], read: Any
    ) -> None:
        self.browser, self.call, self._read = browser, call, read
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def open(self, tool: str, given: dict[str, Any], page: str, **context: Any) -> Any:
        """Call a tool as a model does, and show its page with the answer."""
        self.browser.show(HOST, width=800, dark=context.get("theme") == "dark")
        html = self._read(f"ui://casetrack/{page}.html")
        shown = {"locale": "en-GB", "availableDisplayModes": ["inline", "fullscreen"], **context}
        self.browser.js(f"show({json.dumps(html)}, {json.dumps(shown)})")
        self.until("heard.some(said => said.method === 'ui/notifications/initialized')")
        result = self.call(tool, given)
        self.tell("tool-input", {"arguments": given})
        self.tell("tool-result", result)
        return result

    def tell(self, what: str, text: Any) -> None:
        """Send a message to the page."""
        facts = json.dumps({"method": f"ui/notifications/{what}", "params": text})
        self.browser.js(f"send({facts})")

    def until(self, condition: str) -> None:
        """Forward the requests of the page until a condition holds in the host's window."""
        deadline = time.monotonic() + SECONDS
        while not self.browser.js(condition):
            self._answer()
            assert time.monotonic() < deadline, f"never: {condition}"
            time.sleep(0.01)

    def _answer(self) -> None:
        for messages in self.browser.js("asked.splice(0)"):
            assert messages["method"] == "tools/call", messages
            name, given = messages["params"]["name"], messages["params"]["arguments"]
            self.calls.append((name, given))
            facts = json.dumps({"id": messages["id"], "result": self.call(name, given)})
            self.browser.js(f"send({facts})")

    def wait(self, selector: str, words: str = "") -> None:
        """Wait until something is shown, with words in it."""
        self.until(
            f"[...frame.contentDocument.querySelectorAll({json.dumps(selector)})]"
            f".some(e => e.textContent.includes({json.dumps(words)}))"
        )

    def see(self, expression: str) -> Any:
        """Return the value of an expression about the page's document, ``d``."""
        return self.browser.js(f"(d => ({expression}))(frame.contentDocument)")

    def words(self, selector: str) -> list[str]:
        """Return the text of the elements."""
        return self.see(f"[...d.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def click(self, selector: str) -> None:
        """Press an element; it must be there, and not be switched off."""
        result = f"(d.querySelector({json.dumps(selector)}))"
        pressed = "(e => !e.disabled && (e.focus(), e.dispatchEvent(new MouseEvent('click', "
        pressed += f"{{bubbles: true, cancelable: true}})), true)){result}"
        assert self.see(pressed), f"{selector} is off"

    def write(self, words: str) -> None:
        """Type into the field, and send it."""
        self.see(f"d.querySelector('input').value = {json.dumps(words)}")
        self.press("Enter", "input")

    def press(self, key: str, selector: str = "h1") -> None:
        """Press a key where an element has the focus."""
        self.see(
            f"d.querySelector({json.dumps(selector)}).dispatchEvent(new KeyboardEvent('keydown', "
            f"{{key: {json.dumps(key)}, bubbles: true, cancelable: true}}))"
        )


@pytest.fixture
def program(browser: Browser, paged: Library) -> Iterator[Callable[..., Program]]:
    """Return ``program(library)``; in the end nothing went wrong and nothing was loaded."""
    with start_blocking_portal() as portal:
        opened = []

        def start(library: Library = paged) -> Program:
            client = portal.wrap_async_context_manager(
                Client(build_server(library), extensions=[PAGES_SHOWN])
            )
            talking = client.__enter__()
            opened.append(client)

            def call(name: str, given: dict[str, Any]) -> Any:
                result = portal.call(talking.call_tool, name, given)
                return result.model_dump(mode="json", by_alias=True, exclude_none=True)

            def read(uri: str) -> str:
                return portal.call(talking.read_resource, uri).contents[0].text

            return Program(browser, call, read)

        yield start
        assert browser.js("problems") == []
        loaded = [r for r in browser.requests if not r.startswith(("file:", "data:", "about:"))]
        assert loaded == []
        for client in opened:
            client.__exit__(None, None, None)


def test_from_a_search_to_the_page_and_through_it(program: Callable[..., Program]) -> None:
    shown = program()
    result = shown.open("search_documents", PAY, "search")
    actual = result["structuredContent"]["results"]
    shown.wait(".result")
    assert shown.words(".result .link") == [each["citation"] for each in actual]
    assert any("days" in text for text in shown.words(".result mark"))
    at = next(n for n, each in enumerate(actual) if each["citation"].startswith(PDF))
    shown.click(f".result:nth-child({at + 1}) .link")
    shown.wait("h1", PDF)
    shown.wait(".place")
    name, given = shown.calls[-1]
    assert name == "show_page"
    assert given["question"] == PAY["query"]
    assert shown.see("d.querySelector('.frame img').src.startsWith('data:image/png')")
    assert shown.see("d.querySelectorAll('.frame svg rect').length") > 0
    (place,) = shown.words(".place")
    page = int(re.findall(r"\d+", place)[0])
    assert shown.see("d.activeElement.textContent") == PDF, "the keyboard begins at its title"
    shown.click(".next")
    shown.wait(".place", SAYS["page_place"]["en"].format(page=page + 1, count=11))
    assert shown.see("d.activeElement.className") == "next", "and stays where it was"
    shown.press("ArrowLeft", ".next")
    shown.wait(".place", SAYS["page_place"]["en"].format(page=page, count=11))
    shown.press("+")
    assert shown.see("d.querySelector('.frame').style.width") == "125%"
    shown.click(".smaller")
    assert shown.see("d.querySelector('.frame').style.width") == "100%"
    shown.press("Escape")
    shown.wait(".results")
    assert shown.see("d.activeElement.textContent") == actual[at]["citation"]


def test_another_question_is_asked_from_the_page(program: Callable[..., Program]) -> None:
    shown = program()
    shown.open("search_documents", PAY, "search")
    shown.wait(".result")
    shown.write("Zielinski")
    shown.wait(".result .link", "Zielinski")
    assert shown.calls[-1][0] == "search_documents"
    assert shown.calls[-1][1]["query"] == "Zielinski"
    shown.write("zyxwvut")
    shown.until("!frame.contentDocument.querySelector('.result')")
    assert shown.words(".note")


def test_a_page_as_text_marks_the_passage(program: Callable[..., Program], paged: Library) -> None:
    chunk = paged.get("Case").read.chunks(WORD, page=2)[0]
    shown = program()
    shown.open("get_page_image", {"chunk_id": chunk.chunk_id, "collection": "Case"}, "page")
    shown.wait(".text mark")
    assert shown.words(".citation") == [chunk.citation]
    marked = "".join(shown.words(".text mark"))
    assert "".join(marked.split()) == "".join(chunk.text.split())
    assert shown.see("d.querySelector('.zoom')") is None


def test_the_timeline_narrows_and_leads_to_its_pages(program: Callable[..., Program]) -> None:
    shown = program()
    shown.open("get_collection_timeline", {"collection": "Case"}, "timeline", locale="de-DE")
    shown.wait(".events li")
    assert shown.words("h1") == [SAYS["timeline"]["de"]]
    all_events = len(shown.words(".events li"))
    shown.click(f"[aria-label='{SAYS['time_in']['de']}']")
    shown.until("!frame.contentDocument.querySelector('[aria-busy]')")
    assert {"start_date", "end_date"} <= shown.calls[-1][1].keys()
    assert len(shown.words(".events li, .note")) <= all_events
    shown.click(".bar button:nth-of-type(5)")
    shown.until(f"frame.contentDocument.querySelectorAll('.events li').length === {all_events}")
    shown.click(".drawing a[href='#event-0']")
    shown.wait(".place")
    assert shown.see("d.location.hash") == ""


def test_the_graph_is_walked_through(program: Callable[..., Program]) -> None:
    shown = program()
    shown.open("get_entity_graph", {"collection": "Case"}, "graph")
    shown.wait(".names li")
    shown.click(".drawing a[href='#link-0']")
    shown.wait(".beside h2")
    assert shown.words(".beside .link")
    name = shown.words(".names .link")[1]
    shown.click(".drawing a[href='#name-1']")
    shown.wait("h1", name)
    shown.click(".drawing a[href='#link-0']")
    shown.wait(".beside .link")
    shown.click(".beside .link")
    shown.wait(".place")


def test_a_collection_at_a_glance_and_two_documents(program: Callable[..., Program]) -> None:
    shown = program()
    shown.open("get_collection_summary", {"collection": "Case"}, "briefing", theme="dark")
    shown.wait(".briefing h1", "Case")
    assert shown.see("d.documentElement.dataset.theme") == "dark"
    assert shown.words(".quotes .link")
    two = {"document_a": PDF, "document_b": WORD, "topic": "payment", "collection": "Case"}
    shown.open("compare_documents", two, "compare")
    shown.wait("h2", WORD)
    shown.click(".quotes .link")
    shown.wait(".place")
    shown.open("compare_versions", {"before": PDF, "after": WORD, "collection": "Case"}, "compare")
    shown.wait(".change ins")
    assert shown.words(".change del")


def test_the_program_says_how_it_looks(program: Callable[..., Program]) -> None:
    shown = program()
    given = {"--color-text-primary": "#102030", "--font-sans": "url(http://evil.example/x)"}
    shown.open("search_documents", PAY, "search", theme="light", styles={"variables": given})
    shown.wait(".result")
    assert shown.see("getComputedStyle(d.body).color") == "rgb(16, 32, 48)"
    assert "evil" not in shown.see("d.documentElement.style.cssText")
    shown.tell("host-context-changed", {"theme": "dark"})
    shown.until("frame.contentDocument.documentElement.dataset.theme === 'dark'")
    shown.click(".fill")
    shown.until("heard.some(said => said.method === 'ui/request-display-mode')")
    assert shown.see("d.documentElement.classList.contains('fixed')")
    heights = [
        s["params"]["height"]
        for s in shown.browser.js("heard")
        if s["method"] == "ui/notifications/size-changed"
    ]
    assert heights
    assert all(0 < height <= 720 for height in heights)


def test_what_goes_wrong_is_reported_on_the_page(
    program: Callable[..., Program], tmp_path: Path, paged: Library
) -> None:
    shown = program()
    shown.open("search_documents", {"query": "x", "collection": "Nowhere"}, "search")
    shown.wait(".note.danger", "Nowhere")
    shown.tell("tool-cancelled", {})
    shown.wait(".note", SAYS["cancelled"]["en"])
    shown.open("get_page_image", {"document_name": PDF, "page": 2, "collection": "Case"}, "page")
    shown.wait(".place")
    shown.call = lambda *_: {"isError": True, "content": [{"type": "text", "text": "It is gone."}]}
    shown.click(".next")
    shown.wait(".note.danger", "It is gone.")
    assert shown.words(".danger + button") == [SAYS["again"]["en"]]


def test_documents_that_mean_no_good_only_say_it(
    program: Callable[..., Program], library: Library, store_text: Callable[..., Any]
) -> None:
    with write_session(library.create(HOSTILE[0][:60]).folder) as session:
        for n, text in enumerate(HOSTILE):
            message = text[:200].replace("\ud800", "")
            name = message.replace("/", "_").replace("\x00", "").strip() or "blank"
            store_text(
                session,
                f"{name}-{n}.txt",
                f"{message} was paid on {n + 1} March 2024. {HOSTILE_TEXT}",
            )
    shown = program(library)
    shown.open("search_documents", {"query": "paid March 2024", "top_k": 20}, "search")
    shown.wait(".result")
    assert any("<script>" in text for text in shown.words(".result"))
    for n in range(1, len(shown.words(".result")) + 1):
        shown.click(f".result:nth-child({n}) .link")
        shown.wait(".text")
        shown.press("Escape")
        shown.wait(".results")
    for tool, page, remote in (
        ("get_collection_timeline", "timeline", ".events li"),
        ("get_collection_summary", "briefing", ".briefing"),
    ):
        shown.open(tool, {}, page)
        shown.wait(remote)
    assert shown.browser.js("document.title") == "A program that shows pages"
    assert shown.see("d.title").startswith("CaseTrack")
    assert shown.see("d.querySelectorAll('script').length") == 1
