#!/bin/sh
# Makes what a program links out of the static library that cargo leaves, which is the same for both.
#
#   assemble.sh object OUT.o IN.a PARTS EXPORTS
#       one object: sections collected from the roots in EXPORTS, every other symbol made local or removed. It honours
#       --wrap at the final link and links into Rust programs, because nothing of Rust's runtime is visible in it.
#   assemble.sh shared OUT.so IN.a PARTS EXPORTS
#       a shared object that exports EXPORTS, linked by $LINKER (a C compiler) with the C library in $FLOOR (scripts/floor.sh). Programs find it by the absolute path
#       that is its name ($SONAME, or OUT.so): an rpath in the link flags would kill static-pie programs. Its jumps
#       from __wrap_x to x mean its own x (-Bsymbolic-functions), unless it finds at the start that the program has one.
#
# PARTS is build.rs' folder for it: the C in libiota_shim.a, the names of the hooks in renames. EXPORTS holds a symbol in each
# line; one that nothing here defines (this libc does not have the call) is passed over.
set -eu
what=$1 out=$2 in=$3 parts=$4 exports=$5
ld=${LD:-ld} nm=${NM:-nm} objcopy=${OBJCOPY:-objcopy}
tmp=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# Rust's own objects carry LLVM bitcode, on which a linker plugin of another LLVM dies. Those for aarch64 ask which atomic
# instructions there are, by a name that a program may have.
$objcopy --strip-debug -R .llvmbc -R .llvmcmd --redefine-sym getauxval=__getauxval --redefine-syms="$parts/renames" "$in" "$tmp/in.a"
# nm remarks on every member without symbols; what it says counts only when it fails.
$nm -g --defined-only -P "$tmp/in.a" "$parts/libiota_shim.a" >"$tmp/nm" 2>"$tmp/remarks" || { tail -n 3 "$tmp/remarks" >&2; exit 1; }
awk 'NF > 1 { print $1 }' "$tmp/nm" | LC_ALL=C sort -u >"$tmp/defined"
LC_ALL=C sort -u "$exports" | LC_ALL=C comm -12 - "$tmp/defined" >"$tmp/exports"
[ -s "$tmp/exports" ] || { echo "assemble: $in defines nothing of $exports" >&2; exit 1; }

# One object of what the exports need; they alone stay visible.
collect() {
    sed 's/^/-u /' "$tmp/exports" >"$tmp/roots"
    $ld -r --gc-sections @"$tmp/roots" --whole-archive "$tmp/in.a" "$parts/libiota_shim.a" -o "$tmp/all.o"
    # What only a section asked for that was not collected is still undefined, and would be pulled into every static program.
    readelf -rW "$tmp/all.o" | awk '{ sub(/@.*/, "", $5); print $5 }' | LC_ALL=C sort -u >"$tmp/referenced"
    $nm -u -P "$tmp/all.o" | awk '{ print $1 }' | LC_ALL=C sort -u | LC_ALL=C comm -23 - "$tmp/referenced" >"$tmp/unneeded"
    # objcopy fails, without a word, if it is given an empty list.
    unneeded=
    [ ! -s "$tmp/unneeded" ] || unneeded=--strip-symbols=$tmp/unneeded
    $objcopy ${unneeded:+"$unneeded"} --keep-global-symbols="$tmp/exports" "$tmp/all.o" "$tmp/$1"
}

case $what in
object)
    collect out
    ;;
shared)
    collect whole.o
    # Small variables come before large ones, which ld's script has no word for but .dynbss: a program that does little then
    # uses few pages of them.
    readelf -SW "$tmp/whole.o" | sed 's/^ *\[ *[0-9]*\] //' |
        awk '$1 ~ /^\.bss\./ && $5 <= "00003f" { print "--rename-section " $1 "=.dynbss" }' >"$tmp/small"
    $objcopy @"$tmp/small" "$tmp/whole.o"
    # Names without a version are to stand for all versions; NAME@VERSION for that one, in programs that are already linked.
    sed -n 's/.*@\(.*\)/\1 {};/p' "$tmp/exports" | LC_ALL=C sort -u >"$tmp/versions"
    # noseparate-code: every program that starts maps each segment, and each fork copies it.
    $LINKER -shared -L"$FLOOR" -o "$tmp/out" -Wl,-soname,"${SONAME:-$out}" -Wl,--version-script="$tmp/versions" \
        -Wl,-z,defs -Wl,-z,noseparate-code -Wl,-Bsymbolic-functions -Wl,-z,now -Wl,-z,nodelete "$tmp/whole.o"
    ;;
*)
    echo "assemble: $what?" >&2
    exit 1
    ;;
esac
mv "$tmp/out" "$out"
