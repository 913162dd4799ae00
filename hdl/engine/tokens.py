"""The tokens by which sequencers wait for each other."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from tilewright.hdl.engine.records import TOKENS
from tilewright.hdl.structure import Block, named

SEQUENCERS = ("load", "compute", "store")
_COUNT_BITS = 6


class Tokens(Block):
    """Counts of 16 kinds of token, 0..63 each: sequencers take them before an instruction and give them after it.

    A token given in one cycle can be taken in the next. Of sequencers that could go and wait for tokens of the same
    kind, the one that is named first does. One that lacks a token keeps none from the others, who may be its givers.
    One token more than 63 of a kind sets ``overflow``, until reset.

    Members, for each sequencer ``s``
    ---------------------------------
    s_wants: it has an instruction that may start; s_waits: the kinds of token that this takes
    s_go: there is one of each for it; s_takes: it takes them now, only while ``s_go``
    s_gives: one of each of these kinds is given now
    s_missing: the kinds that it wants and that are not there
    """

    def __init__(self) -> None:
        members: dict[str, Any] = {}
        for name in SEQUENCERS:
            members |= {f"{name}_wants": In(1), f"{name}_waits": In(TOKENS), f"{name}_go": Out(1)}
            members |= {f"{name}_takes": In(1), f"{name}_gives": In(TOKENS), f"{name}_missing": Out(TOKENS)}
        super().__init__("tokens", members | {"overflow": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        counts = [Signal(_COUNT_BITS, name=f"count_{kind}") for kind in range(TOKENS)]
        available = named(m, Cat(count.any() for count in counts), "available")
        before: list[tuple[Value, Value]] = []  # who could go, and the kinds that it would take
        for name in SEQUENCERS:
            waits, wants = getattr(self, f"{name}_waits"), getattr(self, f"{name}_wants")
            missing = named(m, Mux(wants, waits & ~available, 0), f"{name}_lacks")
            could = named(m, wants & ~missing.any(), f"{name}_could_go")
            # Each conflict by itself: in a row they would be the longest path of the engine.
            conflict = Cat(other & (waits & kinds).any() for other, kinds in before).any()
            m.d.comb += [
                getattr(self, f"{name}_missing").eq(missing),
                getattr(self, f"{name}_go").eq(could & ~conflict),
            ]
            before.append((could, waits))
        most = (1 << _COUNT_BITS) - 1
        for kind, count in enumerate(counts):
            given = sum(getattr(self, f"{name}_gives")[kind] for name in SEQUENCERS)
            taken = sum(getattr(self, f"{name}_takes") & getattr(self, f"{name}_waits")[kind] for name in SEQUENCERS)
            total = named(m, count + given - taken, f"total_{kind}")
            beyond = named(m, (total > most) & ~total[-1], f"beyond_{kind}")
            m.d.sync += count.eq(Mux(beyond, most, total))
            with m.If(beyond):
                m.d.sync += self.overflow.eq(1)
        return m
