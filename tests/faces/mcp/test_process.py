"""The server as a process: its streams, its end, and modules that it does not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hostile_lines
from casetrack.faces.mcp.server import main
from hostile_lines import HELLO, Process, modern, request

ROOT = Path(__file__).parents[3]
SERVE = [sys.executable, "-c", "from casetrack.faces.mcp.server import main; main()"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_handshake_and_end_of_input(
    process_env: dict[str, str], era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if era == "legacy":
        monkeypatch.setattr(hostile_lines, "SERVE", SERVE)
    server = Process(process_env)
    say = modern if era == "modern" else request
    hello = modern("h", "server/discover") if era == "modern" else request("h", "initialize", HELLO)
    server.say(hello)
    message = server.answer_to("h")["result"]
    assert "search_documents" in message["instructions"]
    if era == "legacy":
        server.say(request("again", "initialize", HELLO))
        assert server.answer_to("again")["result"] == message
        server.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        server.say(b"{not json")
    server.say(say("list", "tools/list"))
    listed = server.answer_to("list")["result"]
    assert len(listed["tools"]) > 50
    if era == "modern":  # stateless answers carry their freshness
        assert listed["ttlMs"] > 0
        assert listed["cacheScope"] == "private"
    server.say(say("none", "nonsense/method"))
    assert server.answer_to("none")["error"]["code"] == -32601
    assert server.end() == 0
    assert server.answers.empty()


@pytest.mark.slow
def test_prints_do_not_reach_the_protocol(
    process_env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = (
        "import casetrack.api.library, os\n"
        "real = casetrack.api.library.Library.collections\n"
        "def loud(self, **options):\n"
        "    print('noise from a library'); os.write(1, b'more noise\\n')\n"
        "    return real(self, **options)\n"
        "casetrack.api.library.Library.collections = loud\n"
        "from casetrack.faces.mcp.server import main; main()\n"
    )
    monkeypatch.setattr(hostile_lines, "SERVE", [sys.executable, "-c", noisy])
    server = Process(process_env)
    server.say(modern("c", "tools/call", name="list_collections", arguments={}))
    # Every line before the answer is a message.
    assert server.answer_to("c")["result"]["structuredContent"]["collections"] == []
    assert server.end() == 0
    assert server.answers.empty()


@pytest.mark.slow
def test_nothing_heavy_is_loaded_before_it_is_needed(process_env: dict[str, str]) -> None:
    heavy = "pyarrow numpy lance lancedb duckdb onnxruntime onnx pymupdf polars tokenizers".split()
    script = (
        "import sys\n"
        "from casetrack.base.config import load_settings\n"
        "from casetrack.api.library import Library\n"
        "from casetrack.faces.mcp.server import build_server\n"
        "build_server(Library(load_settings()))\n"
        f"print([name for name in {heavy} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=process_env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_wrong_settings_end_the_process_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text("colour = 1\n")
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    message = capsys.readouterr()
    assert "'colour'" in message.err
    assert message.out == ""
