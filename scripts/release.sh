#!/bin/sh
# make release: BUILD/release/iota-VERSION-ARCH.tar.xz, which runs wherever it is unpacked, with glibc 2.28 and later. Two builds
# of a commit are equal to the byte.
#   release.sh BUILD GEN-WRAPS PARTS     with what scripts/archives.mk has made in BUILD
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 gen_wraps=$2 parts=$3
cc=${CC:-cc} objcopy=${OBJCOPY:-objcopy}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
arch=$($cc -dumpmachine | cut -d- -f1)
name=iota-$version-$arch
out=$build/release
tree=$out/$name
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}

rm -rf "$tree"
mkdir -p "$tree"
DESTDIR=$tree "$root/scripts/install.sh" "$build" '' "$gen_wraps" "$parts"
# The programs of an MPI are for that MPI.
rm -f "$tree/bin/iota-load-mpi"
LINKER=$cc FLOOR=$build/floor SONAME=libiota.so "$root/scripts/assemble.sh" shared "$tree/lib/libiota.so" \
    "${parts%/*}/libiota.a" "$parts/preload" "$build/obj/preload.exports"
# The path in it is written by `iota wraps` (crates/cli/src/wraps.rs), over as many bytes.
SONAME=/room-for-the-path-of-libiota.so$(printf '%1000s' '' | tr ' ' x) CC=$cc \
    "$root/scripts/stub.sh" "$tree/lib/libiota.so" "$build/obj/members" "$tree/lib/link/libiota.so.in"
for file in "$tree"/bin/* "$tree/lib/libiota.so" "$tree/lib/link/libiota.so.in"; do $objcopy --strip-unneeded "$file"; done
python3 "$root/scripts/licences.py" "$root" >"$tree/share/iota/THIRD-PARTY.txt"
cp "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$root/README.md" "$root/CHANGELOG.md" "$tree"
mkdir -p "$tree/share/doc/iota"
cp -R "$root"/docs/*.md "$root/docs/design" "$tree/share/doc/iota"
cd "$out"
tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -c "$name" | xz -6 -T1 >"$name.tar.xz.part"
mv "$name.tar.xz.part" "$name.tar.xz"
rm -rf "$tree"
sha256sum "$name.tar.xz" >"$name.tar.xz.sha256"
echo "release: ${out#"$root/"}/$name.tar.xz ($(du -h "$name.tar.xz" | cut -f1)), sha256 $(cut -c1-16 "$name.tar.xz.sha256")..."
