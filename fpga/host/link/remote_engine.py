"""An engine and its memory behind a link."""

from __future__ import annotations

from typing import Any

import numpy as np
from amaranth.lib import data as bits
from numpy.typing import NDArray

from tilewright.fpga.host.link.link import Link, LinkError
from tilewright.fpga.host.link.wrong_design import WrongDesign, check_same
from tilewright.fpga.tops.engine_identity import engine_of
from tilewright.fpga.tops.identity import UnknownDesign
from tilewright.fpga.tops.linked_engine import INPUTS, OUTPUTS
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.hdl.engine.register_map import BY_NAME
from tilewright.hdl.link.access import (
    MEMORY_ANSWER,
    MEMORY_REQUEST,
    MOST_BEATS,
    REGISTER_ANSWER,
    REGISTER_REQUEST,
    Access,
)

POLLS = 10_000
"""How often the interrupt is asked for; a run of what its memory can hold ends long before."""


class RemoteEngine:
    """A `tilewright.fpga.host.transport.Transport` to an engine on a board; its memory is on the board, too.

    Args:
        link: to the design.
        told: what the design tells of itself.
        config: the engine that is expected; None: whichever answers.

    Raises:
        LinkError: nobody answers.
        WrongDesign: another engine than ``config``, or one of another version.
    """

    memory_base = 0

    def __init__(self, link: Link, told: bytes, config: SystolicConfig | None = None) -> None:
        self.link = link
        try:
            self.config, self.memory_bytes = engine_of(told)
        except UnknownDesign as error:
            raise WrongDesign(
                f"the link works, but the design behind it is unknown: {error}; load the file of tilewright build"
            ) from None
        if config is not None:
            check_same(config, self.config)
        self._beat = self.config.bus_bits // 8
        link.reset()

    def read_register(self, offset: int) -> int:
        """See `Transport`. Raises LinkError where there is no such register."""
        return self._register(f"register 0x{offset:03x}", {"address": offset})

    def write_register(self, offset: int, value: int) -> None:
        """See `Transport`. Raises LinkError where the engine refuses."""
        self._register(f"register 0x{offset:03x}", {"address": offset, "data": value, "write": 1})

    def read_memory(self, address: int, size: int) -> NDArray[Any]:
        """See `Transport`. Raises LinkError where a byte is beyond the memory."""
        start, beats = self._beats(address, size)
        found = b""
        for begin in range(start, start + beats, MOST_BEATS):
            count = min(MOST_BEATS, start + beats - begin)
            self._ask(MEMORY_REQUEST, "memory_request", {"address": begin * self._beat, "beats": count})
            found += self.link.read_some(OUTPUTS.index("read"), count, self._beat)
            self._memory_answer(begin)
        skipped = address - start * self._beat
        return np.frombuffer(found[skipped : skipped + size], dtype=np.uint8).copy()

    def write_memory(self, address: int, data: NDArray[Any]) -> None:
        """See `Transport`. Raises LinkError where a byte is beyond the memory.

        A beat that is written in part keeps its other bytes.
        """
        start, beats = self._beats(address, len(data))
        if not beats:
            return
        before, behind = address - start * self._beat, (start + beats) * self._beat - address - len(data)
        head = self.read_memory(address - before, before)
        tail = self.read_memory(address + len(data), behind)
        whole = np.concatenate((head, np.asarray(data, dtype=np.uint8), tail)).tobytes()
        for begin in range(0, beats, MOST_BEATS):
            count = min(MOST_BEATS, beats - begin)
            asked = {"address": (start + begin) * self._beat, "beats": count, "write": 1}
            self._ask(MEMORY_REQUEST, "memory_request", asked)
            part = whole[begin * self._beat : (begin + count) * self._beat]
            self.link.write(INPUTS.index("written"), part, self._beat)
            self._memory_answer(start + begin)

    def wait(self) -> None:
        """See `Transport`; asks for the interrupt again and again."""
        if not any(self.read_register(BY_NAME["interrupt"].offset) & 1 for _ in range(POLLS)):
            raise TimeoutError(f"the engine must end its run, but tells no interrupt when asked {POLLS} times")

    def close(self) -> None:
        """See `Transport`."""
        self.link.close()

    def _beats(self, address: int, size: int) -> tuple[int, int]:
        """The first beat, and how many, that ``size`` bytes from ``address`` on lie in."""
        start = address // self._beat
        return start, -(-(address + size) // self._beat) - start if size else 0

    def _ask(self, layout: bits.StructLayout, port: str, fields: dict[str, int]) -> None:
        size = -(-layout.size // 8)
        self.link.write(INPUTS.index(port), layout.const(fields).as_bits().to_bytes(size, "little"), size)

    def _answer(self, layout: bits.StructLayout, port: str, what: str) -> Any:
        size = -(-layout.size // 8)
        answer = layout.from_bits(int.from_bytes(self.link.read(OUTPUTS.index(port), 1, size), "little"))
        if answer.status != Access.DONE:
            raise LinkError(f"the design refused an access to {what}: {Access(answer.status).name}")
        return answer

    def _register(self, what: str, fields: dict[str, int]) -> int:
        self._ask(REGISTER_REQUEST, "register_request", fields)
        return int(self._answer(REGISTER_ANSWER, "register_answer", what).data)

    def _memory_answer(self, beat: int) -> None:
        self._answer(MEMORY_ANSWER, "memory_answer", f"memory from 0x{beat * self._beat:x} on")
