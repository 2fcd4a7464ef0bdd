# What BUILD/build.env says, and one program linked in its three ways into BUILD/real.
# shellcheck shell=sh
out=$1/real
mkdir -p "$out"
value() { sed -n "s/^$1=//p" "$2/build.env"; }
CC=$(value CC "$1") IOTA_WRAPS=$(value IOTA_WRAPS "$1") IOTA_WRAPS_SERIAL=$(value IOTA_WRAPS_SERIAL "$1")
MPI=$(value MPI "$1") MPI_ID=$(value MPI_ID "$1") MPI_LINKS=$(value MPI_LINKS "$1")
MPICC=$(value MPICC "$1") MPIFC=$(value MPIFC "$1")
lib=$(value IOTA_LIB "$1")

# link_as PROGRAM-WAY COMPILER WRAPS-OR-EMPTY ARGUMENT...: relinks when an object, a library or the flags are newer
link_as() {
    program=$out/$1 compiler=$2 wraps=$3
    shift 3
    [ -z "$(find "$lib" ${wraps:+"$wraps"} -newer "$program" 2>/dev/null)" ] && [ -e "$program" ] && return
    # shellcheck disable=SC2046 # flags, to be split
    step "linking ${program##*/}" "$compiler" "$@" $([ -z "$wraps" ] || cat "$wraps") -o "$program"
}

# link_three NAME COMPILER WRAPS ARGUMENT...: NAME-bare, NAME-dynamic, NAME-static
link_three() {
    name=$1 compiler=$2 wraps=$3
    shift 3
    link_as "$name-bare" "$compiler" "" "$@"
    link_as "$name-dynamic" "$compiler" "$wraps" "$@"
    link_as "$name-static" "$compiler" "$wraps" "$@" -static
}
