"""Tokens for a sequencer alone: every wish is granted at once."""

from __future__ import annotations

from typing import Any

from tilewright.sim_tests.hdl.engine.streams import Process

Event = tuple[str, int]
Fault = tuple[int, int, int]


def grant(sequencer: Any, log: list[Event], faults: list[Fault]) -> Process:
    """Grants every wish of ``sequencer`` for tokens.

    Notes what it takes, ``("takes", waits)``, and gives, ``("gives", tokens)``, in ``log``; cause, detail and tag of
    its faults in ``faults``.
    """

    async def process(ctx: Any) -> None:
        while True:
            ctx.set(sequencer.go, ctx.get(sequencer.wants))
            _, _, takes, waits, gives, fault, cause, detail, tag = await ctx.tick().sample(
                sequencer.takes,
                sequencer.waits,
                sequencer.gives,
                sequencer.fault_valid,
                sequencer.fault.cause,
                sequencer.fault.detail,
                sequencer.fault.tag,
            )
            log.extend([("takes", waits)] * takes + [("gives", gives)] * bool(gives))
            if fault:
                faults.append((cause, detail, tag))

    return process


def given(log: list[Event]) -> list[int]:
    """The tokens that were given, in order."""
    return [tokens for kind, tokens in log if kind == "gives"]
