"""Small engines for tests of programs."""

from __future__ import annotations

from tilewright.generators.config.engine import EngineConfig
from tilewright.hdl.numeric import BF16, FP32, IntFormat

SMALL = EngineConfig(rows=4, cols=4, a_words=60, b_words=50, c_words=42)
WIDE = EngineConfig(rows=3, cols=5, dataflow="any", vector=2, a_words=40, b_words=48, c_words=30, bus_bits=64)
ENGINES = {
    "ws": SMALL,
    "os": EngineConfig(rows=3, cols=5, dataflow="os", a_words=40, b_words=64, c_words=36, bus_bits=32),
    "is": EngineConfig(rows=5, cols=3, dataflow="is", vector=2, a_words=40, b_words=40, c_words=36, bus_bits=256),
    "any": WIDE,
    "int4": EngineConfig(
        rows=2, cols=2, a=IntFormat(4), b=IntFormat(12, False), acc=IntFormat(24), result=IntFormat(6),
        overflow="saturate", a_words=40, b_words=40, c_words=30, bus_bits=512,
    ),
    "bf16": EngineConfig(rows=2, cols=3, a=BF16, b=BF16, acc=FP32, a_words=40, b_words=40, c_words=24),
}  # fmt: skip

GOAL = EngineConfig(a_words=1008, b_words=1008, c_words=260)
"""16x16 int8, 128-bit port, 64 KiB of buffers."""
