"""Addresses that the memory behind a manager port answers with an error."""

from __future__ import annotations

import numpy as np

from tilewright.sim_tests.harness.axi_memory import ErrorRange
from tilewright.sim_tests.harness.axi_session import AxiSession
from tilewright.sim_tests.harness_tests import axi_mover as mover
from tilewright.sim_tests.harness_tests.axi_mover import build_mover, move, session


def responses(s: AxiSession) -> tuple[str, str]:
    """Worst responses of reads and writes of the last move."""
    names = ("OKAY", "EXOKAY", "SLVERR", "DECERR")
    status = s.read(mover.CONTROL)
    return names[status >> 2 & 3], names[status >> 4 & 3]


def test_error_ranges() -> None:
    errors = [ErrorRange(0x140, 4), ErrorRange(0x207, 1), ErrorRange(0x9000, 1, "DECERR"), ErrorRange(0x9040, 8)]
    with session(errors=errors) as s:
        s.memory[:] = 1
        for source, target, length, wanted in (
            (0x100, 0x8000, 8, ("OKAY", "OKAY")),
            (0x108, 0x8000, 8, ("SLVERR", "OKAY")),
            (0x148, 0x8FC0, 8, ("OKAY", "OKAY")),
            (0x200, 0x8FC0, 1, ("SLVERR", "OKAY")),
            (0x208, 0x8FC0, 1, ("OKAY", "OKAY")),
            (0x148, 0x9000, 1, ("OKAY", "DECERR")),
            (0x148, 0x9008, 8, ("OKAY", "SLVERR")),
            (0x148, 0x9000, 16, ("OKAY", "DECERR")),
            (0x140, 0x9040, 1, ("SLVERR", "SLVERR")),
        ):
            move(s, source=source, target=target, length=length)
            assert responses(s) == wanted
        assert s.counters()["errors"] == 1 + 1 + 1 + 1 + 1 + 2
        s.memory[0x9000:0x9100] = 77
        move(s, source=0x148, target=0x9000, length=16)
        # Only the beats with an error are not stored.
        assert s.memory[0x9000:0x9080].tolist() == [77] * 8 + [1] * 56 + [77] * 8 + [1] * 56


def test_erroneous_data_are_noise() -> None:
    with session(errors=[ErrorRange(0, 4096)]) as s:
        s.memory[:] = 1
        move(s, length=128)
        assert len(np.unique(s.memory[0x8000:0x8400])) > 200


def test_addresses_outside_the_memory() -> None:
    with AxiSession(build_mover(), memory_bytes=8192, base=0x10000) as s:
        for source, target, wanted in (
            (0x10000, 0x11FF8, ("OKAY", "OKAY")),
            (0x12000, 0x10000, ("DECERR", "OKAY")),
            (0x0FFF8, 0x12000, ("DECERR", "DECERR")),
            (0x10000, 0x0FFF8, ("OKAY", "DECERR")),
            (0, 0xFFFF_FFF8, ("DECERR", "DECERR")),
        ):
            move(s, source=source, target=target)
            assert responses(s) == wanted
