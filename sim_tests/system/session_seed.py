"""The seed of whatever is drawn anew in every session."""

from __future__ import annotations

import os
import secrets

VARIABLE = "TILEWRIGHT_SEED"


def session_seed() -> int:
    """``$TILEWRIGHT_SEED``, which all processes of a session share; drawn, and set, where it is not set."""
    return int(os.environ.setdefault(VARIABLE, str(1 + secrets.randbelow(1_000_000))))
