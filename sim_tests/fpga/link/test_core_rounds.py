"""What a selftest does with a core behind a link: right cores pass, and each kind of check finds what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tilewright.fpga.host.link import core_selftest
from tilewright.fpga.host.link.beats import beat_bytes, beat_fields, to_beats
from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.fpga.host.link.core_rounds import EVERY, CoreRounds
from tilewright.fpga.host.link.frames import Replies, Reply, framed
from tilewright.fpga.host.link.link import Link
from tilewright.fpga.host.link.link_selftest import received
from tilewright.fpga.host.selftest_failed import SelftestFailed
from tilewright.generators.config.presets import preset
from tilewright.hdl.link.frame import REPLY, Fault, Operation, Status
from tilewright.hdl.systolic.records import Status as Ended
from tilewright.sim_tests.harness.uart_session import UartSession
from tilewright.sim_tests.simulate.board import simulated_board
from tilewright.sim_tests.simulate.uart_wire import UartWire

CONFIG = preset("any-4x4-int8").config
Change = Callable[[bytes, Reply], Reply | None]
"""What becomes of the reply to a frame; None: nothing does."""


class Changing:
    """A wire whose far end gives other replies than it should."""

    def __init__(self, session: UartSession, change: Change) -> None:
        self._wire, self._change, self._replies = UartWire(session), change, Replies()
        self._asked: list[bytes] = []
        self.changed = 0

    def send(self, data: bytes) -> None:
        """See `Wire`."""
        self._asked += [received(frame)[0] for frame in data.split(b"\0") if frame]
        self._wire.send(data)

    def receive(self, count: int) -> bytes:
        """See `Wire`."""
        said = b""
        for reply in self._replies.add(self._wire.receive(count)):
            found = self._change(self._asked.pop(0), reply)
            self.changed += found != reply
            if found is not None:
                head = bytes((found.sequence, found.operation | REPLY, found.status, len(found.payload)))
                said += framed(head + found.payload)
        return said

    def close(self) -> None:
        """See `Wire`."""


@pytest.fixture(scope="module")
def session() -> Iterator[UartSession]:
    wire = simulated_board(CONFIG)
    with wire.session as found, pytest.MonkeyPatch.context() as patch:
        patch.setattr(core_selftest, "PART", 24)
        yield found


def rounds(session: UartSession, change: Change, seed: int = 1) -> tuple[CoreRounds, Changing]:
    """Rounds on a core whose replies change once they begin, after what is left of others."""
    UartWire(session).send(b"\0")
    while UartWire(session).receive(1 << 20):
        pass
    wire = Changing(session, lambda asked, reply: reply)
    found = CoreRounds(CoreDriver(Link(wire)), seed)
    wire._change = change
    return found, wire


def test_a_core_that_is_right(session: UartSession) -> None:
    found, _ = rounds(session, lambda asked, reply: reply)
    for product in range(3 * EVERY):
        found.before(product)
    counts = found.core.counts
    assert min(counts.commands, counts.transfers, counts.refusals, found.link.frames) > 10


def test_products_in_between_are_known(session: UartSession) -> None:
    """What they write is looked at, too."""
    found, _ = rounds(session, lambda asked, reply: reply)
    driver, rng = found.core.driver, np.random.default_rng(2)
    found.core.fill()
    for _ in range(3):
        driver.product(rng.integers(-9, 9, (5, 6)), rng.integers(-9, 9, (6, 7)), rng.integers(-9, 9, (5, 7)))
        found.core.look()


def from_port(name: str, change: Callable[[bytes], bytes], most: int = 1 << 30) -> Change:
    """Changes what that port gives, if it gives anything."""
    port = OUTPUTS.index(name)
    left = [most]

    def changed(asked: bytes, reply: Reply) -> Reply:
        given = reply.payload[-1] if reply.payload else 0
        if asked[1:3] != bytes((Operation.READ, port)) or not given or not left[0]:
            return reply
        left[0] -= 1
        return reply._replace(
            payload=change(reply.payload[:given]).ljust(len(reply.payload) - 1, b"\0") + bytes((given,))
        )

    return changed


def done(status: int) -> Change:
    """Where a reply tells that status it tells that all is well."""
    return lambda asked, reply: reply._replace(status=Status.DONE) if reply.status == status else reply


OUTPUTS = ["completion", "load_a_answer", "load_b_answer", "load_c_answer", "read_c_beats", "read_c_answer"]
_LANES, _WIDTH = 4, 32


def _high_value(data: bytes) -> bytes:
    values, keep, last = beat_fields(data, _LANES, _WIDTH)
    del keep, last
    return data[:15] + bytes((data[15] ^ 0x80,)) + data[16:] if values.size else data


WRONG: dict[str, tuple[Change, str]] = {
    "status": (
        from_port("completion", lambda said: bytes((Ended.OK if said[0] else Ended.EMPTY,)) + said[1:]),
        r"Command\(.*\): completion is status \w+, tag \d+, expected status ",
    ),
    "tag": (from_port("read_c_answer", lambda said: bytes((said[0], said[1] ^ 8))), r"read_c .*: read_c_answer is "),
    "refusal": (
        from_port("load_a_answer", lambda said: bytes((said[0] and Ended.LENGTH,)) + said[1:]),
        r"load_a .*: load_a_answer is status LENGTH, ",
    ),
    "value": (from_port("read_c_beats", _high_value), r"read_c .*, values: \d+ of \d+ are wrong; beat 0, lane 3 is "),
    "beyond": (
        from_port("load_b_answer", lambda said: said[:1] + b"tag"[: len(said) - 1]),
        r"load_b_answer gave 01\w\w where two answers were asked for, expected 01",
    ),
    "keep": (
        from_port("read_c_beats", lambda said: said[:16] + bytes((said[16] ^ 1,)) + said[17:]),
        r"read_c .*, keep: 1 of \d+ are wrong; beat 0, lane 0 is 0, expected 1$",
    ),
    "last": (
        from_port("read_c_beats", lambda said: said[:16] + bytes((said[16] ^ 16,)) + said[17:]),
        r"read_c .*, last: 1 of \d+ are wrong; beat 0 is ",
    ),
    "fault": (
        done(Fault.CRC),
        r"the frame [0-9a-f]+ was answered with status 0, expected 3$",
    ),
    "operation": (
        done(Status.UNKNOWN),
        r"the frame [0-9a-f]+ was answered with status 0, expected 8$",
    ),
    "stalled": (
        done(Status.STALLED),
        r"a port that takes nothing was answered with status 0, expected 9$",
    ),
    "lost": (
        done(Status.LOST),
        r"900 bytes came while nothing took them, and no answer tells that some are lost$",
    ),
    "identity": (
        lambda asked, reply: reply._replace(payload=b"x" + reply.payload[1:])
        if reply.operation == Operation.IDENTIFY and reply.payload else reply,
        r"the frame [0-9a-f]+ was answered with payload 78.*, expected 54",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_found(what: str, session: UartSession) -> None:
    change, words = WRONG[what]
    found, wire = rounds(session, change)
    with pytest.raises(SelftestFailed, match=rf"^before product 1, seed 1: {words}"):
        found.before(0)
    assert wire.changed


def test_a_word_that_was_not_written_is_found(session: UartSession) -> None:
    """A load that does not arrive, of a core that tells it has."""
    found, _ = rounds(session, lambda asked, reply: reply)
    found.core.fill()
    model = found.core.model
    model.c[1].values[-1, 2] ^= 1
    with pytest.raises(SelftestFailed, match=r"^read_c .*, values: 1 of \d+ are wrong; beat \d+, lane 2 is "):
        found.core.look()


def test_beats_have_their_bits_where_they_are_told() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 1 << 32, (3, 6))
    values, keep, last = beat_fields(to_beats(codes, _LANES, _WIDTH, rng), _LANES, _WIDTH)
    np.testing.assert_array_equal(values.reshape(3, 8)[:, :6], codes)
    assert keep.reshape(3, 8).tolist() == 3 * [6 * [True] + 2 * [False]]
    assert last.tolist() == 5 * [False] + [True]
    assert len(to_beats(codes[:0], _LANES, _WIDTH)) == 0 and beat_bytes(_LANES, _WIDTH) == 17
