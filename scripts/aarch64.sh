#!/bin/sh
# Builds the release for aarch64 and runs it and test programs under qemu (tests/aarch64/run.sh), in a Debian that is made once,
# in IOTA_CACHE: there Rust's library for aarch64 is a package. Needs what `make test-all` and `make release` have built for
# this machine. Only root can do this.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
me=aarch64
. "$root/scripts/debian.sh"
dir=${IOTA_CACHE:-$root/build/cache}/aarch64
home=/home/user/aarch64

if [ "${1-}" = enter ]; then
    cargo_home=${CARGO_HOME:-$HOME/.cargo}
    show "$dir" "$root"
    show "$dir" "$cargo_home"
    cd "$root"
    enter_debian "$dir" CARGO_HOME="$cargo_home" CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never SOURCE_DATE_EPOCH="$2" \
        sh $home/run.sh "$root"
fi

# What is of another architecture cannot be installed before apt knows that one.
add_arm64() {
    [ ! -e "$dir/arm64" ] || return 0
    logged "$dir" chroot "$dir" dpkg --add-architecture arm64
    logged "$dir" chroot "$dir" apt-get -o Acquire::Check-Valid-Until=false update -q
    logged "$dir" env DEBIAN_FRONTEND=noninteractive chroot "$dir" apt-get install -y -q --no-install-recommends \
        gcc-aarch64-linux-gnu libc6-dev-arm64-cross libc6:arm64 libstd-rust-dev:arm64
    logged "$dir" chroot "$dir" apt-get clean
    : >"$dir/arm64"
}

missing=$(wanting; [ "$(uname -m)" = x86_64 ] || echo "a machine that is not itself one")
archive=$(ls "$root"/build/release/iota-*-x86_64.tar.xz 2>/dev/null | tail -n 1)
[ -n "$archive" ] || missing="$missing an archive (make release)"
[ -e "$root/build/programs.txt" ] || missing="$missing test programs (make test-all)"
if [ -n "$missing" ]; then
    say "nothing is built for aarch64, because this is not here: $(echo "$missing" | paste -sd, | sed 's/,/, /g')"
    exit 1
fi
# Crates that only another processor needs
cargo fetch --quiet --locked --manifest-path "$root/Cargo.toml"
make_debian "$dir" sid rustc cargo gcc libc6-dev make xz-utils python3 qemu-user
add_arm64
mkdir -p "$dir$home"
rm -rf "$dir$home"/iota-*
cp "$root"/tests/aarch64/* "$root/tests/debians/calls.c" "$dir$home"
tar -xJf "$archive" -C "$dir$home"
chown -R $user:$user "$dir$home"
apart "$0" enter "$(git -C "$root" log -1 --format=%ct)"
