"""Settings of the whole test suite, and the count of what it built, ran and compared."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tilewright.sim_tests.harness import ledger
from tilewright.sim_tests.system.session_seed import VARIABLE, session_seed

# The gate draws the same examples on every run; `--hypothesis-profile random` draws new ones and tells how to replay.
settings.register_profile("gate", derandomize=True, deadline=None, database=None)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile("gate")

SLOWEST = 10


def pytest_configure(config: pytest.Config) -> None:
    """One ledger and one seed for all worker processes: the controller makes them, they inherit their names."""
    session_seed()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A background job ignores interrupts, and so would all that it starts; the tests of interrupts need them.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput") and ledger.VARIABLE not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="tilewright-ledger-")
        config.add_cleanup(folder.cleanup)
        os.environ[ledger.VARIABLE] = str(Path(folder.name) / "ledger.jsonl")
        config.add_cleanup(_forget)


def _forget() -> None:
    os.environ.pop(ledger.VARIABLE, None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what was built, run and compared, and the slowest tests."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    timed = [r for r in reports if isinstance(r, pytest.TestReport) and r.when == "call"]
    slowest = sorted(timed, key=lambda r: r.duration, reverse=True)[:SLOWEST]
    terminalreporter.section("what was simulated")
    terminalreporter.write_line(ledger.summary())
    terminalreporter.write_line(f"tests skipped: {len(terminalreporter.stats.get('skipped', []))}")
    if "not long" not in terminalreporter.config.option.markexpr:
        terminalreporter.write_line(f"{VARIABLE}={session_seed()} draws the same random cores and programs again")
    terminalreporter.section("slowest tests")
    for report in slowest:
        terminalreporter.write_line(f"{report.duration:7.1f} s  {report.nodeid}")
