#!/bin/sh
# make dist: the committed sources with all crates they need, as an archive that builds without a network.
# make check-dist: unpacks it somewhere else and builds it there with an empty CARGO_HOME and cargo offline.
#   dist.sh [check]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=iota-$version
archive=$root/build/dist/$name.tar.xz
cargo=${CARGO:-cargo}

pack() {
    [ -z "$(git status --porcelain)" ] || echo "dist: of the last commit; what is not committed stays out"
    rm -rf "build/dist/$name"
    mkdir -p "build/dist/$name"
    git archive HEAD | tar -x -C "build/dist/$name"
    cd "build/dist/$name"
    mkdir -p .cargo
    "$cargo" vendor --locked --versioned-dirs vendor >.cargo/config.toml 2>../vendor.log || { tail -n 5 ../vendor.log; exit 1; }
    grep -q vendored-sources .cargo/config.toml
    cd ..
    tar --sort=name --mtime="@$(git -C "$root" log -1 --format=%ct)" --owner=0 --group=0 --numeric-owner -c "$name" |
        xz -T2 >"$archive.part"
    mv "$archive.part" "$archive"
    rm -rf "$name"
    echo "dist: $archive ($(du -h "$archive" | cut -f1))"
}

check() {
    away=$(mktemp -d)
    trap 'rm -rf "$away"' EXIT
    tar -xf "$archive" -C "$away"
    mkdir "$away/cargo-home"
    CARGO_HOME=$away/cargo-home CARGO_NET_OFFLINE=true ${MAKE:-make} --no-print-directory -C "$away/$name" B=build
    echo "dist: it builds offline, in $(cd "$away/$name" && ls build/lib | tr '\n' ' ')"
}

case ${1-} in
check) check ;;
*) pack ;;
esac
