"""An accelerator of integers and one of floats, each in one simulation for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.sim_tests.fpga.host.engines import FLOATS, INTEGERS, accelerator
from tilewright.sim_tests.system.engine_designs import core_engine


@pytest.fixture(scope="session")
def integers() -> Iterator[Accelerator]:
    with accelerator(INTEGERS) as found:
        yield found


@pytest.fixture(scope="session")
def floats() -> Iterator[Accelerator]:
    with accelerator(FLOATS) as found:
        yield found


@pytest.fixture(scope="session")
def cores() -> Iterator[Accelerator]:
    """Of the same numbers and results as ``integers``, with several cores."""
    with Accelerator.simulate(core_engine().config, memory_bytes=1 << 22) as found:
        yield found
