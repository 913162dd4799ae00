import numpy as np

from tilewright.sim_tests.hdl.datapath_bench import bench


def test_words_are_read_without_a_clock_and_written_at_its_edge() -> None:
    rng = np.random.default_rng(1)
    count = 300
    address, data = rng.integers(0, 6, count), rng.integers(0, 128, count)
    address[:6] = range(6)
    enable = rng.integers(0, 2, count)
    enable[:6] = 1
    asked = rng.integers(0, 6, count)
    got = bench().wiggle(
        "file",
        {
            "write_enable": enable.tolist(),
            "write_address": address.tolist(),
            "write_data": data.tolist(),
            "read_address": asked.tolist(),
        },
    )["read_data"]
    words: dict[int, int] = {}
    for cycle in range(count):
        if int(asked[cycle]) in words:
            assert got[cycle] == words[int(asked[cycle])], f"cycle {cycle}"
        if enable[cycle]:
            words[int(address[cycle])] = int(data[cycle])
