"""Errors about models, providers and profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors.base import CaseTrackError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class ModelError(CaseTrackError):
    """A model cannot be used."""

    code = "model"


class ModelNotFound(ModelError):
    """The model's files are not in the models folder."""

    code = "model_not_found"

    def __init__(self, name: str, folder: Path | str) -> None:
        super().__init__(
            f'Model "{name}" is not installed in {folder}.',
            hint=f"Run `casetrack models pull {name}` once while online, or point "
            "CASETRACK_MODELS to a models folder copied from another machine. Keyword search "
            "works without it: `--mode keyword`.",
        )


class EmbeddingsDisabled(ModelError):
    """A search by meaning was asked for, and no passage has a vector."""

    code = "embeddings_disabled"

    def __init__(self, mode: str) -> None:
        super().__init__(
            f'The mode "{mode}" needs vectors, and no passage of this collection has one.',
            hint="Search with the mode keyword, or make the vectors: `ctx embed pending` with "
            "[embedding] provider set, or `casetrack reindex` once the models are installed.",
        )


class ModelCorrupt(ModelError):
    """A model file does not have the content it should have."""

    code = "model_corrupt"


class DownloadFailed(ModelError):
    """No source could deliver a model."""

    code = "download_failed"


class ProviderError(ModelError):
    """A service that makes vectors refused a request, or its answer cannot be used."""

    code = "provider"


class ProviderUnreachable(ProviderError):
    """A service that makes vectors does not answer; trying again later may help."""

    code = "provider_unreachable"


class ProfileIncomplete(ModelNotFound):
    """Models of a profile are not in the models folder."""

    def __init__(self, name: str, missing: Sequence[str], folder: Path | str) -> None:
        are = "is" if len(missing) == 1 else "are"
        ModelError.__init__(
            self,
            f'Profile "{name}" is not complete: {", ".join(missing)} {are} not installed in '
            f"{folder}.",
            hint=f"Run `casetrack models pull {name}` once while online, or point CASETRACK_MODELS "
            "to a models folder copied from another machine. Keyword search works without it "
            "(--mode keyword).",
        )
