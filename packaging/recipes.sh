#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: packaging/recipes.sh TARBALL URL HOME FOLDER
# Write the recipes of package systems for a release to FOLDER: ttrace.spec, ttrace.rb, ttrace.nix and APKBUILD. TARBALL
# is the file of `make dist` and has the version in its name; URL is its address; HOME is the page of the project.
set -eu
[ $# = 4 ] || { sed -n '3p' "$0" | cut -c3- >&2; exit 2; }
tarball=$1 url=$2 home=$3 folder=$4
here=$(dirname "$0")
file=$(basename "$tarball")
version=${file#ttrace-}
version=${version%.tar.*}
plain=${version%%-*} rest=${version#"${version%%-*}"}	# 0.1.0 and -dev: most package systems allow no hyphen
maintainer=$(sed -n 's/^Maintainer: //p' "$here/../debian/control")
sum() { "$1" "$tarball" | cut -d' ' -f1; }
day=$(LC_ALL=C date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" '+%a %b %d %Y')

mkdir -p "$folder"
for recipe in ttrace.spec ttrace.rb ttrace.nix APKBUILD; do
	sed -e "s|@VERSION@|$version|g" -e "s|@URL@|$url|g" -e "s|@HOME@|$home|g" -e "s|@FILE@|$file|g" \
		-e "s|@RPM_VERSION@|$plain${rest:+~${rest#-}}|g" -e "s|@APK_VERSION@|$plain${rest:+_alpha}|g" \
		-e "s|@SHA256@|$(sum sha256sum)|g" -e "s|@SHA512@|$(sum sha512sum)|g" -e "s|@DAY@|$day|g" \
		-e "s|@MAINTAINER@|$maintainer|g" \
		"$here/$recipe.in" >"$folder/$recipe"
done
