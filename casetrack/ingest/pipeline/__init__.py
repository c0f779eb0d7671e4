"""Pipelines: the steps from a file to stored chunks, as defined in a file."""

from casetrack.ingest.pipeline.catalogue import Tools
from casetrack.ingest.pipeline.chain import Pipeline
from casetrack.ingest.pipeline.files import (
    PipelineFile,
    build_pipeline,
    load_pipeline,
    pipeline_names,
)

__all__ = ["Pipeline", "PipelineFile", "Tools", "build_pipeline", "load_pipeline", "pipeline_names"]
