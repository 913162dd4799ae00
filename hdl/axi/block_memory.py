"""A memory of block RAM on an AXI4 port."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out, Signature
from amaranth.utils import exact_log2

from tilewright.hdl.axi.parameters import BUS_BITS
from tilewright.hdl.axi.signatures import PAGE, read_signature, write_signature
from tilewright.hdl.memory import Ram
from tilewright.hdl.structure import Block, named, place

DECERR = 0b11
"""Response to a burst that is beyond the memory (AMBA AXI Protocol Specification A3.4.4)."""


def beat_access_layout(address_bits: int, data_bits: int) -> data.StructLayout:
    """A beat, counted from the start of a memory, that is read or, where ``write`` is set, written whole."""
    return data.StructLayout({"data": unsigned(data_bits), "beat": unsigned(address_bits), "write": unsigned(1)})


class BlockMemory(Block):
    """``size`` bytes from address 0 on an AXI4 port, and a door to one beat at a time beside it.

    Bursts are those of `read_signature` and `write_signature`: of full-width beats, of type INCR, none across a
    boundary of 4096 bytes. One beyond the memory has the response DECERR: what it reads is undefined, what it writes is
    dropped. The low bits of an address, within a beat, are not looked at.

    Reads and writes do not wait for each other; a beat that is read in the cycle in which it is written is undefined.
    From AR to the first R: ``latency`` = 2 cycles; from the last W to B: 1. A burst of n beats takes n + 1 cycles. All
    ``ready`` of addresses are registers. Contents outlast a reset; bursts that are under way do not.

    The door goes before the port: what ``access`` takes costs the port one cycle. ``found`` is what it has read, for
    one cycle, the one after it was taken.

    Parameters
    ----------
    size: int
        Bytes, a power of two, at least 4096, at most what ``address_bits`` reach.
    address_bits, data_bits: int
        Of the port; a beat has 32, 64, 128, 256 or 512 bits.

    Members
    -------
    bus: AXI4; access: stream of `beat_access_layout`; found: a beat
    """

    latency = 2

    def __init__(self, size: int, address_bits: int, data_bits: int) -> None:
        if data_bits not in BUS_BITS:
            raise ValueError(f"data_bits must be one of {', '.join(map(str, BUS_BITS))}, got {data_bits}")
        if size < PAGE or size & (size - 1) or size > 1 << address_bits:
            raise ValueError(f"size must be a power of two, {PAGE}..{1 << address_bits} bytes, got {size}")
        self.size, self.address_bits, self.data_bits = size, address_bits, data_bits
        self.low = exact_log2(data_bits // 8)
        self.beat_bits = exact_log2(size) - self.low
        read, write = read_signature(address_bits, data_bits), write_signature(address_bits, data_bits)
        super().__init__(
            f"block_memory_{size}x8_{address_bits}x{data_bits}",
            {
                "bus": In(Signature({**read.members, **write.members})),
                "access": In(stream.Signature(beat_access_layout(self.beat_bits, data_bits))),
                "found": Out(data_bits),
            },
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        ram = Ram(self.size * 8 // self.data_bits, 8, lanes=self.data_bits // 8)
        m.submodules.ram = place(platform, ram)
        self._read(m, ram)
        self._write(m, ram)
        return m

    def _beyond(self, address: Value) -> Value:
        """Whether an address is none of the memory."""
        above = address[self.low + self.beat_bits :]
        return above.any() if len(above) else Const(0)

    def _read(self, m: Module, ram: Ram) -> None:
        """AR and R, and reads through the door; what the RAM has read stays until it has been taken."""
        ar, r, access = self.bus.ar, self.bus.r, self.access.payload
        busy, refused, left = Signal(name="reads"), Signal(name="read_refused"), Signal(8, name="reads_left")
        beat = Signal(self.beat_bits, name="read_beat", reset_less=True)
        offered, last, failed = Signal(name="offered"), Signal(name="last"), Signal(name="failed")
        room = named(m, ~offered | r.ready, "read_room")
        door = named(m, self.access.valid & ~access.write & room, "door_reads")
        moves = named(m, busy & room & ~door, "read_moves")
        m.d.comb += [
            self.access.ready.eq(access.write | room),
            ar.ready.eq(~busy),
            ram.read_enable.eq(door | moves),
            ram.read_address.eq(Mux(door, access.beat, beat)),
            self.found.eq(ram.read_data),
            r.valid.eq(offered),
            r.payload.data.eq(ram.read_data),
            r.payload.resp.eq(Mux(failed, DECERR, 0)),
            r.payload.last.eq(last),
        ]
        with m.If(ar.valid & ~busy):
            m.d.sync += [
                busy.eq(1),
                refused.eq(self._beyond(ar.payload.addr)),
                beat.eq(ar.payload.addr[self.low :]),
                left.eq(ar.payload.len),
            ]
        with m.Elif(moves):
            m.d.sync += [busy.eq(left != 0), beat.eq(beat + 1), left.eq(left - 1)]
        with m.If(moves):
            m.d.sync += [offered.eq(1), last.eq(left == 0), failed.eq(refused)]
        with m.Elif(r.ready):
            m.d.sync += offered.eq(0)

    def _write(self, m: Module, ram: Ram) -> None:
        """AW, W and B, and writes through the door."""
        aw, w, b, access = self.bus.aw, self.bus.w, self.bus.b, self.access.payload
        busy, refused = Signal(name="writes"), Signal(name="write_refused")
        beat = Signal(self.beat_bits, name="write_beat", reset_less=True)
        answers, failed = Signal(name="answers"), Signal(name="answer_failed")
        door = named(m, self.access.valid & access.write, "door_writes")
        free = named(m, busy & ~door & (~w.payload.last | ~answers | b.ready), "write_free")
        moves = named(m, free & w.valid, "write_moves")
        m.d.comb += [
            aw.ready.eq(~busy),
            w.ready.eq(free),
            ram.write_enable.eq(
                Mux(door, Const(-1, len(w.payload.strb)), Mux(moves & ~refused, w.payload.strb, 0)),
            ),
            ram.write_address.eq(Mux(door, access.beat, beat)),
            ram.write_data.eq(Mux(door, access.data, w.payload.data)),
            b.valid.eq(answers),
            b.payload.resp.eq(Mux(failed, DECERR, 0)),
        ]
        with m.If(aw.valid & ~busy):
            m.d.sync += [
                busy.eq(1),
                refused.eq(self._beyond(aw.payload.addr)),
                beat.eq(aw.payload.addr[self.low :]),
            ]
        with m.Elif(moves):
            m.d.sync += [busy.eq(~w.payload.last), beat.eq(beat + 1)]
        with m.If(moves & w.payload.last):
            m.d.sync += [answers.eq(1), failed.eq(refused)]
        with m.Elif(b.ready):
            m.d.sync += answers.eq(0)
