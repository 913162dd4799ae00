"""The model of the engine's time, where it can be worked out by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.convolution import Convolution
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.plan import entries
from tilewright.generators.program.product import Finish, Product
from tilewright.generators.program.tensor import Matrix, View
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.reference import engine_cycles as model
from tilewright.generators.reference.engine_cycles import EngineCycles
from tilewright.generators.reference.engine_queue import Moment
from tilewright.generators.reference.engine_records import Entry, Op
from tilewright.generators.reference.engine_run import FETCHED
from tilewright.generators.reference.engine_walks import CREDIT, SEND
from tilewright.generators.reference.engine_way_in import SHARE
from tilewright.sim_tests.generators.program.engines import GOAL

LATENCY = 60


def load(index: int, view: View, part: tuple[int, int, int, int]) -> list[Entry]:
    tensor = Entry(index, Op.LOAD_TENSOR, 0, 0, {"slot": 0, **view.description()})
    return [tensor, Entry(index + 1, Op.LOAD, 0, 0, {"target": 1, **view.box(*part)})]


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 16), (1, 17), (7, 30), (64, 64)])
@pytest.mark.parametrize("latency", [0, 1, LATENCY])
def test_a_single_load(latency: int, rows: int, cols: int) -> None:
    """Two instructions of 4 beats are fetched, then the rows follow each other beat by beat.

    Rows of 64 bytes have no gap between them: 8 of them are asked for when the eighth has been walked.
    """
    program = load(3, Matrix(0, rows, cols, 1, pitch=64), (0, 0, rows, cols))
    fetched = model.START + latency + 3 + FETCHED + 1
    together = 8 if cols == 64 else 1
    ends = fetched + 4 + model.LOAD_START + together - 1 + latency + rows * -(-cols // 16) - 1 + model.LOAD_END
    moments = EngineCycles(GOAL, latency).run(program)
    assert moments == [Moment(3, fetched, fetched), Moment(4, fetched + 4, ends)]


def test_a_product_that_was_measured() -> None:
    """Found by tracing the RTL of this engine."""
    config = EngineConfig(rows=4, cols=4, a_words=512, b_words=512, c_words=256)
    finish = Finish(1 << 30, 39, 3, -128, 127)
    product = Product(Matrix(0x400000, 8, 8, 1), Matrix(0x401000, 8, 8, 1), Matrix(0x402000, 8, 8, 1), finish=finish)
    tiling = Tiling("ws", "mn", 4, 8, 8, b_resident=True, a_stages=2, b_stages=1)
    program = gemm_program(product, tiling, config)
    moments = EngineCycles(config, LATENCY).run(entries(program))
    begins = [moment.begins for moment, i in zip(moments, program, strict=True) if i.opcode.name in ("GEMM", "STORE")]
    assert begins == [197, 236, 213, 252]
    assert EngineCycles(config, LATENCY).cycles(entries(program)) == 354


def test_loads_of_one_port_are_apart_by_its_answer_and_check() -> None:
    program = [entry for n in range(6) for entry in load(2 * n, Matrix(0, 64, 64, 1), (0, 0, 64, 64))]
    ends = [moment.ends for moment in EngineCycles(GOAL, LATENCY).run(program)[1::2]]
    assert [after - before for before, after in pairwise(ends)] == [256 + 2 + 6] * 5


@pytest.mark.parametrize("outstanding", [4, 32])
@pytest.mark.parametrize("latency", [0, 1, 27, 28, 29, 60, 200])
def test_short_runs_are_bound_by_what_may_be_under_way(latency: int, outstanding: int) -> None:
    """320 rows of a beat each: one a cycle, or as many as may be under way in the time in which one is answered."""
    rows, config = 320, GOAL.model_copy(update={"outstanding": outstanding})
    program = load(0, Matrix(0, rows, 16, 1, pitch=64), (0, 0, rows, 16))
    turns, others = divmod(rows - 1, outstanding)
    last = max(rows - 1, turns * (latency + SHARE + CREDIT + SEND) + others)
    moment = EngineCycles(config, latency).run(program)[1]
    assert moment.ends - moment.begins == model.LOAD_START + latency + last + model.LOAD_END


@pytest.mark.parametrize("part", [(0, 0, 9, 12), (5, 7, 11, 30), (2, 3, 1, 1)])
def test_bursts_of_any_tensor(part: tuple[int, int, int, int]) -> None:
    timing = EngineCycles(GOAL, LATENCY)
    views: list[View] = [
        Matrix(5, 30, 45, 1, pitch=49),
        Convolution(3, 1, 6, 7, 5, (3, 3), 1, before=(1, 1), after=(1, 1)),
    ]
    for view in views:
        found = timing.bursts(load(0, view, part)[1], view.description())
        assert sum(burst.beats for burst in found) == view.transfers(*part, 16, 512)[1]
    plain = timing.bursts(load(0, views[0], part)[1], views[0].description())
    assert sum(burst.words for burst in plain) == part[2] * -(-part[3] // 16)


def test_commands_wait_for_each_other_at_the_same_words() -> None:
    """A chain on one tile, against two chains side by side."""
    product = Product(Matrix(0, 64, 512, 1), Matrix(1 << 20, 512, 64, 1), Matrix(1 << 21, 64, 64, 4))
    timing = EngineCycles(GOAL, LATENCY)

    def cycles(width: int, across: int) -> int:
        tiling = Tiling("ws", "mn", 64, width, 64, across_n=across, a_stages=3, b_stages=3)
        return timing.cycles(entries(gemm_program(product, tiling, GOAL)))

    ideal = 64 * 64 * 512 // 256
    chain, pair = cycles(64, 1), cycles(32, 2)
    commands = 512 // 64
    late = timing.core.cycles(64, 64, 64) - 16 * 64
    assert chain - pair > (commands - 2) * (late // 2)
    assert ideal < pair < chain
