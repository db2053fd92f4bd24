#!/bin/sh
# SPDX-License-Identifier: MIT
# Completion by Tab on the ":" line: a part of a name suffices, and only names that the command can match are offered. Also
# tested: keys used as commands, the folders of sources in every pane, and the title, which names the open files.
. "${srcdir:-.}/tests/lib.sh"

line() { "$TTRACE" view -size 120x24 -script "$1" "$2" | tail -n "${3:-1}" | head -n 1 | sed 's/ *$//'; }
becomes() { same "$1 on $2" "$(line "$1" "$samples/$2")" "$3"; }	# becomes KEYS FILE PROMPT
offers() { line "$1" "$samples/$2" 2 | grep -q "$3" || fail "$1 on $2 does not offer $3: $(line "$1" "$samples/$2" 2)"; }

# A single match replaces the word by a regular expression that matches the name. Several matches are listed; names that
# begin with the word come first.
becomes ':list stre<Tab>' cpu.pb.gz ':list orders/internal/login\.stretch'
"$TTRACE" view -script ':list sha256.(*Digest).chec<Tab><Enter>' -size 80x24 "$cpu" | sed -n 2p | grep -q 'checkSum.*(match 1/1)' ||
	fail "the completion of a name with brackets does not match the name"
becomes ':list Digest<Tab>' cpu.pb.gz ':list Digest'
offers ':list Digest<Tab>' cpu.pb.gz '(\*Digest).Sum\|(1\.\.'
becomes ':list regexp<Tab>' cpu.pb.gz ':list regexp'
offers ':list regexp<Tab>' cpu.pb.gz '^regexp\.'
offers ':list nosuchname<Tab>' cpu.pb.gz '^no match'
# only functions that pass the filters are offered
becomes ':focus=login<Enter>:list Matc<Tab>' cpu.pb.gz ':list Matc'
offers ':focus=login<Enter>:list doMatc<Tab>' cpu.pb.gz '^no match'
becomes ':list doMatc<Tab>' cpu.pb.gz ':list regexp\.\(\*Regexp\)\.doMatch'
# of a trace, start functions, regions and tasks are offered; of a profile, keys of tags
becomes ':group metr<Tab>' orders.trace ':group main\.metrics'
offers ':group Digest<Tab>' orders.trace '^no match'
offers ':region db<Tab>' orders.trace 'db.query  db.take'
becomes ':task heck<Tab>' orders.trace ':task checkout'
becomes ':tagfocus=point<Tab>' cpu.pb.gz ':tagfocus=endpoint'
# options of folders complete folders only, and each element of a list of them
mkdir -p "$tmp/dirs/one" "$tmp/dirs/two" && : >"$tmp/dirs/only"
becomes ":source_path $tmp/dirs/o<Tab>" cpu.pb.gz ":source_path $tmp/dirs/one/"
becomes ":trim_path $tmp/dirs/one:$tmp/dirs/t<Tab>" cpu.pb.gz ":trim_path $tmp/dirs/one:$tmp/dirs/two/"

# the keys of a command are accepted as its name
for pair in 'gG 12=goto-g 12' 'gp 2=goto-p 2' 'gt 350ms=goto-time 350ms' 'gm stretch=goto-fun stretch' 'gk login=goto-task login'; do
	"$TTRACE" view -script ":${pair%%=*}<Enter>" "$trace" >"$tmp/keys"
	"$TTRACE" view -script ":${pair#*=}<Enter>" "$trace" | cmp -s - "$tmp/keys" ||
		fail ":${pair%%=*} does not do the same as :${pair#*=}"
	grep -q 'unknown command' "$tmp/keys" && fail ":${pair%%=*} is refused"
done
"$TTRACE" view -script ':qx<Enter>' "$trace" | grep -q 'unknown command: qx' || fail "keys without a command are not refused"

# :source_path applies in each pane and in reports
mkdir -p "$tmp/src/orders/internal/login" && cp "$samples/orders/internal/login/login.go" "$tmp/src/orders/internal/login/"
sed -i 's/for range rounds/for range ROUNDS/' "$tmp/src/orders/internal/login/login.go"
for keys in ":list login.stretch<Enter>:source_path $tmp/src<Enter>" ":list login.stretch<Enter>1:source_path $tmp/src<Enter>2" \
	":source_path $tmp/src<Enter>:list login.stretch<Enter>" ":source_path $tmp/src<Enter>:report list login.stretch<Enter>" \
	":report list login.stretch<Enter>:source_path $tmp/src<Enter>"; do
	"$TTRACE" view -size 100x40 -script "$keys" "$cpu" | grep -q 'for range ROUNDS' ||
		fail "$keys does not show the source in that folder"
done
"$TTRACE" view -script '2jj:trim_path /x<Enter>j3:source_path /y<Enter>2jK' "$cpu" >"$tmp/out" || fail "trim_path in List ends the program"
"$TTRACE" view -script '3:source_path<Enter>' "$cpu" | grep -q 'sources are looked for in' ||
	fail ":source_path without a value does not show the folders"

# the title names the open files
cd "$samples" || exit 99
head_of() { want=$1; shift; same "title of $*" "$("$TTRACE" view -size 120x24 -script '' "$@" | head -n 1 | sed 's/^ttrace //; s/  .*//')" "$want"; }
head_of cpu.pb.gz cpu.pb.gz
head_of 'leak-after.pb.gz, leak-before.pb.gz' leak-after.pb.gz leak-before.pb.gz
head_of 'leak-after.pb.gz, leak-before.pb.gz' -diff_base=leak-before.pb.gz leak-after.pb.gz
head_of '3 files' leak-after.pb.gz leak-before.pb.gz heap.pb.gz
exit $bad
