#!/usr/bin/env bats
# soakctl ab against a daemon that answers what it is told (fake-soakd.py): the loads are known, and
# no machine is soaked.

load common

# Four blocks, A B B A and B A A B in turns, with a drift: differences .260 .190 .195 .180.
BLOCKS=0.0502,0.0531,0.0533,0.0510,0.0529,0.0511,0.0515,0.0535,0.0518,0.0538,0.0540,0.0521,0.0541,0.0522,0.0527,0.0544

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export SOAKD_SOCKET="$PWD/nobody"
	export SOAKD="$BATS_TEST_DIRNAME/fake-soakd.py"
	export FAKE_SOAKD_LOG="$PWD/log" FAKE_SOAKD_LOADS=$BLOCKS
}

teardown() {
	[ ! -s log ] || wait_for 10 daemon_gone
}

daemon_gone() {
	! kill -0 "$(jq -r .pid log | tail -n 1)" 2>/dev/null
}

ab() {
	soakctl ab --settle 0 "$@"
}

@test "four blocks: order, table and paired test" {
	run -0 --separate-stderr ab -n 8 -- 'printf A >>order' -- 'printf B >>order'
	[ "$(cat order)" = ABBABAABABBABAAB ]
	[ -z "$output" ]
	diff -u - <(sed -n '/^CPU load, %, means/,/^$/p' <<<"$stderr") <<-'TEXT'
		CPU load, %, means of a block's two runs
		  block  order        A       B    B - A
		      1  ABBA     5.06    5.32    +0.26
		      2  BAAB     5.13    5.32    +0.19
		      3  ABBA     5.19    5.39    +0.20
		      4  BAAB     5.24    5.42    +0.18

	TEXT
	[[ "$stderr" == *"change    +0.206 pp [+0.148, +0.264]"*"paired t 11.34, df 3.0, p 0.0015, 4 blocks"* ]]
	[[ "${stderr//$'\n  '/ }" == *"MORE in B (worse), by 0.148 pp to 0.264 pp. With this spread, 4 blocks show a change of "* ]]
	[[ "$stderr" != *drifts* ]]
}

@test "-o, --json and compare say the same" {
	run -0 --separate-stderr ab -n 8 --label old,new -o ab.json --json -- true -- 'true;'
	jq -e '.kind == "sides" and .design == "abba" and .stopped_by == null and
		(.order | join("")) == "ABBABAABABBABAAB" and [.sides[].label] == ["old", "new"] and
		([.sides[].runs | length] == [8, 8]) and [.sides[].partial] == [false, false]' <<<"$output"
	jq -e '.order | length == 16' ab.json
	# One word goes to a shell; compare leaves out what samples of no time could not hold.
	jq -e '[.sides[].command] == [["sh", "-c", "true"], ["sh", "-c", "true;"]]' ab.json
	run -0 soakctl compare --metric load ab.json
	[[ "$output" == *"old: "*"sh -c true, 8 runs"*"+0.206 pp [+0.148, +0.264]"*"paired t 11.34"*"MORE in new (worse)"* ]]
	run -0 soakctl compare --metric load --format json ab.json
	jq -e '.paired and .pairs[0].metrics[0].replicate == "block"' <<<"$output"
	run -3 soakctl compare --metric load --fail-on more:0.2pp ab.json
	run -0 soakctl report ab.json
	[[ "$output" == *"old: sh -c true"*"new: "* ]]
}

@test "several words are run as they are, and -q prints the change" {
	run -0 --separate-stderr ab -n 2 -q --label x,y -- sh -c 'printf "<$1>" >>a' - 'two  words' -- sh -c 'echo b >>b'
	[ "$(cat a)" = "<two  words><two  words>" ]
	[ "$(wc -l <b)" = 2 ]
	[ -z "$output" ]
	[ "$stderr" = +0.260 ] || [ "$stderr" = +0.26 ]
}

@test "warm-ups are in turns and do not count" {
	FAKE_SOAKD_LOADS=0.9,0.9,$BLOCKS run -0 --separate-stderr ab -n 2 -w 1 --json -- true -- true
	jq -e '[.sides[] | .warmups | length] == [1, 1] and ([.sides[].runs[].load_ratio] | max) < 0.1' <<<"$output"
	jq -e '.order == ["A", "B", "B", "A"]' <<<"$output"
}

