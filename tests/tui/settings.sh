#!/bin/sh
# SPDX-License-Identifier: MIT
# Settings of the user: TTRACE_OPTS, the configuration file and the history. Also the mouse, and completion in shells.
. "${srcdir:-.}/tests/lib.sh"
mkdir -p "$XDG_CONFIG_HOME/ttrace"
config=$XDG_CONFIG_HOME/ttrace/config

# TTRACE_OPTS comes before the options of the command line, which override it; quotes keep words together
TTRACE_OPTS="-nodecount=3 -focus='json|regexp'" "$TTRACE" top "$cpu" >"$tmp/out" 2>&1
shows TTRACE_OPTS 'Active filters:'
same 'TTRACE_OPTS: lines' "$(grep -c '%' "$tmp/out")" 6
TTRACE_OPTS='-nodecount=3' "$TTRACE" top -nodecount=2 "$cpu" >"$tmp/out" 2>&1
same 'TTRACE_OPTS: the command line wins' "$(grep -c '%.*%.*%.*%.*%' "$tmp/out")" "$("$TTRACE" top -nodecount=2 "$cpu" 2>/dev/null | grep -c '%.*%.*%.*%.*%')"
TTRACE_OPTS='-frobnicate' "$TTRACE" top "$cpu" >"$tmp/out" 2>&1
same 'TTRACE_OPTS: the status for an unknown option' "$?" 2

# requests of a server that -server defines are operations; wrong definitions are refused
serves='serves=^orders/internal/db\.\(\*Server\)\.session$; reads=^bufio\.'
"$TTRACE" operations -format=tsv -server="pg = $serves" "$trace" >"$tmp/out"
same '-server: requests' "$(awk -F'\t' '$27 == "pg" { print $9 }' "$tmp/out")" server
refuses 2 'serves=RE is required' operations -server='pg = reads=^bufio' "$trace"
refuses 2 'is not serves=RE' operations -server='pg = serve=^bufio' "$trace"
refuses 2 'missing closing' operations -server='pg = serves=(' "$trace"

