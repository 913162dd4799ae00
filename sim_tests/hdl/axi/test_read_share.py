"""Two readers of one port: each gets its own beats, whatever the paces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.hdl.axi.read_share import ReadShare
from tilewright.sim_tests.hdl.axi.memory import Memory, Pace
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take


def _word(memory: Memory, address: int) -> int:
    return int.from_bytes(memory.bytes[address : address + 8].tobytes(), "little")


@pytest.mark.parametrize(("stall", "outstanding"), [(0.0, 2), (0.0, 16), (0.4, 2), (0.4, 16)])
def test_beats_go_to_who_asked(stall: float, outstanding: int) -> None:
    rng = np.random.default_rng(int(10 * stall) + outstanding)
    share = ReadShare(20, 64, outstanding)
    bursts: dict[str, list[tuple[int, int]]] = {}
    for name, base in (("first", 0), ("second", 1 << 19)):
        bursts[name] = [(base + 4096 * int(rng.integers(0, 100)), int(rng.integers(0, 7))) for _ in range(60)]
    found: dict[str, list[Any]] = {"first": [], "second": []}
    memory = Memory(1 << 20, 8, 256, outstanding + 1, Pace(address_stall=stall, data_stall=stall, seed=1))
    processes = [memory.read(share.port.ar, share.port.r)]
    for seed, (name, asked) in enumerate(bursts.items()):
        reader = getattr(share, name)
        processes.append(send(reader.ar, [{"addr": a, "len": n} for a, n in asked], idle=stall, seed=seed))
        processes.append(take(reader.r, found[name], stall=stall, seed=seed + 7))
    expected = {name: [a + 8 * i for a, n in asked for i in range(n + 1)] for name, asked in bursts.items()}

    def done() -> bool:
        return all(len(found[name]) >= len(expected[name]) for name in expected)

    simulate(share, processes, done, limit=20_000)
    for name, addresses in expected.items():
        assert [payload.data for _, payload in found[name]] == [_word(memory, address) for address in addresses]
        lasts = [i == n for _, n in bursts[name] for i in range(n + 1)]
        assert [bool(payload.last) for _, payload in found[name]] == lasts


def test_the_first_goes_first() -> None:
    share = ReadShare(20, 64, 16)
    found: list[Any] = []
    processes = [
        send(share.first.ar, [{"addr": 0, "len": 0}] * 5),
        send(share.second.ar, [{"addr": 64, "len": 0}] * 5),
        take(share.port.ar, found),
    ]
    simulate(share, processes, lambda: len(found) == 10, limit=100)
    assert [payload.addr for _, payload in found] == [0] * 5 + [64] * 5
