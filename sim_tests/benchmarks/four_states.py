"""Faults under Icarus Verilog, which knows memory that nobody has written: its X must not reach an output."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from tilewright.generators.emit import generate
from tilewright.sim_tests.benchmarks.mutants import Mutant, Planted
from tilewright.sim_tests.harness.tools import icarus

SECONDS = 600

_CHOICE = """module mutant_choice (output reg [7:0] chosen);
  initial if (!$value$plusargs("mutant=%d", chosen)) chosen = 0;
endmodule
"""


class FourStates:
    """The bench of the core's output folder, which compares with ``===``, on the core with its faults."""

    def __init__(self, planted: Planted) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="tilewright-mutants-")
        self._folder = Path(self._temporary.name)
        files = dict(generate(planted.design.config))
        files |= {**planted.sources, "choice.v": _CHOICE}
        for name, text in files.items():
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        sources = [*planted.sources, f"tb_{planted.top}.v"]
        command = [*icarus().iverilog.command, "-g2005-sv", "-o", "sim", *sources]
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True)

    def finds(self, mutant: Mutant | None) -> str:
        """What the bench says that is wrong while ``mutant`` is awake; "" if nothing."""
        command = [*icarus().vvp.command, "-n", "sim", f"+mutant={mutant.number if mutant else 0}"]
        try:
            done = subprocess.run(
                command, cwd=self._folder, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"no end after {SECONDS} s"
        return "" if done.returncode == 0 else (done.stdout.strip() or "it ended at once").splitlines()[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._temporary.cleanup()
