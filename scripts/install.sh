#!/bin/sh
# make install: libraries, gen-wraps for probes in links, the command with its manual pages and completions, link flags
# with PREFIX's paths, a modulefile and pkg-config files.
#   install.sh BUILD PREFIX GEN-WRAPS PARTS     DESTDIR from the environment stands before every path written to
#   install.sh BUILD '' GEN-WRAPS PARTS         into DESTDIR, with nothing that says where it lies (scripts/release.sh)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 prefix=$2 gen_wraps=$3 parts=$4
case $prefix in '' | /*) ;; *) echo "install: PREFIX=$prefix is not an absolute path" >&2; exit 1 ;; esac
to=${DESTDIR-}$prefix
lib=$prefix/lib
share=$prefix/share/iota
value() { sed -n "s/^$1=//p" "$build/build.env"; }
built=$(value IOTA_LIB) EMULATOR=${EMULATOR-} iota=$(value IOTA_BIN)/iota load=$(value IOTA_MPI_BIN)/iota-load-mpi
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")

libraries() {
    for file in "$built/libiota.a" "$built/libiota.so"; do [ ! -e "$file" ] || echo "$file"; done
}

# The archive as it is; the shared object is linked anew by make, under the name that it has there.
install_libraries() {
    [ ! -e "$built/libiota.a" ] || install -m 644 "$built/libiota.a" "$to/lib"
    install -m 644 "$built/libiota-program.a" "$built/libiota-above.a" "$built/libiota-above.rsp" "$built"/libiota-GLIBC_*.rsp "$built/libiota.wraps" "$to/lib"
}

link_flags() {
    # shellcheck disable=SC2046 # a list
    "$root/scripts/wraps.sh" flags "$parts" $(libraries) >"$to/lib/libiota.rsp"
    [ -n "$prefix" ] || return 0
    "$root/scripts/wraps.sh" line "$parts" "$lib" >"$to/share/iota/wraps.txt"
}

# By their own place, so that the tree may be moved: one for any C library, and one for each version with the flags of what is
# special in it, in a folder that the modulefile chooses.
pkg_config() {
    one_pkg_config pkgconfig '${pcfiledir}/../..' ''
    for file in "$to"/lib/libiota-GLIBC_*.rsp; do
        name=${file##*/libiota-} name=${name%.rsp}
        one_pkg_config "pkgconfig/$name" '${pcfiledir}/../../..' "-Wl,@LIB_DIR/${file##*/} "
    done
    ln -sf iota.pc "$to/lib/pkgconfig/iota-mpi.pc"
}

one_pkg_config() { # one_pkg_config FOLDER PREFIX FLAGS
    mkdir -p "$to/lib/$1"
    printf '%s\n' "prefix=$2" 'libdir=${prefix}/lib' "" "Name: iota" "Description: I/O tracer: link flags" "Version: $version" \
        "Libs: $(sed "s|NEWER|$3|; s|LIB_DIR|\${libdir}|g" "$parts/wraps.txt")" >"$to/lib/$1/iota.pc"
}

modulefile() {
    cat <<END
#%Module1.0
# Works with Environment Modules and with Lmod, wherever the tree lies.
proc ModulesHelp { } {
    puts stderr "iota $version: I/O tracer. \`iota run -- program\`; to link: \`mpicc app.o \\\$(iota wraps)\`."
}
module-whatis "iota $version: traces the I/O calls of serial and MPI programs"
conflict iota
set root [file normalize \$ModulesCurrentModulefile]
foreach level {file version name share} { set root [file dirname \$root] }
prepend-path PATH \$root/bin
prepend-path MANPATH \$root/share/man
# What a link needs depends on the C library.
set pkgconfig \$root/lib/pkgconfig
if { ![catch { exec getconf GNU_LIBC_VERSION } glibc] } {
    set best 0
    foreach dir [glob -nocomplain \$root/lib/pkgconfig/GLIBC_*] {
        set release [string range [file tail \$dir] 6 end]
        if { [package vcompare \$release [lindex \$glibc 1]] <= 0 && [package vcompare \$release \$best] > 0 } {
            set best \$release
            set pkgconfig \$dir
        }
    }
}
prepend-path PKG_CONFIG_PATH \$pkgconfig
# Once after an archive was unpacked: what a dynamic link sees of the library, with its path.
if { ![file exists \$root/lib/link/libiota.so] } { catch { exec \$root/bin/iota wraps } }
setenv IOTA_DIR \$root
if { [file exists \$root/share/iota/wraps.txt] } {
    setenv IOTA_WRAPS \$root/share/iota/wraps.txt
}
# The wrappers of a Cray (cc, CC, ftn) link what these name.
prepend-path PE_PKGCONFIG_LIBS iota
END
}

completions() {
    mkdir -p "$to/share/bash-completion/completions" "$to/share/zsh/site-functions" "$to/share/fish/vendor_completions.d"
    $EMULATOR "$iota" completions bash >"$to/share/bash-completion/completions/iota"
    $EMULATOR "$iota" completions zsh >"$to/share/zsh/site-functions/_iota"
    $EMULATOR "$iota" completions fish >"$to/share/fish/vendor_completions.d/iota.fish"
}

mkdir -p "$to/bin" "$to/lib/pkgconfig" "$to/share/iota" "$to/share/modulefiles/iota" "$to/share/man/man1"
install_libraries
link_flags
pkg_config
install -m 755 "$iota" "$gen_wraps" "$to/bin"
[ ! -e "$load" ] || install -m 755 "$load" "$to/bin"
modulefile >"$to/share/modulefiles/iota/$version"
$EMULATOR "$iota" man --dir "$to/share/man/man1"
completions
[ -z "$prefix" ] || echo "install: iota $version is in $to; link flags: $share/wraps.txt"
