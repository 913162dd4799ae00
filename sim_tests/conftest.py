"""Settings of the whole test suite."""

from hypothesis import settings

# The gate draws the same examples on every run; `--hypothesis-profile random` draws new ones and tells how to replay.
settings.register_profile("gate", derandomize=True, deadline=None, database=None)
settings.register_profile("random", deadline=None, print_blob=True)
settings.load_profile("gate")