@test "wrong options are told in one line before anything runs" {
	for arguments in '-n 3 -- true -- true' '-n 0 -- true -- true' '-n x -- true -- true' '-n 2 -- true' '-n 2 -- true --' \
		'-n 2 -- true -- true -- true' '-n 2 -- -- true' '-n 2 true' '--until-ci 0 -- true -- true' \
		'--until-ci 1s -- true -- true' '--label one -- true -- true' '--label a,b,c -- true -- true' ''; do
		# shellcheck disable=SC2086 # several words
		run -125 --separate-stderr ab $arguments
		assert_one_line "$stderr"
		[[ "$stderr" == "soakctl ab: "* ]]
	done
	run -127 --separate-stderr ab -- no-such-program x -- true
	assert_one_line "$stderr"
	[ ! -e log ]
}

@test "a block with a run that failed is left out, and the command's status comes back" {
	FAKE_SOAKD_LOADS=$BLOCKS run -7 --separate-stderr ab -n 8 -o ab.json -- \
		'echo >>n; [ "$(wc -l <n)" != 3 ] || exit 7' -- true
	[[ "$stderr" == *"      2  BAAB        -    5.32        -"* ]]
	[[ "$stderr" == *"3 blocks"*"note: A: 1 of 8 runs failed and is left out"* ]]
	jq -e '[.sides[0].runs[].failed] == [false, false, true, false, false, false, false, false]' ab.json
	run -9 --separate-stderr ab -n 2 -- 'exit 9' -- true
	[[ "${stderr//$'\n  '/ }" == *"CANNOT TEST: no good run of A has this figure."* ]]
}

@test "--until-ci ends early and says so, but not before three blocks" {
	export FAKE_SOAKD_LOADS=$BLOCKS,$BLOCKS
	run -0 --separate-stderr ab -n 16 --until-ci 0.2pp -o ab.json -- true -- true
	[[ "$stderr" == "soakctl ab: ends when the interval of the change of the load is within +-0.2pp"* ]]
	jq -e '.stopped_by == "--until-ci 0.2pp" and ([.sides[].runs | length] == [6, 6]) and
		([.sides[].partial] == [false, false])' ab.json
	[[ "${stderr//$'\n        '/ }" == *"note: the series ended by the rule --until-ci 0.2pp, stated before it began"* ]]
	run -0 soakctl compare ab.json
	[[ "$output" == *"the series ended by the rule --until-ci 0.2pp"* ]]
	# Never narrow enough: all runs, and nothing that stopped them.
	run -0 --separate-stderr ab -n 6 --until-ci 0.001pp --json -- true -- true
	jq -e '.stopped_by == null and (.sides[0].runs | length) == 6' <<<"$output"
	run -0 --separate-stderr ab -n 16 --until-ci 4% -q -- 'echo >>n' -- true
	[ "$(wc -l <n)" -lt 16 ]
}

# The fifth run, which is the second block's first, sleeps.
start_and_stop_in_fifth() {
	"$SOAKCTL" ab --settle 0 -n 8 -o ab.json -- true \
		-- 'echo >>n; [ "$(wc -l <n)" != 3 ] || { echo $$ >pid; exec sleep 61; }' >out 2>err &
	soakctl_pid=$!
	wait_for 10 test -s pid
}

@test "Ctrl-C in the middle saves what there is" {
	start_and_stop_in_fifth
	kill -INT "$soakctl_pid"
	# The run may end, and here it does not end well.
	wait_for 10 grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$soakctl_pid/status"
	kill "$(cat pid)"
	status=0
	wait "$soakctl_pid" || status=$?
	cat err
	[ "$status" = 130 ]
	run ! kill -0 "$(cat pid)"
	jq -e '[.sides[].partial] == [true, true] and [.sides[].runs | length] == [2, 3] and
		(.order | join("")) == "ABBAB" and .sides[1].runs[2].failed' ab.json
	collect run-file <ab.json
	[ ! -e ab.json.part ]
	run -0 soakctl compare --metric load ab.json
	[[ "$output" == *"one block has no spread to judge by. Three or more are"* ]]
}

@test "kill -9 in the middle, and recover rebuilds the order" {
	start_and_stop_in_fifth
	kill -9 "$soakctl_pid"
	wait "$soakctl_pid" || true
	kill "$(cat pid)"
	[ ! -e ab.json ]
	run -0 --separate-stderr soakctl recover ab.json.part
	[[ "$stderr" == *"recovered 4 whole runs"* ]]
	jq -e '.design == "abba" and (.order | join("")) == "ABBAB" and [.sides[].runs | length] == [2, 3] and
		.sides[1].runs[2].incomplete and .sides[1].runs[2].failed' ab.json
	collect run-file <ab.json
	run -0 soakctl compare --metric load ab.json
	[[ "$output" == *"B: 1 of 3 runs failed and is left out"* ]]
}

@test "every document of these tests fits the schema" {
	check_collected
}
