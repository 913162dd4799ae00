import numpy as np

from tilewright.hdl.numeric import IntFormat, wrap
from tilewright.sim_tests.hdl.datapath_bench import bench


def _inputs(rng: np.random.Generator, width: int, sum_width: int, count: int) -> dict[str, list[int]]:
    edges = [-(1 << (width - 1)), (1 << (width - 1)) - 1, 0, -1]
    return {
        "held": [*edges, *rng.integers(-(1 << (width - 1)), 1 << (width - 1), count).tolist()],
        "first": [*edges[::-1], *rng.integers(-(1 << (width - 1)), 1 << (width - 1), count).tolist()],
        "sum": [*([-(1 << (sum_width - 1))] * 4), *rng.integers(-(1 << (sum_width - 1)), 1 << (sum_width - 1), count)],
        "continues": [1, 1, 1, 0, *rng.integers(0, 2, count).tolist()],
        "broadcast": [0, 1, 0, 1, *rng.integers(0, 2, count).tolist()],
    }


def _start(i: dict[str, list[int]], *, broadcast: bool = True) -> np.ndarray:
    held = np.where(np.array(i["broadcast"]) & broadcast, i["first"], i["held"])
    return np.where(i["continues"], held, 0)


def test_start_lane_gives_what_c_starts_from_at_once() -> None:
    inputs = _inputs(np.random.default_rng(1), 12, 9, 500)
    inputs.pop("sum")
    got = bench().wiggle("start", inputs)["seed"]
    np.testing.assert_array_equal(wrap(got, IntFormat(12)), _start(inputs))


def test_accumulator_adds_modulo_its_width_one_cycle_later() -> None:
    for label, width, sum_width, shared in (("accumulator", 12, 9, True), ("accumulator_plain", 10, 10, False)):
        inputs = _inputs(np.random.default_rng(2), width, sum_width, 500)
        wanted = wrap(_start(inputs, broadcast=shared) + np.array(inputs["sum"]), IntFormat(width))
        if not shared:
            inputs.pop("first"), inputs.pop("broadcast")
        got = bench().wiggle(label, {name: [*values, 0] for name, values in inputs.items()})["total"][1:]
        np.testing.assert_array_equal(wrap(got, IntFormat(width)), wanted)
