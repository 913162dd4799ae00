"""Several readers of one AXI4 port."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux
from amaranth.lib.wiring import In, Out

from tilewright.hdl.axi.signatures import address_layout, read_layout, read_signature
from tilewright.hdl.stream.buffer import Buffer
from tilewright.hdl.stream.queue import Queue
from tilewright.hdl.structure import Block, named, place


class ReadShare(Block):
    """Gives two readers one port with one ID: bursts as they are asked for, beats to whom they belong.

    ``first`` goes before ``second`` when both ask. Up to ``outstanding`` bursts (a power of two) may be under way.
    Latency: 1 cycle on the way out, 1 on the way in; one burst and one beat a cycle. A reader that does not take its
    beats holds up the other.

    Members: ``first``, ``second``: AR and R of readers; ``port``: AR and R of the shared port; ``idle``: nothing is
    under way; ``beat``: a beat is taken from the port.
    """

    def __init__(self, address_bits: int, data_bits: int, outstanding: int) -> None:
        self.outstanding = outstanding
        self.address, self.data = address_layout(address_bits), read_layout(data_bits)
        reader = read_signature(address_bits, data_bits)
        super().__init__(
            f"read_share_{address_bits}x{data_bits}_{outstanding}",
            {"first": In(reader), "second": In(reader), "port": Out(reader), "idle": Out(1), "beat": Out(1)},
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.owners = place(platform, owners := Queue("owner", 1, self.outstanding))
        m.submodules.requests = place(platform, requests := Buffer(self.address))
        m.submodules.beats = place(platform, beats := Buffer(self.data))
        free = named(m, requests.i.ready & owners.i.ready, "free")
        chosen = named(m, ~self.first.ar.valid, "second_chosen")
        wanted = named(m, self.first.ar.valid | self.second.ar.valid, "wanted")
        m.d.comb += [
            requests.i.valid.eq(wanted & free),
            requests.i.payload.eq(Mux(chosen, self.second.ar.payload, self.first.ar.payload)),
            owners.i.valid.eq(wanted & free),
            owners.i.payload.eq(chosen),
            self.first.ar.ready.eq(free),
            self.second.ar.ready.eq(free & chosen),
            self.port.ar.valid.eq(requests.o.valid),
            self.port.ar.payload.eq(requests.o.payload),
            requests.o.ready.eq(self.port.ar.ready),
        ]
        owner = owners.o.payload
        taken = named(m, beats.o.valid & beats.o.ready, "taken")
        m.d.comb += [
            beats.i.valid.eq(self.port.r.valid),
            beats.i.payload.eq(self.port.r.payload),
            self.port.r.ready.eq(beats.i.ready),
            self.beat.eq(self.port.r.valid & self.port.r.ready),
            self.first.r.payload.eq(beats.o.payload),
            self.second.r.payload.eq(beats.o.payload),
            self.first.r.valid.eq(beats.o.valid & ~owner),
            self.second.r.valid.eq(beats.o.valid & owner),
            beats.o.ready.eq(Mux(owner, self.second.r.ready, self.first.r.ready)),
            owners.o.ready.eq(taken & beats.o.payload.last),
            self.idle.eq(~owners.o.valid),
        ]
        return m
