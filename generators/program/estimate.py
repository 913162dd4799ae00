"""What a tiling costs, by closed formulas: good enough to rank thousands of tilings in a second."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.program.product import Product
from tilewright.generators.program.tiling import Tiling
from tilewright.generators.program.traffic import Amount, Traffic, TrafficOf
from tilewright.generators.reference.engine_cycles import (
    COMMAND_END,
    COMMAND_START,
    LOAD_END,
    LOAD_START,
    START,
    STORE_END,
    STORE_START,
    STORE_WAY,
    EngineCycles,
)
from tilewright.generators.reference.engine_run import FETCHED

_INSTRUCTION = 8  # runs of memory that are as bad as an instruction
_SHORTEST = 6  # cycles in which the core takes commands


@dataclass(frozen=True)
class Cost:
    """Cycles from start to interrupt, bytes of matrices; instructions and runs of memory. Smaller is better."""

    cycles: int
    bytes: int
    pieces: int


class Estimator:
    """Costs of tilings of one product."""

    def __init__(self, product: Product, model: EngineCycles) -> None:
        self.product, self.model = product, model
        self.config: EngineConfig = model.config
        self.traffic = TrafficOf(product, model.config)
        self._command = lru_cache(maxsize=None)(self._command_cycles)

    def cost(self, tiling: Tiling) -> Cost:
        """Cycles are the most of the array's, the reads' and the writes', with the first loads and the last store."""
        moved = self.traffic(tiling)
        program = moved.program_bytes * 8 // self.config.bus_bits
        reads = sum(self._port(amount) for amount in (moved.a, moved.b, moved.start)) + program
        steady = max(self._waits(tiling, moved, self._array(tiling)), reads, self._port(moved.c))
        runs = moved.a.runs + moved.b.runs + moved.start.runs + moved.c.runs
        return Cost(steady + self._ends(tiling), moved.tensor_bytes, runs + _INSTRUCTION * moved.instructions)

    def _port(self, moved: Amount) -> int:
        covered = moved.runs * (self.model.latency + LOAD_START) // self.config.outstanding
        return max(moved.beats, covered)

    def _command_cycles(self, m: int, n: int, k: int, dataflow: str) -> tuple[int, int]:
        """Cycles between commands that follow each other; those more that one takes from end to end."""
        core = self.model.core
        outer, inner, stream = core.folds(m, n, k, dataflow)
        spacing = core.fold_time(stream)
        if dataflow != "os":
            steady = outer * max(inner * spacing, core.read_after_write if outer > 1 else 0)
        else:
            steady = outer * inner * spacing
        total = core.cycles(m, n, k, dataflow) + COMMAND_START + COMMAND_END
        return max(steady, _SHORTEST, -(-total // core.in_flight)), max(0, total - steady)

    def _array(self, t: Tiling) -> int:
        """Cycles of all commands in the array, with the waits of those that add to the same tile."""
        p, total = self.product, 0
        chunks = -(-p.k // t.tile_k)
        tiles = t.across_m * t.across_n
        for height, times_m in _cuts(p.m, t.tile_m):
            for width, times_n in _cuts(p.n, t.tile_n):
                for depth, times_k in _cuts(p.k, t.tile_k):
                    steady, late = self._command(height, width, depth, t.dataflow)
                    wait = max(0, late - (tiles - 1) * steady) // tiles if chunks > 1 else 0
                    total += (steady + wait) * times_m * times_n * times_k
        return total

    def _waits(self, t: Tiling, moved: Traffic, array: int) -> int:
        """Cycles of the array with waits for places: each is taken by a load, by its way, and by commands that read it.

        An operand that is not resident goes round all its places; of one that is, the elements of a panel take the
        places of the last panel's, in its last pass. A place of C is taken from a tile's first command to the end of
        its store.
        """
        p, model = self.product, self.model
        chunks, tiles_m, tiles_n = -(-p.k // t.tile_k), -(-p.m // t.tile_m), -(-p.n // t.tile_n)
        macros = -(-p.m // t.macro_m) * -(-p.n // t.macro_n)
        beside_m, beside_n = min(t.across_m, tiles_m), min(t.across_n, tiles_n)
        steady = array / (tiles_m * tiles_n * chunks)  # of a command, those at edges too
        late = self._command(min(t.tile_m, p.m), min(t.tile_n, p.n), min(t.tile_k, p.k), t.dataflow)[1]
        way = LOAD_START + model.latency + LOAD_END + late
        a_used = steady * (beside_n if t.a_chunks == 1 else beside_m * beside_n * t.a_chunks)
        b_used = steady * ((beside_m - 1) * beside_n + 1)
        a_passes, b_passes = t.passes(p)
        a_loads, b_loads = -(-chunks // t.a_chunks) * tiles_m, chunks * tiles_n
        kept = t.elements_kept(p)
        panels_a = -(-p.m // t.macro_m) if t.order == "mn" else 1
        panels_b = -(-p.n // t.macro_n) if t.order == "nm" else 1
        totals, more = [float(array)], 0.0
        for amount, loads, passes, used, stages, keep, stays, panels in (
            (moved.a, a_loads, a_passes, a_used, t.a_stages, kept[0], t.a_resident, panels_a),
            (moved.b, b_loads, b_passes, b_used, t.b_stages, kept[1], t.b_resident, panels_b),
        ):
            held = self._port(amount) // (loads * passes) + way + used
            if stays:
                more += (panels - 1) * max(0, keep * (held / stages - used))
            else:
                totals.append(loads * passes * held / stages)
        tiles = tiles_m * tiles_n
        summed = steady * ((chunks - 1) * tiles / macros + 1) + late
        stored = STORE_START + STORE_WAY + self._port(moved.c) // tiles + model.latency + STORE_END
        totals.append(tiles * (summed + stored) / t.c_places)
        return round(max(totals) + more)

    def _ends(self, t: Tiling) -> int:
        """Cycles before the first command starts, and after the last one has been in the array."""
        p, latency = self.product, self.model.latency
        bus_bytes, longest = self.config.bus_bits // 8, self.config.longest_burst
        rows, columns, depth = min(t.tile_m, p.m), min(t.tile_n, p.n), min(t.tile_k, p.k)
        first = p.a.transfers(0, 0, rows, depth, bus_bytes, longest)[1]
        first += p.b.transfers(0, 0, depth, columns, bus_bytes, longest)[1]
        head = START + latency + FETCHED + LOAD_START + latency + first + LOAD_END
        last = p.c.transfers(0, 0, rows, min(t.tile_n, p.n), bus_bytes, longest)[1]
        late = self._command(rows, min(t.tile_n, p.n), depth, t.dataflow)[1]
        return head + late + STORE_START + STORE_WAY + last + latency


def _cuts(total: int, size: int) -> list[tuple[int, int]]:
    """(length, how many) of the pieces of ``total``."""
    whole, rest = divmod(total, size)
    return [(length, count) for length, count in ((size, whole), (rest, 1)) if length and count]
