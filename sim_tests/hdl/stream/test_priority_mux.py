from tilewright.sim_tests.drivers.side_by_side import integers
from tilewright.sim_tests.hdl.stream.bench import WAYS, bench
from tilewright.sim_tests.hdl.stream.test_merge import send_all, tagged


def test_an_input_goes_before_all_later_ones() -> None:
    sent = [tagged(way, 30) for way in range(WAYS)]
    result = send_all("priority", sent).expect("priority_o", 90).execute()
    assert integers(result["priority_o"].beats) == [value for values in sent for value in values]


def test_a_more_important_input_comes_in_between() -> None:
    run = bench().run().send("priority_i_2", bench().payloads(tagged(2, 20), "priority_i_2"))
    run.send("priority_i_0", bench().payloads(tagged(0, 5), "priority_i_0"), not_before=8)
    got = [value >> 18 for value in integers(run.expect("priority_o", 25).execute()["priority_o"].beats)]
    assert got == [2] * 8 + [0] * 5 + [2] * 12
