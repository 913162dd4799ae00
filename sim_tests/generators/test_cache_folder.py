"""Where the cache is, whatever the environment says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.generators.cache_folder import cache_folder
from tilewright.generators.config.errors import ConfigError


def test_the_folder_that_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for named, folder in (("/a/b", "/a/b"), ("c", tmp_path / "c"), ("~/d", tmp_path / "home" / "d")):
        monkeypatch.setenv("TILEWRIGHT_CACHE", named)
        assert cache_folder() == Path(folder)


@pytest.mark.parametrize("cache", ["", "/cache", "relative"])
def test_the_folder_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TILEWRIGHT_CACHE", raising=False)
    monkeypatch.setenv("HOME", "home")
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    assert cache_folder() == tmp_path / (cache or "home/.cache") / "tilewright"


def test_a_home_that_nobody_knows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE", "~nobody-of-this-name/cache")
    with pytest.raises(
        ConfigError, match=r"^TILEWRIGHT_CACHE must be a folder, got '~nobody-of-this-name/cache', but "
    ):
        cache_folder()
