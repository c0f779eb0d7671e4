"""Errors about queries, schemas and pipelines."""

from __future__ import annotations

from casetrack.errors.base import CaseTrackError, UsageError


class QueryError(UsageError):
    """A SQL statement was refused or failed."""

    code = "query"


class SchemaError(CaseTrackError):
    """A table does not have the columns or types it declares."""

    code = "schema"


class PipelineError(CaseTrackError):
    """A pipeline's steps do not fit together."""

    code = "pipeline"
