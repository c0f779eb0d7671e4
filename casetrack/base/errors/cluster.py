"""Errors about work on several machines."""

from __future__ import annotations

from casetrack.base.errors.base import CaseTrackError, UsageError


class ClusterUnreachable(CaseTrackError):
    """No cluster answers where one was named.

    Parameters
    ----------
    address
        As it was given.
    reason
        What went wrong, without a full stop.
    hint
        The next step.
    """

    code = "cluster_unreachable"

    def __init__(self, address: str, reason: str, hint: str) -> None:
        super().__init__(f"The cluster at {address} cannot be used: {reason}.", hint=hint)


class ClusterDiffers(UsageError):
    """Machines of a cluster have another version, or do not see what they are to work on."""

    code = "cluster_differs"


class ClusterFailed(CaseTrackError):
    """A cluster that was there gives no more answers; what was finished is kept.

    Parameters
    ----------
    reason
        What it did, without a full stop.
    error
        What the cluster says of it, where it does.
    """

    code = "cluster_failed"

    def __init__(self, reason: str, error: BaseException | None = None) -> None:
        said = str(error).strip().splitlines()[-1:] if error is not None else []
        told = f" ({said[0].rstrip('.')})" if said else ""
        super().__init__(
            f"The cluster does not do its work: {reason}{told}.",
            hint="Documents that were finished are kept. See `ray status` and its logs, then run "
            "the same command again to go on.",
        )


class SearchBusy(CaseTrackError):
    """More questions wait than are taken; nothing was searched.

    Parameters
    ----------
    waiting
        How many may wait at each shard.
    """

    code = "search_busy"

    def __init__(self, waiting: int) -> None:
        super().__init__(
            f"The search is busy: {waiting:,} questions wait already at a shard of the index, and "
            "no more are taken.",
            hint="Ask again in a moment. More copies of each shard answer more questions at once: "
            "`casetrack serve --engine ray --replicas 2`.",
        )


class ShardsUnreachable(CaseTrackError):
    """No shard of the index answers.

    Parameters
    ----------
    shards
        How many were asked.
    reason
        What one of them says.
    """

    code = "shards_unreachable"

    def __init__(self, shards: int, reason: str) -> None:
        told = (
            "The shard of the index that holds this collection does not answer"
            if shards == 1
            else f"None of the {shards:,} shards of the index that hold this collection answers"
        )
        super().__init__(
            f"{told}: {reason}. Nothing was searched.",
            hint="Ask again in a moment: shards that fail are started anew. `ray status` tells "
            "whether the cluster has room for them; `casetrack search` on the machine that has "
            "the collection needs no cluster.",
        )
