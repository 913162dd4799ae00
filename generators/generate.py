"""From a configuration to files, for Python programs. The command line's door is ``tilewright systolic``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tilewright.generators.config.errors import ConfigError, shown
from tilewright.generators.config.resolve import Config, resolve


def generate(
    config: Config | None = None, output: str | os.PathLike[str] | None = None, **fields: Any
) -> dict[str, str]:
    """The files of an array or core: Verilog, manifest, C header and test bench.

    Args:
        config: a `SystolicConfig`, the name of a preset, or a mapping of fields; the defaults when not given.
        output: folder to write the files to as well. It appears whole or not at all; an earlier output there is
            replaced, anything else is refused.
        fields: fields of the configuration, over those of ``config``: ``generate(rows=8, cols=8, dataflow="os")``.

    Returns:
        Text by file name, relative to the folder.

    Raises:
        ConfigError: a field is wrong, or ``output`` cannot be written.
    """
    from tilewright.generators.commands.output_folder import OutputFolder
    from tilewright.generators.emit import generate as emit

    settings = resolve(config, fields)
    if output is None:
        return emit(settings)
    if not isinstance(output, str | os.PathLike):
        raise ConfigError(f"output must be the path of a folder, got {shown(output)}; nearest legal value is 'out'")
    with OutputFolder("output", Path(os.fsdecode(output))) as folder:
        folder.prepare()
        files = emit(settings)
        folder.publish(files)
    return files
