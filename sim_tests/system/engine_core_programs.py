"""Random programs for engines of several cores."""

from __future__ import annotations

import numpy as np

from tilewright.generators.program.encode import encode
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.joined import Part, joined
from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import Tiling
from tilewright.hdl.engine.records import Opcode
from tilewright.sim_tests.system.engine_places import Full, Places
from tilewright.sim_tests.system.engine_programs import Author, Job


class CoreAuthor(Author):
    """Writes programs in which each core makes products of its own, dealt in any order, with barriers between."""

    def job(self, most: int = 4) -> Job:
        """Some products for each core; those behind a barrier may start from any result before it."""
        places = Places(self.memory, self.rng)
        products: list[tuple[Product, Tiling]] = []
        program: list[Instruction] = []
        for section in range(int(self.rng.integers(1, 3))):
            if section:
                program.append(Instruction(Opcode.BARRIER, {}))
            earlier = [product for product, _ in products]
            programs = [self._core(places, products, earlier, most) for _ in range(self.config.cores)]
            program += dealt(programs, self.rng)
        data = encode([*program, Instruction(Opcode.END, {})]).ravel()
        return Job(places.take(len(data), 64), data, products)

    def _core(
        self, places: Places, products: list[tuple[Product, Tiling]], earlier: list[Product], most: int
    ) -> list[Instruction]:
        """What a core does before the next barrier; its first product may start from one of ``earlier``."""
        parts: list[Part] = []
        before = earlier[int(self.rng.integers(len(earlier)))] if earlier else None
        for _ in range(int(self.rng.integers(0, most // 2 + 1))):
            try:
                parts.append(self._part(places, products, before))
            except Full:
                break
            before = products[-1][0]
        return joined(parts)[:-1]


def dealt(programs: list[list[Instruction]], rng: np.random.Generator) -> list[Instruction]:
    """The programs of the cores in one list, each in its order; how much of one comes at a time is random."""
    left = [[i._replace(core=core) for i in program] for core, program in enumerate(programs)]
    found: list[Instruction] = []
    longest = int(rng.choice((1, 3, 30)))
    while any(left):
        core = int(rng.choice([at for at, program in enumerate(left) if program]))
        count = int(rng.integers(1, longest + 1))
        found += left[core][:count]
        left[core] = left[core][count:]
    return found
