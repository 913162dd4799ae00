"""The registers of the engine: the one definition that RTL, drivers, headers and documents share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Access = Literal["ro", "rw", "wo", "w1c"]

IDENTIFICATION = 0x544C5752  # "TLWR"
VERSION = 1
ADDRESS_BITS = 9
WORD_BYTES = 4
WINDOW_WORDS = 16


@dataclass(frozen=True)
class Field:
    """Bits ``low``..``low + width - 1`` of a register."""

    name: str
    low: int
    width: int
    meaning: str
    many: bool = False


@dataclass(frozen=True)
class Register:
    """A 32-bit register at byte ``offset``; where ``many``, it or a field is one of engines with several cores only."""

    name: str
    offset: int
    access: Access
    meaning: str
    fields: tuple[Field, ...] = ()
    many: bool = False


COUNTERS = {
    "cycles": "cycles from the start of the run to its end",
    "load_busy": "cycles in which data for a load arrived or were on their way through",
    "load_wait_token": "cycles in which the load sequencer had nothing under way and lacked a token",
    "load_wait_bus": "cycles in which loads waited for memory",
    "compute_busy": "cycles in which the core had a command",
    "compute_wait_token": "cycles in which the core had none because the next one lacked a token",
    "store_busy": "cycles in which data of a store moved",
    "store_wait_token": "cycles in which the store sequencer had nothing under way and lacked a token",
    "store_wait_bus": "cycles in which stores waited for memory",
    "array_active": "cycles in which a wavefront entered the array",
    "read_beats": "beats of data read",
    "write_beats": "beats of data written",
    "fetch_beats": "beats of instructions read",
}
"""Counters of a run, 64 bits each. A sequencer is idle in all cycles that it is neither busy nor waiting."""

COUNTER_WORDS = 2 * len(COUNTERS)

_FIRST_COUNTER = 0x080


def _counters() -> tuple[Register, ...]:
    found = []
    for index, (name, meaning) in enumerate(COUNTERS.items()):
        for half, suffix in enumerate(("low", "high")):
            found.append(Register(f"{name}_{suffix}", _FIRST_COUNTER + 8 * index + 4 * half, "ro", meaning))
    return tuple(found)


REGISTERS = (
    Register("identification", 0x000, "ro", f"0x{IDENTIFICATION:08X}"),
    Register(
        "version",
        0x004,
        "ro",
        "version of this map",
        (
            Field("map", 0, 16, "version of this map", many=True),
            Field("more_cores", 16, 4, "cores, less one", many=True),
        ),
    ),
    Register(
        "shape",
        0x008,
        "ro",
        "the array",
        (Field("rows", 0, 16, "processing elements in a column"), Field("cols", 16, 16, "in a row")),
    ),
    Register(
        "port",
        0x00C,
        "ro",
        "the memory port",
        (
            Field("bus_bytes", 0, 8, "bytes of a beat"),
            Field("address_bits", 8, 8, "bits of an address"),
            Field("max_burst", 16, 16, "beats of the longest burst"),
        ),
    ),
    Register("a_words", 0x010, "ro", "words of the scratchpad A"),
    Register("b_words", 0x014, "ro", "words of the scratchpad B"),
    Register("c_words", 0x018, "ro", "words of each region of the scratchpad C"),
    Register("digest", 0x01C, "ro", "first 32 bits of the SHA-256 of the configuration"),
    Register(
        "control",
        0x040,
        "wo",
        "starts and ends runs",
        (
            Field("start", 0, 1, "start the program; refused with SLVERR while a run is under way"),
            Field("abort", 1, 1, "end the run as failed, once nothing is under way on the bus"),
        ),
    ),
    Register(
        "status",
        0x044,
        "ro",
        "what the last run has come to",
        (
            Field("busy", 0, 1, "a run is under way"),
            Field("done", 1, 1, "the last run has ended well"),
            Field("failed", 2, 1, "the last run has failed"),
            Field("core", 4, 4, "of several cores the one that it has failed by", many=True),
            Field("cause", 8, 8, "why"),
            Field("detail", 16, 8, "more of why: the core's status or AXI's response"),
            Field("tag", 24, 8, "tag of the instruction that failed"),
        ),
    ),
    Register(
        "interrupt_enable",
        0x048,
        "rw",
        "whether `irq` follows the interrupt",
        (Field("enable", 0, 1, "1: it does"),),
    ),
    Register(
        "interrupt",
        0x04C,
        "w1c",
        "the interrupt, whether enabled or not",
        (Field("ended", 0, 1, "a run has ended; write 1 to clear"),),
    ),
    Register("program_low", 0x050, "rw", "address of the program; its low six bits are always 0"),
    Register("program_high", 0x054, "rw", "its upper half"),
    Register("program_count", 0x058, "rw", "instructions of the program in memory; 0: they come through the window"),
    Register("watchdog", 0x05C, "rw", "cycles without any progress after which a run is stuck; 0: never"),
    *(
        Register(
            f"{sequencer}_missing",
            0x060 + 4 * index,
            "ro",
            f"what the {sequencer} sequencer lacked when the last run ended",
            (Field("tokens", 0, 16, "a bit for each token"),),
        )
        for index, sequencer in enumerate(("load", "compute", "store"))
    ),
    Register(
        "counter_core",
        0x06C,
        "rw",
        "of several cores the one whose counters are read",
        (Field("core", 0, 4, "its number"),),
        many=True,
    ),
    *_counters(),
    *(
        Register(
            f"window_{word}",
            0x100 + 4 * word,
            "wo",
            "word of an instruction; the last one puts it into the queue, refused with SLVERR while that is full",
        )
        for word in range(WINDOW_WORDS)
    ),
)

BY_NAME = {register.name: register for register in REGISTERS}


def registers(cores: int) -> tuple[Register, ...]:
    """Those of an engine with so many cores, with the fields that they have there."""
    if cores > 1:
        return REGISTERS
    return tuple(
        replace(register, fields=tuple(field for field in register.fields if not field.many))
        for register in REGISTERS
        if not register.many
    )
