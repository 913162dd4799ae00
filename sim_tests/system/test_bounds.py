"""Where matrices may lie, at every edge of it; what touches is no overlap; loads and read-outs take a beat a cycle."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tilewright.generators.reference.core import ReferenceCore
from tilewright.generators.reference.records import Command, Start, Status, Transfer
from tilewright.sim_tests.drivers.core_result import Operation
from tilewright.sim_tests.drivers.core_session import CoreSession, Event
from tilewright.sim_tests.system.designs import gate_designs

DESIGNS = ("any_4x4", "ws_3x5", "is_12x5", "os_8x3", "is_1x1", "any_3x7_saturate")
Side = Literal["a", "b", "c"]


def _edges(words: int) -> list[int]:
    """Numbers around a scratchpad's depth, around the widths that hold it, and the largest of a field."""
    power = 1 << words.bit_length()
    around = [words, power, 2 * power, 1 << 15]
    return [1, 2, *(n + d for n in around for d in (-1, 0, 1) if n + d < 1 << 16), 65534, 65535]


def _bases(words: int, size: int) -> list[int]:
    """Where ``size`` words just fit, just do not, and where base plus size leaves every width."""
    found = {0, words - size, words - size + 1, words - 1, words, 65536 - size, 65535, (1 << words.bit_length()) - size}
    return sorted(base for base in found if 0 <= base < 1 << 16)


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("side", ["a", "b", "c"])
def test_a_transfer_is_refused_exactly_where_it_leaves_the_scratchpad(name: str, side: Side) -> None:
    design = gate_designs()[name]
    rules = ReferenceCore(design.config)
    words = {"a": design.parameters.a_memory, "b": design.parameters.b_memory, "c": design.parameters.c_memory}[
        side
    ].words
    transfers = [Transfer(rows=r, cols=c, base=0) for r in (1, 3) for c in _edges(words)]
    transfers += [Transfer(rows=r, cols=c, base=0) for r in _edges(words) for c in (1, 3)]
    for rows, cols in ((1, 1), (2, 7), (words, 1)):
        span = rules.transfer_span(side, Transfer(rows=rows, cols=cols, base=0))
        transfers += [Transfer(rows=rows, cols=cols, base=b) for b in _bases(words, span.high - span.low)]
    session = CoreSession(design.parameters)
    wanted, issued = [], []
    for t in transfers:
        status = rules.transfer_status(side, t)
        fits = status == Status.OK
        matrix = np.zeros((t.rows, t.cols) if fits else (1, 1), dtype=np.int64)
        issued.append(session.load(f"load_{side}", matrix, t.base, announced=(t.rows, t.cols)))  # type: ignore[arg-type]
        wanted.append(status)
        if side == "c":
            issued.append(session.read(t.rows, t.cols, t.base, after=issued[-1:]))
            wanted.append(status)
    result = session.run(design.build())
    assert Status.OK in wanted and Status.OUT_OF_RANGE in wanted
    for operation, status in zip(issued, wanted, strict=True):
        assert result.answer(operation)[0] == status, (operation, transfers)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_command_is_refused_exactly_where_a_matrix_leaves_its_scratchpad(name: str) -> None:
    design = gate_designs()[name]
    rules, p = ReferenceCore(design.config), design.parameters
    dataflow = int(p.dataflows[-1])
    a, b, c = p.a_memory.words, p.b_memory.words, p.c_memory.words
    shapes = [(m, 1, 1) for m in {*_edges(a), *_edges(c)}]
    shapes += [(1, n, 1) for n in {*_edges(b), *_edges(c)}]
    shapes += [(1, 1, k) for k in {*_edges(a), *_edges(b), *_edges(a * p.vector), *_edges(b * p.vector)} if k < 1 << 16]
    commands = [Command(m, n, k, dataflow, Start.ZERO) for m, n, k in sorted(shapes)]
    for m, n, k in ((1, 1, 1), (2, 7, 3), (3, 2, 2 * p.vector + 1)):
        spans = rules.command_spans(Command(m, n, k, dataflow, Start.BIAS))
        for field, words in (("a", a), ("b", b), ("c", c), ("bias", c)):
            for base in _bases(words, spans[field].high - spans[field].low):
                # Elsewhere the others fit; the bias of the C tests lies beyond C.
                bases = {"c_base": 0, "bias_base": c - 8, f"{field}_base": base}
                commands.append(Command(m, n, k, dataflow, Start.BIAS, **bases))
    session = CoreSession(p)
    issued: list[Operation] = []
    for x in commands:
        place = {"a": x.a_base, "b": x.b_base, "c": x.c_base, "bias": x.bias_base}
        issued.append(session.command(x.m, x.n, x.k, x.dataflow, start=x.start, **place))  # type: ignore[arg-type]
    result = session.run(design.build())
    found = set()
    for operation, command in zip(issued, commands, strict=True):
        status = rules.command_status(command)
        found.add(status)
        assert result.answer(operation)[0] == status, command
    refused = {Status.A_OUT_OF_RANGE, Status.B_OUT_OF_RANGE, Status.C_OUT_OF_RANGE, Status.BIAS_OUT_OF_RANGE}
    assert found >= refused | {Status.OK}


