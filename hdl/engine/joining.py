"""Runs that follow each other in memory, asked for together."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from tilewright.hdl.engine.order import RUN_BYTES_BITS, run_layout
from tilewright.hdl.structure import Block, named


def joined_layout(address_bits: int, bus_bytes: int) -> data.StructLayout:
    """A run (`run_layout`; ``offset`` is its address within a beat of the bus), and the span of runs that it ends.

    ``joins``: the next run is of the same order and begins where this one ends, and they are one span. Else the span
    that ends with this run is ``span_bytes`` from ``span_address`` on, which are undefined for a run not ``inside``.
    """
    run = {field: member.shape for field, member in run_layout(address_bits) if field != "address"}
    return data.StructLayout(
        {
            "offset": unsigned(exact_log2(bus_bytes)),
            **run,
            "joins": unsigned(1),
            "span_address": unsigned(address_bits),
            "span_bytes": unsigned(RUN_BYTES_BITS),
        }
    )


class Joining(Block):
    """Tells of each run whether the next one goes on where it ends.

    A span grows until it has ``enough`` bytes, those of the longest burst, or ``most_runs`` = 8 runs: so many have to
    wait somewhere until the span is known, and nothing is to wait for a whole matrix.
    Latency ``latency`` = 1 cycle, but a run that does not end its order waits for the next one. ``throughput`` = 1
    run a cycle. ``i.ready`` depends on ``o.ready``, and ``o`` on ``i``, in the same cycle.
    """

    latency = 1
    throughput = 1
    most_runs = 8

    def __init__(self, address_bits: int, bus_bytes: int, enough: int) -> None:
        if not 1 <= enough < 1 << RUN_BYTES_BITS - 1:
            raise ValueError(f"enough must be 1..{(1 << RUN_BYTES_BITS - 1) - 1} bytes, got {enough}")
        self.address_bits, self.bus_bytes, self.enough = address_bits, bus_bytes, enough
        self.joined = joined_layout(address_bits, bus_bytes)
        members = {
            "i": In(stream.Signature(run_layout(address_bits))),
            "o": Out(stream.Signature(self.joined)),
        }
        super().__init__(f"joining_{address_bits}_{bus_bytes}_{enough}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        run, following = self.o.payload, self.i.payload
        held = Signal()
        end = Signal(self.address_bits, reset_less=True)
        kept = Signal(self.joined, name="kept", reset_less=True)
        goes_on = named(m, following.inside & (following.address == end), "goes_on")
        runs = Signal(range(self.most_runs), reset_less=True)
        grows = named(m, (kept.span_bytes < self.enough) & (runs != self.most_runs - 1), "grows")
        # What was held before tells nothing when nothing is held: after reset it is undefined.
        joins = named(m, held & ~kept.last & kept.inside & goes_on & grows, "joins")
        m.d.comb += [
            self.o.valid.eq(held & (kept.last | self.i.valid)),
            self.i.ready.eq(~held | (self.o.ready & self.o.valid)),
            run.eq(kept),
            run.joins.eq(joins),
        ]
        with m.If(self.i.ready):
            m.d.sync += [held.eq(self.i.valid), end.eq(following.address + following.bytes)]
            for field in self.joined.members:
                if field in following.shape().members:
                    m.d.sync += kept[field].eq(following[field])
            m.d.sync += [
                runs.eq(Mux(joins, runs + 1, 0)),
                kept.offset.eq(following.address),
                kept.span_address.eq(Mux(joins, kept.span_address, following.address)),
                kept.span_bytes.eq(Mux(joins, kept.span_bytes, 0) + following.bytes),
            ]
        return m
