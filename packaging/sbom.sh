#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: packaging/sbom.sh VERSION BINARY
# Print the bill of materials of the static binary as SPDX 2.3 JSON: ttrace itself and the Debian packages whose libraries
# are linked into it, with their versions and the licences of what is linked.
set -eu
[ $# = 2 ] || { sed -n '3p' "$0" | cut -c3- >&2; exit 2; }
version=$1 sum=$(sha256sum "$2" | cut -d' ' -f1)
created=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)
compiler=$(dpkg -S "$(realpath "$(gcc -print-libgcc-file-name)")" | cut -d: -f1)
libraries="libc6-dev $compiler libncurses-dev libpcre2-dev libprotobuf-c-dev zlib1g-dev"
optional=$(dpkg-query -W -f '${Package}' libiberty-dev 2>/dev/null) || optional=

licence() { # licence PACKAGE: as an SPDX expression
	case $1 in
	libc6-dev) echo LGPL-2.1-or-later ;;
	libgcc-*) echo GPL-3.0-or-later WITH GCC-exception-3.1 ;;
	libiberty-dev) echo LGPL-2.0-or-later ;;	# its demanglers
	libncurses-dev) echo X11-distribute-modifications-variant ;;
	libpcre2-dev) echo BSD-3-Clause ;;
	libprotobuf-c-dev) echo BSD-2-Clause ;;
	zlib1g-dev) echo Zlib ;;
	*) echo NOASSERTION ;;
	esac
}

cat <<END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "ttrace-$version",
  "documentNamespace": "urn:ttrace:$version:$sum",
  "creationInfo": { "created": "$created", "creators": [ "Tool: packaging/sbom.sh" ] },
  "packages": [
END
relations=
for library in $libraries $optional; do
	relations="$relations    { \"spdxElementId\": \"SPDXRef-ttrace\", \"relationshipType\": \"STATIC_LINK\", \"relatedSpdxElement\": \"SPDXRef-$library\" },
"
	dpkg-query -W -f "    { \"name\": \"\${source:Package}\", \"SPDXID\": \"SPDXRef-$library\", \"versionInfo\": \"\${source:Version}\",
      \"supplier\": \"Organization: Debian\", \"downloadLocation\": \"NOASSERTION\", \"licenseConcluded\": \"$(licence "$library")\" },\n" "$library"
done
cat <<END
    { "name": "ttrace", "SPDXID": "SPDXRef-ttrace", "versionInfo": "$version", "downloadLocation": "NOASSERTION", "licenseConcluded": "MIT",
      "checksums": [ { "algorithm": "SHA256", "checksumValue": "$sum" } ] }
  ],
  "relationships": [
$relations    { "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-ttrace" }
  ]
}
END
