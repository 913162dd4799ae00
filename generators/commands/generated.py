"""How commands write what they generate, and what they say of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import typer

from tilewright.generators.commands.output_folder import OutputFolder
from tilewright.generators.commands.screen import screen
from tilewright.generators.config.systolic import SystolicConfig


def write_out(
    config: SystolicConfig, out: Path, emit: Callable[[], dict[str, str]], *, as_json: bool, note: str = ""
) -> None:
    """Puts the files that ``emit`` makes of ``config`` into the folder ``out``, and tells of them, and a ``note``.

    Raises ConfigError, before ``emit`` is called, where ``out`` cannot be written.
    """
    with OutputFolder("-o", out) as folder:
        folder.prepare()
        start = time.monotonic()
        files = emit()
        folder.publish(files)
    _tell(config, out, files, time.monotonic() - start, as_json=as_json)
    if note and not as_json:
        screen().print(note, highlight=False)


def _tell(config: SystolicConfig, out: Path, files: Mapping[str, str], seconds: float, *, as_json: bool) -> None:
    """Lists ``files``, name to text, that lie in ``out``; vectors in one line. Or prints the same as JSON."""
    sizes = {name: len(text.encode()) for name, text in files.items()}
    if as_json:
        summary = {"output": str(out), "seconds": round(seconds, 3), "files": sizes}
        typer.echo(json.dumps({**summary, "config": config.model_dump(mode="json")}, indent=2))
        return
    vectors = [size for name, size in sizes.items() if name.startswith("vectors/")]
    told = {name: size for name, size in sizes.items() if not name.startswith("vectors/")}
    for name, size in told.items():
        screen().print(f"  {out / name}  [dim]{size:,} bytes[/dim]", highlight=False)
    if vectors:
        total = f"[dim]{len(vectors)} vectors, {sum(vectors):,} bytes[/dim]"
        screen().print(f"  {out / 'vectors'}  {total}", highlight=False)
    screen().print(f"generated in {seconds:.1f} s", highlight=False)
