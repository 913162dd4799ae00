"""Products dealt to several cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.channel_table import channel_words
from tilewright.generators.program.gemm import gemm_program
from tilewright.generators.program.instruction import Instruction
from tilewright.generators.program.interleave import many_program
from tilewright.generators.program.joined import Part
from tilewright.generators.program.pieces import piece_of
from tilewright.generators.program.plan import Objective, Plan, forced_plan, make_plan
from tilewright.generators.program.product import Product
from tilewright.generators.program.sharing import Share, Sharer, Sharing
from tilewright.generators.program.tiling import Tiling

if TYPE_CHECKING:
    from tilewright.fpga.host.product_runner import Job

Table = tuple[int, NDArray[np.uint8]]
"""Address and bytes."""


@dataclass(frozen=True)
class Dealt:
    """A program, the plans of its products or their pieces, and what must lie in memory for it."""

    program: list[Instruction]
    plans: tuple[Plan, ...]
    tables: tuple[Table, ...]


class CoreJobs:
    """Deals jobs to the cores of ``config``; remembers how.

    Jobs that follow each other and are alike, as in a stack, are dealt together. One that needs what those before it
    have stored begins when all cores have ended.

    Args:
        config: the engine.
        alike: what two products have in common that can be planned alike.
        take: gives so many bytes of memory.
    """

    def __init__(self, config: EngineConfig, alike: Callable[[Product], Any], take: Callable[[str, int], int]) -> None:
        self.config, self._alike, self._take = config, alike, take
        self._known: dict[Any, Sharing] = {}

    def plans(self, jobs: Sequence[Job]) -> list[Plan]:
        """The plans of all pieces of ``jobs``. Raises ValueError where one has none."""
        dealt = [self._share(group).shares for group in self._groups(jobs)]
        return [share.plan for group in dealt for shares in group for _, share in shares]

    def deal(self, jobs: Sequence[Job]) -> Dealt:
        """Programs, plans and tables of ``jobs``. A `Tiling` of a job forces that of every piece."""
        sections: list[list[list[Part]]] = []
        plans: list[Plan] = []
        tables: list[Table] = []
        for group in self._groups(jobs):
            if not sections or group[0].after_stores:
                sections.append([[] for _ in range(self.config.cores)])
            for core, shares in enumerate(self._share(group).shares):
                for number, share in shares:
                    part, table = self._part(group[number], share)
                    sections[-1][core].append(Part(part, after_stores=False))
                    plans.append(share.plan)
                    tables += table
        return Dealt(many_program(sections, self.config), tuple(plans), tuple(tables))

    def _groups(self, jobs: Sequence[Job]) -> list[list[Job]]:
        groups: list[list[Job]] = []
        for job in jobs:
            together = groups and not job.after_stores
            if together and self._key(groups[-1][0]) == self._key(job):
                groups[-1].append(job)
            else:
                groups.append([job])
        return groups

    def _key(self, job: Job) -> Any:
        """What jobs have in common that are dealt alike."""
        return self._alike(job.product), job.tiling

    def _share(self, group: Sequence[Job]) -> Sharing:
        products, tiling = [job.product for job in group], group[0].tiling
        key = (self._key(group[0]), len(products))
        if key not in self._known:
            self._known[key] = Sharer(self.config, lambda product: self._plan(product, tiling)).share(products)
        return self._known[key]

    def _plan(self, product: Product, tiling: Tiling | Objective) -> Plan:
        if isinstance(tiling, Tiling):
            return forced_plan(product, tiling, self.config)
        return make_plan(product, self.config, objective=tiling)

    def _part(self, job: Job, share: Share) -> tuple[list[Instruction], list[Table]]:
        """The instructions of a piece, and its table of channels."""
        product, factors = piece_of(job.product, share.piece), job.end.factors
        tables: list[Table] = []
        if product.finish is not None and product.finish.channels is not None and factors is not None:
            columns = slice(share.piece.column, share.piece.column + share.piece.cols)
            words = channel_words(product, share.plan.tiling, self.config)
            data = words.table(*(np.asarray(factor)[columns] for factor in factors))
            address = self._take("the channels", len(data))
            product = piece_of(job.product, share.piece, address)
            tables = [(address, data)]
        return gemm_program(product, share.plan.tiling, self.config), tables
