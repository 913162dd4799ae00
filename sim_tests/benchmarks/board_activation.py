"""When each fault of a board's design would first have made a difference, seen in a run in which none is awake."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tilewright.sim_tests.benchmarks.mutants import MOST

ACTIVATED = "TILEWRIGHT_ACTIVATED"
NEVER = "1'b0"
WATCH = f"""module mutant_watch (input wire clk, input wire [{MOST}:0] differs);
  reg [31:0] cycle = 0;
  reg [{MOST}:0] seen = 0;
  wire [{MOST}:0] fresh = differs & ~seen;
  integer i;
  always @(posedge clk or negedge clk) begin
    if (clk)
      cycle <= cycle + 1;
    if (|fresh) begin
      seen <= seen | fresh;
      for (i = 0; i <= {MOST}; i = i + 1)
        if (fresh[i])
          $c("if (const char* name = std::getenv(\\"{ACTIVATED}\\")) if (FILE* file = std::fopen(name, \\"a\\")) {{ ",
             "std::fprintf(file, \\"%u %u\\\\n\\", unsigned(", i, "), unsigned(", cycle, ")); std::fclose(file); }}");
    end
  end
endmodule
"""
"""Tells of each fault in which cycle it first made a difference, at an edge of the clock."""


def watches(differences: Mapping[int, str]) -> Iterator[str]:
    """Lines of a module with a clock ``clk`` in which faults sleep: expressions that are 1 where one differs."""
    yield f"wire [{MOST}:0] differs;"
    for number in range(MOST + 1):
        yield f"assign differs[{number}] = {differences.get(number, NEVER)};"
    yield "(* keep *) mutant_watch watch (.clk(clk), .differs(differs));"


@contextmanager
def watched() -> Iterator[dict[int, int]]:
    """Cycles of first activation, by fault, of what is simulated while this lasts; complete after it."""
    found: dict[int, int] = {}
    before = os.environ.get(ACTIVATED)
    with tempfile.TemporaryDirectory(prefix="tilewright-mutants-") as folder:
        told = Path(folder) / "activated"
        os.environ[ACTIVATED] = str(told)
        try:
            yield found
        finally:
            os.environ.pop(ACTIVATED)
            if before is not None:
                os.environ[ACTIVATED] = before
            if told.exists():
                found |= {int(n): int(cycle) for n, cycle in map(str.split, told.read_text().splitlines())}
