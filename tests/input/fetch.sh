#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetching from URLs, from a local server (tests/webserver.c) whose responses are correct, wrong, truncated, late or missing.
# A report of a URL equals that of the file that the server sends, and that of the copy that ttrace saves. An error is one
# line.
. "${srcdir:-.}/tests/lib.sh"
server=$build/tests/webserver
trap 'exec 9>&-; rm -rf "$tmp"' EXIT	# the server ends when its standard input is closed
cd "$tmp" || exit 1
PPROF_TMPDIR=$tmp/saved
export PPROF_TMPDIR
refuses() { # refuses WORD ARGUMENT...: ttrace must print one error, as the last line on stderr, and nothing on stdout
	word=$1
	shift
	run 1 "$@"
	[ "$(grep -c '^ttrace: ' err)" = 1 ] && tail -n 1 err | grep -q "^ttrace: .*$word" && [ ! -s out ] ||
		fail "no single line with \"$word\": ttrace $*:" "$(cat err)"
}

# checks without the server
TTRACESECURE=1 "$TTRACE" top http://127.0.0.1:9/x >out 2>err && fail "a URL is fetched although TTRACESECURE is set"
[ "$(wc -l <err)" = 1 ] && grep -q 'TTRACESECURE' err || fail "the error does not name TTRACESECURE: $(cat err)"
run 1 top http://127.0.0.1:9/x
if grep -q 'without libcurl' err; then
	[ "$(wc -l <err)" = 1 ] && grep -q "curl -o x.pb.gz 'http://127.0.0.1:9/x'" err ||
		fail "without libcurl the error does not name the command curl: $(cat err)"
	exit $bad
fi
for f in nowhere a:b:c mem_2023-11-02_03:55:24 'dir/a:1' 'a b:80' file:///etc/passwd; do
	refuses 'No such file' top "$f"		# none of these is a URL, as in go tool pprof
done
run 1 top -output=nowhere/made http://127.0.0.1:9/x	# refused before the server is asked
[ "$(wc -l <err)" = 1 ] && grep -q nowhere/made err || fail "a URL is fetched, but the output cannot be written: $(cat err)"
cp "$samples/heap.pb.gz" localhost:1		# the name of an existing file is not a URL
run 0 top localhost:1

[ -x "$server" ] || { echo "no server: make check builds $server"; exit 77; }
mkfifo hold
"$server" "$samples" "$tmp" <hold &
exec 9>hold
serving=$!
up() { [ -s port ] || ! kill -0 $serving 2>/dev/null; }
until_so up
[ -s port ] || { echo "no server on the loopback"; [ $bad = 0 ] && exit 77; exit 1; }
asked() { grep -q "^$1\$" asked; }	# the server writes each request into this file
host=127.0.0.1:$(cat port)
http=http://$host

# A server that never answers, in the background. Up to three attempts, because on a slow machine the time can elapse while
# ttrace connects.
never() {
	"$TTRACE" top -timeout=1 "$http/never" >never.out 2>never.err
	[ $? = 1 ] && grep -q 'no response for 6 s' never.err
}
(never || never || never) 9>&- &
late=$!
# So does one that redirects to such a URL, or sends only hints, or a page of an error, a few bytes at a time: they are not what was asked for.
slow() { # slow PATH MESSAGE
	"$TTRACE" top -timeout=1 "$http/$1" >"$1.out" 2>"$1.err"
	[ $? = 1 ] && grep -q "$2" "$1.err"
}
slow slow-hints 'no response for 6 s' 9>&- &
hints=$!
slow redirect-never 'no response for 6 s' 9>&- &
redirected=$!
slow slow-error 'server response: 503 Service Unavailable - busy busy' 9>&- &
error=$!

