import pytest

from tilewright.sim_tests.hdl.datapath_bench import bench


@pytest.mark.parametrize(("label", "lanes", "vector"), [("mask", 5, 4), ("mask_one", 6, 1)])
def test_values_beyond_the_count_do_not_exist(label: str, lanes: int, vector: int) -> None:
    values = lanes * vector
    whole = [*range(values + 2), 4096]
    each = list(range(vector + 1))
    counts = whole + each
    modes = [0] * len(whole) + [1] * len(each)
    got = bench().wiggle(label, {"count": [*counts, 0], "each_lane": [*modes, 0]})["exists"][1:]
    for count, mode, mask in zip(counts, modes, got, strict=True):
        wanted = [(v % vector if mode else v) < count for v in range(values)]
        assert [bool(mask >> v & 1) for v in range(values)] == wanted, (count, mode)
