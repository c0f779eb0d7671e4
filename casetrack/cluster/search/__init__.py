"""Search over shards: several processes map the segments, a coordinator joins their answers.

``shard`` finds the best rows of segments, ``serving`` assigns segments, merges answers into one
list per signal, and runs the shards as deployments of Ray Serve. Signals are computed by the
functions of a search in one process, with BM25 counts over all rows, so the lists are equal.
"""
