"""Results that are looked up: every entry, tables of any length at any place, bad loads, matrices with and without."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.hdl.engine.records import FINISH_ORDER, Activation
from tilewright.hdl.engine.result_table import LOADED, ResultTable
from tilewright.hdl.numeric import IntFormat
from tilewright.hdl.systolic.records import ANSWER, TRANSFER, Status
from tilewright.sim_tests.harness import Result
from tilewright.sim_tests.hdl.engine.finish_blocks import TABLES, bench
from tilewright.sim_tests.hdl.engine.finish_runs import beats, noisy, record
from tilewright.sim_tests.hdl.stream.bench import PACES

Codes = NDArray[np.int64]
Load = tuple[dict[str, int], Codes, Status]


def run(
    label: str, loads: Sequence[Load], matrices: Sequence[tuple[Codes, bool, Codes]], pace: str = "full speed"
) -> Result:
    """Loads, and when all are answered matrices: what comes, whether it is looked up, what it becomes."""
    block, rng, (idle, stall) = TABLES[label], np.random.default_rng(3), PACES[pace]
    lanes, width = block.lanes, block.format.width
    planned = bench().run(3)

    def send(port: str, words: Sequence[int], pause: float, after: dict[str, int] | None = None) -> None:
        planned.send(f"{label}_{port}", bench().payloads(words, f"{label}_{port}"), stall=pause, after=after)

    send("command", [record(TRANSFER, {"rows": 1, **f, "tag": n}) for n, (f, _, _) in enumerate(loads)], idle / 2)
    given = [
        noisy(beat, LOADED, width, rng) for _, table, _ in loads if table.size for beat in beats(table, LOADED, width)
    ]
    send("beats", given, idle)
    answers = [record(ANSWER, {"tag": number, "status": status.value}) for number, (_, _, status) in enumerate(loads)]
    planned.expect(f"{label}_answer", bench().payloads(answers, f"{label}_answer"), stall=stall)
    kinds = {True: Activation.TABLE, False: Activation.NONE}
    orders = [record(FINISH_ORDER, {"activation": kinds[looks], "cols": v.shape[1]}) for v, looks, _ in matrices]
    send("order", orders, idle / 2, {f"{label}_answer": len(loads)})
    send("i", [noisy(beat, lanes, width, rng) for v, _, _ in matrices for beat in beats(v, lanes, width)], idle)
    wanted = [beat for _, _, results in matrices for beat in beats(results, lanes, width)]
    planned.expect(
        f"{label}_o",
        bench().payloads([beat.packed(lanes, width) for beat in wanted], f"{label}_o"),
        mask=bench().payloads([beat.mask(lanes, width) for beat in wanted], f"{label}_o"),
        stall=stall,
    )
    return planned.execute()


def values(fmt: IntFormat, shape: int | tuple[int, ...], rng: np.random.Generator) -> Codes:
    return rng.integers(fmt.min, fmt.max, shape, endpoint=True)


def looked_up(fmt: IntFormat, table: Codes, codes: Codes) -> Codes:
    found: Codes = table[codes & ((1 << fmt.width) - 1)]
    return found


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("label", TABLES)
def test_every_entry_and_matrices_in_turn(label: str, pace: str) -> None:
    block, rng = TABLES[label], np.random.default_rng(1)
    table = values(block.format, 1 << block.format.width, rng)
    every = np.arange(block.format.min, block.format.max + 1)[None, :]
    matrices = [(every, True, looked_up(block.format, table, every)), (every, False, every)]
    for index in range(30):
        codes = values(block.format, (int(rng.integers(1, 6)), int(rng.integers(1, 10))), rng)
        looks = bool(index % 3)
        matrices.append((codes, looks, looked_up(block.format, table, codes) if looks else codes))
    run(label, [({"base": 0, "cols": len(table)}, table, Status.OK)], matrices, pace)


@pytest.mark.parametrize("label", TABLES)
def test_parts_of_a_table_and_bad_loads(label: str) -> None:
    """What lies beyond the table is refused and changes nothing; a load may replace a part."""
    block, rng = TABLES[label], np.random.default_rng(2)
    size, fmt = 1 << block.format.width, block.format
    words = size // LOADED

    def some(count: int) -> Codes:
        return values(fmt, count, rng)

    whole, part = some(size), some(LOADED)
    at = words // 2
    loads = [
        ({"base": 0, "cols": 0}, some(0), Status.EMPTY),
        ({"base": 0, "cols": LOADED + 1}, some(LOADED), Status.LENGTH),
        ({"base": 0, "cols": LOADED}, some(2 * LOADED), Status.LENGTH),
        ({"base": words, "cols": 1}, some(1), Status.OUT_OF_RANGE),
        ({"base": 0, "cols": size + 1}, some(size + 1), Status.OUT_OF_RANGE),
        ({"base": 0, "cols": size}, whole, Status.OK),
        ({"base": 40000, "cols": LOADED}, some(LOADED), Status.OUT_OF_RANGE),
        ({"base": at, "cols": LOADED}, part, Status.OK),
    ]
    whole = whole.copy()
    whole[at * LOADED : (at + 1) * LOADED] = part
    every = np.arange(fmt.min, fmt.max + 1)[None, :]
    run(label, loads, [(every, True, looked_up(fmt, whole, every))], "random")


@pytest.mark.parametrize("label", TABLES)
def test_latency_and_throughput(label: str) -> None:
    block = TABLES[label]
    table = np.zeros(1 << block.format.width, dtype=np.int64)
    codes = np.zeros((40, block.lanes), dtype=np.int64)
    result = run(label, [({"base": 0, "cols": len(table)}, table, Status.OK)], [(codes, True, codes)] * 3)
    assert result[f"{label}_o"].offer[0] - result[f"{label}_i"].cycle[0] == block.latency
    assert set(np.diff(result[f"{label}_o"].cycle)) == {1}


def test_results_that_are_too_long() -> None:
    with pytest.raises(ValueError) as caught:
        ResultTable(4, IntFormat(9, False))
    assert str(caught.value) == "a table must be of at most 8 bits, got uint9; nearest legal value is uint8"
