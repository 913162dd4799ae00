"""Random movers, matrices and memories: more of them than the gate has time for."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.hdl.axi.parameters import BUS_BITS
from tilewright.hdl.engine.port import ValuePort
from tilewright.sim_tests.hdl.axi.memory import Memory, Pace
from tilewright.sim_tests.hdl.engine.boxes import Box, random_box
from tilewright.sim_tests.hdl.engine.read_bench import ReadBench
from tilewright.sim_tests.hdl.engine.write_bench import WriteBench
from tilewright.sim_tests.system.session_seed import session_seed


def random_ports(rng: np.random.Generator) -> list[ValuePort]:
    """One to three streams of any shape."""
    ports = []
    for number in range(int(rng.integers(1, 4))):
        container = int(rng.choice([1, 2, 4, 8]))
        ports.append(
            ValuePort(f"port_{number}", int(rng.integers(1, 34)), int(rng.integers(1, 8 * container + 1)), container)
        )
    return ports


def random_memory(rng: np.random.Generator) -> Memory:
    """A memory of any pace, on a port of any parameters."""
    latency, jitter, seed = int(rng.integers(0, 60)), int(rng.choice([0, 5, 40])), int(rng.integers(0, 1 << 30))
    address_stall, data_stall = (float(rng.choice([0, 0, 0.2, 0.6])) for _ in range(2))
    pace = Pace(latency, jitter, address_stall, data_stall, seed)
    burst, outstanding = int(rng.choice([1, 2, 7, 16, 256])), int(rng.choice([1, 2, 5, 32, 64]))
    return Memory(1 << 16, int(rng.choice(BUS_BITS)) // 8, burst, outstanding, pace)


def random_work(rng: np.random.Generator, ports: list[ValuePort], count: int) -> list[tuple[int, Box]]:
    work = []
    for _ in range(count):
        number = int(rng.integers(0, len(ports)))
        base = int(rng.integers(0, 1 << 39)) & ~int(rng.choice([0, 0, 63]))
        work.append((number, random_box(rng, base, ports[number].container.bit_length() - 1)))
    return work


@pytest.mark.long
@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("direction", ["read", "write"])
def test_random(direction: str, number: int) -> None:
    rng = np.random.default_rng([session_seed(), number, direction == "read"])
    ports, memory = random_ports(rng), random_memory(rng)
    work = random_work(rng, ports, 20)
    idle, stall = (float(rng.choice([0, 0, 0.1, 0.5])) for _ in range(2))
    if direction == "read":
        ReadBench(ports, memory).run(work, idle=idle, stall=stall, limit=200_000)
    else:
        first = str(rng.choice(["aw", "w", "any"]))
        WriteBench(ports, memory).run(work, idle=idle, stall=stall, first=first, limit=200_000)
