#!/bin/sh
# SPDX-License-Identifier: MIT
# Make the pictures of README.md: screens of samples/ as SVG, and a recording of a few steps, as an animated SVG and as an
# asciicast (https://docs.asciinema.org/manual/asciicast/v2/). usage: pictures.sh TTRACE FOLDER, from the top of the tree.
# tests/project/pictures.sh compares the result with doc/pictures/. After a change of screens:
# UPDATE=1 make check TESTS=tests/project/pictures.sh
set -eu
ttrace=$1 folder=$2
width=96 height=28 row=18 # the height of a line in the SVG of the viewer, in its units
trace=samples/orders.trace

# screen NAME KEYS FILE [OPTION...]: make one picture
screen() {
	name=$1 keys=$2 file=$3
	shift 3
	rm -f "$folder/$name.svg"
	"$ttrace" view -size ${width}x$height -ansi -theme=dark -colours=256 "$@" -script "$keys:screen $folder/$name.svg<Enter>" \
		"$file" >/dev/null
}

# steps: print the steps of the recording: seconds|keys|caption
steps() {
	cat <<'END'
3||ttrace orders.trace: a web shop, 2.4 s. Logging in is slow at times.
2|7|7: the operations: tasks of the program, requests, rounds of loops
3|/login<Enter><Enter>|/login Enter Enter: most take 3 ms, three take more than 14
3|<Enter>|Enter: the slowest login waited for a mutex for 34 of its 38 ms
3|5jjw|5: on the timeline: it waits (m) in the region cache.Get; j j w goes to the wait
4|(|( goes to the goroutine that unlocked it: G98 waited for the network (n)
5|:type net<Enter>:list cache.*Get<Enter>|:list cache.*Get by network wait: line 68 calls the database with the mutex locked
END
}

# All frames are in one SVG, one above the other; each is displayed for its part of the total time.
frame_begin() { # frame_begin BEGIN END TOTAL
	awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
		printf "<g display=\"none\"><animate attributeName=\"display\" calcMode=\"discrete\" dur=\"%ds\" repeatCount=\"indefinite\" ", t
		if (a == 0) printf "values=\"inline;none\" keyTimes=\"0;%.4f\"/>\n", b / t
		else if (b == t) printf "values=\"none;inline\" keyTimes=\"0;%.4f\"/>\n", a / t
		else printf "values=\"none;inline;none\" keyTimes=\"0;%.4f;%.4f\"/>\n", a / t, b / t
	}'
}

# caption TEXT: print a caption below the screen, with the characters that XML reserves escaped
caption() {
	printf '<text x="9" y="%d" fill="#ffd75f">%s</text>\n' $((height * row + 20)) \
		"$(printf %s "$1" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g')"
}

# json_string: print standard input as a string of JSON, with the line ends of a terminal
json_string() {
	awk 'BEGIN { ORS = ""; print "\"\\u001b[H\\u001b[2J" }
	{
		gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\033/, "\\u001b")
		print (NR > 1 ? "\\r\\n" : "") $0
	}
	END { print "\"" }'
}

recording() {
	total=$(steps | awk -F'|' '{ n += $1 } END { print n }')
	printf '{"version": 2, "width": %d, "height": %d, "title": "ttrace: from a trace to the guilty line"}\n' \
		$width $((height + 1)) >"$folder/tour.cast"
	at=0 pressed=
	steps | while IFS='|' read -r seconds keys text; do
		pressed=$pressed$keys
		screen frame "$pressed" $trace -source_path=samples
		if [ $at = 0 ]; then
			sed -n '1s/viewBox="[^"]*" //; 1s/ height="[0-9]*"/ height="'$((height * row + 32))'"/; 1,2p' "$folder/frame.svg"
		fi
		frame_begin $at $((at + seconds)) "$total"
		sed '1,2d; /^<\/svg>/d' "$folder/frame.svg"
		caption "$text"
		echo "</g>"
		{
			"$ttrace" view -size ${width}x$height -theme=dark -colours=256 -ansi -source_path=samples -script "$pressed" $trace
			printf '%s' "$text"
		} | json_string | sed "s/^/[$at, \"o\", /; s/\$/]/" >>"$folder/tour.cast"
		echo >>"$folder/tour.cast"
		at=$((at + seconds))
	done >"$folder/tour.svg"
	echo "</svg>" >>"$folder/tour.svg"
	rm "$folder/frame.svg"
}

screen timeline '' $trace
screen flame 4 samples/cpu.pb.gz
screen tasks '7/login<Enter><Enter>' $trace
screen list ':list cache.*Get<Enter>' samples/mutex.pb.gz -source_path=samples
recording
