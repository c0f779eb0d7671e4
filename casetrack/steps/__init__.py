"""Steps of a pipeline: pure functions from Arrow batches to Arrow batches, one file each."""
