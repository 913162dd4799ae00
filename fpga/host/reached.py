"""How an accelerator is reached: in simulation, or on a board."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from tilewright.fpga.flow.built import read_built
from tilewright.fpga.host.checked import whole
from tilewright.fpga.host.link.core_driver import CoreDriver
from tilewright.fpga.host.link.hosted_engine import HostedEngine, hosted_config
from tilewright.fpga.host.link.link import Link
from tilewright.fpga.host.link.remote_engine import RemoteEngine
from tilewright.fpga.host.link.serial_wire import SerialWire
from tilewright.fpga.host.link.wire import Wire
from tilewright.fpga.host.program_runner import ProgramRunner
from tilewright.fpga.tops.engine_identity import tells_engine
from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.errors import ConfigError, shown
from tilewright.generators.config.presets import engine_preset, engine_preset_names, preset
from tilewright.generators.config.systolic import SystolicConfig, systolic_config

BAUD = 1_000_000
"""Bits a second that the boards of this project are built for."""


class Reached(ProgramRunner):
    """Ways to an engine, and the ``with`` block in which it is there."""

    @classmethod
    def simulate(cls, config: EngineConfig | Mapping[str, Any] | str | None = None, **options: Any) -> Self:
        """An engine in simulation, built on first use.

        Args:
            config: an `EngineConfig`, a mapping of its fields, or the name of a preset; None: the defaults.
            options: ``memory_bytes``, by default 2^28 or what `address_bits` reach; ``seed``; ``settings``, an
                ``AxiMemory``, by default one that is 60 cycles away; ``trace``, a waveform to write; ``timeout``,
                seconds that a call may take: the simulation ends with a `SimulationFailed` then, as it does when a
                call is interrupted.
        """
        if isinstance(config, str):
            settings = engine_preset(config).config
        else:
            settings = config if isinstance(config, EngineConfig) else engine_config({} if config is None else config)
        # The simulation is an extra and imports this package: it is looked up only when it is asked for.
        door = import_module("tilewright.sim_tests.simulate.engine_transport")
        return cls(door.simulated_engine(settings, **door.checked(settings, options)), settings)

    @classmethod
    def connect(cls, where: str, config: SystolicConfig | Mapping[str, Any] | None = None, *, baud: int = BAUD) -> Self:
        """The design on a board, or one that behaves as if it were.

        A core has memory, the ways of tiles and the finishing of results in the host, which speaks to it over a link;
        it does what engines do, without their counters. An engine has its memory beside it, and what does not fit there
        is refused.

        Args:
            where: a serial port, as ``/dev/ttyUSB1``; ``sim:PRESET``: the RTL of a core on a board, in simulation, byte
                by byte over its UART, or an engine; ``netlist:DIR``: what `tilewright build` wrote to a folder, taken
                apart again, in simulation at the board's own rate.
            config: of the core or engine that is expected there, an engine as an `EngineConfig`; None: whichever
                answers.
            baud: bits a second of a serial port.

        Raises:
            ConfigError: there is no such preset.
            LinkError: the port cannot be opened, nobody answers, or what answers is another design; it says which.
        """
        if not isinstance(where, str):
            raise ConfigError(
                f"where must be a serial port, 'sim:PRESET' or 'netlist:DIR', got {shown(where)}; nearest is 'sim:'"
            )
        wanted = config if config is None or isinstance(config, SystolicConfig) else systolic_config(config)
        kind, colon, name = where.partition(":")
        if kind == "sim" and colon and name in engine_preset_names():
            return cls.simulate(name)
        if kind == "sim" and colon:
            simulated = preset(name).config
            door = import_module("tilewright.sim_tests.simulate.board")
            return cls.behind(door.simulated_board(simulated), wanted or simulated)
        if kind == "netlist" and colon:
            door = import_module("tilewright.sim_tests.simulate.board")
            return cls.behind(door.simulated_build(read_built(Path(name))), wanted)
        return cls.behind(SerialWire(where, whole("baud", baud, 300, 12_000_000)), wanted)

    @classmethod
    def behind(cls, wire: Wire, config: SystolicConfig | None = None) -> Self:
        """The core or engine at the end of a wire of your own; see `connect`. The wire is closed with it."""
        try:
            link = Link(wire)
            told = link.identify()
            if tells_engine(told):
                remote = RemoteEngine(link, told, config)
                return cls(remote, remote.config)
            driver = CoreDriver(link, config)
            engine = hosted_config(driver.config)
            return cls(HostedEngine(driver, engine), engine, timed=False)
        except BaseException:
            wire.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
