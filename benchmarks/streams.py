"""cycles of products on an engine with AXI4-Stream ports against one with a memory port, memory 60 cycles away"""

from __future__ import annotations

import sys

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.engines import NARROW, Shape
from tilewright.sim_tests.benchmarks.record import record
from tilewright.sim_tests.drivers.engine_products import measure, name

SHAPES: tuple[Shape, ...] = ((16, 16, 16), (64, 64, 64), (256, 256, 256))


def main() -> int:
    """The same plans on both; streams must not be slower."""
    streams = EngineConfig(**{**NARROW.model_dump(), "data_ports": "axi4-stream"})
    figures = []
    for shape in SHAPES:
        port = measure(NARROW, shape).cycles
        stream = measure(streams, shape).cycles
        print(f"{name(shape)}: {stream:,} cycles with streams, {port:,} with a memory port", flush=True)
        of = f"{name(shape)}, int8 results"
        figures += [Figure(of, "streams", stream, "cycles", most=port), Figure(of, "memory port", port, "cycles")]
    title = (
        "16x16 int8 engine, 128 bits, memory latency 60 with jitter 8, DMA latency 60: cycles from start to interrupt"
    )
    return record("streams", title, figures)


if __name__ == "__main__":
    sys.exit(main())
