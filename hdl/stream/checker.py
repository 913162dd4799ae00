"""Watches a stream for broken rules."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, ShapeLike, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from tilewright.hdl.stream.beat import field_offset, payload_name
from tilewright.hdl.structure import Block, data_register


class Checker(Block):
    """Looks at ``valid``, ``ready`` and ``payload`` of a stream; has one output bit for each rule.

    A bit rises in the very cycle that breaks its rule and stays until reset. ``error`` is any of them. It is for
    simulation and bring-up: its outputs depend on its inputs without a register (``latency`` = 0), and it keeps a
    copy of the payload. That ``valid`` waits for ``ready`` cannot be seen from outside; a consumer that waits for
    ``valid`` finds it.

    Rules
    -----
    payload_changed: the payload changed while ``valid`` was high and ``ready`` low
    valid_withdrawn: ``valid`` fell before its payload was taken
    keep_gap (payloads with a field ``keep``): kept lanes are not contiguous from lane 0
    keep_empty (the same): a beat keeps no lane
    keep_early (the same, and a field ``last``, with ``packed``): a beat before the last one is not full
    """

    latency = 0

    def __init__(self, shape: ShapeLike, *, packed: bool = False) -> None:
        self.shape, self.packed = shape, packed
        keep, last = field_offset(shape, "keep"), field_offset(shape, "last")
        if packed and (keep is None or last is None):
            raise ValueError("packed needs a payload with the fields 'keep' and 'last'")
        self.rules = ["payload_changed", "valid_withdrawn"]
        name = f"checker_{payload_name(shape)}"
        if isinstance(shape, data.StructLayout) and keep is not None:
            self.rules += ["keep_gap", "keep_empty"]
            name += f"_keep{keep}to{keep + shape['keep'].width - 1}"
        if packed:
            self.rules.append("keep_early")
            name += f"_last{last}"
        members = {"valid": In(1), "ready": In(1), "payload": In(shape)}
        super().__init__(name, members | {rule: Out(1) for rule in self.rules} | {"error": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        payload = Value.cast(self.payload)
        waiting = Signal()
        m.d.sync += waiting.eq(self.valid & ~self.ready)
        before = data_register(m, payload, "before")
        broken = {
            "payload_changed": waiting & self.valid & (payload != before),
            "valid_withdrawn": waiting & ~self.valid,
        }
        if "keep_gap" in self.rules:
            keep = self.payload.keep
            broken["keep_gap"] = self.valid & (keep & (keep + 1)).any()
            broken["keep_empty"] = self.valid & ~keep.any()
        if self.packed:
            broken["keep_early"] = self.valid & ~self.payload.last & ~self.payload.keep.all()
        for rule in self.rules:
            seen = Signal(name=f"{rule}_seen")
            m.d.comb += getattr(self, rule).eq(seen | broken[rule])
            m.d.sync += seen.eq(getattr(self, rule))
        m.d.comb += self.error.eq(Cat(getattr(self, rule) for rule in self.rules).any())
        return m
