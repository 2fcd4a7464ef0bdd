#!/bin/sh
# fio from its Debian source package: bare, and linked with wraps.txt, dynamically and statically.
#   fio.sh BUILD
set -eu
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/link.sh" "$1"
objects=$cache/fio

# Only engines that need nothing but the C library and libaio: the same program on every machine. It enters a ring of
# io_uring by an instruction of its own, which nobody sees; here by `syscall`, as on machines that it does not know.
configure() {
    cd "$objects"
    sed -i '/define FIO_ARCH_HAS_SYSCALL/d' arch/arch-*.h
    ./configure --cc="$CC" --disable-native --disable-rdma --disable-rados --disable-rbd --disable-http --disable-gfapi \
        --disable-libnfs --disable-pmem --disable-xnvme --disable-libzbc --disable-tcmalloc --disable-dfs --disable-numa \
        --disable-lex
}

compile() {
    make -C "$objects" -j2 fio
}

# The command with which fio's own Makefile would link it, words of a kind
link_words() {
    (cd "$objects" && rm -f fio && make -n V=1 fio) | sed -n '/ -o fio /p' | tr ' ' '\n' | grep "$1" | sort -u
}

if [ ! -e "$objects/.with-rings" ]; then
    fetch fio
    rm -rf "${objects:?}"
    cp -r "$cache/src/fio" "$objects"
    step "fio: configuring" configure
    step "fio: compiling" compile
    link_words '\.o$' >"$objects/.objects"
    link_words '^-l' >"$objects/.libraries"
    touch "$objects/.with-rings"
fi
cd "$objects"
# shellcheck disable=SC2046 # lists, to be split
link_three fio "$IOTA_WRAPS" "$CC" -rdynamic $(cat .objects .libraries)
