"""A Pro license for programs that a benchmark starts, so that no tier limits a measurement."""

from __future__ import annotations

import atexit
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from casetrack.base.license.entitlements import ENV_LICENSE
from casetrack.base.license.key import Claims
from casetrack.base.license.signature import ENV_PUBLIC_KEYS
from release.license_keys import new_key_pair, sign


def use_pro_license() -> None:
    """Give this process and its children a Pro key of a generated signer."""
    seed, public = new_key_pair()
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    signers = Path(folder.name) / "public_keys.txt"
    signers.write_text(public.hex(), encoding="ascii")
    today = datetime.now(UTC).date()
    claims = Claims("PRO", serial=1, seats=1, issued=today, expires=None, offline=True)
    os.environ[ENV_PUBLIC_KEYS] = str(signers)
    os.environ[ENV_LICENSE] = sign(claims, seed).text()
