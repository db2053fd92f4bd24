# SPDX-License-Identifier: MIT
# The files that make bench measures, made once and kept: those of the generators beside the project where these and Go
# are there (BENCH_GEN), for what programs do is not what a generator of ours would make of it; and of our own, which are
# the same on every machine. Read by bench/run.sh.

gen=${BENCH_GEN:-$(cd "$(dirname "$0")/.." && pwd)/../shared/corpus/gen}
go=$(command -v go || true)
export GOFLAGS= GO111MODULE=on

# FILE COMMAND...: the file, made by the command where it is not there yet; its name is the command's last word
made() {
	[ -s "$1" ] || { "${@:2}" "$1.part" >/dev/null && mv "$1.part" "$1"; }
	echo "$1"
}

# EVENTS: on 10,000 goroutines; many: on 500,000 that live
generated() { made "$dir/big-$1.trace" "$bin/gentrace" -events "$1"; }
many() { made "$dir/many-$1.trace" "$bin/gentrace" -events "$1" -goroutines 500000; }

# MEGABYTES: what a program of many goroutines recorded of itself. Nothing where there is none.
recorded() {
	[ -n "$go" ] && [ -d "$gen/traces/big" ] || return 0
	[ -x "$dir/bigtrace" ] || go build -trimpath -o "$dir/bigtrace" "$gen/traces/big/main.go"
	made "$dir/recorded-$1.trace" "$dir/bigtrace" -mb "$1" -o
}

# A profile of a million samples on 50,000 functions, 50 MB.
profile() {
	if [ -n "$go" ] && [ -d "$gen/profiles/prof_big" ]; then
		[ -x "$dir/profbig" ] || go -C "$gen/profiles/prof_big" build -trimpath -o "$dir/profbig" .
		made "$dir/recorded.pb.gz" "$dir/profbig" -samples 1050000 -o
	else
		made "$dir/big.pb.gz" "$bin/genprof" -samples 1000000
	fi
}

# The reader of the Go distribution as a program (reader.go). Nothing where there is no Go.
reader() {
	[ -n "$go" ] || return 0
	local src; src=$(cd "$(dirname "$0")" && pwd)/reader.go
	printf '{"Replace": {"%s/src/cmd/ttracereader/reader.go": "%s"}}' "$(go env GOROOT)" "$src" >"$dir/overlay.json"
	go build -overlay="$dir/overlay.json" -o "$dir/reader" cmd/ttracereader && echo "$dir/reader"
}
