import numpy as np
import pytest

from tilewright.sim_tests.hdl.datapath_bench import bench

EDGES = ((1, 1, 1), (1, 1, 7), (5, 1, 1), (1, 6, 1), (3, 4, 5), (65535, 4096, 3))


def _steps(extents: tuple[int, int, int], tiles: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """What is left of every loop at each step."""
    outer, middle, inner = (range(n, 0, -t) for n, t in zip(extents, tiles, strict=True))
    return [(o, m, i) for o in outer for m in middle for i in inner]


@pytest.mark.parametrize("seed", range(8))
def test_walks_like_nested_loops(seed: int) -> None:
    """Several nests, each started in the last step of the one before; idle cycles between steps."""
    rng = np.random.default_rng(seed)
    nests = [(e, (min(8191, max(1, e[0] // 3)), max(1, e[1] // 2), 1)) for e in EDGES]
    nests += [(tuple(rng.integers(1, 12, 3)), tuple(rng.integers(1, 6, 3))) for _ in range(10)]
    names = ("outer", "middle", "inner")
    ports = ["start", "step", *(f"{n}{s}" for n in names for s in ("", "_tile"))]
    inputs: dict[str, list[int]] = {port: [] for port in ports}
    wanted: list[tuple[tuple[int, int, int], tuple[int, int, int], bool] | None] = []

    def cycle(*, start: bool, step: bool, index: int) -> None:
        """``index`` is the nest that is walked; the next one starts."""
        extents = nests[index + 1][0] if start else rng.integers(0, 99, 3)
        tiles = nests[max(index, 0)][1]
        inputs["start"].append(start)
        inputs["step"].append(step)
        for name, extent, tile in zip(names, extents, tiles, strict=True):
            inputs[name].append(int(extent))
            inputs[f"{name}_tile"].append(int(tile))

    cycle(start=True, step=False, index=-1)
    wanted.append(None)
    for index, (extents, tiles) in enumerate(nests):
        steps = _steps(extents, tiles)
        for at, left in enumerate(steps):
            while rng.random() < 0.3:
                cycle(start=False, step=False, index=index)
                wanted.append((left, (0, 0, 0), at == len(steps) - 1))
            following = steps[at + 1] if at + 1 < len(steps) else None
            moved = (0, 0, 0)
            if following is not None:
                changed = next(i for i in range(3) if following[i] != left[i])
                moved = tuple(int(i == changed) for i in range(3))  # type: ignore[assignment]
            last = following is None
            cycle(start=last and index + 1 < len(nests), step=True, index=index)
            wanted.append((left, moved, last))
    got = bench().wiggle("nest", inputs)
    for number, want in enumerate(wanted):
        if want is None:
            continue
        left, moved, last = want
        assert tuple(got[f"{n}_left"][number] for n in names) == left, number
        assert tuple(got[f"{n}_step"][number] for n in names) == moved, number
        assert bool(got["last"][number]) == last, number
