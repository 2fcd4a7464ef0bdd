#!/bin/sh
# What the compilers' wrappers of a Cray do, called as cc or ftn: what pkg-config says of the names in PE_PKGCONFIG_LIBS is
# added to the line; -static asks for what a static program needs.
static=
for word; do [ "$word" != -static ] || static=--static; done
# shellcheck disable=SC2046,SC2086 # lists
libs=$(pkg-config --libs $static $(echo "$PE_PKGCONFIG_LIBS" | tr : ' ')) || exit
case $0 in
*/ftn) exec gfortran "$@" $libs ;;
*) exec gcc "$@" $libs ;;
esac
