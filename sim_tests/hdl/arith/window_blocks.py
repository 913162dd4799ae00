"""Requantisers and windows as blocks."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.drop import drop, exceeds
from tilewright.hdl.arith.requantise import Requantise
from tilewright.hdl.arith.window_accumulate import window_accumulate
from tilewright.hdl.arith.window_dot import window_dot
from tilewright.hdl.arith.window_product import POINT_BITS
from tilewright.hdl.arith.window_round import FromWindow
from tilewright.hdl.arith.window_tally import WindowTally
from tilewright.hdl.numeric import FloatFormat, FxFormat, IntFormat
from tilewright.hdl.structure import Block, Repeat, pipeline


class Drop(Block):
    """``value`` without its last ``places``."""

    def __init__(self, value_width: int, places_width: int, width: int) -> None:
        self.value_width, self.places_width, self.width = value_width, places_width, width
        members = {"value": In(signed(value_width)), "places": In(unsigned(places_width)), "whole": Out(signed(width))}
        members |= {flag: Out(1) for flag in ("half", "behind", "too_large")}
        super().__init__(f"drop_{value_width}_{places_width}_{width}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        dropped = drop(m, self.value, self.places, self.width, "dropped")
        m.d.comb += [getattr(self, field).eq(getattr(dropped, field)) for field in ("whole", "half", "behind")]
        m.d.comb += self.too_large.eq(dropped.large)
        return m


class Exceeds(Block):
    """Bit ``i`` of an answer: whether ``value`` exceeds the ``i``-th number of its kind."""

    def __init__(self, width: int) -> None:
        self.width = width
        answers = Out(unsigned(1 << width))
        super().__init__(
            f"exceeds_{width}", {"value": In(unsigned(width)), "as_unsigned": answers, "as_signed": answers}
        )

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        count, half = 1 << self.width, 1 << (self.width - 1)
        m.d.comb += [
            self.as_unsigned.eq(Cat(exceeds(self.value, limit) for limit in range(count))),
            self.as_signed.eq(Cat(exceeds(self.value.as_signed(), limit) for limit in range(-half, half))),
        ]
        return m


class WindowMac(Block):
    """``total = start + dot(x, w)`` in a window, ``pipeline`` cycles after ``x`` and ``w``, at once after ``start``."""

    def __init__(self, x: str, w: str, width: int, vector: int = 1, pipeline: int = 0) -> None:
        self.formats = FloatFormat.parse(x), FloatFormat.parse(w)
        self.window, self.vector, self.pipeline = FxFormat(width), vector, pipeline
        members = {
            "x": In(unsigned(vector * self.formats[0].width)),
            "w": In(unsigned(vector * self.formats[1].width)),
            "present": In(unsigned(vector)),
            "point": In(signed(POINT_BITS)),
            "start": In(unsigned(width + 3)),
            "total": Out(unsigned(width + 3)),
        }
        super().__init__(f"window_mac_{x}_{w}_fx{width}_v{vector}_p{pipeline}", members)

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        width = self.window.width
        step = window_dot(m, self.x, self.w, *self.formats, self.vector, self.pipeline, self.present, self.point, width)
        m.d.comb += self.total.eq(window_accumulate(m, self.start, step, width).as_value())
        return m


class WindowLoop(Block):
    """An accumulator: a step a cycle, from 0 with the one whose term comes beside ``first``."""

    def __init__(self, fmt: str, width: int) -> None:
        self.format, self.window = FloatFormat.parse(fmt), FxFormat(width)
        code = unsigned(self.format.width)
        members = {"x": In(code), "w": In(code), "first": In(1), "point": In(signed(POINT_BITS))}
        super().__init__(f"window_loop_{fmt}_fx{width}", members | {"total": Out(unsigned(width + 3))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        width, held = self.window.width, Signal(self.window.width + 3, reset_less=True)
        step = window_dot(m, self.x, self.w, self.format, self.format, 1, 2, Const(1), self.point, width)
        start = Mux(pipeline(m, self.first, 2, "first"), 0, held)
        m.d.sync += held.eq(window_accumulate(m, start, step, width).as_value())
        m.d.comb += self.total.eq(held)
        return m


def _requantise(acc: int, out: str, rounding: str, pipeline: int) -> Requantise:
    return Requantise(acc, IntFormat.parse(out), rounding, pipeline)  # type: ignore[arg-type]


def _from_window(width: int, out: str, overflow: str = "ieee", latency: int = 0) -> FromWindow:
    return FromWindow(FxFormat(width), FloatFormat.parse(out), overflow=overflow, latency=latency)  # type: ignore[arg-type]


REQUANTISERS = {
    "even_int8": _requantise(33, "int8", "half_even", 3),
    "even_uint8": _requantise(32, "uint8", "half_even", 0),
    "even_int16": _requantise(33, "int16", "half_even", 5),
    "even_uint16": _requantise(2, "uint16", "half_even", 4),
    "away_int8": _requantise(33, "int8", "half_away", 1),
    "away_uint4": _requantise(19, "uint4", "half_away", 2),
    "twice_int8": _requantise(33, "int8", "double_rounding", 2),
    "twice_int16": _requantise(33, "int16", "double_rounding", 3),
    "twice_uint1": _requantise(24, "uint1", "double_rounding", 0),
}
LANES = 4
"""Products of bytes that are made at once."""
MACS = {
    "bf16_fx48": WindowMac("bf16", "bf16", 48, pipeline=3),
    "bf16_fx17": WindowMac("bf16", "bf16", 17),
    "fp16_fx48": WindowMac("fp16", "fp16", 48, pipeline=1),
    "fp16_fx23": WindowMac("fp16", "fp16", 23),
    "bf16_e4m3_fx37": WindowMac("bf16", "fp8_e4m3", 37, pipeline=2),
    "fp32_fx64": WindowMac("fp32", "fp32", 64),
    "e5m2_e4m3_fx8": WindowMac("fp8_e5m2", "fp8_e4m3", 8),
    "bf16_fx64": WindowMac("bf16", "bf16", 64, pipeline=2),
    "bf16_fx48_v2": WindowMac("bf16", "bf16", 48, 2, 3),
    "e4m3_fx64_v4": WindowMac("fp8_e4m3", "fp8_e4m3", 64, 4, 2),
    "e5m2_fx12_v8": WindowMac("fp8_e5m2", "fp8_e5m2", 12, 8),
    "e4m3_e5m2_fx20_v16": WindowMac("fp8_e4m3", "fp8_e5m2", 20, 16, 1),
}
BYTES = {
    "e4m3_fx32": WindowMac("fp8_e4m3", "fp8_e4m3", 32),
    "e4m3_e5m2_fx32": WindowMac("fp8_e4m3", "fp8_e5m2", 32, pipeline=1),
    "e5m2_e4m3_fx32": WindowMac("fp8_e5m2", "fp8_e4m3", 32, pipeline=3),
    "e5m2_fx32": WindowMac("fp8_e5m2", "fp8_e5m2", 32, pipeline=2),
}
ROUNDERS = {
    "fx48_fp32": _from_window(48, "fp32"),
    "fx64_fp32": _from_window(64, "fp32", latency=3),
    "fx48_bf16": _from_window(48, "bf16", latency=1),
    "fx17_bf16": _from_window(17, "bf16", "saturate"),
    "fx48_fp16": _from_window(48, "fp16", latency=2),
    "fx32_fp16": _from_window(32, "fp16", "saturate", 4),
    "fx32_e4m3": _from_window(32, "fp8_e4m3"),
    "fx32_e4m3_sat": _from_window(32, "fp8_e4m3", "saturate", 2),
    "fx2_e5m2": _from_window(2, "fp8_e5m2", latency=5),
}
DROPS = {"drop_10": Drop(10, 4, 5), "drop_40": Drop(40, 6, 9), "drop_5": Drop(5, 3, 12), "drop_12": Drop(12, 2, 4)}
EXCEEDS = Exceeds(4)
TALLIES = {"tally_1": WindowTally(1), "tally_3": WindowTally(3, 4), "tally_16": WindowTally(16, 9)}
LOOP = WindowLoop("bf16", 40)


def _lanes(mac: WindowMac) -> Repeat:
    """Many of one: lane ``i`` of a port is that of the ``i``-th."""
    return Repeat(f"{mac.name}_lanes", mac, LANES, label="lane", chain={}, shared=("point", "present"))


def blocks() -> dict[str, Block]:
    """All of them, by label."""
    lanes = {label: _lanes(mac) for label, mac in BYTES.items()}
    return REQUANTISERS | MACS | lanes | ROUNDERS | TALLIES | DROPS | {"loop": LOOP, "exceeds": EXCEEDS}
