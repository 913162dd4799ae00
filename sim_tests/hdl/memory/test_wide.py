import numpy as np
import pytest

from tilewright.sim_tests.hdl.memory.blocks import WIDE
from tilewright.sim_tests.hdl.memory.matrix import Access, Program, Stored

EVERY = pytest.mark.parametrize("label", WIDE)


@EVERY
@pytest.mark.parametrize("seed", [1, 2])
def test_rows_with_any_slots(label: str, seed: int) -> None:
    g, rng = WIDE[label], np.random.default_rng(seed)
    matrix = Stored(g, 7, g.lanes * ((g.words - 2) // 7), 2)
    held, program = matrix.values(seed), Program(label)
    panels = [Access(row, column) for row in range(matrix.rows) for column in range(0, matrix.columns, g.lanes)]
    for cycle, access in enumerate(panels):
        program.write(cycle, matrix, access, held)
    start = len(panels)
    for cycle in range(start, start + 40):
        access, slots = panels[rng.integers(len(panels))], int(rng.integers(1 << g.slots))
        values = matrix.values(int(rng.integers(1 << 30)))
        for place in program.write(cycle, matrix, access, values, slots):
            for slot in range(g.slots):
                if slots >> slot & 1:
                    held[place][slot] = values[place][slot]
    for cycle, access in enumerate(panels, start + 40):
        program.read(cycle, matrix, access)
    data = program.run(seed)
    for cycle, access in enumerate(panels, start + 40):
        got = matrix.unpacked(data[cycle + g.read_latency])
        wanted = np.array([held[place] for place in access.places(g.lanes)])
        assert (got == wanted).all(), f"{access}: expected {wanted.tolist()}, got {got.tolist()}"


@EVERY
def test_a_read_sees_the_write_of_the_cycle_before(label: str) -> None:
    g = WIDE[label]
    matrix = Stored(g, 6, g.lanes)
    values, program = matrix.values(4), Program(label)
    for row in range(matrix.rows):
        program.write(2 * row, matrix, Access(row, 0), values)
        program.read(2 * row + g.write_latency + 1 - g.read_edge, matrix, Access(row, 0))
    data = program.run()
    for row in range(matrix.rows):
        assert (matrix.unpacked(data[2 * row + 1 + g.read_latency]) == values[row]).all()
