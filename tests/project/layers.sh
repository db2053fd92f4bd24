#!/bin/sh
# SPDX-License-Identifier: MIT
# The architecture: a table lists, for each folder, the headers that its files may include. Some libraries are included by one
# file only. HACKING.md lists all folders, and the names in it exist. A folder has at most 25 .c files, a file at most 800
# lines.
. "${srcdir:-.}/tests/lib.sh"
cd "$top" || exit 99

# may FOLDER: print the folders and headers that its files may include besides their own folder; each is included by at least
# one of them. A folder includes the folders below it. src/ and tui/ are both roots of the include path, so names here begin
# below them.
may() {
	case $1 in
	src/base | src/base/*) echo base ;;
	src/input) echo base sink.h ;;
	src/load) echo base input/input.h sink.h ;;
	src/load/gotrace) echo base load/load.h load/gotrace1/parse.h sink_profile.h sink_trace.h state.def ;;
	src/load/gotrace1) echo base load/gotrace ;;
	src/load/pprof) echo base load/load.h load/text/scan.h sink_profile.h ;;
	src/load/text) echo base load/load.h sink_profile.h sink_trace.h ;;
	src/symbols) echo base input/input.h pprof/profile.h ;;
	src/store) echo base sink_profile.h sink_trace.h store ;;
	src/store/tracks) echo base state.def store ;;
	src/calltree) echo base store ;;
	src/filter) echo base store calltree trace ;;
	src/trace) echo base sink_trace.h state.def store trace ;;
	src/trace/stats) echo base state.def store trace ;;
	src/trace/alloc) echo base store trace ;;
	src/operations) echo base store trace ;;
	src/critical) echo base store trace operations ;;
	src/findings) echo base store calltree trace critical findings ;;
	src/findings/measures) echo base store trace operations critical ;;
	src/boards) echo base store trace critical findings ;;
	src/compare) echo base trace operations critical findings ;;
	src/pprof) echo base sink_profile.h store calltree filter/compile.h filter/location.h ;;
	src/cli) echo base ;;
	src/session) echo base input load store symbols calltree filter trace operations critical findings pprof cli ;;
	src/report) echo base load/load.h store trace session cli ;;
	src/report/pprof) echo base calltree pprof symbols session report ;;
	src/report/trace) echo base state.def load store calltree trace operations critical findings boards compare session report ;;
	src) echo base sink.h state.def cli report session app/tui.h ;;
	tui/term) echo base sink_trace.h state.def ;;
	tui/widget) echo base sink_trace.h term app/command.h ;;
	tui/app) echo base sink_trace.h state.def calltree filter trace operations findings boards symbols session cli term widget files/files.h profile/common.h ;;
	tui/files) echo base trace operations findings symbols session term app pages/report_job.h tracepane ;;
	tui/tracepane) echo base trace operations findings term widget app/pane.h ;;
	tui/timeline) echo base calltree trace operations critical findings session term tracepane app/pane.h ;;
	tui/events) echo base store trace term tracepane ;;
	tui/goroutines) echo base store calltree trace term widget tracepane app/pane_table.h ;;
	tui/tasks) echo base store trace operations session term widget tracepane app/pane_table.h ;;
	tui/boards) echo base trace findings session term tracepane app/pane_table.h ;;
	tui/findings) echo base boards session term tracepane why/waterfall.h app/pane_table.h ;;
	tui/why) echo base trace critical session term tracepane widget app/pane.h app/pane_table.h ;;
	tui/gc) echo base store trace tracepane app/pane_table.h profile/common.h ;;
	tui/profile) echo base calltree filter trace critical symbols session term widget app/pane.h ;;
	tui/pages) echo base trace symbols session term widget app profile/common.h ;;
	*) fail "$1 has no row in the table of this test" ;;
	esac
}

# allowed NAME FOLDER LIST...: succeed if a file of FOLDER may include NAME
allowed() {
	a_name=$1 a_folder=$2
	shift 2
	[ "${a_name%/*}" = "${a_folder#*/}" ] && return 0
	for a_may; do
		case $a_name in "$a_may" | "$a_may"/*) return 0 ;; esac
	done
	return 1
}

for folder in $(find src tui -name '*.[ch]' -exec dirname {} + | sort -u); do
	set -- "$folder"/*.c
	[ $# -le 25 ] || fail "$folder has $# .c files; at most 25 are allowed"
	list=$(may "$folder")
	others=" "	# what the folder includes from others
	for f in "$folder"/*.[ch] "$folder"/*.def; do
		[ -f "$f" ] || continue
		for inc in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$f"); do
			case $inc in config.h | *.pb-c.h) continue ;; esac
			# shellcheck disable=SC2086 # a list of words
			allowed "$inc" "$folder" $list || fail "$f includes $inc, which the table does not allow for $folder"
			[ "${inc%/*}" = "${folder#*/}" ] || others="$others$inc "
		done
	done
	for may in $list; do
		case $others in *" $may "* | *" $may/"*) ;; *) fail "the table allows $may for $folder, which does not include it" ;; esac
	done
done

# The module map in HACKING.md has all folders and no other.
listed=$(sed -n 's/^| `\([a-z0-9/]*\)\/` |.*/\1/p' HACKING.md | sort)
there=$(find src tui -name '*.[ch]' ! -name '*.pb-c.[ch]' -exec dirname {} + | sort -u | grep -v '^src$')
[ "$listed" = "$there" ] ||
	fail "folders that exist and folders that HACKING.md lists differ: $(printf '%s\n%s\n' "$listed" "$there" | sort | uniq -u | xargs)"

