"""Tests of the host's driver, on the RTL of engines that the gate has anyway."""
