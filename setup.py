"""Maps the folders of this repository into one package: folder ``X/`` is imported as ``tilewright.X``."""

from setuptools import find_packages, setup

FOLDERS = ("hdl", "generators", "sim_tests", "fpga")

package_dir = {"tilewright": "tilewright"} | {f"tilewright.{folder}": folder for folder in FOLDERS}
packages = list(package_dir) + [f"tilewright.{folder}.{inner}" for folder in FOLDERS for inner in find_packages(folder)]

setup(package_dir=package_dir, packages=packages)
