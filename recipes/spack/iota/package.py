import os

from spack.package import *


class Iota(MakefilePackage):
    """Records every I/O call of a parallel program, and shows where the time went."""

    # `make dist` makes the archive; Spack takes it from the working directory.
    manual_download = True
    url = "file:///iota-0.1.0.tar.xz"

    license("MIT OR Apache-2.0")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("rust@1.88:", type="build")
    depends_on("gmake", type="build")
    depends_on("binutils", type="build")

    requires("platform=linux")

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/iota-{version}.tar.xz"

    def build(self, spec, prefix):
        make("tracer", f"{self.build_directory}/build/bin/iota")

    def install(self, spec, prefix):
        make("install", f"PREFIX={prefix}")

    def setup_run_environment(self, env):
        env.set("IOTA_WRAPS", join_path(self.prefix.share, "iota", "wraps.txt"))
