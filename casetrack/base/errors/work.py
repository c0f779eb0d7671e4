"""Errors about jobs, servers, clusters, licenses and models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from casetrack.base.errors.base import CaseTrackError, UsageError
from casetrack.base.errors.references import Opt, See


class JobNotFound(UsageError):
    """There is no job of this id, or not any more."""

    def __init__(self, job_id: str) -> None:
        super().__init__(
            f'There is no job "{job_id}".', hint=f"List the known jobs with {See('jobs list')}."
        )


class JobStopped(CaseTrackError):
    """Work was asked to stop before it had begun; nothing was done."""

    code = "cancelled"


class WatchNotFound(UsageError):
    """No watched folder has this path or id."""


class FolderUnsafe(CaseTrackError):
    """A folder looks as if its disk were not there, so that nothing is removed because of it."""


# Errors about serving programs over a network.


class CannotListen(CaseTrackError):
    """The server cannot listen on *address* (host and port); *reason* is the system's message."""

    def __init__(self, address: str, reason: str, hint: str) -> None:
        super().__init__(f"Cannot listen on {address}: {reason}.", hint=hint)


# Errors about work on several machines.


class ClusterUnreachable(CaseTrackError):
    """No cluster answers at *address*; *reason* has no full stop."""

    def __init__(self, address: str, reason: str, hint: str) -> None:
        super().__init__(f"The cluster at {address} cannot be used: {reason}.", hint=hint)


class ClusterDiffers(UsageError):
    """Machines of a cluster have another version, or cannot access the data."""


class ClusterFailed(CaseTrackError):
    """A running cluster failed; finished work is kept.

    *reason* has no full stop, *error* is the cluster's error.
    """

    def __init__(self, reason: str, error: BaseException | None = None) -> None:
        last = str(error).strip().splitlines()[-1:] if error is not None else []
        detail = f" ({last[0].rstrip('.')})" if last else ""
        super().__init__(
            f"The cluster failed: {reason}{detail}.",
            hint="Finished documents are kept. Check `ray status` and its logs, then run the same "
            "command again to continue.",
        )


class SearchBusy(CaseTrackError):
    """The queue of the search is full; nothing was searched.

    *waiting* is the length of the queue at each shard.
    """

    def __init__(self, waiting: int) -> None:
        super().__init__(
            f"The search is busy: {waiting:,} questions are already queued at a shard of the "
            "index.",
            hint="Try again in a moment. More replicas of each shard answer more questions at "
            f"once: {See('serve', engine='ray', replicas='2')}.",
        )
        self.waiting = waiting

    def __reduce__(self) -> tuple[type[SearchBusy], tuple[int]]:
        return SearchBusy, (self.waiting,)


class ShardsUnreachable(CaseTrackError):
    """No shard of the index answers; *shards* is their number, *reason* the error of one."""

    def __init__(self, shards: int, reason: str) -> None:
        subject = (
            "The shard of the index with this collection does not respond"
            if shards == 1
            else f"None of the {shards:,} shards of the index with this collection responds"
        )
        super().__init__(
            f"{subject}: {reason}. Nothing was searched.",
            hint="Try again in a moment: failed shards are restarted. `ray status` shows whether "
            f"the cluster has capacity for them; {See('search')} on the machine with the "
            "collection needs no cluster.",
        )


# Errors about tiers and license keys.

UPGRADE_URL = "https://casetrack.dev/upgrade"


