"""The wheel has all resources of the program, and trusts only its maker's signers of licenses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a wheel is built, and programs are started
CHECKOUT = Path(__file__).parent.parent
SCRIPT = """
import casetrack
from casetrack.base import schema; from casetrack.extract.amounts.money import CODES
from casetrack.ingest.pipeline import load_pipeline, pipeline_names
from casetrack.base.editions import edition
from casetrack.base.resources import resource_dir
assert len(schema.table_names()) >= 4 and {"USD", "EUR"} <= CODES
assert edition("legal").server == "casetrack-legal"
print(casetrack.__version__, [load_pipeline(n).name for n in pipeline_names()])
print(len(list((resource_dir("data-samples") / "files").rglob("*.*"))))
print(resource_dir("schemas"))
"""
STATUS = "from casetrack.faces.cli.main import run; run()"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which a wheel of this checkout was unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), "."],
        cwd=CHECKOUT,
        check=True,
    )
    (wheel,) = folder.glob("casetrack-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def asked(site: Path, script: str, *words: str, **variables: str) -> str:
    """Return the output of a script, or of the program, run with the packages in *site*."""
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=site.parent,
        env=os.environ | {"PYTHONPATH": str(site)} | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_an_installed_wheel_finds_its_resources(site: Path) -> None:
    version, samples, schemas = asked(site, SCRIPT).splitlines()
    assert "standard" in version
    assert int(samples) >= 14
    assert Path(schemas).is_relative_to(site)


def test_nobody_signs_a_license_for_themselves(site: Path, tmp_path: Path) -> None:
    """The tests' own signer, which the environment names, counts in a checkout only."""
    local = json.loads(asked(CHECKOUT, STATUS, "license", "status", "--json"))
    assert local["tier"] == "pro"
    home = {"CASETRACK_HOME": str(tmp_path)}
    remote = json.loads(asked(site, STATUS, "license", "status", "--json", **home))
    assert remote["tier"] == "free"
    assert "CASETRACK_LICENSE_PUBLIC_KEYS" in remote["reason"]
