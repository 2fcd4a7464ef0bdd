#!/bin/sh
# make install: libraries, the command with its manual pages and completions, link flags with PREFIX's paths, a
# modulefile and pkg-config files.
#   install.sh BUILD PREFIX GEN-WRAPS       DESTDIR from the environment stands before every path written to
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1 prefix=$2 gen_wraps=$3
case $prefix in /*) ;; *) echo "install: PREFIX=$prefix is not an absolute path" >&2; exit 1 ;; esac
to=${DESTDIR-}$prefix
lib=$prefix/lib
share=$prefix/share/iota
iota=$build/bin/iota
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")

libraries() { # libraries NAME: a shared object under the name that it has there
    for file in "$build/lib/$1.a" "$build/obj/installed/$1.so"; do [ ! -e "$file" ] || echo "$file"; done
}

pkg_config() { # pkg_config NAME DESCRIPTION WRAPS
    printf '%s\n' "prefix=$prefix" "libdir=$lib" "" "Name: $1" "Description: $2" "Version: $version" "Libs: $(cat "$3")" \
        >"$to/lib/pkgconfig/$1.pc"
}

flavour() { # flavour serial|mpi LIBRARY WRAPS-FILE DESCRIPTION
    set -- "$1" "$2" "$to/share/iota/$3" "$4" $(libraries "lib$2")
    [ $# -gt 4 ] || return 0
    what=$1 name=$2 wraps=$3 description=$4
    shift 4
    WRAPS_LIBDIR=$lib "$root/scripts/wraps.sh" "$what" "$gen_wraps" "$@" >"$wraps"
    for file in "$@"; do
        case $file in *.so) mode=755 ;; *) mode=644 ;; esac
        install -m "$mode" "$file" "$to/lib"
    done
    pkg_config "$name" "$description" "$wraps"
}

modulefile() {
    cat <<END
#%Module1.0
# Works with Environment Modules and with Lmod.
proc ModulesHelp { } {
    puts stderr "iota $version: I/O tracer. Link with \`cat \\\$IOTA_WRAPS\` (mpicc and the like) or \`cat \\\$IOTA_WRAPS_SERIAL\`."
}
module-whatis "iota $version: traces the I/O calls of serial and MPI programs"
conflict iota
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
prepend-path PKG_CONFIG_PATH $lib/pkgconfig
setenv IOTA_WRAPS $share/wraps.txt
setenv IOTA_WRAPS_SERIAL $share/wraps-serial.txt
END
}

completions() {
    mkdir -p "$to/share/bash-completion/completions" "$to/share/zsh/site-functions" "$to/share/fish/vendor_completions.d"
    "$iota" completions bash >"$to/share/bash-completion/completions/iota"
    "$iota" completions zsh >"$to/share/zsh/site-functions/_iota"
    "$iota" completions fish >"$to/share/fish/vendor_completions.d/iota.fish"
}

mkdir -p "$to/bin" "$to/lib/pkgconfig" "$to/share/iota" "$to/share/modulefiles/iota" "$to/share/man/man1"
flavour serial iota wraps-serial.txt "I/O tracer: link flags for serial programs"
grep -q '^MPI=none$' "$build/build.env" ||
    flavour mpi iota-mpi wraps.txt "I/O tracer: link flags for MPI programs"
install -m 755 "$iota" "$to/bin"
[ ! -e "$build/bin/iota-load-mpi" ] || install -m 755 "$build/bin/iota-load-mpi" "$to/bin"
modulefile >"$to/share/modulefiles/iota/$version"
"$iota" man --dir "$to/share/man/man1"
completions
echo "install: iota $version is in $to; link flags: $share/wraps.txt and wraps-serial.txt"
