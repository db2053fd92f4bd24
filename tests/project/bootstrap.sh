#!/bin/sh
# SPDX-License-Identifier: MIT
# ./bootstrap on imitated machines with different packages and rights: the packages it installs, those it asks the user to
# install, its output, and that it ends. All programs are stubs. A stub exists when the package that has it was "installed".
. "${srcdir:-.}/tests/lib.sh"

needed='gcc make autoconf automake pkg-config libncurses-dev libprotobuf-c-dev protobuf-c-compiler zlib1g-dev libpcre2-dev'
optional='libcurl4-openssl-dev libdw-dev libiberty-dev'

stub() { # stub NAME LINE...: a program of the machine
	stub_name=$1
	shift
	{
		echo '#!/bin/sh'
		printf '%s\n' "$@"
	} >"$m/bin/$stub_name"
	chmod +x "$m/bin/$stub_name"
}
# install the stubs of packages on the machine in the folder $1
cat >"$tmp/give" <<'EOF'
m=$1
shift
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$m/bin/$1" && chmod +x "$m/bin/$1"; }
for package; do
	case $package in
	gcc) stub cc "[ -e '$m/lib/libiberty' ]" ;;
	make) stub make "echo make >>'$m/log'" ;;
	autoconf) stub autoreconf "echo autoreconf >>'$m/log'; printf '#!/bin/sh\necho configure \"\$@\" >>\"$m/log\"; : >Makefile\n' >configure; chmod +x configure; : >Makefile.in" ;;
	automake) stub automake : ;;
	pkg-config) stub pkg-config "shift; for l; do [ -e '$m/lib'/\$l ] || exit 1; done" ;;
	protobuf-c-compiler) stub protoc-c : ;;
	libncurses-dev) : >"$m/lib/ncursesw" ;;
	libprotobuf-c-dev) : >"$m/lib/libprotobuf-c" ;;
	zlib1g-dev) : >"$m/lib/zlib" ;;
	libpcre2-dev) : >"$m/lib/libpcre2-8" ;;
	libcurl4-openssl-dev) : >"$m/lib/libcurl" ;;
	libdw-dev) : >"$m/lib/libdw" && : >"$m/lib/libelf" ;;
	libiberty-dev) : >"$m/lib/libiberty" ;;
	*) exit 1 ;;
	esac
done
EOF

# machine NAME PACKAGE...: a new machine with these packages, an apt-get that works, and a user without the rights of root
machine() {
	m=$tmp/$1
	shift
	mkdir -p "$m/bin" "$m/lib" "$m/tree"
	: >"$m/log"
	cp "$top/bootstrap" "$m/tree/"
	: >"$m/tree/configure.ac"
	: >"$m/tree/Makefile.am"
	for tool in sh dirname env chmod; do
		ln -s "$(command -v $tool)" "$m/bin/$tool"
	done
	stub true ''
	stub id 'echo 1000'
	stub apt-get "echo apt-get \"\$@\" >>'$m/log'" '[ "$1" = install ] || exit 0' \
		'shift' 'while [ "${1#-}" != "$1" ]; do shift; done' \
		"for p; do ! [ -e '$m/no-'\$p ] || exit 100; done" "exec sh '$tmp/give' '$m' \"\$@\""
	sh "$tmp/give" "$m" "$@"
}
root() { stub id 'echo 0'; }
# boots STATUS ARGUMENT...: run bootstrap; its output is in $tmp/out, the commands that it ran in $m/log
boots() {
	boots_want=$1
	shift
	(cd / && PATH=$m/bin "$m/tree/bootstrap" "$@") >"$tmp/out" 2>&1
	same "$m: status" $? "$boots_want"
}
says() { grep -qF -- "$1" "$tmp/out" || fail "$m: no \"$1\" in" "$(cat "$tmp/out")"; }
hushes() { ! grep -qF -- "$1" "$tmp/out" || fail "$m: \"$1\" in" "$(cat "$tmp/out")"; }
ran() { grep -q -- "$1" "$m/log" || fail "$m: it did not run $1, but" "$(cat "$m/log")"; }
ran_not() { ! grep -q -- "$1" "$m/log" || fail "$m: it ran" "$(cat "$m/log")"; }

# no packages and no rights: bootstrap prints one line to copy, with the required and the optional packages, each time
line="apt-get install $needed $optional"
machine bare
for again in 1 2; do
	boots 1
	same "bare, time $again: lines to copy" "$(grep -cx "$line" "$tmp/out")" 1
	says 'no sudo'
done
same 'bare: ran' "$(cat "$m/log")" ''
# after that line was run, nothing is missing
# shellcheck disable=SC2086 # lists of words
PATH=$m/bin apt-get install $needed $optional
: >"$m/log"
boots 0
hushes 'apt-get'
hushes 'optional'
same 'bare, after the line: ran' "$(cat "$m/log")" "autoreconf
configure -q
make"

# sudo refuses
machine refused
stub sudo 'echo "sudo: builder is not in the sudoers file" >&2' 'exit 1'
boots 1
same 'refused: lines to copy' "$(grep -cx "$line" "$tmp/out")" 1
same 'refused: ran' "$(cat "$m/log")" ''

# with sudo, and as root: bootstrap installs all packages and asks for nothing
machine sudo
stub sudo "echo sudo >>'$m/log'" 'exec "$@"'
boots 0 --disable-werror
ran '^sudo'
ran 'apt-get install .*libpcre2-dev'
ran 'apt-get install .*libiberty-dev'
ran '^configure -q --disable-werror'
says 'bootstrap: ready'
hushes 'optional'
machine root
root
boots 0
ran 'apt-get install .*gcc make'
ran '^make'

# a Debian release without an optional package: bootstrap installs the others and reports this one
machine older
root
: >"$m/no-libdw-dev"
boots 0
says 'optional package not installed: libdw-dev'
hushes 'not installed: libcurl'
[ -e "$m/lib/libiberty" ] || fail 'older: a package that follows the missing one was not installed'
ran '^make'

# all required packages exist: bootstrap reports the optional ones, installs nothing and does not run sudo
# shellcheck disable=SC2086
machine enough $needed
stub sudo "echo sudo >>'$m/log'" 'exec "$@"'
boots 0
for package in $optional; do
	says "optional package not installed: $package"
done
ran_not 'apt-get\|sudo'
ran '^make'

# apt-get fails, or it succeeds and installs nothing
machine offline
root
: >"$m/no-make"
boots 1
says "$line"
ran_not '^make\|^configure'
machine void
root
stub apt-get ':'
boots 1
says 'still missing'
says "$line"

# a system without apt-get: bootstrap prints the names of Debian's packages
# shellcheck disable=SC2086
machine other gcc make
rm "$m/bin/apt-get"
root
boots 1
says 'missing: autoconf'
hushes 'missing: gcc'
says "$needed $optional"
hushes 'apt-get'

exit $bad
