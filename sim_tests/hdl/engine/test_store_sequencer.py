"""Stores: what is asked of the core, what the mover is told, and when tokens are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.records import FINISH, HEAD, Opcode
from tilewright.hdl.engine.store_sequencer import StoreSequencer
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.hdl.engine.grants import Event, Fault, given, grant
from tilewright.sim_tests.hdl.engine.instructions import instruction
from tilewright.sim_tests.hdl.engine.streams import send, simulate, take

ELEMENTS = (2, 0)


def _run(
    program: list[int], responses: list[dict[str, int]], stores: int, answers: list[dict[str, int]] | None = None
) -> tuple[list[Any], list[Any], list[int], list[Fault]]:
    sequencer = StoreSequencer(40, ELEMENTS)
    jobs: list[Any] = []
    transfers: list[Any] = []
    log: list[Event] = []
    faults: list[Fault] = []
    processes = [
        send(sequencer.instruction, program, idle=0.2, seed=1),
        take(sequencer.job, jobs, stall=0.3, seed=2),
        take(sequencer.read_c_command, transfers, stall=0.3, seed=3),
        send(sequencer.written, responses, idle=0.7, seed=4),
        send(sequencer.read_c_answer, answers or [], idle=0.7, seed=5),
        grant(sequencer, log, faults),
    ]

    def done() -> bool:
        return len(jobs) == stores and bool(faults if answers else len(given(log)) == len(program))

    simulate(sequencer, processes, done, limit=5000)
    return jobs, transfers, given(log), faults


def test_jobs_read_outs_and_tokens() -> None:
    rng = np.random.default_rng(1)
    program, wanted = [], []
    shape: dict[int, int] = {}
    multiplier = 0
    for tag in range(90):
        kind = (Opcode.STORE_TENSOR, Opcode.FINISH, Opcode.STORE)[int(rng.integers(3)) if tag > 8 else tag % 2]
        if kind == Opcode.STORE_TENSOR:
            slot = int(rng.integers(8)) if tag > 8 else tag // 2
            shape[slot] = int(rng.integers(1 << 31))
            program.append(instruction(kind, tag=tag, gives=tag + 1, slot=slot, out_x_stride=shape[slot]))
        elif kind == Opcode.FINISH:
            multiplier = int(rng.integers(1 << 31))
            program.append(instruction(kind, tag=tag, gives=tag + 1, mode=1, multiplier=multiplier))
        else:
            slot = sorted(shape)[int(rng.integers(len(shape)))]
            box = {
                "target": tag % 2,
                "slot": slot,
                "base": tag,
                "rows": tag + 1,
                "cols": 2 * tag + 1,
                "region": tag % 2,
            }
            stored = tag if tag % 3 == 0 else 0
            program.append(instruction(kind, tag=tag, gives=tag + 1, address=64 * tag, stored_rows=stored, **box))
            wanted.append((tag, box, stored or box["rows"], shape[slot], multiplier))
    responses = [{"tag": tag, "resp": 0} for tag, *_ in wanted]
    jobs, transfers, gives, faults = _run(program, responses, len(wanted))
    assert not faults and sorted(gives) == list(range(1, 91))
    for (_, job), (_, transfer), (tag, box, rows, stride, factor) in zip(jobs, transfers, wanted, strict=True):
        order = job.order
        assert (order.tag, order.stream, order.element) == (tag, box["target"], ELEMENTS[box["target"]])
        assert (order.box.rows, order.box.cols, order.box.address) == (rows, box["cols"], 64 * tag)
        assert order.tensor.out_x_stride == stride
        assert job.finish >> FINISH["multiplier"].offset - HEAD.size & 0x7FFFFFFF == factor
        assert (transfer.base, transfer.rows, transfer.cols) == (box["base"], box["rows"], box["cols"])
        assert (transfer.region, transfer.tag) == (box["region"], tag)


def test_a_bad_response_is_a_fault_with_its_tag() -> None:
    program = [instruction(Opcode.STORE, tag=7 + i, gives=1, rows=1, cols=1) for i in range(3)]
    responses = [{"tag": 7, "resp": 0}, {"tag": 8, "resp": 3}, {"tag": 9, "resp": 2}]
    assert _run(program, responses, 3)[3] == [(Cause.WRITE_ERROR, 3, 8), (Cause.WRITE_ERROR, 2, 9)]


def test_a_refused_read_out_is_a_fault_with_its_tag() -> None:
    program = [instruction(Opcode.STORE, tag=50, rows=1, cols=1)]
    *_, faults = _run(program, [], 1, [{"status": Status.OUT_OF_RANGE, "tag": 50}])
    assert faults == [(Cause.STORE_REFUSED, Status.OUT_OF_RANGE, 50)]


def test_empty_stores_and_unknown_forms_end_at_once() -> None:
    program = [
        instruction(Opcode.STORE, tag=1, gives=1, rows=0, cols=5),
        instruction(Opcode.STORE, tag=2, gives=2, rows=5, cols=0),
        instruction(Opcode.STORE, tag=3, gives=4, rows=1, cols=1, target=2),
    ]
    jobs, transfers, gives, faults = _run(program, [], 0)
    assert not jobs and not transfers and gives == [1, 2, 4]
    assert faults == [(Cause.ILLEGAL_INSTRUCTION, 0, 3)]
