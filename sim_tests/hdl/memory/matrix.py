"""A matrix in a scratchpad, in numpy, and requests for parts of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilewright.hdl.memory import Geometry
from tilewright.sim_tests.hdl.datapath_bench import bench


@dataclass(frozen=True)
class Access:
    """``lanes`` elements from *(row, column)* on, along a row or down a column."""

    row: int
    column: int
    down: bool = False

    def places(self, lanes: int) -> list[tuple[int, int]]:
        """Row and column that each lane serves."""
        return [
            (self.row + lane, self.column) if self.down else (self.row, self.column + lane) for lane in range(lanes)
        ]


@dataclass(frozen=True)
class Stored:
    """``rows`` x ``columns`` elements from word ``base`` on."""

    geometry: Geometry
    rows: int
    columns: int
    base: int = 0

    def word(self, row: int, column: int) -> int:
        """Word of an element."""
        return self.base + column // self.geometry.lanes * self.rows + row

    def has(self, row: int, column: int) -> bool:
        """Whether the matrix has this element."""
        return row < self.rows and column < self.columns

    def request(self, access: Access) -> dict[str, int]:
        """The request's ports."""
        g = self.geometry
        request = {"address": self.word(access.row, access.column)}
        if g.banked:
            request |= {"next_panel": self.word(access.row, access.column + g.lanes), "column": int(access.down)}
            if g.lane_bits:
                request |= {"split": access.column % g.lanes, "rotate": (access.row + access.column) % g.lanes}
        return request

    def values(self, seed: int) -> NDArray[np.int64]:
        """Random elements: (rows, columns, slots)."""
        shape = (self.rows, self.columns, self.geometry.slots)
        return np.random.default_rng(seed).integers(0, 1 << self.geometry.width, shape)

    def packed(self, elements: Sequence[Sequence[int]]) -> int:
        """A word of elements, each of ``slots`` values."""
        flat = [int(value) for element in elements for value in element]
        return sum(value << index * self.geometry.width for index, value in enumerate(flat))

    def unpacked(self, word: int) -> NDArray[np.int64]:
        """The elements of a word: (lanes, slots)."""
        g = self.geometry
        flat = [word >> index * g.width & ((1 << g.width) - 1) for index in range(g.lanes * g.slots)]
        return np.array(flat).reshape(g.lanes, g.slots)


@dataclass
class Program:
    """What the ports of the scratchpad ``label`` are in each cycle."""

    label: str
    ports: dict[str, list[int]] = field(default_factory=dict)
    cycles: int = 0

    def at(self, cycle: int, **values: int) -> None:
        """Ports in ``cycle``."""
        self.cycles = max(self.cycles, cycle + 1)
        for port, value in values.items():
            line = self.ports.setdefault(port, [])
            line.extend([0] * (cycle + 1 - len(line)))
            line[cycle] = value

    def read(self, cycle: int, stored: Stored, access: Access) -> None:
        """Asks for elements."""
        self.at(cycle, read=1, **{f"read_{port}": value for port, value in stored.request(access).items()})

    def write(
        self, cycle: int, stored: Stored, access: Access, values: NDArray[np.int64], slots: int = -1
    ) -> list[tuple[int, int]]:
        """Writes those lanes of an access that the matrix has, from ``values``; the places that are written."""
        g = stored.geometry
        places = access.places(g.lanes)
        inside = [stored.has(*place) for place in places]
        data = [values[place] if here else [0] * g.slots for place, here in zip(places, inside, strict=True)]
        request = {f"write_{port}": value for port, value in stored.request(access).items()}
        slots &= (1 << g.slots) - 1
        self.at(cycle, write=1, write_data=stored.packed(data), write_slots=slots, **request)
        if g.banked:
            self.at(cycle, write_lanes=sum(here << lane for lane, here in enumerate(inside)))
        return [place for place, here in zip(places, inside, strict=True) if here]

    def run(self, seed: int = 1) -> list[int]:
        """``read_data`` in each cycle."""
        self.at(self.cycles + 8, read=0)
        return bench().wiggle(self.label, self.ports, seed=seed)["read_data"]
