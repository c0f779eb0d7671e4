"""The wheel holds what the program needs: schemas, pipelines and the sample case file."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent
SCRIPT = """
import casetrack
from casetrack import schema
from casetrack.pipeline import load_pipeline, pipeline_names
from casetrack.editions import edition
from casetrack.resources import resource_dir
assert len(schema.table_names()) >= 4
assert edition("legal").server == "casetrack-legal"
print(casetrack.__version__, [load_pipeline(n).name for n in pipeline_names()])
print(len(list((resource_dir("data-samples") / "files").rglob("*.*"))))
print(resource_dir("schemas"))
"""


def test_an_installed_wheel_finds_its_resources(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), "."],
        cwd=CHECKOUT,
        check=True,
    )
    (wheel,) = tmp_path.glob("casetrack-*.whl")
    installed = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    version, samples, schemas = done.stdout.splitlines()
    assert "standard" in version
    assert int(samples) >= 14
    assert Path(schemas).is_relative_to(installed)