class FreeTierLimit(CaseTrackError):
    """The tier's limit is reached, or the tier lacks the feature; nothing was done.

    Parameters
    ----------
    fact
        The limit and the present amount.
    step
        The next step.
    hint
        Why an existing key does not count; may be empty.
    """

    def __init__(self, fact: str, step: str, *, hint: str = "") -> None:
        self.fact = fact
        self.step = step
        super().__init__(f"{fact} {step}", hint=hint)

    @classmethod
    def of_count(
        cls, noun: str, tier: str, allowed: int, count: int, /, *, hint: str = ""
    ) -> FreeTierLimit:
        """Return the error for one more than *count* collections, or documents in a collection."""
        where = " per collection" if noun == "document" else ""
        error = cls(
            f"{tier} tier allows {allowed:,} {noun}s{where} (you have {count:,}).",
            f"Delete a {noun} or upgrade to Pro for unlimited {noun}s: {UPGRADE_URL}",
            hint=hint,
        )
        error.message_key = f"too_many_{noun}s"
        amounts = {"allowed": f"{allowed:,}", "count": f"{count:,}"}
        error.facts = {"tier": tier, "url": UPGRADE_URL, **amounts}
        return error

    @classmethod
    def of_archive(cls, tier: str, allowed: int, count: int, /, *, hint: str = "") -> FreeTierLimit:
        """Return the error for an exported collection of *count* documents, which is too many."""
        return cls(
            f"{tier} tier allows {allowed:,} documents per collection (this one has {count:,}).",
            f"Upgrade to Pro for unlimited documents: {UPGRADE_URL}",
            hint=hint,
        )

    @classmethod
    def of_feature(
        cls, tier: str, title: str, /, *, instead: str = "", hint: str = ""
    ) -> FreeTierLimit:
        """Return the error for a missing feature, called *title*; *instead* is an alternative."""
        other = f" It can {instead}." if instead else ""
        return cls(
            f"{tier} tier does not include {title}.{other}",
            f"Upgrade to Pro for it: {UPGRADE_URL}",
            hint=hint,
        )


class LicenseInvalid(UsageError):
    """The given license key is not valid; the key in force is not changed."""


class LicenseRefused(CaseTrackError):
    """The license server does not accept a key."""


class LicenseServerUnreachable(CaseTrackError):
    """The license server gave no answer that could be understood; nothing was changed."""


# Errors about models, providers and profiles.


class ModelError(CaseTrackError):
    """A model cannot be used."""

    code = "model"


class ModelNotFound(ModelError):
    """The model's files are not in the models folder."""

    def __init__(self, name: str, folder: Path | str) -> None:
        super().__init__(
            f'Model "{name}" is not installed in {folder}.',
            hint=f"Run {See('models pull', name)} once while online, or point CASETRACK_MODELS to "
            "a models folder copied from another machine. Keyword search works without it: "
            f"{Opt(mode='keyword')}.",
        )


class EmbeddingsDisabled(ModelError):
    """A search by meaning was asked for, and no passage has a vector."""

    def __init__(self, mode: str) -> None:
        super().__init__(
            f'The mode "{mode}" needs vectors, but no passage of this collection has one.',
            hint=f"Search with the mode keyword, or create the vectors: {See('ctx embed pending')} "
            f"with [embedding] provider set, or {See('reindex')} once the models are "
            "installed.",
        )


class ModelCorrupt(ModelError):
    """A model file does not have the content it should have."""


class DownloadFailed(ModelError):
    """No source could deliver a model."""


class ProviderError(ModelError):
    """A service that makes vectors refused a request, or its answer cannot be used."""

    code = "provider"


class ProviderUnreachable(ProviderError):
    """A service that makes vectors does not answer; trying again later may help."""


class ProfileIncomplete(ModelNotFound):
    """Models of a profile are not in the models folder."""

    code = "model_not_found"

    def __init__(self, name: str, missing: Sequence[str], folder: Path | str) -> None:
        are = "is" if len(missing) == 1 else "are"
        ModelError.__init__(
            self,
            f'Profile "{name}" is not complete: {", ".join(missing)} {are} not installed in '
            f"{folder}.",
            hint=f"Run {See('models pull', name)} once while online, or point CASETRACK_MODELS to "
            "a models folder copied from another machine. Keyword search works without it "
            "(--mode keyword).",
        )
