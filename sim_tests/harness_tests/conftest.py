from pathlib import Path

import pytest

from tilewright.sim_tests.harness.ledger import VARIABLE


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """These runs fail on purpose and build toys: neither their recordings nor their numbers belong to the session's."""
    monkeypatch.setenv("TILEWRIGHT_FAILURES", str(tmp_path / "failures"))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "ledger"))
