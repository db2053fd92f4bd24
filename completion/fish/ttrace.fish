# fish completion for ttrace; made by ttrace -print=completion-fish
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a view -d 'open the viewer (the default without a report)'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a help -d 'help on all reports and options, or on one report'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a events -d 'all events in order, same as `go tool trace -d=parsed`'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a wire -d 'the events as encoded in the file, same as `go tool trace -d=wire`'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a footprint -d 'bytes and counts by kind of event, same as `go tool trace -d=footprint`'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a info -d 'kind, contents and problems of a file; also of profiles'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a findings -d 'likely causes of slowness, worst first; also of profiles'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a goroutines -d 'goroutines by start function; -name, -group or -ran: the goroutines themselves'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a goroutine -d 'one goroutine: its states in time order, and its wakers'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a tasks -d 'kinds of user tasks; -name: the tasks with their events'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a operations -d 'kinds of operations: tasks, requests, rounds of loops, lives of goroutines; -name: the operations themselves'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a regions -d 'kinds of user regions; -name: the regions themselves'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a gc -d 'GC cycles'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a stw -d 'stop-the-world pauses; -by: summed by kind or by caller; -name: those of one'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a why -d 'where the time of a slow operation went: its critical path'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a locks -d 'locks: where goroutines wait for them, and what their holders do'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a channels -d 'channels: which lines receive and send, and which side waits'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a stops -d 'stops of the world by kind and caller, in their phases'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a greedy -d 'goroutines that had the Ps while others were runnable'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a leaks -d 'groups of goroutines that grow, and where they are blocked'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a gctax -d 'what the GC costs each kind of operations'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a mmu -d 'minimum mutator utilisation, and the worst windows'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a procs -d 'what each P did'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a syscalls -d 'system calls by call site'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a stats -d 'goroutines by state and the heap over time'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a top -d 'functions by weight'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a text -d 'same as top'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a list -d 'source lines of the functions that match, with their weights'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a disasm -d 'machine code of the functions that match, or at an address, disassembled by objdump'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a weblist -d 'source and machine code together; an HTML page with -output FILE.html'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a peek -d 'callers and callees of the functions that match'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a tree -d 'all functions with their callers and callees'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a traces -d 'all samples with their stacks'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a tags -d 'weights by label'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a raw -d 'the whole profile as text'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a comments -d 'the comments of the profile'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a dot -d 'the call graph for graphviz'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a callgrind -d 'the profile for kcachegrind'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a folded -d 'stacks as a;b;c N lines'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a speedscope -d 'one JSON file for speedscope.app with all sample types, or that of -sample_index'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a flame -d 'an interactive flame graph as one SVG file'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a proto -d 'the filtered profile, compressed with gzip'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a topproto -d 'the top entries as a profile'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a svg -d 'the call graph drawn by graphviz (dot), as SVG'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a ps -d 'the call graph drawn by graphviz (dot), as PostScript'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a png -d 'the call graph drawn by graphviz (dot), as PNG'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a gif -d 'the call graph drawn by graphviz (dot), as GIF'
complete -c ttrace -n '__fish_is_first_arg; or __fish_seen_subcommand_from help' -a pdf -d 'the call graph drawn by graphviz (dot), as PDF'
complete -c ttrace -o help -l help -d 'print help'
complete -c ttrace -o version -l version -d 'print the version'
complete -c ttrace -o output -l output -d 'write to FILE instead of standard output; FILE is replaced when the output is complete' -r
complete -c ttrace -o format -l format -d 'output format of tables' -x -a 'text tsv csv json'
complete -c ttrace -o safe -l safe -d 'escape control characters in names also if the output is no terminal'
complete -c ttrace -o strict -l strict -d 'exit with status 1 if the file is damaged; a recording that was not stopped is not damage'
complete -c ttrace -o d -l d -d 'as in go tool trace: the report events, wire or footprint' -x -a 'parsed wire footprint'
complete -c ttrace -o pprof -l pprof -d 'as in go tool trace: the report proto with -type=' -x -a 'net sync syscall sched'
complete -c ttrace -o add_comment -l add_comment -d 'add a comment to the profile' -r
complete -c ttrace -o cum -l cum -d 'sort by cumulative weight'
complete -c ttrace -o flat -l flat -d 'sort by own weight'
complete -c ttrace -o nodecount -l nodecount -d 'at most N entries' -r
complete -c ttrace -o nodefraction -l nodefraction -d 'hide entries below F of the total' -r
complete -c ttrace -o edgefraction -l edgefraction -d 'hide edges below F of the total' -r
complete -c ttrace -o trim -l trim -d 'apply nodecount, nodefraction and edgefraction'
complete -c ttrace -o call_tree -l call_tree -d 'keep calling contexts separate'
complete -c ttrace -o drop_negative -l drop_negative -d 'ignore negative differences'
complete -c ttrace -o functions -l functions -d 'aggregate at the function level'
complete -c ttrace -o filefunctions -l filefunctions -d 'aggregate at the function level, by file'
complete -c ttrace -o files -l files -d 'aggregate at the file level'
complete -c ttrace -o lines -l lines -d 'aggregate at the source line level'
complete -c ttrace -o addresses -l addresses -d 'aggregate at the address level'
complete -c ttrace -o granularity -l granularity -d 'what weights are summed by' -x -a 'functions filefunctions files lines addresses'
complete -c ttrace -o noinlines -l noinlines -d 'attribute inlined functions to their caller'
complete -c ttrace -o showcolumns -l showcolumns -d 'show column numbers of source lines'
complete -c ttrace -o focus -l focus -d 'keep only stacks through a function that matches' -r
complete -c ttrace -o ignore -l ignore -d 'drop stacks through a function that matches; findings: a file of findings to leave out, a line each: rule and function' -r
complete -c ttrace -o hide -l hide -d 'remove the frames that match' -r
complete -c ttrace -o show -l show -d 'keep only the frames that match' -r
complete -c ttrace -o show_from -l show_from -d 'drop the frames above the highest one that matches' -r
complete -c ttrace -o prune_from -l prune_from -d 'drop the frames below the one that matches' -r
complete -c ttrace -o tagfocus -l tagfocus -d 'keep only samples with a tag that matches or is in the range; RE,RE: matches key:value, both are needed; KEY=RE,RE: either one' -r
complete -c ttrace -o tagignore -l tagignore -d 'drop samples with a tag that matches or is in the range' -r
complete -c ttrace -o tagshow -l tagshow -d 'show only tags whose key matches' -r
complete -c ttrace -o taghide -l taghide -d 'hide tags whose key matches' -r
complete -c ttrace -o tagroot -l tagroot -d 'add tags with these keys as frames at the root' -r
complete -c ttrace -o tagleaf -l tagleaf -d 'add tags with these keys as frames at the leaf' -r
complete -c ttrace -o sample_index -l sample_index -d 'sample type to report' -r
complete -c ttrace -o mean -l mean -d 'average the values over the count of events'
complete -c ttrace -o unit -l unit -d 'unit of the values' -r
complete -c ttrace -o divide_by -l divide_by -d 'divide all values by F' -r
complete -c ttrace -o normalize -l normalize -d 'scale to the total of the base profile'
complete -c ttrace -o relative_percentages -l relative_percentages -d 'percentages of the total that is shown'
complete -c ttrace -o compact_labels -l compact_labels -d 'short headers in graphs'
complete -c ttrace -o inuse_space -l inuse_space -d 'same as sample_index=inuse_space'
complete -c ttrace -o inuse_objects -l inuse_objects -d 'same as sample_index=inuse_objects'
complete -c ttrace -o alloc_space -l alloc_space -d 'same as sample_index=alloc_space'
complete -c ttrace -o alloc_objects -l alloc_objects -d 'same as sample_index=alloc_objects'
complete -c ttrace -o total_delay -l total_delay -d 'same as sample_index=delay'
complete -c ttrace -o contentions -l contentions -d 'same as sample_index=contentions'
complete -c ttrace -o mean_delay -l mean_delay -d 'same as sample_index=delay with -mean'
complete -c ttrace -o base -l base -d 'subtract this profile; findings and summaries of traces: compare with this trace' -r
complete -c ttrace -o diff_base -l diff_base -d 'subtract this profile; percentages are relative to it; findings and summaries of traces: compare with this trace' -r
complete -c ttrace -o rest -l rest -d 'traces: what -group, -goroutine, -task, -region or -operation select, minus all others (with -latency: minus those outside the range); each side is the mean per goroutine, task, region or operation; why: the slow operations of -operation (with -latency: those in the range) minus the other ones'
complete -c ttrace -o diff_range -l diff_range -d 'traces: compare with this time range of the same trace: 1s..2s, 0%..30%; weights of call trees are scaled to the length of the range that is shown; see -from and -to' -r
complete -c ttrace -o seconds -l seconds -d 'duration of the profile that the server collects' -r
complete -c ttrace -o timeout -l timeout -d 'stop if the server sends nothing of the profile or trace for N + 5 seconds; default of N: 1.5 times -seconds, or 60' -r
complete -c ttrace -o max_transfer -l max_transfer -d 'stop reading from a server after this many bytes: 512M, 2G; of a trace, the part before is shown' -r
complete -c ttrace -o tls_cert -l tls_cert -d 'client certificate for the server' -r
complete -c ttrace -o tls_key -l tls_key -d 'private key of the client certificate' -r
complete -c ttrace -o tls_ca -l tls_ca -d 'CA certificates to verify the server with' -r
complete -c ttrace -o buildid -l buildid -d 'build id of the first mapping, if it has none' -r
complete -c ttrace -o source_path -l source_path -d 'directories to search for source files' -r
complete -c ttrace -o trim_path -l trim_path -d 'prefixes to remove from source paths' -r
complete -c ttrace -o all_frames -l all_frames -d 'ignore the drop_frames and keep_frames of the profile'
complete -c ttrace -o intel_syntax -l intel_syntax -d 'disasm, weblist: Intel assembly syntax'
complete -c ttrace -o symbolize -l symbolize -d 'get names from the local program: local, fastlocal (no lines), force, none; C++ names: demangle=full, =templates (no parameters), =default (no parameters, no template arguments), =none; joined by :; without it, only linker names (_Z, _R) are demangled' -r
complete -c ttrace -o type -l type -d 'sample type of a trace; default: cpu if there are 100 samples or more, else critical; sched with -blame' -x -a 'cpu run sched sync net syscall block assist alloc critical time'
complete -c ttrace -o from -l from -d 'start of the time range: 1.2s, 350ms, 40%' -r
complete -c ttrace -o to -l to -d 'end of the time range' -r
complete -c ttrace -o goroutine -l goroutine -d 'only these goroutines' -r
complete -c ttrace -o group -l group -d 'only goroutines whose start function matches, or the function that it calls if it calls different ones' -r
complete -c ttrace -o task -l task -d 'only these tasks' -r
complete -c ttrace -o operation -l operation -d 'only these operations: tasks, requests, rounds of loops, lives of goroutines; the kinds whose name matches in the report operations' -r
complete -c ttrace -o region -l region -d 'only these regions; @0x71a3ae: only those that start at this pc (column pc of the regions report); ^$: goroutines while they work for the task in which they were created' -r
complete -c ttrace -o proc -l proc -d 'only this P (types cpu, run, syscall, and sched with -blame=occupant); goroutines, tasks and regions: those of goroutines that ran on it' -r
complete -c ttrace -o blame -l blame -d 'stack to which -type=sched charges a wait for a P: that of the waker, of the goroutine that waits, or of what ran meanwhile; chain: for -type=sync, net and block, the stack of the waker below that of the wait' -x -a 'waker self occupant chain'
complete -c ttrace -o by -l by -d 'goroutines: what to group by; work: what the start function calls where that differs, as of errgroup or testing; state: the state at the end; stw: sums by kind or caller instead of single stops' -x -a 'function creator state label task proc life work kind caller'
complete -c ttrace -o sort -l sort -d 'gc, goroutine, goroutines, operations, stw, syscalls and boards: sort by this column, longest or largest first, text and times ascending; -COLUMN: reversed' -r
complete -c ttrace -o ran -l ran -d 'goroutines: only those that ran a function that matches, or waited in one' -r
complete -c ttrace -o name -l name -d 'goroutines, tasks, operations, regions: those with this name; stw: single stops of this kind, with -by=caller of this caller' -r
complete -c ttrace -o latency -l latency -d 'tasks, regions, operations: those with this duration: >50ms, <10ms, 10ms..50ms; with -task, -region or -operation also for sample types' -r
complete -c ttrace -o complete -l complete -d 'tasks, operations, regions: those that start and end in the trace; =false: the others'
complete -c ttrace -o logtext -l logtext -d 'tasks: those whose name, regions or log messages match' -r
complete -c ttrace -o window -l window -d 'mmu: window lengths' -r
complete -c ttrace -o percentile -l percentile -d 'mmu: this percentile instead of the minimum' -r
complete -c ttrace -o include -l include -d 'mmu: what counts as GC work' -r
complete -c ttrace -o per-proc -l per-proc -d 'mmu: each P on its own'
complete -c ttrace -o exact -l exact -d 'mmu: count each mark worker once, up to the end of the trace; always on with a time range'
complete -c ttrace -o rule -l rule -d 'findings: only these rules' -r
complete -c ttrace -o set -l set -d 'findings: change a threshold of a rule: stw.longest=5ms' -r
complete -c ttrace -o fail-on -l fail-on -d 'findings: exit with status 3 if there is a problem; a problem or a notice; a rule that cannot be answered, other than stolen-cpu; a list of these; in a comparison: if a finding is new or worse, or a kind of operations is slower' -x -a 'problem notice unanswerable'
complete -c ttrace -o baseline -l baseline -d 'findings: only those that are new or worse than in FILE, which findings -format=json has written' -r
complete -c ttrace -o step -l step -d 'stats: time between rows' -r
complete -c ttrace -o pane -l pane -d 'first pane' -x -a 'findings why boards top list peek flame timeline goroutines tasks gc events tags report help info'
complete -c ttrace -o at -l at -d 'go to this time, range, goroutine or function; @VIEW: numbers that gy wrote' -r
complete -c ttrace -o script -l script -d 'press these keys without a terminal and print the screen' -r
complete -c ttrace -o size -l size -d 'size of the screen that -script prints' -r
complete -c ttrace -o ansi -l ansi -d 'print that screen with colours'
complete -c ttrace -o ascii -l ascii -d 'draw with ASCII characters only'
complete -c ttrace -o mono -l mono -d 'draw without colour'
complete -c ttrace -o judge -l judge -d 'look for findings when a file is opened, for the lines at the top of its first screen; with -mem only if it is given'
complete -c ttrace -o theme -l theme -d 'colours of the viewer' -x -a 'dark light contrast mono'
complete -c ttrace -o colours -l colours -d 'number of colours of the terminal, if terminfo is wrong' -x -a '0 8 16 256 true'
complete -c ttrace -o mouse -l mouse -d 'use the mouse' -x -a 'on off'
complete -c ttrace -o server -l server -d 'operations: requests of one more server, '\''NAME = serves=RE; reads=RE; works=RE; begins=RE; writes=RE; handler=RE'\''; see server in ttracerc(5)' -r
complete -c ttrace -o mem -l mem -d 'memory limit, 128M at least: 512M, 2G; of a large trace, what exceeds it is in a file in ~/.cache while ttrace runs; a profile or a server'\''s response that takes more is refused; of a trace from a server, the part received so far is shown; decompressed data that exceeds it is not read; default: half of the free memory' -r
complete -c ttrace -o print -l print -d 'print a table of the program' -x -a 'keys options reports commands config settings explain findings completion-bash completion-zsh completion-fish'
