"""Counts in simulation what moves inside a core: counters bound to its modules from outside, for any configuration."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.cells import models
from tilewright.generators.emit.elaborate import core_parameters, modules
from tilewright.hdl.numeric import code_format
from tilewright.hdl.systolic.records import Start
from tilewright.sim_tests.drivers.core_ports import core_streams
from tilewright.sim_tests.drivers.core_session import CoreSession
from tilewright.sim_tests.harness.build import Build, BuildSpec, make
from tilewright.sim_tests.harness.ports import make_interface

# Module, name of the count, condition in terms of the module's ports.
_COUNTS = (
    ("scratchpad_a", "a_words", "read"),
    ("scratchpad_b", "b_words", "read"),
    ("c_region", "c_reads", "array_read"),
    ("c_region", "c_writes", "array_write"),
    ("streamer", "steps", "active"),
)
# In elements that can do both, their controls tell what a sum does; with them every single hop is counted.
_PASSES, _CAPTURES = "pass_sum_out", "capture_out && !pass_sum_out"
_EVENT = re.compile(r"moved (\w+) (\S+)")
_ROW = re.compile(r"row_(\d+)|row\[(\d+)\]")


@dataclass(frozen=True)
class Moved:
    """Counts of one command: those of `Movement`, and ``sum_hops`` where elements tell (None elsewhere)."""

    steps: int
    a_words: int
    b_words: int
    c_reads: int
    c_writes: int
    sum_hops: int | None


def count_movement(config: SystolicConfig, shape: tuple[int, int, int], dataflow: int, *, start: Start) -> Moved:
    """Runs one command of M x N x K on the RTL of ``config``, compares its C, and counts what moves meanwhile."""
    m, n, k = shape
    parameters, build = core_parameters(config), _build(config)
    rng = np.random.default_rng(1)
    left, right = code_format(config.a), code_format(config.b)
    a = rng.integers(left.min, left.max, (m, k), endpoint=True)
    b = rng.integers(right.min, right.max, (k, n), endpoint=True)
    old, bias = (rng.integers(-9, 9, (rows, n)) for rows in (m, 1))
    session = CoreSession(parameters)
    bias_base = m * -(-n // parameters.c_memory.lanes)
    loads = [session.load("load_a", a), session.load("load_b", b), session.load("load_c", old)]
    loads.append(session.load("load_c", bias, bias_base))
    done = session.command(m, n, k, dataflow, bias=bias_base, start=start, after=loads)
    session.read(m, n, after=[done])
    result = session.run(build)
    expected = a @ b + {Start.ZERO: np.zeros_like(old), Start.BIAS: bias, Start.ACCUMULATE: old}[start]
    if not np.array_equal(result.matrices[0], expected):
        raise result.run.failure("the counted command computed a wrong C")
    events = Counter(_EVENT.findall(result.result.log))
    totals = Counter[str]()
    for (name, _), amount in events.items():
        totals[name] += amount
    hops = totals["passes"] + sum(
        amount * (config.rows - _row(place)) for (name, place), amount in events.items() if name == "captures"
    )
    told = hops if _elements_tell(config) else None
    return Moved(
        steps=totals["steps"],
        a_words=totals["a_words"],
        b_words=totals["b_words"],
        c_reads=totals["c_reads"],
        c_writes=totals["c_writes"],
        sum_hops=told,
    )


def _elements_tell(config: SystolicConfig) -> bool:
    return config.dataflow == "any" and not config.seeded


@lru_cache(maxsize=4)
def _build(config: SystolicConfig) -> Build:
    parameters = core_parameters(config)
    written = modules(config)
    sources = {f"{module.name}.v": module.text for module in written} | models(written)
    element = parameters.element.name if _elements_tell(config) else ""
    sources["counters.sv"] = _bindings(config.module_name, element)
    return make(BuildSpec(sources, make_interface(config.module_name, core_streams(parameters))))


def _row(place: str) -> int:
    found = _ROW.search(place)
    if found is None:
        raise ValueError(f"{place} names no row")
    return int(found[1] or found[2])


def _bindings(prefix: str, element: str) -> str:
    """A module that tells of every cycle in which its input is high, bound to all that is counted."""
    counts = list(_COUNTS)
    if element:
        counts += [(element, "passes", _PASSES), (element, "captures", _CAPTURES)]
    text = """module mover #(parameter NAME = "") (input wire clk, input wire rst, input wire moves);
  always @(posedge clk) if (!rst && moves) $display("moved %s %m", NAME);
endmodule
"""
    for module, name, condition in counts:
        ports = f".clk(clk), .rst(rst), .moves({condition})"
        text += f'bind {prefix}_{module} mover #(.NAME("{name}")) moved_{name} ({ports});\n'
    return text
