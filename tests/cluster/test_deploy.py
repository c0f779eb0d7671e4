"""The cluster files are valid for Ray, have this version, and use existing commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from casetrack import __version__
from casetrack.faces.cli.main import app

HOME = Path(__file__).parents[2] / "docs" / "deploy"
FILES = ["kuberay.yaml", "ray.yaml"]


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((HOME / name).read_text(encoding="utf-8")))


def of_kind(kind: str) -> dict[str, Any]:
    (actual,) = [d for d in documents("kuberay.yaml") if d["kind"] == kind]
    return actual


@pytest.mark.needs("ray")
def test_ray_takes_the_file_of_rented_machines() -> None:
    from ray.autoscaler._private.util import prepare_config, validate_config

    (given,) = documents("ray.yaml")
    whole = prepare_config(given)
    validate_config(whole)
    assert whole["head_node_type"] in whole["available_node_types"]
    assert whole["available_node_types"]["workers"]["min_workers"] == 2


@pytest.mark.needs("ray")
def test_ray_takes_the_file_of_kubernetes() -> None:
    from ray.autoscaler._private.kuberay import autoscaling_config
    from ray.autoscaler._private.util import validate_config

    cluster = of_kind("RayCluster")
    cluster["metadata"]["namespace"] = "default"
    result = autoscaling_config._derive_autoscaling_config_from_ray_cr(cluster)
    validate_config(result)
    kinds = result["available_node_types"]
    workers = next(kind for name, kind in kinds.items() if name != result["head_node_type"])
    assert (workers["min_workers"], workers["max_workers"]) == (2, 8)
    assert workers["resources"] == {"CPU": 8, "memory": 32 * 2**30}
    assert kinds[result["head_node_type"]]["resources"]["CPU"] == 0


def test_what_the_parts_call_each_other_fits() -> None:
    server = of_kind("Deployment")["spec"]["template"]
    assert server["metadata"]["labels"] == of_kind("Service")["spec"]["selector"]
    assert of_kind("RayCluster")["metadata"]["name"] + "-head-svc:6379" in str(server)
    claim = of_kind("PersistentVolumeClaim")["metadata"]["name"]
    secret = of_kind("Secret")
    assert str(of_kind("RayCluster")).count(f"'claimName': '{claim}'") == 2
    (container,) = server["spec"]["containers"]
    (asked,) = [e["valueFrom"]["secretKeyRef"] for e in container["env"] if "valueFrom" in e]
    assert asked["name"] == secret["metadata"]["name"]
    assert len(secret["stringData"][asked["key"]]) >= 16


@pytest.mark.parametrize("name", FILES)
def test_it_names_this_version_and_that_of_ray(name: str) -> None:
    text = (HOME / name).read_text(encoding="utf-8")
    versions = re.findall(r"casetrack(?:\[[\w,]+\])?(?:==|:)([\w.]+)", text)
    assert versions
    assert set(versions) == {__version__}
    pins = (HOME.parents[1] / ".ci" / "constraints.txt").read_text()
    for ray in re.findall(r'rayVersion: "([\d.]+)"', text):
        assert f"ray=={ray}\n" in pins


@pytest.mark.parametrize("name", FILES)
def test_its_commands_are_commands(name: str) -> None:
    import click

    text = re.sub(r"\n\s+(?=-|exec )", " ", (HOME / name).read_text(encoding="utf-8"))
    matches = re.findall(r"(?:exec |bin/)casetrack ((?:serve|models)[^\n&|;\"]*)", text)
    assert matches
    root = get_command(app)
    for line in matches:
        command, words = root, shlex.split(line)
        context = click.Context(root)
        while isinstance(command, click.Group):
            command = command.get_command(context, words.pop(0))
            assert command is not None, line
        command.make_context("casetrack", words, resilient_parsing=False)
