"""How to drive a bare array: when its controls are given, as told in the head of its Verilog."""

from __future__ import annotations

from collections.abc import Iterable

from tilewright.generators.config.systolic import SystolicConfig


def sequence(config: SystolicConfig) -> Iterable[tuple[str, str]]:
    """(when, what) of every step; controls that are not told are low. The bench drives the array like this."""
    if config.dataflow != "os":
        yield from _stationary(config)
    if config.dataflow in ("os", "any"):
        yield from _output_stationary(config)
    if config.dataflow == "any":
        gap = 2 * config.rows + config.cols + config.pipeline + 4
        yield "between", f"{gap} idle cycles from the last x of one dataflow to the first y of another"


def _stationary(config: SystolicConfig) -> Iterable[tuple[str, str]]:
    rows, depth = config.rows, config.pipeline
    flows = {"ws": "weight-stationary", "is": "input-stationary", "any": "weight- or input-stationary"}
    yield "", f"A {flows[config.dataflow]} tile whose first x comes in cycle t, its step s in cycle t + s:"
    hop = config.add_latency
    order = f"bottom row first; shift high in all of these {rows} cycles, done in the last one"
    if hop > 1:
        order = "top row first; load high in the first of these cycles"
    yield f"t - {rows} .. t - 1", f"y, operands to hold, {order}"
    yield "t + s", "x of step s; swap high with the first one only"
    if config.dataflow == "any":
        passing = f"pass_sum and capture high for step s{'' if config.seeded else '; clear high in all cycles'}"
        yield _after("t + s", depth), passing
    if config.seeded:
        yield _after("t + s", depth + 1), "seeds of step s"
    yield _after("t + s", rows * hop + config.cols + depth), "sums of step s"
    yield "next tile", f"its y from cycle t on, its first x after the last of this one and not before t + {rows}"


def _output_stationary(config: SystolicConfig) -> Iterable[tuple[str, str]]:
    rows, depth, every = config.rows, config.pipeline, config.add_latency
    late = depth + every - 1
    flexible = config.dataflow == "any"
    yield "", "An output-stationary tile whose first x comes in cycle t and whose last comes in cycle e:"
    if config.seeded:
        last = depth - rows - 1
        yield (
            f"{_after('t', depth - 2 * rows)} .. {_after('t', last)}",
            "seeds, bottom row first, after the last tile's capture; seed_shift high, seed_done in the last",
        )
    if flexible:
        yield "t - 1 .. e - 1", "y, one cycle before the x that it meets"
        yield f"t - 1 .. {_after('e', rows - 1)}", "shift high, done low"
        yield "t .. e", "x, a column of A a cycle; swap high, pass_sum low"
    else:
        often = "a cycle" if every == 1 else f"every {every} cycles; others may come between"
        yield "t .. e", f"x and y, a column of A and the row of B that it meets {often}"
    if config.seeded:
        yield _after("t", depth), "start high, for the first step only"
    else:
        yield _after("e", depth), "clear high, as in all cycles in which there is no step; low for all other steps"
    yield _after("e", late), "capture high"
    yield _after("e", rows + late + 1), "drain high"
    first = rows + config.cols + late
    yield f"{_after('e', first)} .. {_after('e', first + rows - 1)}", "sums, bottom row first, one row a cycle"
    seeded = ", and after its seeds" if config.seeded else ""
    yield "next tile", f"its first x after e{seeded}; its last not before {_after('e', rows)}"


def _after(cycle: str, count: int) -> str:
    return cycle if count == 0 else f"{cycle} {'+' if count > 0 else '-'} {abs(count)}"
