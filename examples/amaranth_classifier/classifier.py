"""A GEMM core as a part of one's own Amaranth design: classes of inputs, the largest sum of every row of X @ W.

Simulated by Amaranth itself, and written as Verilog in which every distinct component is one module.

    python classifier.py [FILE.v]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from amaranth.hdl import Const, Module, Mux, Signal, signed
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out, connect, flipped
from amaranth.sim import Simulator
from numpy.typing import NDArray

from tilewright import systolic_config
from tilewright.generators.emit.elaborate import core_parameters
from tilewright.generators.emit.emitter import Emitter
from tilewright.hdl.structure import Block, place
from tilewright.hdl.systolic.core import GemmCore
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.hdl.systolic.records import Status

SIZES = {"rows": 4, "cols": 3, "dataflow": "is", "max_m": 16, "max_n": 3, "max_k": 16}


class Classifier(Block):
    """``classes`` gives the number of the largest sum of each row of C that is read; the first among equals.

    A row must be one beat: N is at most the core's lanes. Latency from C to its class: 0 cycles. The other streams
    are those of the core (see `GemmCore`).
    """

    FORWARDED = (
        "command",
        "completion",
        *(f"load_{m}_{part}" for m in "ab" for part in ("command", "beats", "answer")),
        "read_c_command",
        "read_c_answer",
    )

    def __init__(self, parameters: CoreParameters) -> None:
        self.core = GemmCore(parameters)
        members: dict[str, Any] = {name: self.core.signature.members[name] for name in self.FORWARDED}
        super().__init__("", members | {"classes": Out(stream.Signature(8))})

    def elaborate(self, platform: Any) -> Module:
        """The hardware."""
        m = Module()
        # An instance of a shared module when Verilog is written, the core itself in a simulation.
        m.submodules.core = place(platform, self.core)
        for name in self.FORWARDED:
            inside, outside = getattr(self.core, name), getattr(self, name)
            inward = self.core.signature.members[name].flow is In
            connect(m, *((flipped(outside), inside) if inward else (inside, flipped(outside))))

        c, width = self.core.read_c_beats, self.core.parameters.acc.width
        best, number = Const(0, signed(width)), Const(0, 8)
        for lane in range(self.core.parameters.c_memory.lanes):
            value = c.payload.data[lane * width : (lane + 1) * width].as_signed()
            better = Signal(name=f"better_{lane}")
            m.d.comb += better.eq(c.payload.keep[lane] & ((value > best) | (lane == 0)))
            best, number = Mux(better, value, best), Mux(better, lane, number)
        m.d.comb += [
            self.classes.payload.eq(number),
            self.classes.valid.eq(c.valid),
            c.ready.eq(self.classes.ready),
        ]
        return m


def classify(design: Classifier, x: NDArray[np.int64], w: NDArray[np.int64]) -> list[int]:
    """Classes of the rows of ``x``, by Amaranth's simulator."""
    p = design.core.parameters
    m, k, n = *x.shape, w.shape[1]
    found: list[int] = []

    async def give(context: Any, port: Any, payload: Any) -> None:
        context.set(port.valid, 1)
        context.set(port.payload, payload)
        await context.tick().until(port.ready)
        context.set(port.valid, 0)

    async def take(context: Any, port: Any) -> Any:
        context.set(port.ready, 1)
        (payload,) = await context.tick().sample(port.payload).until(port.valid)
        context.set(port.ready, 0)
        return payload

    async def load(context: Any, name: str, matrix: NDArray[np.int64], lanes: int, width: int) -> None:
        await give(context, getattr(design, f"load_{name}_command"), {"rows": len(matrix), "cols": matrix.shape[1]})
        starts = range(0, matrix.shape[1], lanes)
        for row, start in ((row, start) for row in range(len(matrix)) for start in starts):
            values = matrix[row, start : start + lanes].tolist()
            beat = {
                "data": sum((value & ((1 << width) - 1)) << lane * width for lane, value in enumerate(values)),
                "keep": (1 << len(values)) - 1,
                "last": row == len(matrix) - 1 and start == starts[-1],
            }
            await give(context, getattr(design, f"load_{name}_beats"), beat)
        answer = await take(context, getattr(design, f"load_{name}_answer"))
        assert answer["status"] == Status.OK

    async def program(context: Any) -> None:
        await load(context, "a", x, p.a_memory.lanes, p.a.width)
        await load(context, "b", w, p.b_memory.lanes, p.b.width)
        await give(context, design.command, {"m": m, "n": n, "k": k, "dataflow": Dataflow.IS})
        assert (await take(context, design.completion))["status"] == Status.OK
        await give(context, design.read_c_command, {"rows": m, "cols": n})

    async def collect(context: Any) -> None:
        for _ in range(m):
            found.append(int(await take(context, design.classes)))

    simulator = Simulator(design)
    simulator.add_clock(10e-9)
    simulator.add_testbench(program)
    simulator.add_testbench(collect)
    simulator.run()
    return found


def verilog() -> str:
    """The design as Verilog, leaves first."""
    emitter = Emitter("classifier")
    emitter.emit(new())
    return "\n".join(module.text for module in emitter.modules())


def new() -> Classifier:
    """The design with the sizes of the example."""
    return Classifier(core_parameters(systolic_config(SIZES)))


def main() -> None:
    """Compares the simulated classes with numpy's; writes the Verilog where a file is named."""
    rng = np.random.default_rng(7)
    x, w = rng.integers(-128, 128, (6, 9)), rng.integers(-128, 128, (9, 3))
    found = classify(new(), x, w)
    print("classes by the design", found)
    print("classes by numpy     ", np.argmax(x @ w, axis=1).tolist())
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(verilog())


if __name__ == "__main__":
    main()
