"""A memory on an AXI4 port in Amaranth's own simulator: latency, jitter, stalls, errors, and the rules of bursts."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tilewright.sim_tests.hdl.engine.streams import Process


@dataclass
class Pace:
    """``latency`` cycles from an address, or last datum, to the answer, up to ``jitter`` more; stalls of channels."""

    latency: int = 5
    jitter: int = 0
    address_stall: float = 0
    data_stall: float = 0
    seed: int = 0


@dataclass
class Memory:
    """``size`` bytes from address 0; bytes beyond follow from the start again.

    ``bursts``: what was asked for, as (address, beats). ``beat_cycles``: cycles in which data beats moved. ``errors``:
    response of each beat of memory that has one of its own, by address / bus bytes.
    """

    size: int
    bus_bytes: int
    max_burst: int
    outstanding: int
    pace: Pace = field(default_factory=Pace)
    errors: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.size)
        self.bytes = rng.integers(0, 256, self.size).astype(np.uint8)
        self.rng = np.random.default_rng(self.pace.seed)
        self.bursts: list[tuple[int, int]] = []
        self.beat_cycles: list[int] = []
        self.written = np.zeros(self.size, dtype=np.int64)

    def ask(self, address: int, beats: int) -> None:
        """Keeps a burst, which must keep the rules."""
        assert address % self.bus_bytes == 0
        assert 1 <= beats <= self.max_burst
        assert address // 4096 == (address + beats * self.bus_bytes - 1) // 4096, "a burst crosses 4096 bytes"
        self.bursts.append((address, beats))

    def when(self, cycle: int) -> int:
        """When what comes now is answered."""
        return cycle + self.pace.latency + int(self.rng.integers(0, self.pace.jitter + 1))

    def read(self, ar: Any, r: Any) -> Process:
        """Answers the reads of a port."""

        async def process(ctx: Any) -> None:
            waiting: deque[tuple[int, int, bool]] = deque()  # when, address, last
            unanswered, cycle, offered = 0, 0, False
            while True:
                ctx.set(ar.ready, self.rng.random() >= self.pace.address_stall)
                if not offered and waiting and waiting[0][0] <= cycle and self.rng.random() >= self.pace.data_stall:
                    _, address, last = waiting[0]
                    data = int.from_bytes(
                        self.bytes[(address + np.arange(self.bus_bytes)) % self.size].tobytes(), "little"
                    )
                    resp = self.errors.get(address // self.bus_bytes, 0)
                    ctx.set(r.payload, {"data": data, "resp": resp, "last": last})
                    offered = True
                ctx.set(r.valid, offered)
                sample = await ctx.tick().sample(ar.valid, ar.ready, ar.payload.addr, ar.payload.len, r.ready)
                _, _, asked, taken, address, length, ready = sample
                if offered and ready:
                    self.beat_cycles.append(cycle)
                    unanswered -= waiting.popleft()[2]
                    offered = False
                cycle += 1
                if asked and taken:
                    self.ask(address, length + 1)
                    unanswered += 1
                    assert unanswered <= self.outstanding
                    at = self.when(cycle)
                    for beat in range(length + 1):
                        waiting.append((at, address + beat * self.bus_bytes, beat == length))

        return process

    def write(self, aw: Any, w: Any, b: Any, *, first: str = "any") -> Process:
        """Takes the writes of a port.

        ``first``: "aw": a burst's data are taken after its address; "w": its address after its last datum; or "any".
        """

        async def process(ctx: Any) -> None:
            addresses: deque[tuple[int, int]] = deque()  # address, beats
            lengths: deque[int] = deque()  # beats of each burst of data
            data: deque[tuple[int, int]] = deque()  # data, strobes
            answers: deque[tuple[int, int]] = deque()  # when, response
            asked_bursts, cycle, beats, unanswered, offered = 0, 0, 0, 0, False
            while True:
                # Bursts so far of which the other channel has had what must come first.
                sent_bursts = len(lengths) + asked_bursts - len(addresses)
                may_ask = first != "w" or asked_bursts < sent_bursts
                may_send = first != "aw" or sent_bursts < asked_bursts
                ctx.set(aw.ready, may_ask and self.rng.random() >= self.pace.address_stall)
                ctx.set(w.ready, may_send and self.rng.random() >= self.pace.data_stall)
                if not offered and answers and answers[0][0] <= cycle:
                    ctx.set(b.payload.resp, answers[0][1])
                    offered = True
                ctx.set(b.valid, offered)
                sample = await ctx.tick().sample(
                    aw.valid & aw.ready, aw.payload.addr, aw.payload.len, w.valid & w.ready, w.payload, b.ready
                )
                _, _, asked, address, length, sent, beat, ready = sample
                if offered and ready:
                    answers.popleft()
                    unanswered -= 1
                    offered = False
                cycle += 1
                if asked:
                    self.ask(address, length + 1)
                    addresses.append((address, length + 1))
                    asked_bursts += 1
                    unanswered += 1
                    assert unanswered <= self.outstanding
                if sent:
                    self.beat_cycles.append(cycle - 1)
                    data.append((beat.data, beat.strb))
                    beats += 1
                    if beat.last:
                        lengths.append(beats)
                        beats = 0
                while addresses and lengths:
                    address, count = addresses.popleft()
                    assert lengths.popleft() == count, "last is not at the end of a burst"
                    resp = max(self.store(address + n * self.bus_bytes, *data.popleft()) for n in range(count))
                    answers.append((self.when(cycle), resp))

        return process

    def store(self, address: int, word: int, strobes: int) -> int:
        """Writes a beat, which must write something; gives its response."""
        assert strobes, "a beat without strobes"
        for byte in range(self.bus_bytes):
            if strobes >> byte & 1:
                place = (address + byte) % self.size
                self.bytes[place] = word >> 8 * byte & 0xFF
                self.written[place] += 1
        return self.errors.get(address // self.bus_bytes, 0)
