"""Sequencers and tokens on programs that do nothing."""

from __future__ import annotations

import pytest

from tilewright.generators.reference.engine_machine import QUEUE_DEPTH, Deadlock, Machine
from tilewright.generators.reference.engine_records import Entry, Op

END = Entry(99, Op.END, 0, 0, {})


def order(program: list[Entry], seed: int | None) -> list[int]:
    """Numbers of the instructions in the order of their effects."""
    found: list[int] = []
    Machine(lambda entry: found.append(entry.number), lambda entry: True).run([*program, END], seed)
    return found


def test_queues_keep_their_order_and_overtake_each_other() -> None:
    ops = (Op.LOAD, Op.GEMM, Op.STORE)
    program = [Entry(number, ops[number % 3], 0, 0, {}) for number in range(30)]
    assert order(program, None) == list(range(30))
    seen = {tuple(order(program, seed)) for seed in range(20)}
    assert len(seen) > 10
    for found in seen:
        for queue in range(3):
            assert [number for number in found if number % 3 == queue] == list(range(queue, 30, 3))


def test_tokens_hold_an_instruction_back() -> None:
    """Each gives what the next one, in another queue, waits for."""
    links = [(Op.LOAD, 0, 1), (Op.GEMM, 1, 2), (Op.LOAD, 2, 4), (Op.STORE, 4, 0)]
    program = [Entry(number, op, waits, gives, {}) for number, (op, waits, gives) in enumerate(links)]
    for seed in range(20):
        assert order(program, seed) == [0, 1, 2, 3]


def test_a_queue_that_is_full_stops_fetching() -> None:
    """Loads that wait for a command behind them, one more than their queue holds: it is never fetched."""
    waiting = [Entry(number, Op.LOAD, 1, 0, {}) for number in range(QUEUE_DEPTH)]
    command = Entry(50, Op.GEMM, 0, 1, {})
    for count, stuck in ((QUEUE_DEPTH - 1, False), (QUEUE_DEPTH, True)):
        program = [*waiting[:count], Entry(40, Op.LOAD, 1, 0, {}), *[command] * (count + 1)]
        if stuck:
            with pytest.raises(Deadlock, match=r"^the load sequencer's instruction 0 \(LOAD\) waits for token 0$"):
                order(program, 3)
        else:
            assert len(order(program, 3)) == 2 * (count + 1)


def test_a_deadlock_names_every_sequencer() -> None:
    program = [Entry(0, Op.LOAD, 1, 2, {}), Entry(1, Op.GEMM, 2, 1, {}), Entry(2, Op.STORE, 0x8004, 0, {})]
    names = (
        r"^the load sequencer's instruction 0 \(LOAD\) waits for token 0; "
        r"the compute sequencer's instruction 1 \(GEMM\) waits for token 1; "
        r"the store sequencer's instruction 2 \(STORE\) waits for token 2, 15$"
    )
    for seed in range(5):
        with pytest.raises(Deadlock, match=names):
            order(program, seed)


def test_cores_have_queues_and_tokens_of_their_own() -> None:
    """What one core gives, the other does not get, and a queue of one that stands still does not hold the other up."""
    give, take = Entry(0, Op.LOAD, 0, 1, {}, 0), Entry(1, Op.GEMM, 1, 0, {}, 1)
    machine = Machine(lambda entry: None, lambda entry: True, 2)
    with pytest.raises(Deadlock, match=r"^the compute sequencer's instruction 1 \(GEMM\) of core 1 waits for token 0$"):
        machine.run([give, take, END], 1)
    assert machine.tokens == [1] + [0] * 31
    order_of = [Entry(number, Op.LOAD, 0, 0, {}, number % 2) for number in range(12)]
    seen = set()
    for seed in range(10):
        found: list[int] = []
        Machine(lambda entry: found.append(entry.number), lambda entry: True, 2).run([*order_of, END], seed)  # noqa: B023
        assert [n for n in found if n % 2] == list(range(1, 12, 2)) and sorted(found) == list(range(12))
        seen.add(tuple(found))
    assert len(seen) > 5


def test_a_barrier_waits_for_all_cores() -> None:
    program = [Entry(n, Op.LOAD, 0, 0, {}, n % 3) for n in range(9)]
    program += [Entry(9, Op.BARRIER, 0, 0, {}), *(Entry(n, Op.STORE, 0, 0, {}, n % 3) for n in range(10, 19))]
    for seed in (None, *range(10)):
        found: list[int] = []
        Machine(lambda entry: found.append(entry.number), lambda entry: True, 3).run([*program, END], seed)  # noqa: B023
        assert sorted(found[:9]) == list(range(9)) and sorted(found[9:]) == list(range(10, 19))
