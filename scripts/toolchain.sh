#!/bin/sh
# Says what the toolchain lacks, all of it at once, and fails then. A tool is tried rather than asked for its version
# wherever a try can tell.
#
#   toolchain.sh       with CARGO, RUSTC, CC, LD, AR and OBJCOPY from the environment
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cc=${CC:-cc} ld=${LD:-ld} ar=${AR:-ar} objcopy=${OBJCOPY:-objcopy} rustc=${RUSTC:-rustc}
wanting=0

want() { echo "toolchain: $*" >&2; wanting=1; }
have() { command -v "${1%% *}" >/dev/null 2>&1; }
# at_least HAVE WANT: compares dotted numbers
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n | head -n 1)" = "$2" ]; }

check_rust() {
    need=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
    have "${CARGO:-cargo}" || want "no cargo: install Rust $need or later (rustup)"
    have "$rustc" || { want "no rustc: install Rust $need or later (rustup)"; return; }
    version=$($rustc --version | cut -d' ' -f2)
    at_least "$version" "$need" || want "rustc is $version, $need is needed (edition 2024 and let chains)"
    case $($rustc -vV | sed -n 's/^host: //p') in
        x86_64-*-linux-gnu | aarch64-*-linux-gnu) ;;
        *) want "rustc builds for $($rustc -vV | sed -n 's/^host: //p'); only x86_64 and aarch64 Linux with glibc are supported" ;;
    esac
}

# A build serves this glibc and all later ones, wherever it is made.
check_libc() {
    have "$cc" || { want "no C compiler ($cc)"; return; }
    printf '#include <features.h>\nIOTA __GLIBC__.__GLIBC_MINOR__\n' >"$tmp/libc.c"
    version=$($cc -E -P "$tmp/libc.c" 2>/dev/null | tr -d ' \n' | sed -n 's/.*IOTA//p')
    case $version in
        [0-9]*.[0-9]*) at_least "$version" 2.28 || want "glibc is $version, 2.28 is needed" ;;
        *) want "$cc does not compile against glibc (headers missing, or another libc)" ;;
    esac
}

# The archive is one object: collected by ld -r from the roots given with -u, then localised by objcopy. ld.gold does
# not remove unused sections with -r; a program may still be linked with it.
check_binutils() {
    for tool in "$ld" "$ar" "$objcopy" nm; do
        have "$tool" || { want "no $tool: install binutils"; return; }
    done
    printf 'int kept(void) { return 1; }\nint helper(void) { return 2; }\nint root(void) { return helper(); }\n' >"$tmp/a.c"
    $cc -ffunction-sections -c "$tmp/a.c" -o "$tmp/a.o" && $ar rcs "$tmp/a.a" "$tmp/a.o" || return
    echo root >"$tmp/keep"
    $ld -r --gc-sections -u root --whole-archive "$tmp/a.a" -o "$tmp/b.o" 2>/dev/null &&
        ! nm "$tmp/b.o" | grep -q ' T kept$' ||
        { want "$ld -r does not remove unused sections (--gc-sections -u); GNU ld is needed here (LD=...)"; return; }
    $objcopy --keep-global-symbols="$tmp/keep" "$tmp/b.o" "$tmp/c.o" 2>/dev/null &&
        nm "$tmp/c.o" | grep -q ' t helper$' ||
        want "$objcopy does not support --keep-global-symbols; GNU objcopy is needed (OBJCOPY=...)"
}

check_rust
check_libc
check_binutils
exit $wanting
