import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.sim_tests.hdl.memory.blocks import BANKED
from tilewright.sim_tests.hdl.memory.matrix import Access, Program, Stored

EVERY = pytest.mark.parametrize("label", BANKED)


def stored(label: str, base: int = 0) -> Stored:
    """A matrix whose rows and columns are no multiple of the lanes, that fills most of the words behind ``base``."""
    g = BANKED[label]
    rows = min(g.lanes + 3, (g.words - base) // 2)
    columns = g.lanes * ((g.words - base) // rows) - (g.lanes > 1)
    return Stored(g, rows, columns, base)


def fill(program: Program, matrix: Stored, values: NDArray[np.int64], start: int = 0) -> int:
    """Writes ``values`` row by row; the first cycle after it."""
    for row in range(matrix.rows):
        for column in range(0, matrix.columns, matrix.geometry.lanes):
            program.write(start, matrix, Access(row, column), values)
            start += 1
    return start


def check(matrix: Stored, values: NDArray[np.int64], access: Access, word: int) -> None:
    got = matrix.unpacked(word)
    for lane, place in enumerate(access.places(matrix.geometry.lanes)):
        if matrix.has(*place):
            assert got[lane].tolist() == values[place].tolist(), f"lane {lane} of {access}"


@EVERY
def test_rows_and_columns_from_every_element(label: str) -> None:
    matrix = stored(label, base=3)
    values = matrix.values(seed=1)
    program = Program(label)
    start = fill(program, matrix, values) + matrix.geometry.write_latency
    accesses = [
        Access(row, column, down)
        for down in (False, True)
        for row in range(matrix.rows)
        for column in range(matrix.columns)
    ]
    for cycle, access in enumerate(accesses, start):
        program.read(cycle, matrix, access)
    data = program.run()
    for cycle, access in enumerate(accesses, start):
        check(matrix, values, access, data[cycle + matrix.geometry.read_latency])


@EVERY
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_writes_from_any_element_either_way_with_any_slots(label: str, seed: int) -> None:
    matrix, rng = stored(label), np.random.default_rng(seed)
    g = matrix.geometry
    held = matrix.values(seed)
    program = Program(label)
    start = fill(program, matrix, held)
    for cycle in range(start, start + 60):
        access = Access(int(rng.integers(matrix.rows)), int(rng.integers(matrix.columns)), bool(rng.integers(2)))
        values, slots = matrix.values(int(rng.integers(1 << 30))), int(rng.integers(1 << g.slots))
        for place in program.write(cycle, matrix, access, values, slots):
            for slot in range(g.slots):
                if slots >> slot & 1:
                    held[place][slot] = values[place][slot]
    start += 60 + g.write_latency
    accesses = [Access(row, column) for row in range(matrix.rows) for column in range(0, matrix.columns, g.lanes)]
    for cycle, access in enumerate(accesses, start):
        program.read(cycle, matrix, access)
    data = program.run(seed)
    for cycle, access in enumerate(accesses, start):
        check(matrix, held, access, data[cycle + g.read_latency])


@EVERY
def test_a_read_sees_a_write_as_soon_as_the_latencies_say(label: str) -> None:
    matrix = stored(label)
    g = matrix.geometry
    values = matrix.values(seed=7)
    program, when = Program(label), {}
    cycle = 0
    for row in range(matrix.rows):
        access = Access(row, 0)
        program.write(cycle, matrix, access, values)
        # The memory is written at the end of cycle + write_latency and read at the end of cycle + read_edge.
        when[access] = cycle + g.write_latency + 1 - g.read_edge
        program.read(when[access], matrix, access)
        cycle += 5
    data = program.run()
    for access, asked in when.items():
        check(matrix, values, access, data[asked + g.read_latency])


@EVERY
def test_reads_and_writes_of_different_words_do_not_meet(label: str) -> None:
    g = BANKED[label]
    half = g.words // 2
    low, high = Stored(g, half // 2, 2 * g.lanes), Stored(g, half // 2, 2 * g.lanes, half)
    kept, written = low.values(1), high.values(2)
    program = Program(label)
    start = fill(program, low, kept) + g.write_latency
    end = fill(program, high, written, start)
    rng = np.random.default_rng(3)
    reads = [
        Access(int(rng.integers(low.rows)), int(rng.integers(low.columns)), bool(rng.integers(2)))
        for _ in range(end - start)
    ]
    # Lanes that run past the matrix would touch words that are being written.
    reads = [a for a in reads if all(low.has(*place) for place in a.places(g.lanes))]
    for cycle, access in enumerate(reads, start):
        program.read(cycle, low, access)
    data = program.run()
    assert reads
    for cycle, access in enumerate(reads, start):
        check(low, kept, access, data[cycle + g.read_latency])