# the report of a URL equals that of the file, and so does the report of the saved copy
"$TTRACE" top -nodecount=9 "$samples/heap.pb.gz" >heap.top
"$TTRACE" top -nodecount=9 "$samples/cpu.pb.gz" >cpu.top
n=0
for url in "$http/debug/pprof/heap" "$host/debug/pprof/heap" "http+insecure://$host/debug/pprof/heap" \
	"unix://$tmp/socket/debug/pprof/heap" "unix:$tmp/socket:/debug/pprof/heap" "$http/redirect"; do
	n=$((n + 1))
	run 0 top -nodecount=9 "$url"
	cmp -s out heap.top || fail "the report of $url differs from that of heap.pb.gz"
	kept=$(sed -n 's/^Saved profile in //p' err)
	[ "$kept" = "$PPROF_TMPDIR/pprof.orders.alloc_objects.alloc_space.inuse_objects.inuse_space.00$n.pb.gz" ] ||
		fail "$url is saved as $kept"
	"$TTRACE" top -nodecount=9 "$kept" | cmp -s - heap.top || fail "the report of the saved copy of $url differs"
done
head -n 1 err | grep -q "^Fetching profile over HTTP from $http/redirect\$" ||
	fail "the first line of stderr is wrong: $(cat err)"
for url in "$host" "$http/" "$http/gzip" "unix://$tmp/socket"; do	# the default path is /debug/pprof/profile
	run 0 -top -nodecount=9 "$url"
	cmp -s out cpu.top || fail "the report of $url differs from that of cpu.pb.gz"
