#!/bin/sh
# Links against the oldest glibc that a build serves (the floor), whichever one is here.
#
#   floor.sh DIR    makes stubs of glibc's shared libraries: what this one has, at the newest version of each function
#                   that is not above the floor. Names that have none are left out. DIR/cc links with them as $CC (cc)
#                   does: cargo's linker.
#
# A reference is bound to a version when it is linked, and the dynamic linker compares name and version, not the library that
# had it: functions which have moved to libc.so.6 since are found wherever they are.
set -eu
dir=$1 floor=2.28
cc=${CC:-cc} nm=${NM:-nm} ar=${AR:-ar}

# Where this compiler has a library
library() {
    path=$($cc -print-file-name="$1")
    case $path in /*) echo "$path" ;; *) echo "floor: $cc knows no $1" >&2; return 1 ;; esac
}

# stub LIBRARY DIR: a shared object of the same name and versions, all of whose functions are one
stub() {
    path=$(library "$1")
    $nm -D -S --defined-only "$path" | awk -v floor="$floor" -v source="$2/$1.s" -v script="$2/$1.versions" '
        function number(version, parts) {
            split(substr(version, 7), parts, ".")
            return parts[1] * 1000000 + parts[2] * 1000 + parts[3]
        }
        {
            symbol = $NF; size = NF == 4 ? "0x" $2 : 0; kind = $(NF - 1)
            if (kind == "A" || !match(symbol, /@@?GLIBC_[0-9.]+$/)) next
            name = substr(symbol, 1, RSTART - 1); version = substr(symbol, RSTART)
            gsub("@", "", version)
            if (number(version) > number("GLIBC_" floor)) next
            versions[version] = 1
            if (!(name in newest) || number(version) > number(newest[name])) {
                newest[name] = version; sizes[name] = size
                types[name] = kind ~ /[TWi]/ ? "function" : "object"
            }
        }
        END {
            for (name in newest) {
                printf ".globl s%d\n.type s%d, %%%s\n.size s%d, %s\ns%d:\n.symver s%d, %s@@%s\n", n, n, types[name], n,
                    sizes[name], n, n, name, newest[name] > source
                n++
            }
            for (version in versions) { print version " {" (first++ ? "" : " local: s*;") " };" > script }
            exit n == 0
        }'
    $cc -shared -nostdlib -Wl,-soname,"$1" -Wl,--version-script="$2/$1.versions" "$2/$1.s" -o "$2/$1"
    rm "$2/$1.s" "$2/$1.versions"
}

# empty LIBRARY DIR: its functions are in libc.so.6 today
empty() {
    $cc -shared -nostdlib -Wl,-soname,"$1" -x c /dev/null -o "$2/$1"
}

sources=$(cd "$(dirname "$0")/.." && pwd)/c-shim/floor
rm -rf "$dir.new"
mkdir -p "$dir.new"
loader=$(basename "$(library ld-linux-x86-64.so.2 2>/dev/null || library ld-linux-aarch64.so.1)")
for name in libc.so.6 libm.so.6 "$loader"; do stub "$name" "$dir.new"; done
for name in dl.so.2 pthread.so.0 rt.so.1 util.so.1; do
    empty "lib$name" "$dir.new"
    ln -s "lib$name" "$dir.new/lib${name%.*}"
done
ln -s libm.so.6 "$dir.new/libm.so"
for name in floor start; do $cc -O2 -fPIC -fno-builtin -Wall -Wextra -c "$sources/$name.c" -o "$dir.new/$name.o"; done
$ar rcs "$dir.new/libfloor.a" "$dir.new/floor.o" "$dir.new/start.o"
# What each program has of its own of the C library comes last.
echo "GROUP ( $dir/libc.so.6 $dir/libfloor.a -l:libc_nonshared.a AS_NEEDED ( $dir/$loader ) )" >"$dir.new/libc.so"
# Functions of the libraries at the end were not in libc.so.6 before 2.34. What other shared libraries need is theirs to find.
cat >"$dir.new/cc" <<END
#!/bin/sh
exec $cc -L$dir -Wl,--wrap=__libc_start_main -Wl,--allow-shlib-undefined "\$@" \\
    -Wl,--push-state,--no-as-needed -lpthread -ldl -lrt -Wl,--pop-state
END
chmod +x "$dir.new/cc"
rm -rf "$dir"
mv "$dir.new" "$dir"
