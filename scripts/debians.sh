#!/bin/sh
# Runs what `make release` has made in Debians with an older and with newer C libraries than this one's, as an ordinary user:
# 11 (glibc 2.31), 13 (2.41) and the next (tests/debians/run.sh). Each is made once, in IOTA_CACHE. Only root can do this.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
me=debians
. "$root/scripts/debian.sh"
cache=${IOTA_CACHE:-$root/build/cache}

if [ "${1-}" = enter ]; then
    cd /
    enter_debian "$2" sh /home/user/debians/run.sh "$3"
fi
# check_names SUITE LIBC: whether the table was compared with all functions that came after 2.28; those of a glibc that is newer
# than the one it was compared with are only named
check_names() {
    list=$(echo "$root"/gen-wraps/tests/glibc-*.txt)
    nm -D --defined-only --with-symbol-versions "$2" | awk -v suite="$1" -v list="${list##*/}" '
        function release(version, number) {
            split(version, number, /[._]/)
            return number[2] * 1000 + number[3]
        }
        FNR == NR { known[$1]; if (release($2) > last) last = release($2); next }
        $2 ~ /^[TWi]$/ && split($3, part, /@+/) == 2 && part[2] ~ /^GLIBC_2/ {
            name = part[1]
            if (!(name in first) || release(part[2]) < first[name]) { first[name] = release(part[2]); version[name] = part[2] }
        }
        END {
            for (name in first) {
                if (first[name] <= 2028) continue
                count++
                if (name in known) continue
                wrong += first[name] <= last
                print "debians: " suite ": " list " lacks " name ", of " version[name]
            }
            print suite ": " count " functions came after glibc 2.28"
            exit wrong > 0
        }' "$list" -
}

missing=$(wanting)
archive=$(ls "$root"/build/release/iota-*-"$(uname -m)".tar.xz 2>/dev/null | tail -n 1)
[ -n "$archive" ] || missing="$missing an archive (make release)"
if [ -n "$missing" ]; then
    say "programs do not run in other Debians, because this is not here: $(echo "$missing" | paste -sd, | sed 's/,/, /g')"
    exit 1
fi
status=0
for suite in bullseye trixie sid; do
    dir=$cache/$suite
    make_debian "$dir" "$suite" gcc libc6-dev binutils mpich libmpich-dev python3-minimal xz-utils
    rm -rf "$dir/home/user/debians"
    cp -R "$root/tests/debians" "$dir/home/user/debians"
    tar -xJf "$archive" -C "$dir/home/user/debians"
    chown -R $user:$user "$dir/home/user/debians"
    check_names "$suite" "$(echo "$dir"/usr/lib/*/libc.so.6)" || status=1
    apart "$0" enter "$dir" "$suite" || { say "$suite failed"; status=1; }
done
exit $status