@pytest.mark.parametrize("name", ["any_4x4", "ws_3x5", "is_12x5"])
@pytest.mark.parametrize("slot", range(4))
def test_words_that_only_touch_those_in_use_are_free(name: str, slot: int) -> None:
    """Whichever place of the command table the neighbour is in; the words themselves are not free."""
    design = gate_designs()[name]
    p, rules = design.parameters, ReferenceCore(design.config)
    m, n, k = 6, 5, 4
    shape = Command(m, n, k, int(p.dataflows[0]), Start.ZERO, a_base=40, b_base=40, c_base=20)
    spans = rules.command_spans(shape)
    session = CoreSession(p)
    before: tuple[Operation, ...] = ()
    for _ in range(slot):  # moves the table's next place on
        before = (session.command(1, 1, 1, shape.dataflow, after=before),)
    done = session.command(m, n, k, shape.dataflow, a=40, b=40, c=20, after=before)
    taken = (Event("command", slot + 1),)
    free, used = [], []
    for side in ("a", "b", "c"):
        port: Literal["load_a"] = f"load_{side}"  # type: ignore[assignment]
        one = np.ones((1, 1), dtype=np.int64)
        last: list[Operation | Event] = [*before, *taken]
        for base in (spans[side].low - 1, spans[side].high):
            free.append(session.load(port, one, base, after=last))
        used.append(session.load(port, one, spans[side].high - 1, after=last))
    session.read(1, 1, after=(done,))
    result = session.run(design.build())
    firsts = [result.answered(operation) for operation in free]
    assert min(firsts) < result.offered(done)
    assert [result.answer(operation)[0] for operation in free] == [Status.OK] * 6
    early = [o for o in used if result.taken(o) + 6 < result.offered(done)]
    assert [result.answer(operation)[0] for operation in early] == [Status.IN_USE] * len(early)


@pytest.mark.parametrize("name", DESIGNS)
def test_loads_and_read_outs_take_a_beat_a_cycle(name: str) -> None:
    design = gate_designs()[name]
    session = CoreSession(design.parameters)
    rng = np.random.default_rng(1)
    matrices = {side: rng.integers(0, 2, (9, 7)) for side in "abc"}
    loads = [session.load(f"load_{side}", matrix) for side, matrix in matrices.items()]  # type: ignore[arg-type]
    session.read(9, 7, after=loads)
    result = session.run(design.build())
    np.testing.assert_array_equal(result.matrices[0], matrices["c"])
    for stream in ("load_a_beats", "load_b_beats", "load_c_beats", "read_c_beats"):
        cycles = result.result[stream].cycle
        assert len(cycles) >= 9
        np.testing.assert_array_equal(np.diff(cycles), 1, err_msg=stream)
