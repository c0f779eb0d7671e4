"""Search over shards: several processes hold the segments, one asks them all and joins.

``asked``
    What is sent to a shard and what it answers.
``shard``
    One shard: segments of any collection, and the best rows of them for a question.
``sharing``
    Which shard looks at which segment.
``front``
    What asks all shards and makes one list per signal of their answers.
``actors``
    The shards as deployments of Ray Serve.

What a signal says of a row is worked out by the functions that a search in one process uses, with
what BM25 counts over all rows sent along: the lists are the same, to the last digit.
"""
