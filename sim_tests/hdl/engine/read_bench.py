"""A read mover before a memory, and the beats that it must give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.hdl.engine.port import ValuePort
from tilewright.hdl.engine.read_mover import ReadMover
from tilewright.sim_tests.hdl.axi.memory import Memory
from tilewright.sim_tests.hdl.engine.boxes import Box
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

Work = list[tuple[int, Box]]  # target, matrix


def values(memory: Memory, box: Box, width: int) -> list[list[int]]:
    """The codes of ``box``, row by row."""
    address, inside = box.elements()
    size = 1 << box.tensor.element
    rows = []
    for places, exist in zip(address, inside, strict=True):
        row = []
        for place, exists in zip(places, exist, strict=True):
            if exists:
                code = memory.bytes[(int(place) + np.arange(size)) % memory.size].tobytes()
            row.append((int.from_bytes(code, "little") if exists else box.tensor.fill) & ((1 << width) - 1))
        rows.append(row)
    return rows


def beats(rows: list[list[int]], lanes: int) -> list[tuple[list[int], bool]]:
    """Kept values and ``last`` of each beat of a matrix."""
    found = [(row[at : at + lanes], False) for row in rows for at in range(0, len(row), lanes)]
    return [*found[:-1], (found[-1][0], True)] if found else []


def decoded(beat: Any, port: ValuePort) -> tuple[list[int], bool]:
    """Kept values and ``last``; kept lanes follow each other from lane 0."""
    keep = beat.keep
    assert keep and keep & (keep + 1) == 0
    codes = [beat.data >> lane * port.width & ((1 << port.width) - 1) for lane in range(keep.bit_length())]
    return codes, bool(beat.last)


class ReadBench:
    """Runs matrices through a mover. Afterwards ``cycles`` has when beats came, by target, ``errors`` what was told."""

    def __init__(self, targets: Sequence[ValuePort], memory: Memory, address_bits: int = 40) -> None:
        self.targets, self.memory = targets, memory
        bus_bits, max_burst, outstanding = 8 * memory.bus_bytes, memory.max_burst, memory.outstanding
        self.mover = ReadMover(bus_bits, address_bits, max_burst, outstanding, targets)
        self.errors: list[tuple[int, int]] = []
        self.beats_counted = 0
        self.cycles: dict[str, list[int]] = {}

    def run(self, work: Work, *, idle: float = 0, stall: float = 0, limit: int = 20000) -> int:
        """Gives orders, checks every beat; gives the cycles that it took."""
        mover = self.mover
        expected: dict[str, list[tuple[list[int], bool]]] = {port.name: [] for port in self.targets}
        for target, box in work:
            port = self.targets[target]
            expected[port.name] += beats(values(self.memory, box, port.width), port.values)
        found: dict[str, list[Any]] = {port.name: [] for port in self.targets}
        orders = [box.order(stream=target, tag=tag % 256) for tag, (target, box) in enumerate(work)]

        async def watch(ctx: Any) -> None:
            while True:
                sample = await ctx.tick().sample(mover.error, mover.error_resp, mover.error_tag, mover.beat)
                _, _, error, resp, tag, beat = sample
                if error:
                    self.errors.append((tag, resp))
                self.beats_counted += beat

        idle_at_end = []

        async def look(ctx: Any) -> None:
            while True:
                _, _, now = await ctx.tick().sample(mover.idle)
                idle_at_end.append(now)

        processes = [send(mover.order, orders, idle=idle), self.memory.read(mover.ar, mover.r), watch, look]
        for seed, port in enumerate(self.targets):
            processes.append(take(getattr(mover, port.name), found[port.name], stall=stall, seed=seed))
        done = lambda: all(len(found[name]) >= len(expected[name]) for name in found)  # noqa: E731
        cycles = simulate(mover, processes, done, limit=limit)
        for port in self.targets:
            got = [decoded(beat, port) for _, beat in found[port.name]]
            assert len(got) == len(expected[port.name])
            for number, (one, other) in enumerate(zip(got, expected[port.name], strict=True)):
                assert one == other, f"beat {number} of {port.name}"
            self.cycles[port.name] = [cycle for cycle, _ in found[port.name]]
        assert idle_at_end[-1] and not all(idle_at_end)
        assert self.beats_counted == len(self.memory.beat_cycles) == sum(count for _, count in self.memory.bursts)
        return cycles
