#!/bin/sh
# The members of the archive of libraries above MPI-IO: each function of SOURCE becomes an object of its own, OUT/FUNCTION.o.
# Compiled once and cut before it is assembled: a compiler's start for each of a thousand functions takes ten times as long.
#   members.sh SOURCE.c OUT
set -eu
source=$1 out=$2
tmp=$(mktemp -d "$(realpath "$out").XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# Each function is in a section of its own. What stands before the first and after the last is for each, but clang's list of
# what has its address taken: it would have each member refer to what all refer to.
${CC:-cc} -O1 -fPIC -fno-builtin -fno-stack-protector -fasynchronous-unwind-tables -fno-lto -g0 -Wall -Wextra -Werror \
    -ffunction-sections -S "$source" -o "$tmp/all"
awk -v dir="$tmp" '
    /^[ \t]*\.section[ \t]/ {
        part = "foot"
        if (split($2, word, /[.,]/) > 2 && word[2] == "text" && sub(/^__wrap_/, "", word[3])) {
            part = "body"
            names[++count] = word[3]
            $0 = "\t.text"
        }
    }
    /^[ \t]*\.addrsig/ { next }
    part == "" { head = head $0 "\n" }
    part == "foot" { foot = foot $0 "\n" }
    part == "body" { body[count] = body[count] $0 "\n" }
    END {
        for (nth = 1; nth <= count; nth++) {
            file = dir "/" names[nth] ".s"
            printf "%s%s%s", head, body[nth], foot > file
            close(file)
        }
        exit count == 0
    }' "$tmp/all" || { echo "members: the compiler put no function of $source in a section of its own" >&2; exit 1; }

# Many at a time, because a compiler's start takes longer than what it has to do. The objects come into the folder where it runs.
mkdir -p "$out"
names() { ls "$tmp" | sed -n '/\.s$/p'; }
(cd "$out" && names | sed "s|^|$tmp/|" | xargs -P "$(nproc)" -n 64 ${CC:-cc} -c)
