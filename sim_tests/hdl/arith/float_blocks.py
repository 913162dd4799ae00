"""Floating-point arithmetic as blocks of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith import float_accumulate, float_dot
from tilewright.hdl.arith.cast import FloatCast
from tilewright.hdl.arith.cast_integer import FloatToInteger, IntegerToFloat
from tilewright.hdl.arith.float_add import FloatAdd
from tilewright.hdl.arith.float_fused import FusedMultiplyAdd
from tilewright.hdl.arith.float_multiply import FloatMultiply
from tilewright.hdl.arith.float_round import Beyond
from tilewright.hdl.numeric import BF16, FLOAT_FORMATS, FP8_E4M3, FP8_E5M2, FP16, FP32, FloatFormat, IntFormat
from tilewright.hdl.structure import Block, place

LATENCIES = 6


class Mac(Block):
    """``total`` is ``start`` + the dot product of ``x`` and ``w``; ``start`` enters ``before`` cycles later."""

    def __init__(
        self, x: FloatFormat, w: FloatFormat, vector: int, pipeline: int, stages: int, node_stages: int = 0
    ) -> None:
        self.formats, self.vector, self.pipeline, self.stages = (x, w), vector, pipeline, stages
        self.node_stages, self.before = node_stages, pipeline + node_stages * (vector.bit_length() - 1)
        members = {
            "x": In(unsigned(vector * x.width)),
            "w": In(unsigned(vector * w.width)),
            "present": In(unsigned(vector)),
            "start": In(unsigned(32)),
            "total": Out(unsigned(32)),
        }
        super().__init__(f"mac_{x}_{w}_v{vector}_p{pipeline}_n{node_stages}_s{stages}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        xw = (m, self.x, self.w, *self.formats)
        term = float_dot(*xw, self.vector, self.pipeline, self.present, self.node_stages)
        m.d.comb += self.total.eq(float_accumulate(m, self.start, term, self.stages))
        return m


class Together(Block):
    """Units with the same inputs; output ``r`` of unit ``u`` is called ``u``."""

    def __init__(self, name: str, units: Mapping[str, Block]) -> None:
        self.units = dict(units)
        first = next(iter(self.units.values()))
        self.inputs = {port: member for port, member in first.signature.members.items() if member.flow is In}
        outputs = {label: Out(unsigned(len(getattr(unit, _result(unit))))) for label, unit in self.units.items()}
        super().__init__(name, self.inputs | outputs)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        for label, unit in self.units.items():
            m.submodules[label] = place(platform, unit)
            m.d.comb += [getattr(unit, port).eq(getattr(self, port)) for port in self.inputs]
            m.d.comb += getattr(self, label).eq(getattr(unit, _result(unit)))
        return m


def _result(unit: Block) -> str:
    return next(str(port) for port, member in unit.signature.members.items() if member.flow is Out)


def _macs() -> list[Mac]:
    single = (
        (BF16, BF16),
        (FP16, FP16),
        (FP8_E4M3, FP8_E4M3),
        (FP8_E5M2, FP8_E5M2),
        (FP8_E4M3, FP8_E5M2),
        (BF16, FP8_E4M3),
        (FP8_E5M2, FP16),
        (FP32, FP32),
        (BF16, BF16),
    )
    return [
        *(Mac(x, w, 1, index % 4, index) for index, (x, w) in enumerate(single)),
        Mac(BF16, BF16, 2, 1, 0),
        Mac(FP16, FP8_E5M2, 4, 2, 1),
        Mac(FP8_E4M3, FP8_E4M3, 4, 0, 0, 3),
    ]


def _products(a: FloatFormat, b: FloatFormat, first: int) -> Together:
    kinds: list[tuple[FloatFormat, Beyond]] = [(FP32, "ieee"), (a, "ieee"), (a, "saturate")]
    units = {
        f"{out}_{overflow}": FloatMultiply(a, b, out, overflow=overflow, latency=(first + index) % LATENCIES)
        for index, (out, overflow) in enumerate(kinds)
    }
    return Together(f"products_{a}_{b}", units)


def _to_floats(kind: Callable[..., Block], source: FloatFormat | IntFormat) -> dict[str, Block]:
    pairs = list(itertools.product(("ieee", "saturate"), FLOAT_FORMATS.values()))
    return {
        f"{target}_{overflow}": kind(source, target, overflow=overflow, latency=index % LATENCIES)
        for index, (overflow, target) in enumerate(pairs)
    }


def _casts(source: FloatFormat) -> Together:
    integers: dict[str, Block] = {
        str(fmt): FloatToInteger(source, fmt, latency=index % LATENCIES) for index, fmt in enumerate(INTEGERS)
    }
    return Together(f"casts_{source}", _to_floats(FloatCast, source) | integers)


INTEGERS = [IntFormat.parse(name) for name in ("int8", "uint16", "int32", "int64")]
MACS = {mac.name: mac for mac in _macs()}
SINGLES: dict[str, FloatMultiply | FloatAdd | FusedMultiplyAdd] = {
    unit.name: unit
    for unit in (
        FloatMultiply(FP16, FP16, FP16, latency=3),
        FloatMultiply(FP32, FP32, FP32, latency=4),
        FloatMultiply(BF16, FP16, FP8_E5M2, overflow="saturate", latency=0),
        FloatMultiply(FP32, BF16, FP16, latency=6),
        FloatAdd(FP16, FP16, FP16, latency=4),
        FloatAdd(FP32, FP32, FP32, latency=5),
        FloatAdd(BF16, FP8_E4M3, FP16, overflow="saturate", latency=1),
        FloatAdd(FP32, FP16, FP8_E4M3, latency=0),
        FusedMultiplyAdd(FP16, FP16, FP16, FP16, latency=2),
        FusedMultiplyAdd(FP32, FP32, FP32, FP32, latency=3),
        FusedMultiplyAdd(BF16, FP16, FP32, BF16, overflow="saturate", latency=7),
        FusedMultiplyAdd(FP8_E5M2, FP8_E4M3, FP16, FP8_E4M3, latency=0),
        FusedMultiplyAdd(BF16, BF16, BF16, FP32, latency=1),
    )
}
FP8 = (FP8_E4M3, FP8_E5M2)
PRODUCTS = {(a, b): _products(a, b, index) for index, (a, b) in enumerate((a, b) for a in FP8 for b in FP8)}
CASTS = {source: _casts(source) for source in FLOAT_FORMATS.values()}
CASTS_OF_INTEGERS = {fmt: Together(f"casts_{fmt}", _to_floats(IntegerToFloat, fmt)) for fmt in INTEGERS}


def blocks() -> dict[str, Block]:
    """All of them, by label."""
    groups = [*PRODUCTS.values(), *CASTS.values(), *CASTS_OF_INTEGERS.values()]
    return MACS | SINGLES | {group.name: group for group in groups}
