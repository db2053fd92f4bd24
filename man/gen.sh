#!/bin/sh
# SPDX-License-Identifier: MIT
# gen.sh TTRACE TEMPLATE: the manual page, its tables filled in by the program itself: a line
# @options@, @reports@, @commands@, @settings@, @findings@ or @explain@ of the template becomes that table. Sentences begin on lines of
# their own, of at most 80 characters, as mdoc requires. What is checked in is what this prints; see tests/project/man.sh.
set -eu
ttrace=$1
template=$2
escape='function esc(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.\x27]/) s = "\\\\&" s; return s }
function keys(s,  n, k, i, out) { n = split(esc(s), k, " "); for (i = 1; i <= n; i++) out = out (i > 1 ? " " : "") (k[i] ~ /^[][(),.:;?!|]$/ ? "\\&" k[i] : k[i]); return out }
# Alternatives that do not fit on one line have blanks between them: a line without a blank cannot be adjusted.
function alternatives(s) { s = esc(s); gsub(/\|/, length(s) > 75 ? " | " : "|\\:", s); return s }
function said(s) { s = esc(s); return s (s ~ /[.?]$/ ? "" : ".") }
function section(group) { print ".Ss " (group == "gc" ? "GC" : toupper(substr(group, 1, 1)) substr(group, 2)) }'

# TSV of group, name, argument, default, help -> mdoc
table() {
	"$ttrace" "-print=$1" | awk -F '\t' -v dash="$2" "$escape"'
	$1 != group {
		if (group != "") print ".El"
		section($1)
		print ".Bl -tag -width Ds"
		group = $1
	}
	{
		if (dash == "-") print ".It Fl " esc($2) ($3 != "" ? " Ns = Ns Ar " alternatives($3) : "")
		else print ".It Ic " esc($2) ($3 != "" ? " Ar " esc($3) : "")
		print esc($5) ($4 != "" && $4 != "false" ? " (default: " esc($4) ")" : "") "."
		if ($6 != "") print said($6)
		if ($8 != "") print "Example:\n.Ql ttrace " esc($8)
	}
	END { print ".El" }'
}
# TSV of group, word, keys, argument, help
commands() {
	"$ttrace" -print=commands | awk -F '\t' "$escape"'
	$1 != group {
		if (group != "") print ".El"
		section($1)
		print ".Bl -tag -width Ds"
		group = $1
	}
	{
		print ".It Ic :" esc($2) ($4 != "" ? " Ar " esc($4) : "") ($3 != "" ? " Pq " keys($3) : "")
		print said($5)
	}
	END { print ".El" }'
}
# TSV of name, values, default, help
settings() {
	"$ttrace" -print=settings | awk -F '\t' "$escape"'
	BEGIN { print ".Bl -tag -width Ds" }
	{
		print ".It Ic set " esc($1) " No = Ar " esc($2)
		print esc($4) " (default: " esc($3) ")."
	}
	END { print ".El" }'
}
# TSV of group, name, text, what to press next. The rows of a group need not stand together.
explanations() {
	"$ttrace" -print=explain | awk -F '\t' "$escape"'
	!($1 in rows) { order[++groups] = $1 }
	{ rows[$1] = rows[$1] ".It " esc($2) "\n" esc($3) "\n.Em Next :\n" esc($4) ".\n" }
	END {
		for (i = 1; i <= groups; i++)
			print ".Sh " toupper(order[i]) "\n.Bl -tag -width Ds\n" rows[order[i]] ".El"
	}'
}
# TSV of "rule", name, title, fires, cause, action, example; after it lines of "threshold", name, default, text
rules() {
	"$ttrace" -print=findings | awk -F '\t' "$escape"'
	function sentence(s) { return said(toupper(substr(s, 1, 1)) substr(s, 2)) }
	function end() {
		if (!last) return
		if (limits) print limits ".El"
		print last
		limits = ""
	}
	$1 == "rule" {
		end()
		print ".Ss " esc($2)
		print sentence($3) "\nIt fires when " said($4)
		last = ".Pp\nUsual cause: " said($5) "\n.Pp\nWhat to do: " said($6) "\n.Pp\nExample:\n.Bd -ragged -offset indent\n" esc($7) "\n.Ed"
	}
	$1 == "threshold" {
		if (!limits) limits = ".Bl -tag -width Ds\n"
		limits = limits ".It Ic " esc($2) " No = " esc($3) "\n" sentence($4) "\n"
	}
	END { end() }'
}
# Text lines as mdoc wants them; macros and literal blocks as they are
lines() {
	awk '
	function put(s) { if (s ~ /^[.\x27]/) s = "\\&" s; print s }
	function wrapped(s,  n) {
		while (length(s) > 80) {
			for (n = 81; n > 1 && substr(s, n, 1) != " "; n--) ;
			if (n == 1)
				break
			put(substr(s, 1, n - 1))
			s = substr(s, n + 1)
		}
		put(s)
	}
	/^\.Bd -literal/ { literal = 1 }
	/^\.Ed/ { literal = 0 }
	literal || /^[.\x27]/ || /^\\&/ { print; next }
	{
		while (match($0, /[A-Za-z0-9)][.?!] +[A-Z]/)) {
			wrapped(substr($0, 1, RSTART + 1))
			$0 = substr($0, RSTART + RLENGTH - 1)
		}
		wrapped($0)
	}'
}
while IFS= read -r line; do
	case $line in
	@options@) table options - ;;
	@reports@) table reports "" ;;
	@commands@) commands ;;
	@settings@) settings ;;
	@explain@) explanations ;;
	@findings@) rules ;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$template" | lines
