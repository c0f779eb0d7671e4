"""The MCP bundle: complete, clean, the same each time, valid, and it starts."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from PIL import Image

import casetrack
from casetrack.faces.mcp.catalogue import declared
from casetrack.faces.mcp.specs import MORE
from conformance.programs import NotAvailable, installed
from release.bundle import icon
from release.bundle.__main__ import main
from release.bundle.build import PYTHON, BundleError, contents
from release.bundle.build import manifest as bundle_manifest

CHECKOUT = Path(casetrack.__file__).resolve().parents[1]
NAME = f"casetrack-{casetrack.__version__}.mcpb"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """Files of the bundle."""
    return contents()


@pytest.fixture(scope="module")
def manifest(files: dict[str, bytes]) -> dict[str, Any]:
    """Manifest of the bundle."""
    read: dict[str, Any] = json.loads(files["manifest.json"])
    return read


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle that was written and unpacked into a folder ``bundle`` next to it."""
    folder = tmp_path_factory.mktemp("built")
    assert main(["--out", str(folder)]) == 0
    with zipfile.ZipFile(folder / NAME) as archive:
        archive.extractall(folder / "bundle")
    return folder


def test_it_holds_what_a_wheel_holds_and_nothing_else(files: dict[str, bytes]) -> None:
    top = {name.split("/")[0] for name in files}
    own = {"manifest.json", "server.py", "icon.png", "PRIVACY.md", ".python-version"}
    shipped = {"pyproject.toml", "README.md", "LICENSE", "casetrack", "pipelines", "schemas"}
    assert top == own | shipped | {"data-samples"}
    packed = {p.relative_to(CHECKOUT).as_posix() for p in (CHECKOUT / "casetrack").rglob("*.py")}
    assert packed <= set(files)
    samples = {n.split("/")[1] for n in files if n.startswith("data-samples/")}
    assert samples == {"files", "golden.jsonl"}
    parts = {part for name in files for part in name.split("/")}
    unwanted = "tests __pycache__ .cache models.json .git development.txt _resources node_modules"
    assert not parts & set(unwanted.split())
    endings = {Path(name).suffix for name in files}
    assert not endings & {".pyc", ".onnx", ".safetensors", ".lance", ".log", ".lock"}
    assert sum(map(len, files.values())) < 12_000_000


def test_it_names_no_folder_of_the_machine_it_was_made_on(files: dict[str, bytes]) -> None:
    places = {str(CHECKOUT), sys.prefix}
    made = [files[n] for n in ("manifest.json", "pyproject.toml", "server.py", "PRIVACY.md")]
    assert not any(place.encode() in data for place in places for data in made)
    assert not any(str(CHECKOUT).encode() in data for data in files.values())


def test_the_project_is_that_of_the_checkout_without_extras(files: dict[str, bytes]) -> None:
    slim = tomllib.loads(files["pyproject.toml"].decode())
    whole = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    for key in ("dependencies", "name", "requires-python", "scripts", "license-files", "dynamic"):
        assert slim["project"][key] == whole["project"][key]
    assert "optional-dependencies" not in slim["project"]
    assert slim["build-system"] == whole["build-system"]
    assert slim["tool"]["hatch"]["version"] == whole["tool"]["hatch"]["version"]
    build = slim["tool"]["hatch"]["build"]["targets"]
    assert build == {"wheel": whole["tool"]["hatch"]["build"]["targets"]["wheel"]}


def test_the_manifest_tells_all_tools_and_settings(manifest: dict[str, Any]) -> None:
    assert (manifest["manifest_version"], manifest["version"]) == ("0.4", casetrack.__version__)
    assert [tool["name"] for tool in manifest["tools"]] == [n for n in declared() if n != MORE]
    assert all(re.fullmatch(r"[^\n]{10,400}", tool["description"]) for tool in manifest["tools"])
    server = manifest["server"]
    assert (server["type"], server["entry_point"]) == ("uv", "server.py")
    assert manifest["user_config"]["data_dir"]["default"] == "${DOCUMENTS}/CaseTrack"
    key = manifest["user_config"]["license_key"]
    assert (key["sensitive"], key["required"], key["default"]) == (True, False, "")
    assert "license" not in " ".join(server["mcp_config"]["args"])  # lists of processes show those
    config = json.dumps(server["mcp_config"])
    asked = set(re.findall(r"\$\{user_config\.(\w+)\}", config))
    assert asked == set(manifest["user_config"])


def test_the_icon_is_a_square_picture(files: dict[str, bytes]) -> None:
    assert len(files["icon.png"]) < 50_000
    with Image.open(io.BytesIO(files["icon.png"])) as picture:
        assert (picture.format, picture.size) == ("PNG", (512, 512))
    assert icon.draw(64).getpixel((0, 0)) == (0, 0, 0, 0)