if curses; then
	printf 'server pg = %s\n' "$serves" >"$config"
	press ':operation ^pg$<Enter>6' "$trace"
	shows 'server in the configuration' 'operation=pg'
	shows 'server in the configuration' 'session'
	press '!' "$trace"
	shows 'findings without a configuration' 'cart.go:149 sleeps'
	shows 'findings without a configuration' 'cache.go:68 holds a lock'
	printf 'threshold sleep.share = 99%%\nknown lock-queue orders/internal/cache.(*Cache).Get\n' >"$config"
	press '!' "$trace"
	hides 'a threshold in the configuration turns a finding off' 'cart.go:149 sleeps'
	hides 'a finding that the configuration declares known is not listed' 'cache.go:68 holds a lock'
	shows 'other findings' 'call one after another'
	printf 'threshold sleep.nosuch = 1\n' >"$config"
	press '' "$trace"
	shows 'the error of a wrong threshold' 'config:1: a threshold requires RULE.NAME='
	printf 'known nosuch\n' >"$config"
	press '' "$trace"
	shows 'the error of a wrong rule' 'config:1: known requires RULE [FUNCTION]'
	cat >"$config" <<-'END'
		# ours
		set theme = light
		map J half-down
		map wasd
		map ^X load mine
		filter mine = focus=regexp; hide=^runtime\.
		tag codecs = ^(encoding|compress)/
	END
	press 'J' "$cpu"
	shows 'map J' '>  250ms'
	press ':load mine<Enter>' "$cpu"
	shows 'filter by name' 'focus=regexp | hide=^runtime\.'
	press '<^X>u' "$cpu"
	hides 'a filter by name is one step of undo' 'focus=regexp'
	press ':diff @m<Tab>' "$cpu"
	shows 'completion of saved filters, of diff' ':diff @mine'
	press ':save m<Tab>' "$cpu"
	shows 'completion of saved filters, of save' ':save mine'
	press ':tag <Tab>' "$cpu"
	shows 'completion of names' ':tag codecs'
	press ':tag codecs<Enter>' "$cpu"
	shows 'tag by name' 'functions tagged by codecs'
	press ':tag codecs<Enter>:tagged<Enter>' "$cpu"
	shows 'tagged' 'focus='
	press 'wwd' "$trace"
	shows 'map wasd' '(25%)'
	press 'a' "$cpu"
	shows 'wasd leaves other panes alone' ': commands'
	press '' "$cpu" && "$TTRACE" view -theme=light "$cpu" >/dev/null
	printf 'set theme = pink\nfrobnicate\nmap J\nset mouse = on\n' >"$config"
	press '' "$cpu" -judge=false
	shows 'the first error and the number of other errors' 'config:1 and 2 more lines: theme req'
	press '<Mouse 0M 30 7><Mouse 0m 30 7>' "$cpu" -judge=false
	shows 'the lines without errors apply: the mouse selects' '>  270ms'

	while IFS='|' read -r line error; do
		printf '%s\n' "$line" >"$config"
		press '' "$cpu" -judge=false </dev/null
		shows "config: $line" "config:1: $error"
	done <<-'END'
		filter a = focus=a; frobnicate=b|filter a: frobnicate=b is not a
		filter a = hide=a; show=(|filter a: show: bad regul
		filter a|filter requires NAME = focus=RE
		tag a = (|bad regular expression
		map ^X frobnicate|unknown command: frobnicate
		set frobnicate = on|settings: ascii
	END

	# the mouse
	rm "$config"
	press ':tag sums = sha256<Enter>' "$cpu" -judge=false
	shows 'a tag that is defined' 'defined: tag sums = sha256'
	press '<Mouse 0M 30 7><Mouse 0m 30 7>' "$cpu" -judge=false
	shows 'without -mouse=on a click has no effect' '>  1.01s'
	press '<Mouse 0M 30 7><Mouse 0m 30 7><Mouse 0M 30 7><Mouse 0m 30 7>' "$cpu" -judge=false -mouse=on
	shows 'a double click opens' 'peek '
	press '<Mouse 2M 30 7>' "$cpu" -judge=false -mouse=on
	shows 'the right button opens' 'peek '
	press '<Mouse 65M 30 7>' "$cpu" -judge=false -mouse=on
	shows 'the wheel moves' '>  390ms'
	press '<Mouse 0M 25 2>' "$cpu" -judge=false -mouse=on
	shows 'a click on the head of a column sorts by it' ' CUM▼ '
	press '<Mouse 0M 4 2><Mouse 0m 4 2>' "$cpu" -judge=false -mouse=on
	shows 'a click on the head of the sorted column inverts the order' ' FLAT▲ '
	press '8<Mouse 0M 22 2>' "$trace" -mouse=on
	shows 'a click sorts GC cycles' ' MARK▼ '
	press '6<Mouse 0M 24 2>' "$trace" -mouse=on
	shows 'a click sorts goroutine groups' 'RUNNABLE▼'
	press '6<Enter><Enter><Mouse 0M 24 6>' "$trace" -mouse=on
	shows 'a click sorts the intervals of a goroutine' 'DURATION▼'
	press '7<Mouse 0M 36 2>' "$trace" -mouse=on
	shows 'a click sorts tasks' ' p50▼ '
	press '<Mouse 0M 36 0>' "$cpu" -judge=false -mouse=on
	shows 'a click on a tab shows its pane' '[4Flame]'
	press '<Mouse 0M 22 0>' "$trace" -mouse=on
	shows 'a click on a tab whose key is no digit shows its pane' ';Wait' '[WWhy]'
	press '<Mouse 0M 30 9><Mouse 32M 40 9><Mouse 32M 50 12><Mouse 0m 50 12>' "$trace" -mouse=on
	shows 'a drag selects a range' '| range 843ms'
	press '<Mouse 80M 30 9>' "$trace" -mouse=on
	shows 'Ctrl and the wheel zoom' '(50%)'
	(TERM=screen-256color press '<Mouse 80M 30 9>' "$trace" -mouse=on)
	shows 'the mouse also works if terminfo has only the old protocol' '(50%)'
	if infocmp rxvt >/dev/null 2>&1; then
		(TERM=rxvt press '<Mouse 0M 30 9><Mouse 32M 40 9><Mouse 32M 50 12><Mouse 0m 50 12>' "$trace" -mouse=on)
		shows 'a drag selects a range on a terminal that has only the old protocol' '| range 843ms'
		(TERM=rxvt press '<Size 200x40>jk<Mouse 0M 94 7><Mouse 0m 94 7>' "$cpu" -judge=false -mouse=on)
		shows 'a click in the column whose byte is that of Backspace' '>  270ms'
	fi
	press 'a<Mouse 0M 30 20><Mouse 0m 30 20><Mouse 0M 30 20><Mouse 0m 30 20>' "$cpu" -mouse=on
	hides 'a double click runs a row of a menu' ': commands'

	# the history is kept when the viewer ends, and ^R searches it
	press ':focus=regexp<Enter>:hide=alpha<Enter>/beta<Enter>Q' "$cpu"
	press ':<Up><Up>' "$cpu"
	shows 'history' ':focus=regexp'
	press ':<^R>reg' "$cpu"
	shows 'history, searched' '(history: reg) focus=regexp'
	press '/<Up>' "$cpu"
	shows 'history of searches' '/beta'
	press ':abc def<^A>x<^E>y<^W><^B><^K>z' "$cpu"
	shows 'keys of readline' ':xabcz'
fi

# completion
"$TTRACE" -print=completion-bash >"$tmp/c.bash" && "$TTRACE" -print=completion-zsh >"$tmp/c.zsh" &&
	"$TTRACE" -print=completion-fish >"$tmp/c.fish" || { echo 'no completion'; bad=1; }
if have bash; then
	# complete WORDS...: the completions of the last word
	complete() {
		bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ttrace; printf "%s\n" "${COMPREPLY[@]}"' \
			bash "$tmp/c.bash" "$@" | sort | tr '\n' ' '
	}
	cd "$top" || exit 1
	same 'bash: a report' "$(complete ttrace gor)" 'goroutine goroutines '
	same 'bash: an option' "$(complete ttrace top -nodec)" '-nodecount= '
	same 'bash: with two dashes' "$(complete ttrace top --nodec)" '--nodecount= '
	same 'bash: values' "$(complete ttrace top -format = t)" 'text tsv '
	same 'bash: values of --' "$(complete ttrace view --theme = d)" 'dark '
	same 'bash: files' "$(complete ttrace top samples/cp)" 'samples/cpu.pb.gz '
	touch "$tmp/a name"
	same 'bash: a file with a blank in its name' "$(complete ttrace top "$tmp/a n")" "$tmp/a name "
	! grep -q '^complete.*filenames' "$tmp/c.bash" || fail 'bash: the = of an option is quoted'
	same 'bash: a file for the viewer' "$(complete ttrace samples/cp)" 'samples/cpu.pb.gz '
fi
# zsh is tested on an emulated terminal; fish prints its completions by `complete -C`
if have zsh; then
	zsh -n "$tmp/c.zsh" || fail 'zsh: syntax'
	mkdir -p "$tmp/zfun" && cp "$tmp/c.zsh" "$tmp/zfun/_ttrace"
	cat >"$tmp/.zshrc" <<-END
		unsetopt list_beep
		cd '$top'
		ttrace() { :; }
		fpath=('$tmp/zfun' \$fpath)
		autoload -U compinit && compinit -u -D
		PS1='> '
	END
	nz=0
	zdone() { # zdone NAME TYPED TEXT: after Tab the screen has TEXT; all run at the same time, because they mostly wait
		nz=$((nz + 1))
		printf '%s\n%s\n' "$1" "$3" >"$tmp/z$nz.what"
		ZDOTDIR=$tmp timeout 30 "$build/tests/pty" -s 100x60 -q 40 -k "$2<Tab><Wait 150><^C>exit<Enter>" zsh -i >"$tmp/z$nz" 2>&1 &
	}
	curses && {
		zdone 'a report' 'ttrace gorout' '> ttrace goroutine'
		zdone 'an option' 'ttrace top -nodec' '-nodecount='
		zdone 'with two dashes' 'ttrace top --nodec' '--nodecount='
		zdone 'a value' 'ttrace view -theme=li' '-theme=light'
		zdone 'a value in the next word' 'ttrace view -pane fl' '-pane flame'
		zdone 'a file' 'ttrace top samples/cpu' 'samples/cpu.pb.gz'
		zdone 'help' 'ttrace help foo' 'ttrace help footprint'
		wait
		while [ $nz -gt 0 ]; do
			cp "$tmp/z$nz" "$tmp/out"
			shows "zsh: $(sed -n 1p "$tmp/z$nz.what")" "$(sed -n 2p "$tmp/z$nz.what")"
			nz=$((nz - 1))
		done
	}
fi
if have fish; then
	fish -n "$tmp/c.fish" || fail 'fish: syntax'
	fdone() { # fdone NAME TYPED OFFERED
		(cd "$top" && timeout 30 fish -N -c "source $tmp/c.fish; complete -C '$2'" </dev/null >"$tmp/out" 2>&1)
		shows "fish: $1" "$3"
	}
	fdone 'a report' 'ttrace gor' 'goroutines'
	same 'fish: completions that are listed twice' "$(cut -f1 "$tmp/out" | sort | uniq -d)" ''
	fdone 'an option' 'ttrace top -nodec' '-nodecount'
	fdone 'with two dashes' 'ttrace top --nodec' '--nodecount'
	fdone 'values' 'ttrace view -theme=' '-theme=contrast'
	fdone 'values in the next word' 'ttrace view -pane fl' 'flame'
	fdone 'a file' 'ttrace top samples/cpu' 'samples/cpu.pb.gz'
	fdone 'a file for the viewer' 'ttrace samples/cpu' 'samples/cpu.pb.gz'
	fdone 'help' 'ttrace help foot' 'footprint'
fi
for sh in bash zsh fish; do
	for opt in $("$TTRACE" -print=options | cut -f2); do
		grep -q -e "[-'} ]$opt" "$tmp/c.$sh" || { echo "$sh: no -$opt"; bad=1; }
	done
done
exit $bad