# only PATTERN FILES NAME: no other file than FILES may have lines that match PATTERN, which is a use of NAME
only() {
	for f in $(grep -rlE --include='*.[ch]' "$1" src tui); do
		case " $2 " in *" $f "*) ;; *) fail "$f uses $3; only $2 may" ;; esac
	done
}
only '#include <(ncursesw/)?n?curses' tui/term/term.c curses
only '#include <pcre2' src/base/text/regex.c pcre2
only '#include <(elfutils/|dwarf\.h|libelf|gelf)' src/symbols/dwarf.c libdw
only '#include <libiberty/' src/symbols/demangle_bounded.c libiberty
only '#include <curl' src/input/http.c curl
only '[(, ]stderr[,)]|perror\(|(^|[^a-z_])printf\(|(write|put_all)\(STDERR' "src/base/put.c src/base/ending.c" "standard error"
only '#include <dlfcn' src/base/dynlib.c dlopen
only '#include <pthread' src/base/job.c pthread
only '(^|[^_a-z>.])(malloc|calloc|realloc|free|strdup)\(' "src/base/mem/mem.c src/base/mem/mem.h" "the heap"

# *.pb-c.[ch] are made by protoc-c in the build folder, which may be the source folder
find src tui tests bench -name '*.[ch]' ! -name '*.pb-c.[ch]' | xargs awk 'BEGIN {
	for (i = 1; i < ARGC; i++) {
		f = ARGV[i]
		licence = essay = 0
		for (n = 0; (getline line <f) > 0; n++) {
			licence = licence || n < 2 && line ~ /SPDX/
			essay = essay || n == 2 && line ~ /^\/\*/
		}
		close(f)
		if (n > 800) print f " has " n " lines; at most 800 are allowed"
		if (!licence) print f " has no licence line"
		if (!essay && f ~ /^(src\/.*\/|tui\/).*\.c$/) print f " has no comment on its structure at the top"
	} }' >"$tmp/wrong"
[ ! -s "$tmp/wrong" ] || fail "$(cat "$tmp/wrong")"

# Lines of C are indented by tabs, with up to seven blanks after them, and have no blanks at their ends.
find src tui tests bench fuzz -name '*.[ch]' ! -name '*.pb-c.[ch]' -o -name '*.def' | xargs awk '
	/[ \t]$/ { print FILENAME ":" FNR " ends in a blank" }
	/^\t*        / { print FILENAME ":" FNR " is indented by blanks: use tabs" }' >"$tmp/wrong"
[ ! -s "$tmp/wrong" ] || fail "$(cat "$tmp/wrong")"

# Files, functions, structs and constants that HACKING.md and the pages of doc/design name in `code` exist. A function that is
# named directly before a file, as in `f()` in `tui/app/x.c`, is in that file.
find src tui tests bench fuzz doc man -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.sh' -o -name '*.md' -o -name '*.proto' \) \
	! -name '*.pb-c.[ch]' | sed 's|^|/|' >"$tmp/files"
ls -- *.md | sed 's|^|/|' >>"$tmp/files"
# all words of the sources without comments; functions with their parenthesis
sed 's|^/||' "$tmp/files" | grep '\.\([ch]\|def\)$' | xargs cat | grep -v '^[[:space:]]*\(/\*\|\*\)' |
	grep -oE '[A-Za-z_][A-Za-z_0-9]*\(?' | sort -u >"$tmp/words"
known() { grep -qx -e "$1" -e "$1(" "$tmp/words"; }
at() { # at PATH: print the files whose path ends in PATH; a * stands for letters
	grep -E -- "/$(printf '%s\n' "$1" | sed 's/\./\\./g; s/\*/[^\/]*/g')\$" "$tmp/files"
}

for page in HACKING.md doc/design/*.md; do
	sed '/^    /d; /^```/,/^```/d' "$page" | tr '\n' ' ' >"$tmp/page"
	grep -oE '`[^`]+`' "$tmp/page" | tr -d '`' | tr ' ' '\n' | sed 's/[,;:]$//' | sort -u >"$tmp/spans"
	while IFS= read -r word; do
		case $word in
		-* | */ | .* | *=* | *NAME*) ;;
		*'()') grep -qx -- "${word%?}" "$tmp/words" || fail "$page: there is no function $word" ;;
		t-[a-z]*) at "${word%.c}.c" >/dev/null || fail "$page: there is no test $word" ;;
		*.c | *.h | *.def | *.sh | *.md) at "$word" >/dev/null || fail "$page: there is no file $word" ;;
		[a-z]*_*.[a-z]*) for part in $(echo "$word" | tr . ' '); do known "$part" || fail "$page: there is no $word"; done ;;
		*[!A-Za-z0-9_]* | TTRACE* | *[!A-Z0-9_]*) ;;
		*_*) known "$word" || fail "$page: there is no $word" ;;
		esac
	done <"$tmp/spans"
	for name in $(grep -oE '`struct [a-z_]+`' "$tmp/page" | tr -d '`' | sed 's/struct //' | sort -u); do
		known "$name" || fail "$page: there is no struct $name"
	done
	# the forms are: `f()` in `file`, `f()` (`file`), `f()`, `file`
	grep -oE '`[a-z_0-9]+\(\)`( in |,? \(|, )`[A-Za-z_0-9/.]+\.(c|h)`' "$tmp/page" | sed 's/()`.*`\(.*\)`/ \1/; s/`//' | sort -u >"$tmp/pairs"
	while read -r name file; do
		at "$file" | sed 's|^/||' | xargs grep -qw -- "$name" || fail "$page: $name() is not in $file"
	done <"$tmp/pairs"
done
exit $bad
