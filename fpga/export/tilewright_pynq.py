"""A Tilewright engine on a PYNQ board: numpy arrays in, numpy arrays out.

Needs Python 3.9 or newer, numpy and, for `Accelerator.connect`, pynq; nothing else of Tilewright. It stands beside
tilewright_program.py, the bitstream (.bit, .hwh) and the description of the engine (.json), which has registers,
instructions and codes as data.

    with Accelerator.connect("design.bit", "tilewright_engine.json") as engine:
        c = engine.matmul(a, b)

A sketch: one core, products and a bias, one step after the other. Run programs of other instructions with `run`.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.fpga.export.tilewright_program import product_program

_WATCHDOG = 10_000_000  # cycles without progress


class Accelerator:
    """An engine behind registers, and buffers that it reads and writes.

    Args:
        mmio: the engine's registers: ``read(offset)`` gives 32 bits, ``write(offset, value)`` writes them.
        allocate: ``allocate(shape, dtype)`` gives an array in memory that the engine reaches, with the attributes
            ``physical_address``, ``flush()``, ``invalidate()`` and ``freebuffer()``, as `pynq.allocate` does.
        description: what the .json file tells.
        timeout: seconds that a run may take.

    Attributes:
        last: counters of the last run by name, in cycles and beats.

    Raises:
        ValueError: the registers are those of another engine.
    """

    def __init__(
        self, mmio: Any, allocate: Callable[..., Any], description: dict[str, Any], *, timeout: float = 10.0
    ) -> None:
        self.config = description["parameters"]
        self.last: dict[str, int] = {}
        self._mmio, self._allocate, self._told, self._timeout = mmio, allocate, description, timeout
        self._offsets = {register["name"]: register["offset"] for register in description["registers"]}
        for name, value in description["constants"].items():
            found = self.read(name)
            if found != value:
                raise ValueError(
                    f"the bitstream must be the one of this description: register {name} must be 0x{value:08x}, "
                    f"got 0x{found:08x}"
                )
        self.write("watchdog", _WATCHDOG)

    @classmethod
    def connect(cls, bitstream: str, description: str, *, name: str = "") -> Accelerator:
        """Loads ``bitstream``; the engine is the IP ``name`` of its block design, by default the module with ``_0``."""
        pynq = import_module("pynq")
        told = json.loads(Path(description).read_text())
        overlay = pynq.Overlay(bitstream)
        return cls(getattr(overlay, name or f"{told['module']}_0").mmio, pynq.allocate, told)

    def __enter__(self) -> Accelerator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends what may still be under way."""
        if self.read("status") & 1:
            self.write("control", 2)

    def read(self, name: str) -> int:
        """The register ``name``."""
        return int(self._mmio.read(self._offsets[name]))

    def write(self, name: str, value: int) -> None:
        """Writes the register ``name``."""
        self._mmio.write(self._offsets[name], value)

    def matmul(self, a: Any, b: Any, *, bias: Any = None) -> Any:
        """``bias + a @ b``: M x K numbers of format ``a``, K x N of ``b``, N of ``acc``; M x N numbers of ``acc``.

        Raises:
            ValueError: an operand that does not fit.
            RuntimeError: the engine has failed; TimeoutError: it does not end.
        """
        left, right = self._codes("a", a, 2), self._codes("b", b, 2)
        (m, k), n = left.shape, right.shape[1]
        if right.shape[0] != k or not (m and n and k):
            raise ValueError(f"a and b must be M x K and K x N, none of them 0, got {left.shape} and {right.shape}")
        start = None if bias is None else self._codes("acc", bias, 1, "bias")
        if start is not None and start.shape != (n,):
            raise ValueError(f"bias must have {n} values, got {len(start)}")
        held = [self._buffer(values) for values in (left, right, *(() if start is None else (start,)))]
        held.append(self._allocate((m, n), f"<i{self._told['container_bytes']['acc']}"))
        result, places = held[-1], [buffer.physical_address for buffer in held]
        try:
            at_bias = None if start is None else places[2]
            self.run(product_program(self._told, (m, n, k), places[0], places[1], at_bias, places[-1]))
            result.invalidate()
            return self._numbers(np.array(result))
        finally:
            for buffer in held:
                buffer.freebuffer()

    def run(self, program: bytes) -> None:
        """Runs a program, 64 bytes an instruction, to its end. Raises RuntimeError and TimeoutError."""
        buffer = self._buffer(np.frombuffer(program, dtype=np.uint8))
        try:
            self._until("status", busy=1)
            self.write("interrupt", 1)  # of a run that was told to stop: it would end this one at once
            self.write("program_low", buffer.physical_address & 0xFFFFFFFF)
            self.write("program_high", buffer.physical_address >> 32)
            self.write("program_count", len(program) // 64)
            self.write("control", 1)
            self._until("interrupt", busy=0)
            self.write("interrupt", 1)
            status = self.read("status")
        finally:
            buffer.freebuffer()
        if status >> 2 & 1:
            causes = {value: name for name, value in self._told["cause"].items()}
            cause, detail, tag = (status >> low & 0xFF for low in (8, 16, 24))
            raise RuntimeError(f"the engine has failed: {causes.get(cause, cause)}, detail {detail}, tag {tag}")
        halves = [name[:-4] for name in self._offsets if name.endswith("_low") and name != "program_low"]
        self.last = {name: self.read(f"{name}_low") | self.read(f"{name}_high") << 32 for name in halves}

    def _until(self, name: str, *, busy: int) -> None:
        """Waits while bit 0 of the register ``name`` is ``busy``."""
        end = time.monotonic() + self._timeout
        while self.read(name) & 1 == busy:
            if time.monotonic() > end:
                self.write("control", 2)
                raise TimeoutError(f"the engine must end within {self._timeout} s; it was told to stop")

    def _buffer(self, values: Any) -> Any:
        """A buffer that holds ``values``, in memory and not in a cache."""
        buffer = self._allocate(values.shape, values.dtype)
        buffer[:] = values
        buffer.flush()
        return buffer

    def _codes(self, operand: str, values: Any, dimensions: int, name: str = "") -> Any:
        """``values`` as they lie in memory."""
        fmt, name = self.config[operand], name or operand
        array = np.asarray(values)
        if array.ndim != dimensions:
            raise ValueError(f"{name} must have {dimensions} dimensions, got {array.ndim}")
        floats = {"fp16": "<f2", "fp32": "<f4"}
        if fmt in floats:
            return array.astype(floats[fmt])
        if fmt == "bf16":  # rounded to nearest even; a NaN stays one
            bits = array.astype("<f4").view("<u4")
            rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
            return np.where(np.isnan(array), 0x7FC0, rounded).astype("<u2")
        unsigned, width = self._integer(fmt)
        low, high = (0, (1 << width) - 1) if unsigned else (-1 << width - 1, (1 << width - 1) - 1)
        if array.dtype.kind not in "iu" or (array.size and not low <= array.min() <= array.max() <= high):
            raise ValueError(f"{name} must be integers of {fmt}, {low}..{high}")
        return array.astype(f"<{'u' if unsigned else 'i'}{self._told['container_bytes'][operand]}")

    def _numbers(self, codes: Any) -> Any:
        """Accumulators out of their containers, whose bits above the code are undefined."""
        fmt = self.config["acc"]
        if fmt == "fp32":
            return codes.view("<f4")
        above = 8 * codes.dtype.itemsize - self._integer(fmt)[1]
        return codes << above >> above

    @staticmethod
    def _integer(fmt: str) -> tuple[bool, int]:
        """Whether a format of integers is unsigned, and its bits."""
        found = re.fullmatch(r"(u?)int(\d+)", fmt)
        if found is None:
            raise ValueError(f"formats must be integers, bf16, fp16 or fp32 here, got {fmt}")
        return bool(found[1]), int(found[2])
