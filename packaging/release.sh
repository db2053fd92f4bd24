#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: packaging/release.sh URL HOME FOLDER [KEY]
# Make the files of a release in FOLDER from the commit that is checked out: the tarball of `make dist`, the static binary for
# this machine with its bill of materials and the licences of all that is in it, the recipes for package systems, and
# SHA256SUMS, signed by gpg if KEY is given. URL is the folder in which the files will be published; HOME is the page of the
# project. The files depend on the commit, the compiler, the libraries and the system's terminfo, but not on time, folder or
# user. doc/maintainers.md describes the steps of a release.
set -eu
[ $# = 3 ] || [ $# = 4 ] || { sed -n '3p' "$0" | cut -c3- >&2; exit 2; }
url=$1 home=$2 key=${4:-}
mkdir -p "$3"
folder=$(cd "$3" && pwd)
top=$(cd "$(dirname "$0")/.." && pwd)
! grep -q '^Maintainer:.*\.invalid>' "$top/debian/control" || [ -z "$key" ] || {
	echo "debian/control has no address of the maintainers, which SECURITY.md refers to" >&2
	exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct)
TAR_OPTIONS="--sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w --mtime=@$SOURCE_DATE_EPOCH"
export SOURCE_DATE_EPOCH TAR_OPTIONS LC_ALL=C TZ=UTC0
umask 022
version=$(sed -n 's/^AC_INIT(\[ttrace\], \[\([^]]*\)\].*/\1/p' "$top/configure.ac")
name=ttrace-$version
binary=$name-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)

# The sources are those of the commit, not those of the working tree.
mkdir "$work/sources" "$work/static"
git -C "$top" archive HEAD | tar -x -C "$work/sources"
(cd "$work/sources" && autoreconf -i >/dev/null && ./configure -q && make -s dist)
cp "$work/sources/$name.tar.xz" "$folder"

tar -xf "$folder/$name.tar.xz" -C "$work/static"
(cd "$work/static/$name" && ./configure -q --enable-static-binary CFLAGS='-O3' && make -s -j2 ttrace)
strip -o "$folder/$binary" "$work/static/$name/ttrace"
"$top/packaging/sbom.sh" "$version" "$folder/$binary" >"$folder/$binary.spdx.json"
{
	cat "$top/COPYING"
	for package in $(sed -n 's/.*STATIC_LINK.*SPDXRef-\([^"]*\)".*/\1/p' "$folder/$binary.spdx.json"); do
		printf '\n==== Of %s, which is linked into the static binary\n\n' "$package"
		cat "/usr/share/doc/$package/copyright"
	done
} >"$work/notices"
for licence in $(grep -o '/usr/share/common-licenses/[A-Za-z0-9.-]*[0-9A-Za-z]' "$work/notices" | xargs realpath | sort -u); do
	printf '\n==== %s\n\n' "$licence"
	cat "$licence"
done | cat "$work/notices" - >"$folder/$binary.licenses"
"$top/packaging/recipes.sh" "$folder/$name.tar.xz" "$url/$name.tar.xz" "$home" "$folder"

cd "$folder"
sha256sum "$name.tar.xz" "$binary" "$binary.spdx.json" "$binary.licenses" ttrace.spec ttrace.rb ttrace.nix APKBUILD >SHA256SUMS
if [ -n "$key" ]; then
	gpg --yes --local-user "$key" --armor --detach-sign --output SHA256SUMS.asc SHA256SUMS
fi