done
run 0 top -nodecount=9 -seconds=1 "$host"
[ "$(sed -n 1,2p err)" = "Fetching profile over HTTP from $http/debug/pprof/profile?seconds=1
Please wait... (1s)" ] || fail "the first lines of stderr with -seconds are wrong: $(cat err)"
for report in findings info; do
	ls "$PPROF_TMPDIR" >before
	run 0 $report "$http/debug/pprof/heap"
	"$TTRACE" $report "$samples/heap.pb.gz" | grep -v ^file | sed 1d >a
	grep -v ^file out | sed 1d | cmp -s - a || fail "$report of a URL differs from that of the file: $(cat out)"
	kept=$(sed -n 's/^Saved profile in //p' err)
	[ "$(ls "$PPROF_TMPDIR" | comm -13 before -)" = "${kept##*/}" ] && "$TTRACE" top -nodecount=9 "$kept" | cmp -s - heap.top ||
		fail "$report of a URL does not save the profile: $(cat err)"
done
run 0 events "$http/debug/pprof/trace"
"$TTRACE" events "$samples/orders.trace" | cmp -s - out || fail "the events of a fetched trace differ from those of the file"
cmp -s "$PPROF_TMPDIR/trace.001.out" "$samples/orders.trace" || fail "the saved trace differs from the file"

# the query of the request is written as go tool pprof writes it
asks() { # asks TARGET ARGUMENT...: ttrace must request TARGET, which the server returns in an error
	target=$1
	shift
	run 1 top "$@"
	tail -n 1 err | grep -qF "418 Teapot - $target" || fail "the request is not for $target: $(cat err)"
}
asks '/echo?a=1&a=0&b=2+x&seconds=3' "$http/echo?b=2%20x&a=1&;c&a=0&a=%zz&seconds=3" -timeout=59
asks '/echo?q=1&seconds=1' "$host/echo?seconds=0&q=1" -seconds=1
asks '/echo?x=' "$host/echo?x#part"

# several URLs: the sum, the difference, and one that fails
"$TTRACE" top "$samples/leak-before.pb.gz" "$samples/leak-after.pb.gz" >sum
run 0 top "$http/debug/pprof/leak-before" "$http/debug/pprof/leak-after"
cmp -s out sum || fail "the sum of two URLs differs from that of the files"
"$TTRACE" top -base="$samples/leak-before.pb.gz" "$samples/leak-after.pb.gz" >less
run 0 top -base="$http/debug/pprof/leak-before" "$samples/leak-after.pb.gz"
cmp -s out less || fail "the difference to a base from a URL differs from that of the files"
run 0 top -nodecount=9 "$http/debug/pprof/heap" "$http/404"
sed 1,5d out >a; sed 1,5d heap.top | cmp -s - a && grep -q '404 Not Found' err && grep -q '1 source profiles out of 2' err ||
	fail "two URLs of which one fails: $(cat err)"
# URLs are fetched at the same time: the server answers each of these after it has received all three requests
run 0 top "$http/together?1" "$http/together?2" "$http/together?3"

# responses that are errors, damaged or too large
refuses '404 Not Found - Unknown profile' top "$http/debug/pprof/nosuch"
refuses '500 Internal Server Error - The .x1b.31mdatabase.x1b.0m is down$' top "$http/500"
refuses '502 Bad Gateway$' top "$http/502"
refuses 'HTML' top "$http/page"
refuses 'empty' top "$http/empty"
refuses 'the response ended after [0-9]* of [0-9]* bytes' top "$http/half"
refuses 'more than 10 redirects' top "$http/loop"
refuses 'file' top "$http/elsewhere"
refuses 'HTTP' top "$http/nonsense"
refuses 'memory' top -mem=128M "$http/endless"
refuses 'sent more than 1048576 bytes: -max_transfer' top -max_transfer=1M "$http/endless"
refuses '500 Internal Server Error' top "$http/endless-error"
refuses 'sent more than 1048576 bytes of headers' top -mem=128M "$http/trailers"
run 2 top -max_transfer=much "$http/debug/pprof/heap"
run 0 events -max_transfer=100k "$http/debug/pprof/trace"
grep -q 'sent more than 102400 bytes.*; the data received so far is shown' err && [ "$(wc -l <out)" -gt 100 ] ||
	fail "of a trace that exceeds -max_transfer the first part is not shown: $(cat err)"
refuses 'onnect' top http://127.0.0.1:1/
refuses 'cannot connect to the unix socket' top "unix://$tmp/nosocket"
run 2 top -tls_cert=x "$http/debug/pprof/heap"
# of a truncated trace the part that was received is shown
run 0 events "$http/half.trace"
grep -q 'response ended' err && [ "$(wc -l <out)" -gt 1000 ] ||
	fail "half a trace shows too few events or no notice: $(cat err)"

# passwords of URLs are not printed
for url in "http://me:s3cret@$host/404" "me:s3cret@$host/404" "http://me:s3cret@127.0.0.1:9/x"; do
	run 1 top "$url"
	grep -q 's3cret' err && fail "a password is printed: $(cat err)"
	run 1 top "$url" "$url"
	grep -q 's3cret' err && fail "a password is printed: $(cat err)"
	grep -q 'me:xxxxx@' err || fail "the password is not replaced by xxxxx: $(cat err)"
	run 0 view -size 200x24 -script ":diff $url<Enter>" "$samples/leak-after.pb.gz"
	grep -q 's3cret' out && fail "a password is shown: $(cat out)"
done

# a signal that interrupts a fetch ends ttrace, without an error and without a file
default=
env --default-signal=INT true 2>/dev/null && default='env --default-signal=INT,TERM,HUP'
for signal in ${default:+INT HUP} TERM; do
	$default "$TTRACE" top -output=made "$http/never?$signal" 2>err &
	stop=$!
	until_so asked "/never?$signal=" || fail "ttrace does not request /never"
	kill -s $signal $stop
	wait $stop 2>/dev/null
	got=$?
	[ $got -gt 128 ] && same "the signal that ends a fetch" "$(kill -l $got)" $signal
	[ $got -gt 128 ] && [ -z "$(ls | grep made)" ] && ! grep -q '^ttrace: ' err ||
		fail "SIG$signal while fetching: status $got, or a file or an error: $(cat err; ls)"
done

# the viewer shows the same screen for a URL as for the file; r fetches again
"$TTRACE" view -script '' "$samples/cpu.pb.gz" | sed 1d | head -n 20 >screen
run 0 view -script '' "$http/debug/pprof/profile"
sed 1d out | head -n 20 | cmp -s - screen || fail "the screen of a URL differs from that of the file"
run 0 view -script 'r' "$http/debug/pprof/profile"
grep -q 'read again' out || fail "r does not fetch again: $(tail -n 3 out)"
run 0 view -script 'r' "$samples/cpu.pb.gz"
grep -q 'the file has not changed' out || fail "r reads an unchanged file again: $(tail -n 3 out)"
run 0 view -script 'rD' "$http/debug/pprof/profile"
grep -q 'cpu A - B 0' out || fail "r and D show no difference: $(head -n 3 out)"
run 0 view -script '6r' "$http/debug/pprof/trace"
grep -q '\[6Gor\]' out && grep -q 'Saved trace' out || fail "r does not fetch a trace again: $(cat out)"
for keys in '1rD' '4:fetch diff<Enter>'; do
	run 0 view -size 200x24 -script "$keys" "$http/debug/pprof/trace"
	grep -q 'A - B' out || fail "$keys of a trace shows no difference: $(cat out)"
done
# a file's trace is kept as it was before r: the same one differs nowhere
for keys in '1rD' '4:fetch diff<Enter>'; do
	run 0 view -size 200x24 -script "$keys" "$samples/orders.trace"
	grep -q 'A is orders.trace, B is orders.trace (before)' out || fail "$keys of a trace file shows no difference: $(cat out)"
done
run 0 view -size 200x24 -script '!rDD' "$samples/orders.trace"
grep -q 'no change exceeds the spread' out || fail "r and D of findings: $(cat out)"
run 0 view -size 200x24 -script "<Esc>:diff $http/debug/pprof/leak-before<Enter>" "$samples/leak-after.pb.gz"
grep -q 'A - B.*; Saved' out || fail ":diff URL shows no difference: $(tail -n 3 out)"
# reports in the viewer do not fetch again, and save no second copy
ls saved >before
run 0 view -script ":traces > traces.out<Enter>:top > top.out<Enter>" "$http/debug/pprof/profile"
"$TTRACE" traces "$samples/cpu.pb.gz" | cmp -s - traces.out ||
	fail ":traces of a URL differs from that of the file: $(tail -n 2 out)"
ls saved >after
[ $(($(wc -l <after) - $(wc -l <before))) = 1 ] || fail "reports in the viewer save more copies: $(diff before after)"
run 0 view -script ":diff $http/debug/pprof/leak-before<Enter>:top > top2.out<Enter>" "$http/debug/pprof/leak-after"
"$TTRACE" top -compact_labels -nodecount=10 -diff_base="$samples/leak-before.pb.gz" "$samples/leak-after.pb.gz" | cmp -s - top2.out || fail ":top of two URLs differs from that of the files: $(tail -n 2 out)"
run 0 view -script ":diff $http/404<Enter>" "$samples/leak-after.pb.gz"
grep -q '404' out || fail ":diff of a URL that fails shows no error: $(tail -n 3 out)"
refuses '404' view -script '' "$http/404"

# if PPROF_TMPDIR is not usable, the copy is saved in ~/pprof
: >file
PPROF_TMPDIR=$tmp/file HOME=$tmp/home "$TTRACE" top "$http/debug/pprof/heap" >out 2>err ||
	fail "a report fails because PPROF_TMPDIR is not usable"
grep -q "^Could not use temp dir $tmp/file" err && ls home/pprof/pprof.orders.* >ls || fail "no copy in ~/pprof: $(cat err)"

# TLS, if openssl can make a certificate
if have openssl && openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 1 \
	-subj /CN=localhost -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' 2>req; then
	cp "$samples/heap.pb.gz" heap
	openssl s_server -accept 127.0.0.1:0 -key key -cert cert -WWW <hold >tls 2>&1 9>&- &
	tls=$!
	accepts() { grep -q '^ACCEPT.*:[0-9]' tls || ! kill -0 $tls 2>/dev/null; }
	until_so accepts
	to=127.0.0.1:$(sed -n 's/^ACCEPT.*:\([0-9]*\)$/\1/p' tls)
	if [ "$to" != 127.0.0.1: ]; then
		refuses 'https+insecure' top "https://$to/heap"
		run 0 top -nodecount=9 "https+insecure://$to/heap"
		cmp -s out heap.top || fail "the report of https+insecure:// differs from that of the file"
		run 0 top -nodecount=9 -tls_ca=cert "https://$to/heap"
		cmp -s out heap.top || fail "the report with -tls_ca differs from that of the file"
	fi
	kill $tls 2>/dev/null
fi

wait $late || fail "a server that never answers: not the expected error: $(cat never.err)"
wait $hints || fail "a server that sends only hints: not the expected error: $(cat slow-hints.err)"
wait $redirected || fail "a redirect to a URL that never answers: not the expected error: $(cat redirect-never.err)"
wait $error || fail "a server that sends an error slowly: not the expected error: $(cat slow-error.err)"
exit $bad
