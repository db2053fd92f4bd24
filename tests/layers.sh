#!/bin/sh
# SPDX-License-Identifier: MIT
# The architecture is a test: some libraries are seen by one file alone, and no file has more than 800 lines.
. "${srcdir:-.}/tests/lib.sh"
cd "$top" || exit 99

# only PATTERN FILES WHAT: no file but FILES has lines that match
only() {
	for f in $(grep -rlE --include="*.[ch]" "$1" src tui); do
		case " $2 " in *" $f "*) ;; *) fail "$f: $3 belongs to $2" ;; esac
	done
}
only '#include <(ncursesw/)?n?curses' tui/term/term.c curses
only '#include <pcre2' src/base/text/regex.c pcre2
only '#include <(elfutils/|dwarf\.h|libelf|gelf)' src/symbols/dwarf.c libdw
only '#include <libiberty/' src/symbols/demangle_rust.c libiberty
only '#include <curl' src/input/http.c curl
only '[(, ]stderr[,)]|perror\(|(^|[^a-z_])printf\(|(write|put_all)\(STDERR' "src/base/put.c src/base/ending.c" "standard error"
only '#include <dlfcn' src/base/dynlib.c dlopen
only '#include <pthread' src/base/job.c pthread
only '(^|[^_a-z>.])(malloc|calloc|realloc|free|strdup)\(' "src/base/mem/mem.c src/base/mem/mem.h" "the heap"

for f in $(find src tui -name '*.[ch]') tests/*.c bench/*.c; do
	case $f in *.pb-c.[ch]) continue ;; esac	# made by protoc-c, beside its source when one builds there
	[ -f "$f" ] || continue
	n=$(wc -l <"$f")
	[ "$n" -le 800 ] || fail "$f: $n lines; 800 is the ceiling"
	head -2 "$f" | grep -q SPDX || fail "$f: no licence line"
done
for f in $(find src/*/ tui -name '*.c'); do
	case $f in *.pb-c.c) continue ;; esac
	sed -n 3p "$f" | grep -q '^/\*' || fail "$f: no essay at its top"
done
exit $bad
