# What BUILD/build.env says, and one program linked in its three ways into BUILD/real.
# shellcheck shell=sh
out=$1/real
mkdir -p "$out"
value() { sed -n "s/^$1=//p" "$2/build.env"; }
CC=$(value CC "$1") IOTA_WRAPS=$(value IOTA_WRAPS "$1")
MPI=$(value MPI "$1") MPI_ID=$(value MPI_ID "$1") MPI_LINKS=$(value MPI_LINKS "$1")
MPICC=$(value MPICC "$1") MPIFC=$(value MPIFC "$1")
lib=$(value IOTA_LIB "$1")

# link_bare PROGRAM COMPILER ARGUMENT...
link_bare() {
    [ -e "$out/$1" ] && return
    program=$1
    shift
    step "linking $program" "$@" -o "$out/$program"
}

# link_traced PROGRAM WRAPS COMPILER ARGUMENT...: again when a library or the flags are newer
link_traced() {
    program=$1 wraps=$2
    shift 2
    [ -e "$out/$program" ] && [ -z "$(find "$lib" "$wraps" -newer "$out/$program")" ] && return
    # shellcheck disable=SC2046 # flags, to be split
    step "linking $program" "$@" $(cat "$wraps") -o "$out/$program"
    readelf -d "$out/$program" | grep -q 'NEEDED.*libiota' || nm "$out/$program" | grep -q ' T iota_start$' ||
        { say "$program was linked with $wraps, but iota is not in it"; rm "$out/$program"; exit 1; }
}

# link_three NAME WRAPS COMPILER ARGUMENT...: NAME-bare, NAME-dynamic, NAME-static
link_three() {
    name=$1 flags=$2
    shift 2
    link_bare "$name-bare" "$@"
    link_traced "$name-dynamic" "$flags" "$@"
    link_traced "$name-static" "$flags" "$@" -static
}
