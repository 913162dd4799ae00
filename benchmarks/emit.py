"""time and size of the Verilog of a 128x128 core"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tilewright.generators.config.systolic import systolic_config
from tilewright.generators.report.figures import Figure
from tilewright.sim_tests.benchmarks.record import record

NAME = "core"


@dataclass(frozen=True)
class Emitted:
    """What one run of the command line took and gave: processor seconds, bytes of Verilog, definitions by module."""

    seconds: float
    size: int
    modules: Counter[str]


def emitted(size: int, *, deeper: int = 1) -> Emitted:
    """A ``size`` x ``size`` weight-stationary core by the command line.

    Its scratchpads are ``deeper`` times as deep as those that hold 512 x 512 x 512.
    """
    fields = {"rows": size, "cols": size, "dataflow": "ws", "max_m": 512, "max_n": 512, "max_k": 512}
    pads = systolic_config(fields).scratchpads
    words = [
        "--module-name",
        NAME,
        "--product",
        "core",
        "--dataflow",
        "ws",
        "--rows",
        size,
        "--cols",
        size,
        "--a",
        "int8",
        "--b",
        "int8",
    ]
    words += ["--max-m", 512, "--max-n", 512, "--max-k", 512]
    for name, pad in (("a", pads.a), ("b", pads.b), ("c", pads.c)):
        words += [f"--{name}-words", pad.words * deeper]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        start = _processor_seconds()
        program = "from tilewright.generators.cli import main; main()"
        command = [sys.executable, "-c", program, "systolic", *map(str, words), "-o", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = _processor_seconds() - start
        text = (out / f"{NAME}.v").read_text()  # the design; its test bench lies beside it
    return Emitted(seconds, len(text.encode()), Counter(re.findall(r"^module (\w+)", text, re.M)))


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """The core itself, one with scratchpads twice as deep, one of a quarter of the size."""
    whole, deeper, smaller = emitted(128), emitted(128, deeper=2), emitted(64)
    repeated = sum(count - 1 for count in whole.modules.values())
    of = "128x128 ws int8, scratchpads for 512 x 512 x 512"
    figures = [
        Figure(of, "processor time", round(whole.seconds, 1), "s", most=20),
        Figure(of, "Verilog", whole.size, "bytes", most=200_000),
        Figure(of, "more with scratchpads twice as deep", deeper.size - whole.size, "bytes", most=10),
        Figure(of, "modules", len(whole.modules), ""),
        Figure(of, "modules more than 64x64", len(whole.modules) - len(smaller.modules), "", most=0),
        Figure(of, "modules defined twice", repeated, "", most=0),
    ]
    return record("emit", "Generation by the command line, whole process", figures, simulated=False)


if __name__ == "__main__":
    sys.exit(main())
