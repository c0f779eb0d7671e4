"""Errors about queries, schemas and pipelines."""

from __future__ import annotations

from casetrack.base.errors.base import CaseTrackError, UsageError


class QueryError(UsageError):
    """A SQL statement was refused or failed."""

    code = "query"


class SchemaError(CaseTrackError):
    """A table does not have the columns or types it declares."""

    code = "schema"


class PipelineError(CaseTrackError):
    """A pipeline's steps do not fit together."""

    code = "pipeline"


class StepFailed(CaseTrackError):
    """A step of an installed package failed, or did what no step may do.

    Attributes
    ----------
    step, package
        The step's name, and that of the package under which pip knows it.
    """

    code = "step_failed"

    def __init__(self, step: str, package: str, what: str) -> None:
        self.step, self.package = step, package
        super().__init__(
            f"The step {step!r} of the package {package!r} failed: {what}.",
            hint=f"Update the package (pip install --upgrade {package}), or take the step out of "
            "the pipeline; then run the same command again. Nothing that was stored is lost.",
        )
