"""From the configuration of an engine to hardware."""

from __future__ import annotations

import hashlib
import json

from tilewright.generators.config.engine import EngineConfig
from tilewright.generators.emit.elaborate import core_parameters
from tilewright.generators.emit.emitter import Emitter
from tilewright.generators.emit.engine_top import engine_top
from tilewright.generators.emit.module import VerilogModule
from tilewright.hdl.engine.engine import Engine
from tilewright.hdl.engine.parameters import EngineParameters
from tilewright.hdl.engine.pins import EnginePins
from tilewright.hdl.engine.register_map import IDENTIFICATION, VERSION


def engine_parameters(config: EngineConfig) -> EngineParameters:
    """What the hardware needs of ``config``."""
    return EngineParameters(
        core=core_parameters(config),
        bus_bits=config.bus_bits,
        address_bits=config.address_bits,
        max_burst=config.max_burst,
        outstanding=config.outstanding,
        result=config.result,
        channels=config.channels,
        row_sums=config.row_sums,
        adds=config.adds,
        pool_words=config.pool_words,
        table=config.table,
        transposer=config.transposer,
        functions=config.functions,
        cores=config.cores,
        streams=config.streams,
    )


LATER = ("cores", "data_ports", "in_flight", "table", "target", "transposer")
"""Fields that were added to a configuration after digests had been given."""


def digest(config: EngineConfig) -> int:
    """The first 32 bits of the SHA-256 of the configuration: a driver tells with it whether it fits the hardware."""
    # What decides only whether there is an engine is no part of it: the canonical command does not tell it either.
    # Nor is what hardware that was made before it could be chosen has, or has not.
    defaults = EngineConfig.model_fields
    left_out = {"memory_limit_bits"} | {name for name in LATER if getattr(config, name) == defaults[name].default}
    fields = json.dumps(config.model_dump(mode="json", exclude=left_out), sort_keys=True)
    return int.from_bytes(hashlib.sha256(fields.encode()).digest()[:4], "big")


def constants(config: EngineConfig) -> dict[str, int]:
    """Values of the registers that describe the engine."""
    pads = config.scratchpads
    burst = 0 if config.streams else config.max_burst
    return {
        "identification": IDENTIFICATION,
        "version": VERSION | config.cores - 1 << 16,
        "shape": config.rows | config.cols << 16,
        "port": config.bus_bits // 8 | config.address_bits << 8 | burst << 16,
        "a_words": pads.a.words,
        "b_words": pads.b.words,
        "c_words": pads.c.words,
        "digest": digest(config),
    }


def engine_modules(config: EngineConfig) -> list[VerilogModule]:
    """All modules of the engine, leaves first, the top module last."""
    emitter = Emitter(config.module_name)
    pins = EnginePins(Engine(engine_parameters(config), constants(config)))
    emitter.emit(pins)
    found = emitter.modules()
    return [*found, engine_top(config.module_name, found[-1])]
