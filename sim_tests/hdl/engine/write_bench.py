"""A write mover before a memory, and the bytes that it must write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.hdl.engine.port import ValuePort
from tilewright.hdl.engine.write_mover import WriteMover
from tilewright.sim_tests.hdl.axi.memory import Memory
from tilewright.sim_tests.hdl.engine.boxes import Box
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

Work = list[tuple[int, Box]]  # source, matrix


def encoded(rows: list[list[int]], port: ValuePort) -> list[dict[str, int]]:
    """Beats of a matrix; lanes that are not kept hold ones."""
    found = []
    for row in rows:
        for at in range(0, len(row), port.values):
            codes = row[at : at + port.values]
            word = (1 << port.values * port.width) - 1 << len(codes) * port.width
            word |= sum(code << lane * port.width for lane, code in enumerate(codes))
            word &= (1 << port.values * port.width) - 1
            found.append({"data": word, "keep": (1 << len(codes)) - 1, "last": 0})
    if found:
        found[-1]["last"] = 1
    return found


def code(rng: np.random.Generator, width: int) -> int:
    """A random code."""
    return int.from_bytes(rng.bytes(8), "little") >> 64 - width


class WriteBench:
    """Runs matrices of random codes through a mover. Afterwards ``answers`` has (tag, response)."""

    def __init__(self, sources: Sequence[ValuePort], memory: Memory, address_bits: int = 40) -> None:
        self.sources, self.memory = sources, memory
        bus_bits, max_burst, outstanding = 8 * memory.bus_bytes, memory.max_burst, memory.outstanding
        self.mover = WriteMover(bus_bits, address_bits, max_burst, outstanding, sources)
        self.answers: list[tuple[int, int]] = []
        self.beats_counted = 0
        self.first_address = -1

    def run(
        self, work: Work, *, idle: float = 0, stall: float = 0, first: str = "any", limit: int = 20000, seed: int = 0
    ) -> None:
        """Gives orders and values, checks every byte of the memory and every answer."""
        mover, memory = self.mover, self.memory
        rng = np.random.default_rng(seed)
        expected, written = memory.bytes.copy(), np.zeros(memory.size, dtype=np.int64)
        beats: dict[str, list[dict[str, int]]] = {port.name: [] for port in self.sources}
        for source, box in work:
            port = self.sources[source]
            rows = [[code(rng, port.width) for _ in range(box.cols)] for _ in range(box.rows)]
            beats[port.name] += encoded(rows, port)
            for codes, places, exist in zip(rows, *box.elements(), strict=True):
                for value, place, exists in zip(codes, places, exist, strict=True):
                    value -= value >> port.width - 1 << port.width if port.signed else 0
                    for byte in range(port.container if exists else 0):
                        expected[(int(place) + byte) % memory.size] = value >> 8 * byte & 0xFF
                        written[(int(place) + byte) % memory.size] += 1
        found: list[Any] = []
        orders = [box.order(stream=source, tag=tag % 256) for tag, (source, box) in enumerate(work)]
        idles: list[int] = []
        ended: list[Any] = []

        async def watch(ctx: Any) -> None:
            cycle = 0
            while True:
                _, _, beat, now, asked = await ctx.tick().sample(mover.beat, mover.idle, mover.aw.valid)
                self.beats_counted += beat
                idles.append(now)
                if asked and self.first_address < 0:
                    self.first_address = cycle
                cycle += 1

        processes = [
            send(mover.order, orders, idle=idle),
            memory.write(mover.aw, mover.w, mover.b, first=first),
            take(mover.answer, found, stall=stall),
            watch,
        ]
        for number, port in enumerate(self.sources):
            processes.append(send(getattr(mover, port.name), beats[port.name], idle=idle, seed=number, ended=ended))
        simulate(mover, processes, lambda: len(found) + len(ended) == len(work) + len(self.sources), limit=limit)
        self.answers = [(answer.tag, answer.resp) for _, answer in found]
        assert [tag for tag, _ in self.answers] == [tag % 256 for tag in range(len(work))]
        wrong = np.flatnonzero(memory.bytes != expected)
        assert not len(wrong), f"first wrong byte at {wrong[0]}"
        assert (memory.written == written).all()
        assert idles[-1] and not all(idles)
        assert self.beats_counted == len(memory.beat_cycles) == sum(count for _, count in memory.bursts)
