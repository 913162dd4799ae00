"""What is verified: the Verilog of a generated core, byte for byte, and the configuration that it claims to be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from tilewright.generators.config.engine import EngineConfig, engine_config
from tilewright.generators.config.errors import ConfigError, must_be
from tilewright.generators.config.input_file import LARGEST_TEXT, read_bytes
from tilewright.generators.config.systolic import SystolicConfig, systolic_config
from tilewright.generators.emit.cells import MODELS
from tilewright.sim_tests.drivers.core_ports import core_streams
from tilewright.sim_tests.drivers.watch import watched
from tilewright.sim_tests.harness import BuildSpec
from tilewright.sim_tests.harness.not_inlined import rows_apart
from tilewright.sim_tests.system.designs import Design
from tilewright.sim_tests.verify.engine_subject import EngineSubject

MANIFEST = "manifest.json"
LARGEST_VERILOG = 1 << 28
"""Bytes of the largest Verilog that is verified."""


@dataclass(frozen=True)
class Subject:
    """A core: what it is called in messages, its configuration, and its Verilog (file name to text).

    ``edited`` are the files that are not as they were generated.
    """

    name: str
    config: SystolicConfig
    sources: Mapping[str, str]
    edited: tuple[str, ...] = ()

    @cached_property
    def design(self) -> Design:
        """The core that the configuration describes."""
        return Design(self.name, self.config)

    def spec(self) -> BuildSpec:
        """The simulator of the Verilog."""
        top = self.config.module_name
        kept = rows_apart(top, self.sources.values())
        return BuildSpec(*watched(self.sources, top, core_streams(self.design.parameters)), kept)


def generated(name: str, config: SystolicConfig, files: Mapping[str, str]) -> Subject:
    """The core among the ``files`` that were generated from ``config``."""
    _check_product(config)
    top = f"{config.module_name}.v"
    simulated = [top, *(file for file in files if file.startswith(MODELS))]
    return Subject(name, config, {PurePath(file).name: files[file] for file in simulated})


def from_folder(folder: Path) -> Subject | EngineSubject:
    """The core or engine that lies in ``folder``, as it is now. ConfigError where there is none."""
    try:
        manifest: dict[str, Any] = json.loads(read_bytes(folder / MANIFEST, LARGEST_TEXT).decode("utf-8-sig"))
        # The limit only decides whether there is output.
        fields = {**manifest["parameters"], "memory_limit_bits": 1 << 40}
        engine = fields["product"] == "engine"
        config = engine_config(fields) if engine else systolic_config(fields)
        listed = {name: str(entry["sha256"]) for name, entry in manifest["files"].items()}
        top = f"{config.module_name}.v"
        names = (top, *(name for name in listed if name.startswith(MODELS)))
        texts = {name: read_bytes(folder / name, LARGEST_VERILOG) for name in names}
    except FileNotFoundError as error:
        raise _no_output(folder, f"which has no {Path(error.filename).name}") from None
    except NotADirectoryError:
        raise _no_output(folder, "which is a file") from None
    except OSError as error:
        raise _no_output(folder, f"whose {Path(error.filename).name} cannot be read: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise _no_output(folder, f"whose {MANIFEST} is of something else") from None
    edited = tuple(name for name, text in texts.items() if hashlib.sha256(text).hexdigest() != listed.get(name))
    sources = {PurePath(name).name: text.decode("utf-8", errors="replace") for name, text in texts.items()}
    if isinstance(config, EngineConfig):
        return EngineSubject(str(folder), config, sources, edited)
    _check_product(config)
    return Subject(str(folder), config, sources, edited)


def _no_output(folder: Path, reason: str) -> ConfigError:
    return ConfigError(
        f"DIR must be a folder that tilewright systolic or engine has written, got '{folder}', {reason}; "
        f"nearest legal value is the folder given to its -o"
    )


def _check_product(config: SystolicConfig) -> None:
    if config.product != "core":
        raise ConfigError(must_be("product", "core to be verified", config.product, "core"))
