import itertools

from tilewright.sim_tests.drivers.side_by_side import integers
from tilewright.sim_tests.hdl.stream.bench import ELEMENT, LANES, WAYS, bench
from tilewright.sim_tests.hdl.stream.packets import Beat
from tilewright.sim_tests.hdl.stream.test_merge import send_all, tagged


def owners(sent: list[list[int]], stall: float = 0.0) -> list[int]:
    run = send_all("round_robin", sent)
    result = run.expect("round_robin_o", sum(map(len, sent)), stall=stall).execute()
    return [value >> 18 for value in integers(result["round_robin_o"].beats)]


def test_inputs_that_never_pause_take_turns() -> None:
    sent = [tagged(way, 40) for way in range(WAYS)]
    assert owners(sent) == list(range(WAYS)) * 40
    assert owners(sent, stall=0.5) == list(range(WAYS)) * 40


def test_a_silent_input_takes_no_turn() -> None:
    for silent in range(WAYS):
        busy = [way for way in range(WAYS) if way != silent]
        assert owners([tagged(way, 30 * (way != silent)) for way in range(WAYS)]) == busy * 30


def test_the_turn_goes_on_after_the_input_that_was_served() -> None:
    run = bench().run()
    for way, (count, start) in enumerate([(20, 0), (20, 10), (20, 0)]):
        run.send(f"round_robin_i_{way}", bench().payloads(tagged(way, count), "round_robin_o"), not_before=start)
    result = run.expect("round_robin_o", 60).execute()
    got = [value >> 18 for value in integers(result["round_robin_o"].beats)]
    while_all = got[12 : got.index(0, 40)]
    assert all(b == (a + 1) % WAYS for a, b in itertools.pairwise(while_all))


def test_packets_take_turns_whatever_their_length() -> None:
    lengths, count = (1, 3, 2), 12
    sent = []
    for way, length in enumerate(lengths):
        beats = [Beat((way, number), number == length - 1) for number in range(length)] * count
        sent.append([beat.packed(LANES, ELEMENT) for beat in beats])
    result = send_all("round_robin_packets", sent).expect("round_robin_packets_o", sum(map(len, sent))).execute()
    got = [value & 0xFF for value in integers(result["round_robin_packets_o"].beats)]
    assert got == [way for way, length in enumerate(lengths) for _ in range(length)] * count
