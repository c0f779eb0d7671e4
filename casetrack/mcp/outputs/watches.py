"""Watched folders and how they do."""

from typing_extensions import TypedDict


class WatchState(TypedDict):
    """How a watched folder is doing; ``pending`` is -1 where too many paths wait to count them."""

    health: str
    health_text: str
    last_sync_at: str | None
    last_full_at: str | None
    counts: dict[str, int]
    last_error: str
    next_step: str
    next_sync_at: str | None
    owner: str
    pending: int
    note: str


class WatchEntry(TypedDict):
    """A watched folder."""

    id: str
    collection_id: str
    collection: str
    folder_path: str
    recursive: bool
    enabled: bool
    created_at: str
    schedule: str
    daily_time: str
    file_extensions: list[str] | None
    include: list[str]
    exclude: list[str]
    auto_remove_deleted: bool
    status: WatchState


class WatchOutput(TypedDict):
    """A folder that is watched now; ``new`` is false where it was before."""

    watch: WatchEntry
    new: bool


class UnwatchedOutput(TypedDict):
    """A folder that is not watched any more; its documents stay."""

    watch: WatchEntry


class WatchesOutput(TypedDict):
    """The watched folders, from an offset on; ``omitted`` counts those behind them."""

    watches: list[WatchEntry]
    omitted: int
    next_offset: int | None
    more: str | None
