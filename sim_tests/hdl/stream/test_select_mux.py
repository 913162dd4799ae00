from tilewright.sim_tests.drivers.side_by_side import integers
from tilewright.sim_tests.harness import Limits
from tilewright.sim_tests.harness.run import execute
from tilewright.sim_tests.hdl.stream.bench import bench
from tilewright.sim_tests.hdl.stream.test_merge import send_all, tagged


def test_a_number_past_the_last_input_names_the_last() -> None:
    run = send_all("select", [tagged(0, 1), tagged(1, 1), tagged(2, 3)])
    run.send("select_select", bench().payloads([3, 0, 2, 1, 3], "select_select"))
    got = integers(run.expect("select_o", 5).execute()["select_o"].beats)
    assert [value >> 18 for value in got] == [2, 0, 2, 1, 2]


def test_nothing_moves_without_a_selection() -> None:
    run = send_all("select", [tagged(way, 5) for way in range(3)]).expect("select_o", None).limits(Limits(quiet=40))
    assert len(execute(run.build, run.plan)["select_o"]) == 0


def test_an_input_that_is_not_selected_waits() -> None:
    run = send_all("select", [[], tagged(1, 5), tagged(2, 5)]).expect("select_o", None).limits(Limits(quiet=40))
    run.send("select_select", bench().payloads([1, 1, 0, 1], "select_select"))
    result = execute(run.build, run.plan)
    assert [value >> 18 for value in integers(result["select_o"].beats)] == [1, 1]
