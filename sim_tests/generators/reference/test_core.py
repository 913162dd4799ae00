"""The interpreter of a core: matrices by exact integers, every status, what changes and what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.reference.core import DATAFLOWS, Port, ReferenceCore
from tilewright.generators.reference.records import Command, Dataflow, Start, Status, Transfer
from tilewright.generators.reference.scratchpad import Origin
from tilewright.sim_tests.generators.reference.exact import exact_gemm

SMALL = {"rows": 3, "cols": 4, "max_m": 9, "max_n": 10, "max_k": 11}


def config(**changes: Any) -> SystolicConfig:
    return systolic_config({**SMALL, **changes})


def beats(core: ReferenceCore, port: Port, matrix: NDArray[Any]) -> NDArray[np.int64]:
    width = core.beat_values(port)
    rows, cols = matrix.shape
    padded = np.zeros((rows, -(-cols // width) * width), dtype=np.int64)
    padded[:, :cols] = matrix
    return padded.reshape(-1, width)


def load(core: ReferenceCore, port: Port, matrix: NDArray[Any], base: int = 0, region: int = 0) -> Status:
    rows, cols = matrix.shape
    return core.load(port, Transfer(base, rows, cols, region), beats(core, port, matrix))


@pytest.mark.parametrize("start", list(Start))
@pytest.mark.parametrize("vector", [1, 2, 4])
@pytest.mark.parametrize("dataflow", ["ws", "os", "is", "any"])
def test_what_was_loaded_is_multiplied(dataflow: str, vector: int, start: Start) -> None:
    rng = np.random.default_rng([vector, start])
    core = ReferenceCore(config(dataflow=dataflow, vector=vector, a="uint5", b="int7", acc="int24"))
    m, n, k = 7, 6, 11
    a, b = rng.integers(0, 32, (m, k)), rng.integers(-64, 64, (k, n))
    old, bias = rng.integers(-(2**23), 2**23, (m, n)), rng.integers(-(2**23), 2**23, (1, n))
    bias_base = core.transfer_span("c", Transfer(0, m, n)).high
    assert load(core, "a", a) == load(core, "b", b) == Status.OK
    assert load(core, "c", old, region=1) == load(core, "c", bias, bias_base, region=1) == Status.OK
    for flow in DATAFLOWS[dataflow]:
        load(core, "c", old, region=1)
        command = Command(m, n, k, flow, start, bias_base=bias_base, region=1)
        assert core.command(command) == Status.OK
        core.in_flight.clear()
        status, readout = core.read(Transfer(0, m, n, 1))
        seeds = {Start.ZERO: 0 * old, Start.BIAS: bias + 0 * old, Start.ACCUMULATE: old}[start]
        want = exact_gemm(a.tolist(), b.tolist(), seeds.tolist(), 24, saturating=False, vector=vector)
        assert status == Status.OK
        assert readout.matrix.tolist() == want
        assert (readout.origin[readout.keep] == Origin.COMPUTED).all()


def test_readout_pads_rows_with_zeros() -> None:
    core = ReferenceCore(config())
    load(core, "c", np.full((2, 10), 7))
    load(core, "c", np.full((2, 9), 5))
    _, readout = core.read(Transfer(0, 2, 5))
    assert readout.values.tolist() == [[5, 5, 5, 5], [5, 0, 0, 0], [5, 5, 5, 5], [5, 0, 0, 0]]
    assert readout.keep.sum(axis=1).tolist() == [4, 1, 4, 1]
    assert readout.matrix.tolist() == [[5] * 5] * 2


def test_memory_never_written_is_undefined_and_so_is_what_comes_of_it() -> None:
    core = ReferenceCore(config())
    load(core, "b", np.ones((2, 2), dtype=int))
    load(core, "a", np.ones((1, 2), dtype=int))
    assert core.command(Command(2, 2, 2, Dataflow.WS)) == Status.OK
    core.in_flight.clear()
    _, readout = core.read(Transfer(0, 2, 2))
    assert readout.origin[:, :2].tolist() == [[Origin.COMPUTED] * 2, [Origin.UNDEFINED] * 2]


@pytest.mark.parametrize(("dataflow", "kept"), [("ws", False), ("any", True)])
def test_lanes_beyond_n_are_kept_only_where_banks_are_written_apart(dataflow: str, kept: bool) -> None:
    core = ReferenceCore(config(dataflow=dataflow))
    load(core, "c", np.full((2, 4), 9))
    load(core, "a", np.ones((2, 1), dtype=int))
    load(core, "b", np.ones((1, 3), dtype=int))
    core.command(Command(2, 3, 1, Dataflow.WS))
    core.in_flight.clear()
    _, readout = core.read(Transfer(0, 2, 4))
    assert (readout.origin[:, 3] == (Origin.LOADED if kept else Origin.UNDEFINED)).all()
    assert (readout.values[:, :3] == 1).all()


def test_reset_leaves_c_of_a_command_in_flight_undefined_and_the_rest_alone() -> None:
    core = ReferenceCore(config())
    load(core, "c", np.ones((9, 4), dtype=int))
    for port, shape in (("a", (2, 1)), ("b", (1, 3))):
        load(core, port, np.ones(shape, dtype=int))  # type: ignore[arg-type]
    core.command(Command(2, 3, 1, Dataflow.WS, c_base=4))
    core.reset()
    assert core.in_flight == []
    _, readout = core.read(Transfer(0, 9, 4))
    assert (readout.origin == Origin.UNDEFINED).all(axis=1).tolist() == [4 <= row < 6 for row in range(9)]


# 3 x 4 with K = 6: A has 36 words and needs 4 x 2; B 33 and 6; C 30 and 4; the bias 1.
@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"m": 0, "dataflow": 3}, Status.EMPTY),
        ({"n": 0, "start": 3}, Status.EMPTY),
        ({"k": 0, "a_base": 65535}, Status.EMPTY),
        ({"dataflow": Dataflow.OS, "start": 3}, Status.BAD_DATAFLOW),
        ({"dataflow": 3}, Status.BAD_DATAFLOW),
        ({"start": 3, "a_base": 65535}, Status.BAD_START),
        ({"a_base": 29, "b_base": 65535}, Status.A_OUT_OF_RANGE),
        ({"m": 37, "k": 1}, Status.A_OUT_OF_RANGE),
        ({"b_base": 28, "c_base": 65535}, Status.B_OUT_OF_RANGE),
        ({"c_base": 27, "start": Start.BIAS, "bias_base": 65535}, Status.C_OUT_OF_RANGE),
        ({"c_base": 26, "start": Start.BIAS, "bias_base": 30}, Status.BIAS_OUT_OF_RANGE),
        ({"c_base": 26, "start": Start.BIAS, "bias_base": 29}, Status.BIAS_IN_C),
        ({"c_base": 25, "start": Start.BIAS, "bias_base": 25}, Status.BIAS_IN_C),
        ({"c_base": 25, "start": Start.BIAS, "bias_base": 29}, Status.OK),
        ({"c_base": 25, "start": Start.ACCUMULATE, "bias_base": 25}, Status.OK),
        ({"start": Start.ACCUMULATE, "bias_base": 65535}, Status.OK),
        ({"a_base": 28, "b_base": 27, "c_base": 26}, Status.OK),
    ],
)
def test_every_status_of_a_command(fields: dict[str, int], status: Status) -> None:
    core = ReferenceCore(config(dataflow="ws"))
    before = contents(core)
    command = Command(**{"m": 4, "n": 3, "k": 6, "dataflow": Dataflow.WS, **fields})
    assert core.command(command) == status
    assert core.in_flight == ([command] if status == Status.OK else [])
    if status != Status.OK:
        assert_unchanged(core, before)


def contents(core: ReferenceCore) -> list[NDArray[Any]]:
    return [part.copy() for memory in (core.a, core.b, *core.c) for part in (memory.values, memory.origin)]


def assert_unchanged(core: ReferenceCore, before: list[NDArray[Any]]) -> None:
    assert all((now == then).all() for now, then in zip(contents(core), before, strict=True))


@pytest.mark.parametrize(
    ("port", "transfer", "status"),
    [
        ("a", Transfer(65535, 0, 4), Status.EMPTY),
        ("b", Transfer(0, 4, 0), Status.EMPTY),
        ("a", Transfer(33, 4, 3), Status.OUT_OF_RANGE),
        ("a", Transfer(29, 4, 4), Status.OUT_OF_RANGE),
        ("b", Transfer(30, 4, 3), Status.OUT_OF_RANGE),
        ("c", Transfer(27, 4, 4, 1), Status.OUT_OF_RANGE),
        ("a", Transfer(7, 1, 1), Status.IN_USE),
        ("a", Transfer(8, 1, 1), Status.OK),
        ("b", Transfer(5, 1, 1), Status.IN_USE),
        ("b", Transfer(6, 1, 1), Status.OK),
        ("c", Transfer(13, 1, 1), Status.IN_USE),
        ("c", Transfer(14, 1, 1), Status.OK),
        ("c", Transfer(9, 1, 1), Status.OK),
        ("c", Transfer(20, 1, 1), Status.IN_USE),
        ("c", Transfer(20, 1, 1, 1), Status.OK),
        ("c", Transfer(0, 30, 4), Status.IN_USE),
    ],
)
def test_every_status_of_a_load_while_a_command_runs(port: Port, transfer: Transfer, status: Status) -> None:
    core = ReferenceCore(config(dataflow="ws"))
    core.command(Command(4, 3, 6, Dataflow.WS, Start.BIAS, c_base=10, bias_base=20))
    before = contents(core)
    ones = np.ones((core.beats(port, transfer.rows, transfer.cols), core.beat_values(port)), dtype=np.int64)
    assert core.load(port, transfer, ones) == status
    if status != Status.OK:
        assert_unchanged(core, before)
    if port == "c":
        assert core.read(transfer)[0] == status
        assert core.read(transfer)[1].keep.any() == (status == Status.OK)


@pytest.mark.parametrize(("sent", "written"), [(3, 3), (5, 5), (9, 6)])
def test_load_of_the_wrong_length_has_written_what_came(sent: int, written: int) -> None:
    core = ReferenceCore(config())
    status = core.load("c", Transfer(2, 3, 8), np.ones((sent, 4), dtype=np.int64))
    assert status == Status.LENGTH
    # Row-major beats of two panels: row i's are words 2 + i and 5 + i.
    order = [2, 5, 3, 6, 4, 7]
    assert np.flatnonzero(core.c[0].origin.any(axis=(1, 2))).tolist() == sorted(order[:written])


def test_vectors_of_b_are_filled_row_by_row() -> None:
    core = ReferenceCore(config(vector=4))
    b = np.arange(5 * 3).reshape(5, 3)
    load(core, "b", b, 3)
    values, origin = core.b.matrix(2, 3, 3)
    assert (values.transpose(0, 2, 1).reshape(8, 3)[:5] == b).all()
    assert origin[1, :, 0].all()
    assert not origin[1, :, 1:].any()
