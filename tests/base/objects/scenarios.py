"""Requirements of every object storage: the same steps at different addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.objects import service
from casetrack.base.objects.address import Address

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection

LARGE = b"whole" * 3_000_000


def swap_objects(address: str, tmp_path: Path) -> None:
    """Swap an object by one writer only, send a file, and fetch it."""
    objects = service.open_objects(Address.of(address))
    first = objects.swap("a/b", b"1", None)
    assert first is not None
    assert objects.swap("a/b", b"2", None) is None
    second = objects.swap("a/b", b"2", first)
    assert second not in {None, first}
    assert objects.swap("a/b", b"3", first) is None
    assert [(e.key, e.size) for e in objects.list("a")] == [("a/b", 1)]
    opened = objects.get("a/b")
    assert opened is not None
    assert (opened.data, opened.tag) == (b"2", second)
    assert objects.get("a/b", unless=second) is None
    # A removed object cannot be swapped.
    objects.remove("a/b")
    assert objects.get("a/b") is None
    assert objects.swap("a/b", b"3", second) is None
    (tmp_path / "c").write_bytes(LARGE)
    objects.send("c", tmp_path / "c")
    assert objects.fetch("c", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == LARGE


def share(address: str, tmp_path: Path) -> tuple[Library, Library, Collection, Collection]:
    """Let two computers write into one collection; each sees the other's documents."""
    (tmp_path / "lease.txt").write_text("The tenant pays the rent on the third working day.")
    (tmp_path / "later.txt").write_text("The landlord repairs the roof.")
    one, two = (Library(load_settings(tmp_path / name)) for name in ("one", "two"))
    local = one.create("Acme", at=address)
    local.ingest([tmp_path / "lease.txt"])
    remote = two.attach(address)
    assert remote.search("rent", mode="keyword").results[0].provenance.document_name == "lease.txt"
    remote.ingest([tmp_path / "later.txt"])
    assert local.search("roof", mode="keyword").results[0].provenance.document_name == "later.txt"
    assert local.stats().document_count == 2
    return one, two, local, remote