def test_two_builds_are_the_same(unpacked: Path, tmp_path: Path, capsys: Any) -> None:
    assert main(["--out", str(tmp_path)]) == 0
    data = (tmp_path / NAME).read_bytes()
    assert data == (unpacked / NAME).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    assert (tmp_path / f"{NAME}.sha256").read_text() == f"{digest}  {NAME}\n"
    assert capsys.readouterr().out.endswith(f"SHA-256 {digest}\n")


def test_it_is_made_in_a_checkout_only(tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(BundleError, match=r"pyproject\.toml"):
        contents(tmp_path)
    (tmp_path / "file").touch()
    assert main(["--out", str(tmp_path / "file" / "out")]) == 1
    assert "--out" in capsys.readouterr().err


def filled(manifest: dict[str, Any], folder: Path, data: Path) -> dict[str, Any]:
    """Return ``mcp_config`` as the desktop program fills it in."""
    text = json.dumps(manifest["server"]["mcp_config"])
    values = {"__dirname": folder, "user_config.data_dir": data, "user_config.license_key": ""}
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", json.dumps(str(value))[1:-1])
    assert "${" not in text
    config: dict[str, Any] = json.loads(text)
    return config


def greet(server: StdioServerParameters, manifest: dict[str, Any]) -> None:
    """Start the server as a client does, and use it."""

    async def talk() -> None:
        async with Client(server, mode="legacy") as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert listed == [tool["name"] for tool in manifest["tools"]]
            made = await client.call_tool("create_collection", {"name": "From the bundle"})
            assert not made.is_error

    anyio.run(talk)


@pytest.mark.slow
def test_what_is_unpacked_starts(unpacked: Path, manifest: dict[str, Any], tmp_path: Path) -> None:
    """With this Python in the place of the one that uv would fetch."""
    folder, data = unpacked / "bundle", tmp_path / "Cases"
    config = filled(manifest, folder, data)
    python = ["--python", PYTHON]
    assert config["args"][:6] == ["run", "--no-project", *python, "--directory", str(folder)]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | config["env"]
    server = StdioServerParameters(
        command=sys.executable, args=["-B", *config["args"][6:]], env=env, cwd=folder
    )
    greet(server, manifest)
    assert len(list((data / "collections").iterdir())) == 1


def test_the_official_tool_takes_it(unpacked: Path, tmp_path: Path) -> None:
    try:
        programs = installed()
    except NotAvailable as reason:
        pytest.skip(f"mcpb, the official tool, is not installed: {reason}")
    env = {**os.environ, "HOME": str(tmp_path)}
    folder = unpacked / "bundle"
    valid = programs.mcpb("validate", str(folder / "manifest.json"), env=env)
    assert valid.code == 0, valid.out + valid.err
    packed = tmp_path / "packed.mcpb"
    done = programs.mcpb("pack", str(folder), str(packed), env=env)
    assert done.code == 0, done.err
    with zipfile.ZipFile(packed) as theirs, zipfile.ZipFile(unpacked / NAME) as ours:
        contents_of = [{n: z.read(n) for n in z.namelist()} for z in (theirs, ours)]
    assert contents_of[0] == contents_of[1]


@pytest.mark.needs("uv")
def test_uv_makes_an_environment_and_starts_it(
    unpacked: Path, manifest: dict[str, Any], tmp_path: Path
) -> None:
    """As the desktop program does; the libraries come from the package index that uv knows."""
    folder = tmp_path / "bundle"
    shutil.copytree(unpacked / "bundle", folder)
    config = filled(manifest, folder, tmp_path / "Cases")
    env = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    server = StdioServerParameters(
        command=config["command"], args=config["args"], env=env | config["env"], cwd=tmp_path
    )
    subprocess.run(["uv", "sync", "--no-dev", "--quiet"], cwd=folder, env=env, check=True)
    (folder / ".venv" / "casetrack.whole").write_bytes((folder / "pyproject.toml").read_bytes())
    greet(server, manifest)


def test_the_bundle_for_lawyers_has_a_name_and_tools_of_its_own() -> None:
    from casetrack.editions.legal.mcp import legal_edition

    served = legal_edition()
    legal, general = bundle_manifest(served), bundle_manifest()
    assert legal["name"] == "casetrack-legal" != general["name"]
    assert legal["display_name"] == "CaseTrack Legal"
    assert [tool["name"] for tool in legal["tools"]] == list(declared(served))
    assert legal["server"]["mcp_config"]["args"][-3:] == ["serve", "--edition", "legal"]
    assert legal["user_config"] == general["user_config"]
