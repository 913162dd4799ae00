import numpy as np

from tilewright.hdl.systolic.product import ceil_div_cycles
from tilewright.sim_tests.hdl.datapath_bench import bench
from tilewright.sim_tests.hdl.systolic.blocks import DIVISORS


def test_quotients_of_every_value_are_exact() -> None:
    values = list(range(1 << 16))
    got = bench().wiggle("quotients", {"value": [*values, 0]})
    for divisor in DIVISORS:
        wanted, late = -(-np.arange(1 << 16) // divisor), ceil_div_cycles(divisor)
        quotients = np.array(got[f"by_{divisor}"])[late : late + len(values)]
        np.testing.assert_array_equal(quotients, wanted, err_msg=f"by {divisor}")


def test_products_come_two_cycles_later_one_a_cycle() -> None:
    rng = np.random.default_rng(1)
    x = [0, 0, 2047, 2047, 1, *rng.integers(0, 1 << 11, 2000).tolist()]
    y = [0, 8191, 0, 8191, 8191, *rng.integers(0, 1 << 13, 2000).tolist()]
    got = bench().wiggle("product", {"x": [*x, 0, 0], "y": [*y, 0, 0]})["q"]
    assert got[2:] == [a * b for a, b in zip(x, y, strict=True)]
