"""The C header: where the fields of commands and answers lie, codes, sizes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from tilewright.generators.config.command import canonical_command
from tilewright.generators.config.systolic import SystolicConfig
from tilewright.generators.emit.interface import FIELDS, layouts
from tilewright.hdl.arith.window_tally import FLAGS
from tilewright.hdl.numeric import FxFormat, code_format
from tilewright.hdl.systolic.parameters import Dataflow
from tilewright.hdl.systolic.records import Start, Status

WORD = 32


def c_header(config: SystolicConfig) -> str:
    """Text of ``<module_name>.h``. A record is an array of 32-bit words, lowest first."""
    prefix = config.module_name.upper()
    guard = f"{prefix}_H"
    core = config.product == "core"
    records = [
        "   A record is an array of 32-bit words, the lowest first; no field crosses a word:",
        "   record[X_WORD] |= (value & X_MASK) << X_SHIFT.",
    ]
    lines = [
        f"/* {'Records, codes and sizes' if core else 'Sizes'} of {config.module_name}: {canonical_command(config)}",
        *(records if core else ()),
        "   This file belongs to its user. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *sizes(config, prefix),
    ]
    if config.product == "core":
        for record, layout in layouts(config).items():
            lines += ["", f"/* {record} */", f"#define {prefix}_{record}_WORDS {-(-layout.size // WORD)}"]
            for name in layout.members:
                lines += _field(f"{prefix}_{record}_{name.upper()}", layout[name].offset, layout[name].width, name)
        for title, values in (("STATUS", Status), ("START", Start), ("DATAFLOW", Dataflow)):
            lines += ["", *codes(f"{prefix}_{title}", values)]
    return "\n".join([*lines, "", f"#endif /* {guard} */", ""])


def sizes(config: SystolicConfig, prefix: str) -> list[str]:
    """Definitions of the sizes and formats of an array, core or engine."""
    found = {"ROWS": config.rows, "COLS": config.cols, "VECTOR": config.vector, "PIPELINE": config.pipeline}
    found |= {"ADD_LATENCY": config.add_latency}
    stored = {"A": code_format(config.a), "B": code_format(config.b), "C": code_format(config.acc)}
    found |= {f"{matrix}_BITS": fmt.width for matrix, fmt in stored.items()}
    found |= {f"{matrix}_SIGNED": int(stored[matrix].signed) for matrix in "AB"}
    lines = [f"#define {prefix}_{name} {value}" for name, value in found.items()]
    lines += [f"/* formats: A {config.a}, B {config.b}, C {config.acc} */"]
    if isinstance(config.acc, FxFormat):
        bits = {"WINDOW_BITS": config.acc.width}
        bits |= {f"{flag.upper()}_BIT": config.acc.width + place for place, flag in enumerate(FLAGS)}
        lines += [f"#define {prefix}_C_{name} {value} /* of an element of C */" for name, value in bits.items()]
    if config.safe_k is not None:
        lines.append(f"#define {prefix}_SAFE_K {config.safe_k}ULL /* longest K whose sums cannot leave C */")
    if config.product != "array":
        for name, pad in vars(config.scratchpads).items():
            lines.append(f"#define {prefix}_{name.upper()}_WORDS {pad.words}")
            lines.append(f"#define {prefix}_{name.upper()}_LANES {pad.lanes} /* elements of a word */")
    return lines


def _field(label: str, low: int, width: int, name: str) -> Iterable[str]:
    word, shift = divmod(low, WORD)
    if shift + width > WORD:
        raise ValueError(f"field {name} crosses a {WORD}-bit word")
    yield f"#define {label}_WORD {word} /* {FIELDS[name]} */"
    yield f"#define {label}_SHIFT {shift}"
    yield f"#define {label}_MASK 0x{(1 << width) - 1:x}u"


def codes(prefix: str, values: Iterable[IntEnum]) -> Iterable[str]:
    """A definition of each of ``values``."""
    return [f"#define {prefix}_{value.name} {value.value}" for value in values]
