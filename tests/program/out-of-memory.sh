#!/bin/bash
# SPDX-License-Identifier: MIT
# Exhausted memory, at any allocation: status 1, one line on stderr, no temporary file, and the terminal is restored. The limit
# of the address space grows in steps of a twelfth, from too little to start to more than enough.
set -u
. "${srcdir:-.}/tests/lib.sh"
sanitized && exit 77
(ulimit -v 1000000) 2>/dev/null || exit 77
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"

# limited KB COMMAND...: run COMMAND with a limit of the address space
limited() { (ulimit -v "$1" && shift && exec "$@"); }
# exhausted NAME COMMAND...: run COMMAND with each limit; it must succeed or print the message
exhausted() {
	local what=$1 kb status well=0 short=0
	shift
	for ((kb = 6000; kb < 1500000; kb += kb / 12)); do
		limited $kb "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
		status=$?
		if [ $status = 0 ]; then
			well=$((well + 1))
		elif [ $status = 1 ] && [ "$(grep -c '' "$tmp/err")" = 1 ] && grep -q 'memory\|start a thread' "$tmp/err"; then
			short=$((short + 1))
		elif [ $status != 127 ]; then	# 127: the memory did not suffice for the dynamic linker
			fail "$what within $kb KB: status $status, $(head -n 3 "$tmp/err")"
		fi
	done
	[ -z "$(ls "$TMPDIR")" ] || fail "$what left temporary files: $(ls "$TMPDIR")"
	[ $well -gt 3 ] || fail "$what succeeded only $well times"
	all_short=$((all_short + short))
}
all_short=0
exhausted top "$TTRACE" top "$cpu"
exhausted goroutines "$TTRACE" goroutines "$trace"
exhausted findings "$TTRACE" findings -mem=128M "$trace"
exhausted viewer "$TTRACE" view -script '1234!' "$cpu"
exhausted viewer "$TTRACE" view -script '5678!;' "$trace"
# A small report may succeed with the least memory with which the program starts, so only the sum is checked.
[ $all_short -gt 20 ] || fail "memory was exhausted only $all_short times"

curses || exit $bad
for ((kb = 20000; kb < 300000; kb += kb / 5)); do
	"$build/tests/pty" -q 20 -k '6j<Enter>!Q' "$BASH" -c 'ulimit -v '$kb' && exec "$@"' - "$TTRACE" "$trace" >"$tmp/out" 2>&1
	status=$?
	grep -q '^left behind' "$tmp/out" && fail "the terminal is not restored within $kb KB: $(tail -n 3 "$tmp/out")"
	[ $status -le 1 ] || fail "the viewer within $kb KB: status $status, $(tail -n 3 "$tmp/out")"
done
exit $bad
