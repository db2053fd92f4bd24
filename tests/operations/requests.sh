#!/bin/sh
# SPDX-License-Identifier: MIT
# Requests of servers: programs that counted theirs (tests/requests) against the report `operations`. Their clients send the next
# request as soon as they have the answer, some several at once, with bodies, on connections that are closed, and before
# and beyond the trace. The request that fetched the trace is none of them.
. "${srcdir:-.}/tests/lib.sh"

# requests FILE COLUMN: print the sum of a column over the kinds of requests
requests() {
	"$TTRACE" operations -format=tsv "$1" | awk -F'\t' -v c="$2" '$9 == "server" { s += $c } END { print s + 0 }'
}
while IFS="$(printf '\t')" read -r name server count before open p50 most; do
	file=$top/tests/requests/$name.trace.gz
	same "$name: requests" "$(requests "$file" 1)" "$count"
	same "$name: complete requests" "$(requests "$file" 2)" "$((count - open))"
	same "$name: requests that began before the trace" "$(requests "$file" 25)" "$before"
	same "$name: the server" "$("$TTRACE" operations -format=tsv "$file" |
		awk -F'\t' '$9 == "server" { print $27 }' | cut -d' ' -f1 | sort -u)" "$server"
	# the server works for a request while its client waits
	"$TTRACE" operations -format=tsv "$file" |
		awk -F'\t' -v p50="$p50" -v most="$most" '$9 == "server" && ($3 > p50 || $6 > most) { exit 1 }' ||
		fail "$name: latencies are larger than those of the clients, $p50 and at most $most ns"
done <"$top/tests/requests/truth.tsv"

# few requests show their handler, so all are one kind; how they were counted
http1=$top/tests/requests/http1.trace.gz
same 'requests of connections' "$("$TTRACE" operations -format=tsv "$http1" | awk -F'\t' '$9 == "server" { print $26 }')" connection
same 'requests of streams' "$("$TTRACE" operations -format=tsv "$top/tests/requests/http2.trace.gz" |
	awk -F'\t' '$9 == "server" { print $26 }')" stream
"$TTRACE" operations -format=json "$http1" >"$tmp/json"
grep -q '"before":4,"begun":2[0-9][0-9]' "$tmp/json" || fail "JSON has no number of requests that were seen to begin"
grep -q '"handler":"main.(\*server).order"' "$tmp/json" || fail "JSON has no handler of a request"
# a handler is shown only where a request had an event in it
grep -q '"handler":"main.(\*server).item"' "$tmp/json" && fail "requests without an event in their handler have one"

# an endpoint that takes longer than the others is not slow; that it sleeps is a finding of all requests
"$TTRACE" findings -format=json "$top/tests/requests/endpoints.trace.gz" >"$tmp/json"
grep -q '"rule":"tail"' "$tmp/json" && fail "requests of another endpoint are slow: $(cat "$tmp/json")"
grep -q '"rule":"sleep".*"main.(\*server).report"' "$tmp/json" || fail "the sleep of an endpoint is not found: $(cat "$tmp/json")"

# calls through the goroutines of a client library are calls of the request, at its line
"$TTRACE" findings -format=json "$top/tests/requests/lookups.trace.gz" >"$tmp/json"
grep -q '"rule":"serial-calls","level":"problem".*16 times.*"main.(\*server).lookup"' "$tmp/json" ||
	fail "calls one after another are not found: $(cat "$tmp/json")"
exit $bad
