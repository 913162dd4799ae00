"""Requests of every sequencer, held against the layout contract: which elements lie where."""

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright.hdl.memory import Geometry
from tilewright.hdl.systolic.parameters import CoreParameters, Dataflow
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.systolic.blocks import CORES, CURSORS

WS, OS, IS = Dataflow
Step = tuple[int, int, str]  # row and column of the access's first element, and the loop that advances after it


def _steps(p: CoreParameters, name: str, dataflow: Dataflow, m: int, n: int, kg: int) -> Iterator[Step]:
    """The accesses of a sequencer in order, written as the loops that the dataflow is."""
    r, c = p.rows, p.cols
    if dataflow == OS:
        loops = (range(0, m, r), range(0, n, c))
    else:
        loops = (range(0, kg, r), range(0, n if dataflow == WS else m, c))
    for outer in loops[0]:
        for middle in loops[1]:
            places = list(_fold(r, name, dataflow, outer, middle, m, n, kg))
            for at, (i, j) in enumerate(places):
                event = "inner_step"
                if at == len(places) - 1:
                    event = "middle_step" if middle != loops[1][-1] else "outer_step"
                yield i, j, event


def _fold(
    r: int, name: str, dataflow: Dataflow, outer: int, middle: int, m: int, n: int, kg: int
) -> Iterator[tuple[int, int]]:
    match name, dataflow:
        case "stream_a", Dataflow.WS:
            yield from ((i, outer) for i in range(m))
        case "stream_a", Dataflow.OS:
            yield from ((outer, j) for j in range(kg))
        case "stream_b", Dataflow.OS:
            yield from ((i, middle) for i in range(kg))
        case "stream_b", Dataflow.IS:
            yield from ((outer, j) for j in range(n))
        case "hold_a", Dataflow.IS:
            yield from ((middle, outer + r - 1 - s) for s in range(r))
        case "hold_b", Dataflow.WS:
            yield from ((outer + r - 1 - s, middle) for s in range(r))
        case "c", Dataflow.WS:
            yield from ((i, middle) for i in range(m))
        case "c", Dataflow.OS:
            yield from ((outer + r - 1 - s, middle) for s in range(r))
        case "c", Dataflow.IS:
            yield from ((middle, j) for j in range(n))


@pytest.mark.parametrize("label", CURSORS)
def test_requests_follow_the_loops_through_the_layout(label: str) -> None:
    core, name = label.split("_", 1)
    p, cursor = CORES[core], CURSORS[label]
    g = cursor.geometry
    rng = np.random.default_rng(len(label))
    inputs: dict[str, list[int]] = {
        port: [] for port in ("start", "inner_step", "middle_step", "outer_step", "base", "stride", "dataflow")
    }
    wanted: list[dict[str, int]] = []
    for _ in range(12):
        dataflow = list(cursor.paths)[int(rng.integers(len(cursor.paths)))]
        m, n, kg = (int(x) for x in rng.integers(1, 20, 3))
        stride = {"a": m, "b": kg, "c": m}[name[-1]]
        base = int(rng.integers(0, 60))
        steps = list(_steps(p, name, dataflow, m, n, kg))
        _cycle(inputs, "start", base, stride, dataflow)
        wanted.append({})
        for at, (i, j, event) in enumerate(steps):
            while rng.random() < 0.2:
                _idle(inputs, rng, None)
                wanted.append(_request(g, i, j, base, stride, cursor.paths[dataflow].column))
            _idle(inputs, rng, event if at < len(steps) - 1 else None)
            wanted.append(_request(g, i, j, base, stride, cursor.paths[dataflow].column))
    if len(cursor.paths) == 1:
        inputs.pop("dataflow")
    got = bench().wiggle(label, {port: [*values, 0] for port, values in inputs.items()})
    for cycle, request in enumerate(wanted):
        seen = {port: got[port][cycle + 1] for port in request if port in got}
        assert seen == {port: value for port, value in request.items() if port in got}, cycle


def _cycle(inputs: dict[str, list[int]], event: str | None, base: int, stride: int, dataflow: int) -> None:
    for port in ("start", "inner_step", "middle_step", "outer_step"):
        inputs[port].append(int(port == event))
    inputs["base"].append(int(base))
    inputs["stride"].append(int(stride))
    inputs["dataflow"].append(int(dataflow))


def _idle(inputs: dict[str, list[int]], rng: np.random.Generator, event: str | None) -> None:
    """A cycle in which nobody looks at what `start` samples."""
    base, stride, dataflow = (int(rng.integers(high)) for high in (60, 60, 3))
    _cycle(inputs, event, base, stride, dataflow)


def _request(g: Geometry, i: int, j: int, base: int, stride: int, column: bool) -> dict[str, int]:
    lanes, bits = g.lanes, g.address_bits
    address = base + j // lanes * stride + i
    return {
        "address": address % (1 << bits),
        "next_panel": (address + stride) % (1 << bits),
        "split": j % lanes,
        "rotate": (i + j) % lanes,
        "column": int(column),
        "panel": j // lanes,
    }
