"""The known profiles and models, and their installation state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.base.models.profiles import Profile
    from casetrack.base.models.spec import ModelSpec
    from casetrack.models.pull import InstalledModel

    Installed = dict[str, InstalledModel]


def installed(models_dir: Path, /) -> Installed:
    """Return the installed models of a folder, by name."""
    from casetrack.models.pull import installed

    return {model.name: model for model in installed(models_dir)}


def profiles(present: Installed, /) -> list[dict[str, Any]]:
    """Return the JSON form of all profiles, each with its models."""
    from casetrack.base.models.profiles import PROFILES

    return [_profile(profile, present) for profile in PROFILES]


def models(present: Installed, /) -> list[dict[str, Any]]:
    """Return the JSON form of all models."""
    from casetrack.base.models.catalog import MODELS

    return [_model(spec, present.get(spec.name)) for spec in MODELS]


def _profile(profile: Profile, present: Installed) -> dict[str, Any]:
    specs = profile.models
    return {
        "kind": "profile",
        "name": profile.name,
        "purpose": profile.purpose,
        "provider": profile.provider or None,
        "installed": all(spec.name in present for spec in specs) if specs else None,
        "dimension": profile.dimension,
        "token_width": profile.token_width,
        "sparse": bool(profile.sparse),
        "reranks": bool(profile.rerank),
        "download_bytes": sum(spec.download_size for spec in specs),
        "non_commercial": any(spec.is_non_commercial for spec in specs),
        "models": [_model(spec, present.get(spec.name)) for spec in specs],
    }


def _model(spec: ModelSpec, present: InstalledModel | None) -> dict[str, Any]:
    return {
        "kind": "search",
        "name": spec.name,
        "makes": _outputs(spec),
        "installed": present is not None,
        "folder": str(present.folder) if present else None,
        "bytes": present.size if present else None,
        "download_bytes": spec.download_size,
        "dimension": spec.dimension,
        "max_tokens": spec.max_tokens,
        "licence": spec.licence,
        "non_commercial": spec.is_non_commercial,
        "repository": spec.repository,
        "published_as": spec.published_as or spec.repository,
        "revision": spec.revision,
        "fingerprint": present.fingerprint if present else None,
    }


def _outputs(spec: ModelSpec) -> list[str]:
    """Return the outputs of a model, in the order in which a profile names it."""
    from casetrack.base.models.profiles import PROFILES

    roles = [
        role
        for role in ("dense", "sparse", "tokens", "rerank")
        if any(getattr(profile, role) == spec.name for profile in PROFILES)
    ]
    return roles or [spec.recipe.kind]
