#!/bin/sh
# make wheel: build/release/iota-VERSION-py3-none-manylinux_2_28_ARCH.whl of the archive that `make release` has made there.
# pip unpacks its tree into the prefix: bin/iota, lib, share; beside it there is the module `iota` (python/). auditwheel agrees
# with its tag. Two builds of a commit are equal to the byte.
#   wheel.sh ARCH
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
arch=$1 release=$root/build/release tools=$root/build/packaging
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
made=$root/build/python

"$root/scripts/deps.sh" packaging
rm -rf "$made"
mkdir -p "$made"
cp -R "$root/python/." "$made"
tar -xJf "$release/iota-$version-$arch.tar.xz" -C "$made"
mv "$made/iota-$version-$arch" "$made/tree"
# Old names of libraries, which a wheel would hold as copies
find "$made/tree" -type l -delete
mv "$made/tree/share/iota/THIRD-PARTY.txt" "$made/tree"/LICENSE-* "$made/tree/README.md" "$made"
echo "VERSION = \"$version\"" >"$made/version.py"
cd "$made"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)} ARCH=$arch PYTHONPATH=$tools \
    python3 -m hatchling build --target wheel --directory "$release"
echo "wheel: build/release/$(cd "$release" && ls -t iota-"$version"-*_"$arch".whl | head -n 1)"
