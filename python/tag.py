"""The tag of the wheel: it has programs for a machine, and runs with glibc 2.28 and later, with any Python."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_2_28_{os.environ['ARCH']}"
