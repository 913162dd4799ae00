"""AXI4-Stream drivers and monitors for cocotb; runs inside a simulator.

Everything is driven just after a rising edge and sampled at the falling one, when all has settled: valid and ready that
are both high there meet at the next rising edge, whatever the simulator's order of events.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

Beat = Mapping[str, int]


class _Stream:
    """Ports ``<name>_t<part>``, ``<name>_tvalid``, ``<name>_tready``."""

    def __init__(self, dut: Any, name: str, parts: Sequence[str]) -> None:
        self.name, self.clock, self.reset = name, dut.clk, dut.rst
        self.parts = {part: getattr(dut, f"{name}_t{part}") for part in parts}
        self.valid, self.ready = getattr(dut, f"{name}_tvalid"), getattr(dut, f"{name}_tready")
        self.count = 0

    def forget(self) -> None:
        """Starts anew; in reset only: a beat that is offered may not be taken back otherwise."""
        self.count = 0

    def meets(self) -> bool:
        """Whether a beat is transferred at the next edge."""
        return bool(int(self.valid.value) and int(self.ready.value) and not int(self.reset.value))

    async def transferred(self, count: int) -> None:
        """Waits until ``count`` beats have been transferred since the start or since `forget`."""
        while self.count < count:
            await RisingEdge(self.clock)


class StreamSource(_Stream):
    """Sends beats in order, with an idle cycle before each with probability ``idle``; payload is noise while idle."""

    def __init__(self, dut: Any, name: str, parts: Sequence[str], idle: float = 0.0) -> None:
        super().__init__(dut, name, parts)
        self.idle = idle
        self.beats: deque[Beat] = deque()
        self.valid.value = 0
        cocotb.start_soon(self._run())

    def send(self, beats: Sequence[Beat]) -> None:
        """Appends ``beats``, part to value each."""
        self.beats.extend(beats)

    def forget(self) -> None:
        """Drops all that has not been sent as well."""
        super().forget()
        self.beats.clear()
        self.valid.value = 0

    async def _run(self) -> None:
        offering = False
        while True:
            await FallingEdge(self.clock)
            met = offering and self.meets()
            await RisingEdge(self.clock)
            if int(self.reset.value):
                offering = False
                continue
            if met:
                self.count += 1
                self.beats.popleft()
                offering = False
            if not offering:
                offering = bool(self.beats) and random.random() >= self.idle
                for part, port in self.parts.items():
                    port.value = self.beats[0].get(part, 0) if offering else random.getrandbits(len(port))
                self.valid.value = offering


class StreamSink(_Stream):
    """Takes beats, not ready in a cycle with probability ``stall``; holds its stream to the rules.

    Attributes:
        beats: part to value of every beat that was taken.
        broken: what rule was broken, if any; the test asks.
    """

    def __init__(self, dut: Any, name: str, parts: Sequence[str], stall: float = 0.0) -> None:
        super().__init__(dut, name, parts)
        self.stall = stall
        self.beats: list[dict[str, int]] = []
        self.broken: list[str] = []
        self.ready.value = 0
        cocotb.start_soon(self._run())

    def forget(self) -> None:
        """Drops what was taken as well."""
        super().forget()
        self.beats.clear()

    async def _run(self) -> None:
        held: dict[str, int] | None = None
        while True:
            self.ready.value = random.random() >= self.stall
            await FallingEdge(self.clock)
            if int(self.reset.value):
                held = None
                await RisingEdge(self.clock)
                continue
            offered = int(self.valid.value)
            payload = {part: int(port.value) for part, port in self.parts.items()} if offered else None
            if held is not None and payload != held:
                self.broken.append(f"{self.name}: {held} became {payload} before it was taken")
            met = self.meets()
            held = None if met else payload
            await RisingEdge(self.clock)
            if met and payload is not None:
                self.beats.append(payload)
                self.count += 1
