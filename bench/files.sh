# SPDX-License-Identifier: MIT
# The files that make bench measures. They are made once and kept. bench/gentrace and bench/genprof make the same files on
# every machine. Where Go and the programs in BENCH_GEN are installed, these record files too, because no generator behaves
# like a real program. Sourced by bench/run.sh.

gen=${BENCH_GEN:-$(cd "$(dirname "$0")/.." && pwd)/../shared/corpus/gen}
go=$(command -v go || true)
export GOFLAGS= GO111MODULE=on

# made FILE COMMAND...: print the name of the file. If it does not exist, run the command with the name as last argument
made() {
	[ -s "$1" ] || { "${@:2}" "$1.part" >/dev/null && mv "$1.part" "$1"; }
	echo "$1"
}

# generated EVENTS: a trace of 10,000 goroutines. many EVENTS: of 500,000 goroutines that are alive at once
generated() { made "$dir/big-$1.trace" "$bin/gentrace" -events "$1"; }
many() { made "$dir/many-$1.trace" "$bin/gentrace" -events "$1" -goroutines 500000; }

# recorded MEGABYTES: a trace that a program of many goroutines records of itself. Print nothing where it cannot be made.
recorded() {
	[ -n "$go" ] && [ -d "$gen/traces/big" ] || return 0
	[ -x "$dir/bigtrace" ] || go build -trimpath -o "$dir/bigtrace" "$gen/traces/big/main.go"
	made "$dir/recorded-$1.trace" "$dir/bigtrace" -mb "$1" -o
}

# profile: a profile of a million samples and 50,000 functions, 50 MB
profile() {
	if [ -n "$go" ] && [ -d "$gen/profiles/prof_big" ]; then
		[ -x "$dir/profbig" ] || go -C "$gen/profiles/prof_big" build -trimpath -o "$dir/profbig" .
		made "$dir/recorded.pb.gz" "$dir/profbig" -samples 1050000 -o
	else
		made "$dir/big.pb.gz" "$bin/genprof" -samples 1000000
	fi
}

# reader: a program that reads a trace with the reader of the Go distribution (reader.go). Print nothing without Go.
reader() {
	[ -n "$go" ] || return 0
	local src; src=$(cd "$(dirname "$0")" && pwd)/reader.go
	printf '{"Replace": {"%s/src/cmd/ttracereader/reader.go": "%s"}}' "$(go env GOROOT)" "$src" >"$dir/overlay.json"
	go build -overlay="$dir/overlay.json" -o "$dir/reader" cmd/ttracereader && echo "$dir/reader"
}
