# Shared by the scripts of this folder: where things are kept, and how a Debian source package is fetched.
#   IOTA_CACHE    sources, objects and libraries, kept between runs (default build/cache)
#   IOTA_SOURCES  a folder that already holds the source packages (*.dsc and what they name), for want of a network
# shellcheck shell=sh
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${IOTA_CACHE:-$root/build/cache}
logs=$cache/logs
mkdir -p "$cache/src" "$logs"

say() { echo "real: $*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# Runs a step with its output in a log, and shows the end of that log when the step fails.
step() {
    label=$1
    shift
    say "$label"
    log=$logs/$(echo "$label" | tr -c 'a-zA-Z0-9\n' -).log
    "$@" </dev/null >"$log" 2>&1 && return
    say "$label failed; the end of $log:"
    tail -n 20 "$log"
    exit 1
}

# apt with source entries made from this machine's own binary ones, in a state folder of ours: no root needed, and
# nothing of the system's configuration changes.
apt_get() {
    apt-get -q -o Dir::Etc::SourceList="$cache/apt/sources.list" -o Dir::Etc::SourceParts="$cache/apt/parts" \
        -o Dir::State="$cache/apt/state" -o Dir::State::Status=/var/lib/dpkg/status -o Dir::Cache="$cache/apt/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

apt_sources() {
    mkdir -p "$cache/apt/parts" "$cache/apt/state/lists/partial" "$cache/apt/cache/archives/partial"
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^deb[[:space:]]/deb-src /p' >"$cache/apt/sources.list"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$cache/apt/parts/${file##*/}"
    done
    apt_get update
}

download() {
    [ -d "$cache/apt/state/lists/auxfiles" ] || apt_sources
    (cd "$cache/src" && apt_get source --download-only "$1") || { apt_sources && cd "$cache/src" && apt_get source --download-only "$1"; }
}

# fetch PACKAGE: leaves its patched sources in $cache/src/PACKAGE
fetch() {
    [ -e "$cache/src/$1/.unpacked" ] && return
    from=${IOTA_SOURCES:-$cache/src}
    ls "$from/$1"_*.dsc >/dev/null 2>&1 || step "downloading the source package $1" download "$1"
    rm -rf "$cache/src/${1:?}"
    step "unpacking $1" dpkg-source -x "$from/$1"_*.dsc "$cache/src/$1"
    touch "$cache/src/$1/.unpacked"
}
