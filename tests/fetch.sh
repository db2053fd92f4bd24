#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetching, from a server on the loopback whose answers are good, bad, half, late or none
# (tests/webserver.c): what comes is what the file says, what goes wrong is one line, and the copy that is
# kept says the same again.
. "${srcdir:-.}/tests/lib.sh"
server=$build/tests/webserver
trap 'exec 9>&-; rm -rf "$tmp"' EXIT	# the server goes when nobody holds this
cd "$tmp" || exit 1
PPROF_TMPDIR=$tmp/saved
export PPROF_TMPDIR
refuses() { # refuses WORD ARGUMENT...: the last line on stderr has this in it, and nothing is on stdout
	word=$1
	shift
	run 1 "$@"
	[ "$(grep -c '^ttrace: ' err)" = 1 ] && tail -n 1 err | grep -q "^ttrace: .*$word" && [ ! -s out ] ||
		fail "no single line with \"$word\": ttrace $*:" "$(cat err)"
}

# what needs no server
TTRACESECURE=1 "$TTRACE" top http://127.0.0.1:9/x >out 2>err && fail "TTRACESECURE does not refuse"
[ "$(wc -l <err)" = 1 ] && grep -q 'TTRACESECURE' err || fail "TTRACESECURE says: $(cat err)"
run 1 top http://127.0.0.1:9/x
if grep -q 'without libcurl' err; then
	[ "$(wc -l <err)" = 1 ] && grep -q "curl -o x.pb.gz 'http://127.0.0.1:9/x'" err || fail "what to do instead: $(cat err)"
	exit $bad
fi
for f in nowhere a:b:c mem_2023-11-02_03:55:24 'dir/a:1' 'a b:80' file:///etc/passwd; do
	refuses 'No such file' top "$f"		# none of these is a URL, for go tool pprof neither
done
cp "$samples/heap.pb.gz" localhost:1		# and a name that is a file is a file
run 0 top localhost:1

[ -x "$server" ] || { echo "no server: make check builds $server"; exit 77; }
mkfifo hold
"$server" "$samples" "$tmp" <hold &
exec 9>hold
serving=$!
up() { [ -s port ] || ! kill -0 $serving 2>/dev/null; }
until_so up
[ -s port ] || { echo "no server on the loopback"; [ $bad = 0 ] && exit 77; exit 1; }
asked() { grep -q "^$1\$" asked; }	# the server writes down what it is asked for
host=127.0.0.1:$(cat port)
http=http://$host

# one that never answers, meanwhile; again, where the machine stood still for so long that to connect took all the time there is
never() {
	"$TTRACE" top -timeout=1 "$http/never" >never.out 2>never.err
	[ $? = 1 ] && grep -q 'no response for 6 s' never.err
}
(never || never || never) 9>&- &
late=$!

# what is fetched is what the file says, and so is what is kept
"$TTRACE" top -nodecount=9 "$samples/heap.pb.gz" >heap.top
"$TTRACE" top -nodecount=9 "$samples/cpu.pb.gz" >cpu.top
n=0
for url in "$http/debug/pprof/heap" "$host/debug/pprof/heap" "http+insecure://$host/debug/pprof/heap" \
	"unix://$tmp/socket/debug/pprof/heap" "unix:$tmp/socket:/debug/pprof/heap" "$http/redirect"; do
	n=$((n + 1))
	run 0 top -nodecount=9 "$url"
	cmp -s out heap.top || fail "$url is another profile"
	kept=$(sed -n 's/^Saved profile in //p' err)
	[ "$kept" = "$PPROF_TMPDIR/pprof.orders.alloc_objects.alloc_space.inuse_objects.inuse_space.00$n.pb.gz" ] ||
		fail "kept as $kept"
	"$TTRACE" top -nodecount=9 "$kept" | cmp -s - heap.top || fail "what is kept of $url says something else"
