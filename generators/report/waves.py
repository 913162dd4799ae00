"""What a last wave of tiles that does not fill the cores costs, and what the planner makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.plan import Plan, make_plan
from tilewright.generators.program.product import Product
from tilewright.generators.program.sharing import Sharer, Sharing
from tilewright.generators.program.tensor import Matrix
from tilewright.generators.report.workload import Layer
from tilewright.hdl.numeric import container_bytes

_PAGE = 4096


@dataclass(frozen=True)
class Waves:
    """``tiles`` of the same size, dealt to ``cores`` one after the other."""

    tiles: int
    cores: int

    @property
    def count(self) -> int:
        """Waves, the last one included whether it fills the cores or not."""
        return -(-self.tiles // self.cores)

    @property
    def last(self) -> int:
        """Tiles of the last wave."""
        return self.tiles - (self.count - 1) * self.cores

    @property
    def utilisation(self) -> float:
        """Part of the cores' time in which they have a tile, 0..1: 133 tiles on 132 cores have 0.504."""
        return self.tiles / (self.count * self.cores)


@dataclass(frozen=True)
class Way:
    """A way to make a product.

    Attributes:
        name: what it is called.
        waves: its tiles, in waves.
        rows, cols: of the largest tile.
        cycles: predicted from start to interrupt, dealing of the program apart.
        busy: part of the cores' time in which they have work, 0..1, by prediction.
    """

    name: str
    waves: Waves
    rows: int
    cols: int
    cycles: int
    busy: float


def dense(config: EngineConfig, layer: Layer) -> Product:
    """The product of ``layer`` without bias, its accumulators stored as they are; every matrix begins a page."""
    m, n, k = layer.m, layer.n, layer.k
    views, place = [], 0
    for rows, cols, fmt in ((m, k, config.a), (k, n, config.b), (m, n, config.acc)):
        size = container_bytes(fmt)
        views.append(Matrix(place, rows, cols, size))
        place += -(-rows * cols * size // _PAGE) * _PAGE
    a, b, c = views
    return Product(a, b, c)


def ways(config: EngineConfig, layer: Layer) -> tuple[Way, ...]:
    """One core; the tiles that it makes, dealt to all cores in waves; and what the planner deals."""
    product = dense(config, layer)
    alone = make_plan(product, config)
    sharer = Sharer(config, _remembered(config, product, alone))
    height, width = min(alone.tiling.macro_m, layer.m), min(alone.tiling.macro_n, layer.n)
    tiles = -(-layer.m // height) * -(-layer.n // width)
    one = Way("one core", Waves(tiles, 1), height, width, alone.cycles, 1.0)
    dealt = _way("its tiles, in waves", config, sharer.deal(product, height, width))
    return one, dealt, _way("planned", config, sharer.share([product]))


def _remembered(config: EngineConfig, product: Product, plan: Plan) -> Callable[[Product], Plan]:
    """A planner that has planned ``product`` already."""
    return lambda part: plan if part == product else make_plan(part, config)


def _way(name: str, config: EngineConfig, sharing: Sharing) -> Way:
    pieces = [share.piece for own in sharing.shares for _, share in own]
    largest = max(pieces, key=lambda piece: piece.rows * piece.cols)
    waves = Waves(len(pieces), config.cores)
    return Way(name, waves, largest.rows, largest.cols, sharing.cycles, sharing.busy)
