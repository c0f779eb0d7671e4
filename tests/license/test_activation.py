"""Activating, confirming and giving back a key, with a license server on this machine."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.cli.main import main
from casetrack.errors import (
    LicenseInvalid,
    LicenseRefused,
    LicenseServerUnreachable,
    StorageError,
    UsageError,
)
from casetrack.license import FREE, PRO, Entitlements
from casetrack.license.activation import LicenseServer
from casetrack.license.manage import LicenseManager

if TYPE_CHECKING:
    from casetrack.config import Settings
    from tests.conftest import Signer
    from tests.license.conftest import FakeServer

pytestmark = pytest.mark.usefixtures("free_tier")


def stored(settings: Settings) -> dict[str, Any]:
    raw: dict[str, Any] = json.loads((settings.data_dir / "license.json").read_text())
    return raw


def only_record(settings: Settings) -> dict[str, str]:
    (record,) = stored(settings)["keys"].values()
    return dict(record)


@pytest.fixture
def key(signer: Signer) -> str:
    """A key that has to be confirmed."""
    return signer.key(offline=False)


def test_the_life_of_a_key(settings: Settings, server: FakeServer, key: str) -> None:
    running = Entitlements(settings)
    manager = LicenseManager(settings)
    assert running.tier is FREE

    typed = key.lower().replace("-", " - ").replace("0", "o")
    assert (manager.activate(typed).status.tier, running.tier) == (PRO, PRO)
    (verb, form) = server.asked[0]
    assert (verb, set(form), form["license_key"]) == (
        "activate",
        {"license_key", "instance_name"},
        key,
    )
    record = only_record(settings)
    assert stored(settings)["key"] == key
    assert record["instance_id"] == "instance-1"
    assert record["instance_name"] == form["instance_name"]
    assert record["activated_at"] == record["confirmed_at"] >= record["first_seen"]
    assert stat.S_IMODE((settings.data_dir / "license.json").stat().st_mode) == 0o600

    assert manager.refresh().status.confirm_by is not None
    assert server.asked[1] == ("validate", {"license_key": key, "instance_id": "instance-1"})

    assert manager.deactivate().status.tier is running.tier is FREE
    assert server.asked[2] == ("deactivate", {"license_key": key, "instance_id": "instance-1"})
    assert not server.instances
    assert key not in (settings.data_dir / "license.json").read_text()
    with pytest.raises(LicenseInvalid, match="No license key is activated"):
        manager.deactivate()
    assert manager.activate(key).status.tier is PRO
    assert len(server.asked) == 4


def test_the_name_of_an_installation_tells_nothing(
    settings: Settings, server: FakeServer, key: str
) -> None:
    for _ in range(2):
        LicenseManager(settings).activate(key)
        LicenseManager(settings).deactivate()
    names = [form["instance_name"] for verb, form in server.asked if verb == "activate"]
    assert len(set(names)) == 2
    assert all(name.startswith("casetrack-") and len(name) == 18 for name in names)


def test_a_confirmation_starts_thirty_new_days(
    settings: Settings, server: FakeServer, key: str
) -> None:
    now = [datetime.now(UTC)]
    manager = LicenseManager(settings, clock=lambda: now[0])
    manager.activate(key)
    now[0] += timedelta(days=25)
    assert "has to be confirmed by" in manager.status().notes[0]
    assert manager.refresh().status.notes == ()
    now[0] += timedelta(days=29)
    assert manager.status().tier is PRO
    now[0] += timedelta(days=2)
    assert manager.status().tier is FREE
    assert manager.refresh().status.tier is PRO


def test_a_refused_key_counts_no_more_until_it_is_accepted_again(
    settings: Settings, server: FakeServer, key: str
) -> None:
    manager = LicenseManager(settings)
    manager.activate(key)
    server.refuses = "license_key is disabled."
    found = manager.refresh().status
    assert found.tier is FREE
    assert "was refused by the license server: license_key is disabled." in found.reason
    server.refuses = ""
    assert manager.refresh().status.tier is PRO


def test_a_seat_that_was_given_away_is_taken_anew_by_an_activation(
    settings: Settings, server: FakeServer, key: str
) -> None:
    manager = LicenseManager(settings)
    manager.activate(key)
    server.instances.clear()
    assert "instance_id not found" in manager.refresh().status.reason
    assert manager.activate(key).status.tier is PRO
    assert only_record(settings)["instance_id"] in server.instances
    assert "refused" not in only_record(settings)


def test_a_key_that_is_refused_at_first_is_not_stored(
    settings: Settings, server: FakeServer, key: str
) -> None:
    server.refuses = "This license key has reached the activation limit."
    with pytest.raises(LicenseRefused, match="reached the activation limit") as caught:
        LicenseManager(settings).activate(key)
    assert "where you bought it" in caught.value.hint
    assert not settings.data_dir.exists()


def test_a_key_that_needs_no_confirmation_asks_nobody(
    settings: Settings, server: FakeServer, signer: Signer
) -> None:
    manager = LicenseManager(settings)
    assert manager.activate(signer.key()).status.tier is PRO
    assert manager.refresh().notes == ("This key needs no confirmation.",)
    assert manager.deactivate().status.tier is FREE
    assert server.asked == []


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ((500, b"oops"), "could not be reached: HTTP 500"),
        ((429, b"{}"), "could not be reached: HTTP 429"),
        ((403, b'{"error": "not you"}'), "could not be reached: HTTP 403"),
        ((307, b"http://127.0.0.1:9/"), "could not be reached: HTTP 307"),
        ((301, b"http://127.0.0.1:9/"), "could not be reached: HTTP 301"),
        ((200, b"<html>Log in to the network of this hotel</html>"), "cannot be understood"),
        ((404, b"<html>Not found</html>"), "cannot be understood"),
        ((200, b"[]"), "cannot be understood"),
        ((200, b"{}"), "cannot be understood"),
        ((200, b"[" * 60_000), "cannot be understood"),
        ((200, b'{"activated": true, "instance": {"id": 5}}'), "cannot be understood"),
    ],
)
def test_no_proper_answer_leaves_all_as_it_is(
    raw: tuple[int, bytes], said: str, settings: Settings, server: FakeServer, key: str
) -> None:
    manager = LicenseManager(settings)
    server.raw = raw
    done = manager.activate(key)
    assert done.status.tier is PRO
    assert said in done.notes[0]
    assert "confirm it within 30 days" in done.notes[0].replace("Confirm", "confirm")
    before = stored(settings)
    assert "confirmed_at" not in only_record(settings)
    with pytest.raises(LicenseServerUnreachable, match=said) as caught:
        manager.refresh()
    assert "Nothing was changed" in caught.value.hint
    assert stored(settings) == before
    assert manager.deactivate().status.tier is FREE


def test_a_server_that_is_not_there(settings: Settings, key: str, server: FakeServer) -> None:
    manager = LicenseManager(settings)
    manager.activate(key)
    server.shutdown()
    server.server_close()
    before = stored(settings)
    with pytest.raises(LicenseServerUnreachable, match=r"127\.0\.0\.1 could not be reached"):
        manager.refresh()
    assert (stored(settings), manager.status().tier) == (before, PRO)
    left = manager.deactivate()
    assert left.status.tier is FREE
    assert "its seat is still taken there" in left.notes[0]


@pytest.mark.parametrize(
    "url", ["http://example.com", "ftp://127.0.0.1", "rubbish", "https://", "http://[::1", ""]
)
def test_a_key_is_never_sent_over_an_open_connection(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASETRACK_LICENSE_SERVER", url)
    if not url:
        LicenseServer()  # the default
        return
    with pytest.raises(UsageError, match="no https address"):
        LicenseServer()


def test_what_cannot_count_is_refused_before_anybody_is_asked(
    settings: Settings, server: FakeServer, signer: Signer
) -> None:
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    manager = LicenseManager(settings)
    genuine = signer.key(offline=False)
    forged = genuine[:-40] + ("0" if genuine[-40] != "0" else "1") + genuine[-39:]
    for text, said in {
        "rubbish": "is not a license key",
        forged: "its signature does not fit",
        signer.key(offline=False, expires=yesterday): "expired on",
    }.items():
        with pytest.raises(LicenseInvalid, match=said):
            manager.activate(text)
    with pytest.raises(LicenseInvalid, match="There is no license key to confirm"):
        manager.refresh()
    with pytest.raises(LicenseInvalid, match="is not a license key"):
        LicenseManager(replace(settings, license_key="rubbish")).refresh()
    assert server.asked == []
    assert not settings.data_dir.exists()


def test_a_damaged_file_is_replaced_by_an_activation(
    settings: Settings, server: FakeServer, key: str
) -> None:
    settings.data_dir.mkdir()
    (settings.data_dir / "license.json").write_text("torn")
    manager = LicenseManager(settings)
    with pytest.raises(LicenseInvalid, match=r"license\.json cannot be read"):
        manager.refresh()
    done = manager.activate(key)
    assert (done.status.tier, "was replaced" in done.notes[0]) == (PRO, True)


def test_a_folder_that_cannot_be_written(settings: Settings, signer: Signer) -> None:
    settings.data_dir.write_text("a file")
    with pytest.raises(StorageError, match=r"Cannot write .*license\.json"):
        LicenseManager(settings).activate(signer.key())


# --- the commands --------------------------------------------------------------------------------


def test_the_commands(
    settings: Settings,
    server: FakeServer,
    key: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(*arguments: str, code: int = 0) -> tuple[str, str]:
        assert main(["license", *arguments, "--data-dir", str(settings.data_dir)]) == code
        ended = capsys.readouterr()
        assert key not in ended.out + ended.err
        return ended.out, ended.err

    assert run("status")[0].splitlines()[:2] == ["Free tier ($0)", f"{'Collections':<38}3"]
    assert "https://casetrack.dev/upgrade" in run("status")[0]
    assert "Pro tier ($29/mo)" in run("activate", *key.split("-"))[0]
    shown = json.loads(run("status", "--json")[0])
    assert (shown["tier"], shown["limits"]) == ("pro", {"collections": None, "documents": None})
    assert shown["key"].endswith("-******-******-****")
    server.refuses = "license_key is disabled"
    assert "Note: The license key PRO-" in run("status", "--refresh")[0]
    assert "The license server refused the key" in run("activate", key, code=1)[1]
    server.refuses = ""
    assert "Free tier" in run("deactivate")[0]
    assert "No license key is activated" in run("deactivate", code=2)[1]
    failed = json.loads(run("activate", "rubbish", "--json", code=2)[0])
    assert failed["error"]["code"] == "license_invalid"
    assert (
        json.loads(run("status", "--license", key, "--json")[0])["source"] == "given by --license"
    )