done
head -n 1 err | grep -q "^Fetching profile over HTTP from $http/redirect\$" || fail "it says $(cat err)"
for url in "$host" "$http/" "$http/gzip" "unix://$tmp/socket"; do	# the path is /debug/pprof/profile then
	run 0 -top -nodecount=9 "$url"
	cmp -s out cpu.top || fail "$url is another profile"
done
run 0 top -nodecount=9 -seconds=1 "$host"
[ "$(sed -n 1,2p err)" = "Fetching profile over HTTP from $http/debug/pprof/profile?seconds=1
Please wait... (1s)" ] || fail "-seconds says $(cat err)"
run 0 events "$http/debug/pprof/trace"
"$TTRACE" events "$samples/orders.trace" | cmp -s - out || fail "another trace"
cmp -s "$PPROF_TMPDIR/trace.001.out" "$samples/orders.trace" || fail "the trace that is kept"

# what is asked for: the query as pprof writes it
asks() { # asks TARGET ARGUMENT...
	target=$1
	shift
	run 1 top "$@"
	tail -n 1 err | grep -qF "418 Teapot - $target" || fail "asked for another thing than $target: $(cat err)"
}
asks '/echo?a=1&a=0&b=2+x&seconds=3' "$http/echo?b=2%20x&a=1&;c&a=0&a=%zz&seconds=3" -timeout=59
asks '/echo?q=1&seconds=1' "$host/echo?seconds=0&q=1" -seconds=1
asks '/echo?x=' "$host/echo?x#part"

# several at once: the sum, the difference, one that fails
"$TTRACE" top "$samples/leak-before.pb.gz" "$samples/leak-after.pb.gz" >sum
run 0 top "$http/debug/pprof/leak-before" "$http/debug/pprof/leak-after"
cmp -s out sum || fail "two URLs merged"
"$TTRACE" top -base="$samples/leak-before.pb.gz" "$samples/leak-after.pb.gz" >less
run 0 top -base="$http/debug/pprof/leak-before" "$samples/leak-after.pb.gz"
cmp -s out less || fail "a base from a URL"
run 0 top -nodecount=9 "$http/debug/pprof/heap" "$http/404"
sed 1,5d out >a; sed 1,5d heap.top | cmp -s - a && grep -q '404 Not Found' err && grep -q '1 source profiles out of 2' err ||
	fail "one of two: $(cat err)"
# at the same time: each of these is answered when all three have been asked for
run 0 top "$http/together?1" "$http/together?2" "$http/together?3"

# answers that are none
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
refuses 'sent more than 1048576 bytes: -max_transfer' top -max_transfer=1M "$http/endless-error"
run 2 top -max_transfer=much "$http/debug/pprof/heap"
run 0 events -max_transfer=100k "$http/debug/pprof/trace"
grep -q 'sent more than 102400 bytes.*; the data received so far is shown' err && [ "$(wc -l <out)" -gt 100 ] ||
	fail "the first 100 kB of a trace: $(cat err)"
refuses 'onnect' top http://127.0.0.1:1/
refuses 'cannot connect to the unix socket' top "unix://$tmp/nosocket"
run 2 top -tls_cert=x "$http/debug/pprof/heap"
# half a trace is a trace
run 0 events "$http/half.trace"
grep -q 'response ended' err && [ "$(wc -l <out)" -gt 1000 ] || fail "half a trace: $(cat err)"

# passwords are for the server alone
for url in "http://me:s3cret@$host/404" "me:s3cret@$host/404" "http://me:s3cret@127.0.0.1:9/x"; do
	run 1 top "$url"
	grep -q 's3cret' err && fail "a password is told: $(cat err)"
	run 1 top "$url" "$url"
	grep -q 's3cret' err && fail "a password is told: $(cat err)"
	grep -q 'me:xxxxx@' err || fail "not even that there is one: $(cat err)"
	run 0 view -size 200x24 -script ":diff $url<Enter>" "$samples/leak-after.pb.gz"
	grep -q 's3cret' out && fail "a password is shown: $(cat out)"
done

# nothing stays behind of a fetch that was stopped
"$TTRACE" top -output=made "$http/never?stopped" 2>err &
stop=$!
until_so asked "/never?stopped=" || fail "nobody asks for /never"
kill -INT $stop
wait $stop
[ $? = 1 ] && [ -z "$(ls | grep made)" ] && grep -q '^ttrace: .*stopped' err || fail "^C: $(cat err; ls)"

# the viewer: the same screen as of the file, and again
"$TTRACE" view -script '' "$samples/cpu.pb.gz" | sed 1d | head -n 20 >screen
run 0 view -script '' "$http/debug/pprof/profile"
sed 1d out | head -n 20 | cmp -s - screen || fail "another screen"
run 0 view -script 'r' "$http/debug/pprof/profile"
grep -q 'read again' out || fail "r does not fetch again: $(tail -n 3 out)"
run 0 view -script 'r' "$samples/cpu.pb.gz"
grep -q 'the file has not changed' out || fail "a file that has not changed is read again: $(tail -n 3 out)"
run 0 view -script 'rD' "$http/debug/pprof/profile"
grep -q 'cpu A - B 0' out || fail "r D is no difference: $(head -n 3 out)"
run 0 view -script '6r' "$http/debug/pprof/trace"
grep -q '\[6Gor\]' out && grep -q 'Saved trace' out || fail "r of a trace: $(cat out)"
for keys in '1rD' '4:fetch diff<Enter>'; do
	run 0 view -size 200x24 -script "$keys" "$http/debug/pprof/trace"
	grep -q 'A - B' out || fail "$keys of a trace is no difference: $(cat out)"
done
run 0 view -size 200x24 -script "4:fetch diff<Enter>" "$samples/orders.trace"
grep -q 'old contents of a trace file' out || fail ":fetch diff of a trace that is a file: $(cat out)"
run 0 view -size 200x24 -script "<Esc>:diff $http/debug/pprof/leak-before<Enter>" "$samples/leak-after.pb.gz"
grep -q 'A - B.*; Saved' out || fail ":diff URL: $(tail -n 3 out)"
# reports of what was fetched ask no server, and keep no second copy
ls saved >before
run 0 view -script ":traces > traces.out<Enter>:top > top.out<Enter>" "$http/debug/pprof/profile"
"$TTRACE" traces "$samples/cpu.pb.gz" | cmp -s - traces.out || fail ":traces of a URL: $(tail -n 2 out)"
ls saved >after
[ $(($(wc -l <after) - $(wc -l <before))) = 1 ] || fail "reports in the viewer save more: $(diff before after)"
run 0 view -script ":diff $http/debug/pprof/leak-before<Enter>:top > top2.out<Enter>" "$http/debug/pprof/leak-after"
"$TTRACE" top -compact_labels -nodecount=10 -diff_base="$samples/leak-before.pb.gz" "$samples/leak-after.pb.gz" | cmp -s - top2.out || fail ":top of two URLs: $(tail -n 2 out)"
run 0 view -script ":diff $http/404<Enter>" "$samples/leak-after.pb.gz"
grep -q '404' out || fail ":diff of nothing: $(tail -n 3 out)"
refuses '404' view -script '' "$http/404"

# where it is kept, when the first choice is none
: >file
PPROF_TMPDIR=$tmp/file HOME=$tmp/home "$TTRACE" top "$http/debug/pprof/heap" >out 2>err || fail "no place to save is no reason"
grep -q "^Could not use temp dir $tmp/file" err && ls home/pprof/pprof.orders.* >ls || fail "~/pprof: $(cat err)"

# TLS, where there is a tool to make a certificate with
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
		cmp -s out heap.top || fail "https+insecure"
		run 0 top -nodecount=9 -tls_ca=cert "https://$to/heap"
		cmp -s out heap.top || fail "-tls_ca"
	fi
	kill $tls 2>/dev/null
fi

wait $late || fail "one that never answers: $(cat never.err)"
exit $bad
