"""Reads and writes of a memory behind a link, at any pace; refusals by name, after which all goes on."""

from __future__ import annotations

import random
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.lib.wiring import connect

from tilewright.hdl.axi.block_memory import BlockMemory
from tilewright.hdl.link.access import Access
from tilewright.hdl.link.memory_access import MemoryAccess
from tilewright.hdl.structure import Block
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

SIZE, BITS = 4096, 64


class Both(Block):
    """The access and the memory that it is made for."""

    def __init__(self) -> None:
        self.accesses, self.memory = MemoryAccess(SIZE, BITS), BlockMemory(SIZE, 12, BITS)
        super().__init__("both", {})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.accesses, m.submodules.memory = self.accesses, self.memory
        connect(m, self.accesses.access, self.memory.access)
        m.d.comb += self.accesses.found.eq(self.memory.found)
        return m


def requests(rng: random.Random) -> list[tuple[int, int, int, Access]]:
    """(address, beats, whether it writes, what becomes of it) of everything that may be asked."""
    beats = SIZE * 8 // BITS
    found = [
        (0, beats, 1, Access.DONE),
        (SIZE - 8, 1, 0, Access.DONE),
        (SIZE, 0, 0, Access.DONE),
        (3, 2, 0, Access.UNALIGNED),
        (4, 2, 1, Access.UNALIGNED),
        (SIZE - 8, 2, 1, Access.BEYOND),
        (8, beats, 0, Access.BEYOND),
        (SIZE, 1, 0, Access.BEYOND),
        ((1 << 32) - 8, 1, 1, Access.BEYOND),
        ((1 << 32) - 8, 65_535, 0, Access.BEYOND),
    ]
    for _ in range(20):
        count = rng.choice((0, 1, 2, rng.randrange(40)))
        found.append((8 * rng.randrange(beats - count), count, rng.randrange(2), Access.DONE))
    return [*found, (0, beats, 0, Access.DONE)]


@pytest.mark.parametrize(("idle", "stall"), [(0, 0), (0.5, 0), (0, 0.7), (0.4, 0.4)])
def test_everything_is_answered_in_order(idle: float, stall: float) -> None:
    rng = random.Random(11)
    words, asked, sent, right, statuses = [0] * (SIZE * 8 // BITS), [], [], [], []
    for address, beats, write, status in requests(rng):
        asked.append({"address": address, "beats": beats, "write": write})
        statuses.append(status)
        start = address // 8
        if write:
            data = [rng.getrandbits(BITS) for _ in range(beats)]
            sent += data
            if status == Access.DONE:
                words[start : start + beats] = data
        elif status == Access.DONE:
            right += words[start : start + beats]
    both = Both()
    accesses = both.accesses
    answers: list[Any] = []
    found: list[Any] = []
    processes = [
        send(accesses.request, asked, idle=idle),
        send(accesses.written, sent, idle=idle, seed=1),
        take(accesses.read, found, stall=stall),
        take(accesses.answer, answers, stall=stall, seed=2),
    ]
    simulate(both, processes, lambda: len(answers) == len(asked), limit=50_000)
    assert [Access(answer.status) for _, answer in answers] == statuses
    assert [word for _, word in found] == right
