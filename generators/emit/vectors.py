"""Vectors of a test bench as text: one beat a line, in hexadecimal.

A line to send is: answers awaited (two digits for each output stream, the first one last), payload, check. A line to
expect is: payload, check. The check byte makes the exclusive or of all bytes of the line 0xA5, so that a line that was
changed is noticed even where the change does not matter to the design.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.generators.emit.program import Beat

CHECK = 0xA5


def payload_bits(width: int) -> int:
    """Bits that a payload of ``width`` bits takes in a line: whole bytes."""
    return -(-width // 8) * 8


def sent_text(beats: Sequence[Beat], width: int) -> str:
    """Lines of an input stream."""
    lines = []
    for beat in beats:
        awaited = sum(count << 8 * index for index, count in enumerate(beat.after))
        lines.append(_line(awaited << payload_bits(width) | beat.payload, payload_bits(width) + 8 * len(beat.after)))
    return "".join(lines)


def expected_text(payloads: Sequence[int], width: int) -> str:
    """Lines of an output stream."""
    return "".join(_line(payload, payload_bits(width)) for payload in payloads)


def _line(word: int, bits: int) -> str:
    check = CHECK
    for byte in word.to_bytes(bits // 8, "little"):
        check ^= byte
    return f"{word << 8 | check:0{bits // 4 + 2}x}\n"
