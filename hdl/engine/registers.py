"""The engine's registers behind AXI4-Lite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped

from tilewright.hdl.axi.lite_port import LitePort
from tilewright.hdl.axi.signatures import lite_signature
from tilewright.hdl.engine.answers import FAULT
from tilewright.hdl.engine.records import CORE_BITS, INSTRUCTION_BITS, TOKENS
from tilewright.hdl.engine.register_map import ADDRESS_BITS, BY_NAME, COUNTER_WORDS, COUNTERS, WINDOW_WORDS
from tilewright.hdl.engine.tokens import SEQUENCERS
from tilewright.hdl.structure import Block, data_register, named, place

COUNTER_BITS = 64
_SETTINGS = {"program_low": 32, "program_high": 32, "program_count": 32, "watchdog": 32, "interrupt_enable": 1}
_INSIDE = ("interrupt_enable", "counter_core")  # settings that nobody but the registers needs


class Registers(Block):
    """All of `register_map.REGISTERS`; ``constants`` are the values of those that describe the engine.

    SLVERR answers reads and writes of what is no register, or not one to be read or written; such writes, and all that
    are refused, change nothing. Words of the window are written whole or refused.

    Members
    -------
    bus: AXI4-Lite; irq: a run has ended and the interrupt is enabled
    start, give_up (CONTROL.abort): told in one cycle; program_low, program_high, program_count, watchdog: as written
    busy: a run is under way; ended: it ends in this cycle; fault: why, NONE where it ends well
    s_missing, for each sequencer s: see `Tokens`; counters: all of `COUNTERS`, the first lowest
    window: stream of instructions written through the window
    core, counted_core, counter_word, counter, in place of counters: of several cores the one that the last run has
        failed by; word ``counter_word`` of the counters of ``counted_core``
    """

    def __init__(self, constants: Mapping[str, int], cores: int = 1) -> None:
        self.constants, self.cores = dict(constants), cores
        self.settings = _SETTINGS | ({} if cores == 1 else {"counter_core": CORE_BITS})
        members: dict[str, Any] = {"bus": In(lite_signature(ADDRESS_BITS)), "irq": Out(1)}
        members |= {"start": Out(1), "give_up": Out(1), "busy": In(1), "ended": In(1), "fault": In(FAULT)}
        members |= {name: Out(width) for name, width in self.settings.items() if name not in _INSIDE}
        members |= {f"{name}_missing": In(TOKENS) for name in SEQUENCERS}
        if cores == 1:
            members["counters"] = In(COUNTER_BITS * len(COUNTERS))
        else:
            members |= {"core": In(CORE_BITS), "counted_core": Out(CORE_BITS)}
            members |= {"counter_word": Out(range(COUNTER_WORDS)), "counter": In(32)}
        members["window"] = Out(stream.Signature(INSTRUCTION_BITS))
        super().__init__("registers", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.port = place(platform, port := LitePort(ADDRESS_BITS))
        connect(m, flipped(self.bus), port.bus)
        written = {name: port.write & (port.write_address == BY_NAME[name].offset // 4) for name in self._writable()}
        mask = Cat(bit.replicate(8) for bit in port.write_strobes)
        settings = {name: Signal(width, name=f"{name}_register") for name, width in self.settings.items()}
        for name, setting in settings.items():
            value = (setting & ~mask) | (port.write_data & mask)
            if name == "program_low":  # instructions lie at multiples of their size, whatever is written
                value = value & -(INSTRUCTION_BITS // 8) & 0xFFFFFFFF
            with m.If(written[name]):
                m.d.sync += setting.eq(value)
            if name not in _INSIDE:
                m.d.comb += getattr(self, name).eq(setting)

        control = named(m, written["control"] & port.write_strobes[0], "control_written")
        m.d.comb += [
            self.start.eq(control & port.write_data[0] & ~self.busy),
            self.give_up.eq(control & port.write_data[1] & self.busy),
        ]
        known = named(m, Cat(written.values()).any() | self._window(m, port), "write_known")
        m.d.comb += port.write_refused.eq((control & port.write_data[0] & self.busy) | ~known)

        done, failed, fault = Signal(), Signal(), Signal(FAULT, name="last_fault")
        raised = Signal()
        with m.If(self.ended):
            bad = named(m, self.fault.cause != 0, "bad")
            m.d.sync += [done.eq(~bad), failed.eq(bad), fault.eq(self.fault), raised.eq(1)]
        with m.Elif(self.start):
            m.d.sync += [done.eq(0), failed.eq(0)]
        with m.Elif(written["interrupt"] & mask[0] & port.write_data[0]):
            m.d.sync += raised.eq(0)
        m.d.comb += self.irq.eq(raised & settings["interrupt_enable"][0])
        core = Const(0, 1 + CORE_BITS) if self.cores == 1 else self._of_cores(m, port, settings["counter_core"])
        status = Cat(self.busy, done, failed, core, fault.cause, fault.detail, fault.tag)
        self._read(m, port, settings | {"status": status, "interrupt": raised})
        return m

    def _of_cores(self, m: Module, port: LitePort, chosen: Value) -> Value:
        """Whose counters are read, and which; the bits of the status that tell a core."""
        last = Signal(CORE_BITS, name="last_core")
        with m.If(self.ended):
            m.d.sync += last.eq(self.core)
        first = BY_NAME[f"{next(iter(COUNTERS))}_low"].offset // 4
        m.d.comb += [self.counted_core.eq(chosen), self.counter_word.eq(port.read_address - first)]
        return Cat(Const(0, 1), last)

    def _writable(self) -> list[str]:
        return [*self.settings, "control", "interrupt"]

    def _window(self, m: Module, port: LitePort) -> Value:
        """Collects the words of an instruction; whether one is taken."""
        low = BY_NAME["window_0"].offset // 4
        word = port.write_address[: (WINDOW_WORDS - 1).bit_length()]
        full = Signal(name="window_full")
        inside = named(m, port.write & (port.write_address[len(word) :] == low >> len(word)), "window_written")
        taken = named(m, inside & ~full & port.write_strobes.all(), "window_taken")
        words = [
            data_register(m, port.write_data, f"window_word_{index}", enable=taken & (word == index))
            for index in range(WINDOW_WORDS)
        ]
        with m.If(taken & (word == WINDOW_WORDS - 1)):
            m.d.sync += full.eq(1)
        with m.Elif(self.window.ready):
            m.d.sync += full.eq(0)
        m.d.comb += [self.window.valid.eq(full), self.window.payload.eq(Cat(words))]
        return taken

    def _read(self, m: Module, port: LitePort, values: Mapping[str, Value]) -> None:
        """Answers reads; what has no register reads as SLVERR."""
        known = dict(values) | {name: Const(value, 32) for name, value in self.constants.items()}
        known |= {f"{name}_missing": getattr(self, f"{name}_missing") for name in SEQUENCERS}
        for index, name in enumerate(COUNTERS):
            for half, suffix in enumerate(("low", "high")):
                word = self.counters.word_select(2 * index + half, 32) if self.cores == 1 else self.counter
                known[f"{name}_{suffix}"] = word
        found, exists = Signal(32, name="found"), Signal(name="exists")
        with m.Switch(port.read_address):
            for name, value in known.items():
                with m.Case(BY_NAME[name].offset // 4):
                    m.d.comb += [found.eq(value), exists.eq(1)]
        m.d.comb += [
            port.read_data.eq(data_register(m, found, "found_word")),
            port.read_refused.eq(data_register(m, ~exists, "unknown_word")),
        ]
