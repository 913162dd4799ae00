"""The sentences, and a study of them on one of the engines."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from minilm.download import model_folder
from minilm.encoder import Encoder
from minilm.safetensors import read_tensors
from minilm.study import Study, runs_of, study
from minilm.wordpiece import WordPiece
from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.toml_file import read_toml

SENTENCES = (
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
    "A systolic array multiplies matrices.",
    "Matrix products are computed by a grid of multipliers.",
)
HEADS = 12
ENGINES = ("int8", "bf16")
"""Those that there are files of."""


def load() -> tuple[Encoder, list[list[int]]]:
    """The network, and the sentences as numbers of tokens. Raises NoModel."""
    with Console(stderr=True).status("getting the model: 84 MB on first use"):
        folder = model_folder()
    tokenizer = WordPiece.read(folder / "vocab.txt")
    return Encoder(read_tensors(folder / "model.safetensors"), HEADS), [tokenizer(text) for text in SENTENCES]


def run(engine: str) -> Study:
    """The study of one of `ENGINES`; standard error tells how far it is. Raises NoModel."""
    encoder, sentences = load()
    config = engine_config(read_toml(Path(__file__).with_name(f"{engine}.toml")))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(f"{engine}: building the engine, then layer 1", total=runs_of(encoder, sentences))
        return study(
            config,
            encoder,
            sentences,
            lambda last: progress.update(task, advance=1, description=f"{engine}: layer {last.layer + 1}, {last.kind}"),
        )
