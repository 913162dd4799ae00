"""What a driver says when a run has failed."""

from __future__ import annotations

from tilewright.hdl.engine.answers import Cause
from tilewright.hdl.engine.packet_faults import PacketFault
from tilewright.hdl.systolic.records import Status

_WORDS = {
    Cause.ILLEGAL_INSTRUCTION: "the program has an instruction that the engine does not know",
    Cause.LOAD_REFUSED: "the core refused a load",
    Cause.GEMM_REFUSED: "the core refused a command",
    Cause.STORE_REFUSED: "the core refused a read-out",
    Cause.FETCH_ERROR: "memory answered with an error when the program was read",
    Cause.READ_ERROR: "memory answered with an error when data were read",
    Cause.WRITE_ERROR: "memory answered with an error when data were written",
    Cause.TOO_MANY_TOKENS: "the program gave more than 63 tokens of a kind",
    Cause.STUCK: "nothing has moved for as long as the watchdog allows",
    Cause.ABORTED: "it was aborted",
    Cause.PROGRAM_PACKET: "the packet of the program was not as long as its program",
    Cause.LOAD_PACKET: "the packet of a load was not as long as its matrix",
}
_PACKETS: dict[int, str] = {
    PacketFault.TLAST_EARLY: "TLAST came too early",
    PacketFault.TLAST_LATE: "TLAST did not come with its last beat",
    PacketFault.TKEEP: "TKEEP of a beat was wrong",
}
_REFUSALS = (Cause.LOAD_REFUSED, Cause.GEMM_REFUSED, Cause.STORE_REFUSED)
_BUS = (Cause.FETCH_ERROR, Cause.READ_ERROR, Cause.WRITE_ERROR)
_WHOLE = (Cause.FETCH_ERROR, Cause.ABORTED)  # no core's
_RESPONSES = {2: "SLVERR", 3: "DECERR"}
_STUCK = ("load sequencer lacks tokens", "compute sequencer lacks tokens", "store sequencer lacks tokens",
          "a read is under way", "a write is under way")  # fmt: skip


class RunFailed(RuntimeError):
    """A run has failed; the engine is ready for the next, as soon as memory has answered what it still owes.

    Attributes:
        cause: why; detail: more of why (see the register ``status``); tag: that of the instruction.
        missing: tokens that load, compute and store sequencer waited for, a bit for each.
        core: the core that it has failed by; None where there is one.
    """

    def __init__(
        self, cause: Cause, detail: int, tag: int, missing: tuple[int, int, int], core: int | None = None
    ) -> None:
        self.cause, self.detail, self.tag, self.missing, self.core = cause, detail, tag, missing, core
        where = "" if core is None or cause in _WHOLE else f", core {core}"
        super().__init__(f"the run has failed: {_WORDS[cause]}{where}{self._more()}")

    def _more(self) -> str:
        if self.cause in _REFUSALS:
            return f", {Status(self.detail).name}, instruction tag {self.tag}"
        if self.cause in _BUS:
            where = "" if self.cause is Cause.FETCH_ERROR else f", instruction tag {self.tag}"
            return f", {_RESPONSES.get(self.detail, self.detail)}{where}"
        if self.cause in (Cause.PROGRAM_PACKET, Cause.LOAD_PACKET):
            where = f", instruction tag {self.tag}" if self.cause is Cause.LOAD_PACKET else ""
            return f": {_PACKETS.get(self.detail, self.detail)}{where}"
        if self.cause is Cause.STUCK:
            known = [words for bit, words in enumerate(_STUCK) if self.detail >> bit & 1]
            tokens = [
                f"{name} waits for {', '.join(str(t) for t in range(16) if waits >> t & 1)}"
                for name, waits in zip(("load", "compute", "store"), self.missing, strict=True)
                if waits
            ]
            return ": " + "; ".join(known + tokens)
        return f", instruction tag {self.tag}" if self.cause is Cause.ILLEGAL_INSTRUCTION else ""
