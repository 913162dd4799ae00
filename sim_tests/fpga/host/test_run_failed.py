from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tilewright.fpga.host.accelerator import Accelerator
from tilewright.fpga.host.run_failed import RunFailed
from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.hdl.systolic.records import Status
from tilewright.sim_tests.fpga.host.engines import INTEGERS, accelerator, refuses
from tilewright.sim_tests.harness.axi_memory import AxiMemory, ErrorRange
from tilewright.sim_tests.simulate.engine_transport import MEMORY

RNG = np.random.default_rng(12)
A, B = RNG.integers(-128, 128, (4, 4)), RNG.integers(-128, 128, (4, 4))
PLACE = 64  # each of A, the result and the program begins a place of this many bytes


@pytest.fixture(scope="module")
def engine() -> Iterator[Accelerator]:
    with accelerator(INTEGERS) as found:
        yield found


@pytest.mark.parametrize(
    ("what", "cause", "words"),
    [
        ("b", Cause.READ_ERROR, "memory answered with an error when data were read"),
        ("a", Cause.READ_ERROR, "memory answered with an error when data were read"),
        ("result", Cause.WRITE_ERROR, "memory answered with an error when data were written"),
        ("program", Cause.FETCH_ERROR, "memory answered with an error when the program was read"),
    ],
)
@pytest.mark.parametrize("response", ["SLVERR", "DECERR"])
def test_an_error_of_memory_fails_the_run_and_the_next_call_works(
    engine: Accelerator, what: str, cause: Cause, words: str, response: str
) -> None:
    placed = engine.put(B, "b")
    assert np.array_equal(engine.matmul(A, placed), A @ B)
    places = ("b", "a", "result", "program").index(what)
    bad = ErrorRange(placed.address + places * PLACE, PLACE, response)
    engine.transport.session.configure(AxiMemory(latency=60, errors=(bad,)))  # type: ignore[attr-defined]
    with pytest.raises(RunFailed, match=f"^the run has failed: {words}, {response}") as found:
        engine.matmul(A, placed)
    assert found.value.cause is cause
    assert "\n" not in str(found.value)
    refuses(engine.profile, "profile must come after a run that has ended well; there is none")
    engine.transport.session.configure(MEMORY)  # type: ignore[attr-defined]
    assert np.array_equal(engine.matmul(A, placed), A @ B)
    assert np.array_equal(engine.matmul(A, B, bias=[1, 2, 3, 4]), A @ B + [1, 2, 3, 4])


def test_memory_that_never_answers_ends_by_the_watchdog() -> None:
    with accelerator(INTEGERS, settings=AxiMemory(latency=4000)) as slow:
        slow.link.write("watchdog", 1000)
        with pytest.raises(RunFailed, match="nothing has moved for as long as the watchdog allows: ") as found:
            slow.matmul(A, B)
        assert found.value.cause is Cause.STUCK
        slow.link.write("watchdog", 100_000)
        assert np.array_equal(slow.matmul(A, B), A @ B)


def test_what_is_said_of_each_cause() -> None:
    none = (0, 0, 0)
    for cause in Cause:
        if cause.name != "NONE" and cause:
            assert str(RunFailed(cause, 0, 0, none)).startswith("the run has failed: ")
    refused = str(RunFailed(Cause.GEMM_REFUSED, int(list(Status)[1]), 7, none))
    assert refused == f"the run has failed: the core refused a command, {list(Status)[1].name}, instruction tag 7"
    stuck = str(RunFailed(Cause.STUCK, 0b01001, 0, (0b10, 0, 0b101)))
    assert stuck == (
        "the run has failed: nothing has moved for as long as the watchdog allows: load sequencer lacks tokens; "
        "a read is under way; load waits for 1; store waits for 0, 2"
    )
    short = str(RunFailed(Cause.LOAD_PACKET, PacketFault.TLAST_EARLY, 9, none))
    assert short.endswith("a load was not as long as its matrix: TLAST came too early, instruction tag 9")
    program = str(RunFailed(Cause.PROGRAM_PACKET, PacketFault.TKEEP, 0, none))
    assert program.endswith("was not as long as its program: TKEEP of a beat was wrong")
    illegal = str(RunFailed(Cause.ILLEGAL_INSTRUCTION, 0, 3, none))
    assert illegal.endswith("an instruction that the engine does not know, instruction tag 3")
