"""What the commands that simulate share: how a simulator that cannot be made ends them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tilewright.generators.commands.verdict import CheckFailed
from tilewright.generators.config.errors import ConfigError


@contextmanager
def simulating() -> Iterator[None]:
    """Words errors of the simulation: exit code 2 where something is missing, 1 where the design is refused."""
    try:
        from tilewright.sim_tests.harness.errors import BuildFailed, HarnessError, SimulationFailed
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    try:
        yield
    except (BuildFailed, SimulationFailed) as error:
        raise CheckFailed(str(error)) from None
    except HarnessError as error:
        raise ConfigError(str(error)) from None
    except ModuleNotFoundError as error:
        raise _missing(error) from None


def _missing(error: ModuleNotFoundError) -> ConfigError:
    library = str(error.name).partition(".")[0]
    package, purpose = ("scikit-learn", "for the demonstration") if library == "sklearn" else (library, "to simulate")
    return ConfigError(f"{package} must be installed {purpose}; install it with: pip install 'tilewright[sim]'")
