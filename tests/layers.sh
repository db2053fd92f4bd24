#!/bin/sh
# SPDX-License-Identifier: MIT
# The architecture is a test: includes go down or sideways within a floor (HACKING.md), some libraries
# are seen by one file alone, and no file grows past 800 lines.
. "${srcdir:-.}/tests/lib.sh"
cd "$top" || exit 99

# The floors that each folder may include besides itself.
below() {
	case $1 in
	base) echo "" ;;
	load) echo "base sink.h state.def" ;;
	store) echo "base sink.h state.def" ;;
	analysis) echo "base sink.h state.def store" ;;
	session) echo "base sink.h state.def store analysis load" ;;
	report) echo "base sink.h state.def store analysis load session" ;;
	tui) echo "base sink.h state.def store analysis session load" ;;
	esac
}

for floor in base load store analysis session report; do
	for f in src/$floor/*.[ch] src/$floor/*.def; do
		[ -f "$f" ] || continue
		for inc in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$f"); do
			case $inc in config.h | *.pb-c.h) continue ;; esac
			top=${inc%%/*}
			case " $floor $(below $floor) " in
			*" $top "*) ;;
			*) fail "$f: includes $inc, which $floor may not know" ;;
			esac
		done
	done
done
for f in tui/*.[ch]; do
	for inc in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$f"); do
		case $inc in */*) ;; *) continue ;; esac
		case " $(below tui) " in
		*" ${inc%%/*} "*) ;;
		*) fail "$f: includes $inc, which the viewer may not know" ;;
		esac
	done
done

# only PATTERN FILE WHAT: nobody but FILE has lines that match
only() {
	for f in $(grep -lE "$1" src/*.[ch] src/*/*.[ch] tui/*.[ch] 2>/dev/null); do
		case " $2 " in *" $f "*) ;; *) fail "$f: $3 belongs to $2" ;; esac
	done
}
only '#include <(ncursesw/)?n?curses' tui/term.c curses
only '#include <pcre2' src/base/rx.c pcre2
only '#include <(elfutils/|dwarf\.h|libelf|gelf)' src/load/debuginfo.c libdw
only '#include <libiberty/' src/analysis/demangle_rust.c libiberty
only '#include <curl' src/load/net.c curl
only '[(, ]stderr[,)]|perror\(|(^|[^a-z_])printf\(|(write|put_all)\(STDERR' "src/base/put.c src/base/ending.c" "standard error"
only '#include <dlfcn' src/base/lib.c dlopen
only '#include <pthread' src/base/job.c pthread
only '(^|[^_a-z>.])(malloc|calloc|realloc|free|strdup)\(' "src/base/mem.c src/base/mem.h" "the heap"

for f in src/*.[ch] src/*/*.[ch] tui/*.[ch] tests/*.c bench/*.c; do
	case $f in *.pb-c.[ch]) continue ;; esac	# made by protoc-c, beside its source when one builds there
	[ -f "$f" ] || continue
	n=$(wc -l <"$f")
	[ "$n" -le 800 ] || fail "$f: $n lines; 800 is the ceiling"
	head -2 "$f" | grep -q SPDX || fail "$f: no licence line"
done
for f in src/*/*.c tui/*.c; do
	case $f in *.pb-c.c) continue ;; esac
	sed -n 3p "$f" | grep -q '^/\*' || fail "$f: no essay at its top"
done
exit $bad
