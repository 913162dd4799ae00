"""An accelerator of integers and one of floats, each in one simulation for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.sim_tests.fpga.host.engines import FLOATS, INTEGERS, accelerator


@pytest.fixture(scope="session")
def integers() -> Iterator[Accelerator]:
    with accelerator(INTEGERS) as found:
        yield found


@pytest.fixture(scope="session")
def floats() -> Iterator[Accelerator]:
    with accelerator(FLOATS) as found:
        yield found
