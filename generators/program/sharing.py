"""Who does what when a program has several cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.candidates import candidates
from tilewright.generators.program.estimate import Estimator
from tilewright.generators.program.pieces import Piece, blocks, cuts, piece_of, whole
from tilewright.generators.program.plan import LATENCY, Plan, forced_plan, make_plan, predicted
from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import objections
from tilewright.generators.program.traffic import instructions
from tilewright.generators.reference.engine_cycles import EngineCycles

_LOOKS = 4
"""Cuts whose pieces are ranked by estimates, out of those that bounds let one hope for."""
_ALIKE = 50
"""Cuts whose bounds differ by less than this part of them are ranked by what they move."""
_TIMED = 1500
_NEAREST = 12  # tilings that are timed, at most
"""Instructions that are timed by the model of events for a piece, at most: those of several tilings of a small one."""
_OVERLAP = 3 * LATENCY
"""Cycles by which what a core does next begins before the last has ended: until its first operands are there, and while
results are on their way."""


@dataclass(frozen=True)
class Share:
    """A piece of a product, and how it is tiled."""

    piece: Piece
    plan: Plan


Group = list[list[tuple[int, Share]]]
"""For each core the numbers of products, and its shares of them."""


@dataclass(frozen=True)
class Sharing:
    """How products are dealt to cores.

    Attributes:
        shares: (number of the product, its share), in the order in which they are done, of each core.
        cycles: those of the core that takes the longest, as the model of events predicts them.
    """

    shares: tuple[tuple[tuple[int, Share], ...], ...]
    cycles: int

    @property
    def busy(self) -> float:
        """Part of the time in which cores have something to do, 0..1, by prediction: below 1 is the tail."""
        cycles = [_cycles(own) for own in self.shares]
        return sum(cycles) / (len(cycles) * max(cycles))


class Sharer:
    """Plans products for the cores of an engine, each as well as one core could do it; remembers what it has planned.

    ``plan`` plans a product for one core.
    """

    def __init__(self, config: EngineConfig, plan: Callable[[Product], Plan] | None = None) -> None:
        self.config = config
        self.plan = plan or (lambda product: make_plan(product, config))

    def share(self, products: Sequence[Product]) -> Sharing:
        """Deals ``products``, which do not need each other's results and are alike in all but their addresses.

        As many as there are cores are one wave, each on a core. Those of a last wave that would leave cores without
        work are cut into pieces, so that all cores have about as much of it.
        """
        cores = self.config.cores
        own: Group = [[] for _ in range(cores)]
        waves, rest = divmod(len(products), cores)
        if waves:
            plan = self.plan(products[0])
            for number in range(waves * cores):
                own[number % cores].append((number, self._planned(products[number], whole(products[number]), plan)))
        tail = range(waves * cores, len(products))
        for group in self._tail(products, tail) if rest else ():
            for core, pieces in enumerate(group):
                own[core] += pieces
        return Sharing(tuple(map(tuple, own)), max(map(_cycles, own)))

    def _tail(self, products: Sequence[Product], tail: range) -> list[Group]:
        """For the products of a part-filled wave what each core does: groups that follow each other."""
        cores = self.config.cores
        ways: list[tuple[int, int, list[Group]]] = []
        for together in sorted({1, len(tail)}):
            # So many products at a time share the cores.
            shares = self.cut(products[tail[0]], cores // together)
            groups: list[Group] = []
            for first in range(0, len(tail), together):
                group: Group = []
                for number in tail[first : first + together]:
                    alike = (self._planned(products[number], share.piece, share.plan) for share in shares)
                    group += [[(number, share)] for share in alike]
                groups.append([[] for _ in range(cores - len(group))] + group)
            longest = [share for group in groups for share in max(group, key=_cycles)]
            ways.append((_cycles(longest), len(ways), groups))
        return min(ways)[2]

    def deal(self, product: Product, rows: int, cols: int) -> Sharing:
        """C in blocks of one size, dealt one after the other, as if in waves; `share` does better."""
        cores = self.config.cores
        shares = self.planned(product, blocks(product, rows, cols))
        own = tuple(tuple((0, share) for share in shares[core::cores]) for core in range(cores))
        return Sharing(own, max(map(_cycles, own)))

    def cut(self, product: Product, cores: int) -> list[Share]:
        """A product in one piece for each of ``cores``, or in fewer; the smallest is the first.

        Core 0 has the program to read besides.
        """
        if cores == 1:
            return [Share(whole(product), self.plan(product))]
        bound = Bound(product, self.config)
        bounds = {pieces: bound.of(pieces) for pieces in cuts(product, self.config, cores)}
        alike = max(1, min(cycles for cycles, _ in bounds.values()) // _ALIKE)
        hopeful = sorted(bounds, key=lambda pieces: (bounds[pieces][0] // alike, bounds[pieces][1]))[:_LOOKS]
        estimates: dict[tuple[int, int], float] = {}
        for pieces in hopeful:
            for piece in _shapes(pieces):
                if (piece.rows, piece.cols) not in estimates:
                    estimates[piece.rows, piece.cols] = self._estimate(piece_of(product, piece))
        best = min(hopeful, key=lambda pieces: max(estimates[piece.rows, piece.cols] for piece in pieces))
        largest_first = sorted(best, key=lambda piece: -estimates[piece.rows, piece.cols])
        return self.planned(product, largest_first)[::-1]

    def planned(self, product: Product, pieces: Sequence[Piece]) -> list[Share]:
        """Pieces with their plans: that of the first one for all that it fits."""
        plans: dict[tuple[int, int], Plan] = {}
        found = []
        for piece in pieces:
            part, shape = piece_of(product, piece), (piece.rows, piece.cols)
            if shape not in plans:
                first = next(iter(plans.values()), None)
                fits = first is not None and not objections(first.tiling, part, self.config)
                plans[shape] = forced_plan(part, first.tiling, self.config) if first and fits else self.plan(part)
            found.append(self._planned(product, piece, plans[shape]))
        return found

    def _planned(self, product: Product, piece: Piece, plan: Plan) -> Share:
        """The share with the traffic of its own addresses."""
        model = EngineCycles(self.config, LATENCY)
        traffic = Estimator(piece_of(product, piece), model).traffic(plan.tiling)
        return Share(piece, replace(plan, traffic=traffic))

    def _estimate(self, product: Product) -> float:
        """Cycles of the best tiling, by formula, and where they are few by the model of events; without end where there
        is none."""
        model = EngineCycles(self.config, LATENCY)
        estimator = Estimator(product, model)
        costs = {tiling: estimator.cost(tiling).cycles for tiling in candidates(product, self.config)}
        if not costs:
            return float("inf")
        best = min(costs, key=costs.__getitem__)
        count = min(_TIMED // instructions(product, best), _NEAREST)
        nearest = nsmallest(count, costs, key=costs.__getitem__)
        return min((predicted(product, tiling, model) for tiling in nearest), default=costs[best])


def _cycles(own: Sequence[tuple[int, Share]]) -> int:
    """Of what a core does one after the other."""
    each = [max(1, share.plan.cycles - _OVERLAP) for _, share in own]
    return sum(each) + _OVERLAP if each else 0


def _shapes(pieces: Iterable[Piece]) -> list[Piece]:
    """One piece of each shape."""
    return list({(piece.rows, piece.cols): piece for piece in pieces}.values())


class Bound:
    """What pieces of ``product`` take at least."""

    def __init__(self, product: Product, config: EngineConfig) -> None:
        self.product, self.config = product, config

    def of(self, pieces: Iterable[Piece]) -> tuple[int, int]:
        """(cycles, bytes moved) of those that take the most."""
        each = [self.piece(piece.rows, piece.cols) for piece in pieces]
        return max(cycles for cycles, _ in each), max(moved for _, moved in each)

    def piece(self, m: int, n: int) -> tuple[int, int]:
        """(cycles, bytes moved): cycles are the most of the array's, the reads' and the writes'."""
        p, bus = self.product, self.config.bus_bits // 8
        reads, writes = (m * p.a.value_bytes + n * p.b.value_bytes) * p.k, m * n * p.c.value_bytes
        return max(self.array(m, n, p.k), reads // bus, writes // bus), reads + writes

    def array(self, m: int, n: int, k: int) -> int:
        """Cycles in the array, in the dataflow that takes the fewest."""
        c = self.config
        along_k = -(-k // (c.rows * c.vector))
        ways = {
            "ws": along_k * -(-n // c.cols) * max(m, c.rows),
            "os": -(-m // c.rows) * -(-n // c.cols) * max(-(-k // c.vector), c.rows),
            "is": along_k * -(-m // c.cols) * max(n, c.rows),
        }
        return min(ways.values()) if c.dataflow == "any" else ways[c.dataflow]
