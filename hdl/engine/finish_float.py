"""From an accumulator to a float result, one a cycle: what each lane of a finish path does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib.wiring import In, Out

from tilewright.hdl.arith.cast import FloatCast
from tilewright.hdl.arith.drop import exceeds
from tilewright.hdl.arith.float_round import Beyond
from tilewright.hdl.arith.functions import FunctionUnit, function_unit
from tilewright.hdl.arith.window_product import POINT_BITS
from tilewright.hdl.arith.window_round import FromWindow
from tilewright.hdl.engine.records import Activation
from tilewright.hdl.numeric import BF16, FP32, FloatFormat, FxFormat, code_format
from tilewright.hdl.structure import Block, data_register, named, pipeline, place

CONVERT_STAGES = 4
FUNCTIONS: Mapping[str, Activation] = {
    "sigmoid": Activation.SIGMOID,
    "tanh": Activation.TANH,
    "silu": Activation.SILU,
    "gelu": Activation.GELU,
}
"""Functions that may be built in."""


class FloatFinish(Block):
    """``result`` is the code of ``out`` nearest to ``acc``, or to a function of it; one a cycle.

    Without an activation and with RELU: one rounding, from the accumulator to ``out``, nearest even, subnormals kept,
    NaN the one of ``out``; RELU then makes +0 of -0 and all below. A function of ``functions`` is one from bf16 to
    bf16: ``out(function(bf16(acc)))``, each of the three a rounding, and ``bf16`` with infinities. An activation that
    was not built in is none.

    Latency: ``latency`` cycles from all inputs to ``result``. No handshake; registers have no reset.

    Parameters
    ----------
    acc: FP32 or FxFormat
        Of accumulators.
    out: FloatFormat
        Of results.
    overflow: Beyond
        What becomes of what rounds beyond the largest number of ``out``, as in ``numeric.encode``.
    functions: tuple of str
        Keys of FUNCTIONS.

    Members
    -------
    acc: In, a code; point: In(signed(11)), windows only; activation: In(Activation); result: Out, a code of ``out``
    """

    def __init__(
        self,
        acc: FloatFormat | FxFormat,
        out: FloatFormat,
        overflow: Beyond = "ieee",
        functions: tuple[str, ...] = (),
    ) -> None:
        for function in functions:
            if function not in FUNCTIONS:
                raise ValueError(f"functions must be some of {', '.join(FUNCTIONS)}, got {function!r}")
        if isinstance(acc, FloatFormat) and acc != FP32:
            raise ValueError(f"accumulators must be fp32 or a window, got {acc}; nearest legal value is fp32")
        self.acc_format, self.out, self.overflow = acc, out, overflow
        self.functions = tuple(name for name in FUNCTIONS if name in functions)
        self._units: dict[str, FunctionUnit] = {name: function_unit(name) for name in self.functions}
        members = {
            "acc": In(unsigned(code_format(acc).width)),
            "activation": In(Activation),
            "result": Out(unsigned(out.width)),
        }
        if isinstance(acc, FxFormat):
            members["point"] = In(signed(POINT_BITS))
        saturates = "_sat" if overflow == "saturate" else ""
        super().__init__("_".join([f"finish_{acc}_{out}{saturates}", *self.functions]), members)

    @property
    def latency(self) -> int:
        """Cycles from the inputs to ``result``."""
        return CONVERT_STAGES + self._function_latency + self._back_latency + 1

    @property
    def _function_latency(self) -> int:
        return max((unit.latency for unit in self._units.values()), default=0)

    @property
    def _back_latency(self) -> int:
        """Cycles from bf16 to another result."""
        return CONVERT_STAGES if self._units and self._converts_back else 0

    @property
    def _converts_back(self) -> bool:
        """Whether the functions, which end in bf16 with infinities, end in something else than ``out``."""
        return self.out != BF16 or self.overflow != "ieee"

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        late = self._function_latency + self._back_latency
        direct = self._converted(m, platform, self.out, self.overflow, "direct")
        found = {Activation.NONE: pipeline(m, direct, late, "direct")}
        if self._units:
            operand = direct
            if self._converts_back:
                operand = self._converted(m, platform, BF16, "ieee", "operand")
            activation = pipeline(m, self.activation, CONVERT_STAGES + self._function_latency, "function")
            value = self._function(m, platform, operand, activation)
            if self._converts_back:
                m.submodules.back = place(platform, back := self._cast(BF16))
                m.d.comb += back.code.eq(value)
                value = back.result
            found |= {FUNCTIONS[name]: value for name in self._units}
        activation = pipeline(m, self.activation, CONVERT_STAGES + late, "activation")
        code = Signal(self.out.width, name="code")
        plain = found.pop(Activation.NONE)
        rectified = named(m, self._rectified(m, plain), "rectified")
        with m.Switch(activation):
            with m.Case(Activation.RELU.value):
                m.d.comb += code.eq(rectified)
            if found:
                with m.Case(*(activation.value for activation in found)):
                    m.d.comb += code.eq(next(iter(found.values())))
            with m.Default():
                m.d.comb += code.eq(plain)
        m.d.comb += self.result.eq(data_register(m, code, "result"))
        return m

    def _cast(self, source: FloatFormat) -> FloatCast:
        return FloatCast(source, self.out, overflow=self.overflow, latency=CONVERT_STAGES)

    def _converted(self, m: Module, platform: Any, target: FloatFormat, overflow: Beyond, name: str) -> Value:
        """The accumulator as a code of ``target``."""
        if isinstance(self.acc_format, FxFormat):
            rounder = FromWindow(self.acc_format, target, overflow=overflow, latency=CONVERT_STAGES)
            m.submodules[name] = place(platform, rounder)
            m.d.comb += [rounder.total.eq(self.acc), rounder.point.eq(self.point)]
            return rounder.code
        cast = FloatCast(self.acc_format, target, overflow=overflow, latency=CONVERT_STAGES)
        m.submodules[name] = place(platform, cast)
        m.d.comb += cast.code.eq(self.acc)
        return cast.result

    def _function(self, m: Module, platform: Any, operand: Value, activation: Value) -> Value:
        """The function of ``operand`` that ``activation``, which comes with the results, tells."""
        chosen, results = Signal(BF16.width, name="function_result"), {}
        for name, unit in self._units.items():
            m.submodules[name] = place(platform, unit)
            m.d.comb += unit.x.eq(operand)
            results[name] = pipeline(m, unit.y, self._function_latency - unit.latency, name)
        with m.Switch(activation):
            for name, result in results.items():
                with m.Case(FUNCTIONS[name].value):
                    m.d.comb += chosen.eq(result)
        return chosen

    def _rectified(self, m: Module, code: Value) -> Value:
        """``max(code, 0)``; NaN stays."""
        fmt = self.out
        beyond = fmt.largest_bits if fmt.infinity_bits is None else fmt.infinity_bits
        nan = named(m, exceeds(code[:-1], beyond), "nan")
        return Mux(code[-1] & ~nan, 0, code)
