#!/usr/bin/env bats
# soakctl as its user meets it: with a daemon that runs, and without.

load common

setup_file() {
	run soak_processes
	echo "still running: $output" >&2
	[ -z "$output" ]
	SOAKD_SOCKET_FOR_TESTS="$BATS_FILE_TMPDIR/s"
	export SOAKD_SOCKET_FOR_TESTS
	"$SOAKD" start --socket "$SOAKD_SOCKET_FOR_TESTS" --interval 100ms >/dev/null
}

teardown_file() {
	"$SOAKD" stop --socket "$SOAKD_SOCKET_FOR_TESTS" >/dev/null
	wait_for 10 no_soak_processes
}

setup() {
	export SOAKD_SOCKET="$SOAKD_SOCKET_FOR_TESTS"
}

soakrun() {
	soakctl run --settle 0 "$@"
}

@test "the command's exit status is ours" {
	run -0 soakrun -- true
	run -3 soakrun -- sh -c 'exit 3'
	run -139 soakrun -- sh -c 'kill -SEGV $$'
	[[ "$output" == *SIGSEGV* ]]
	run -127 soakrun -- /no/such/program
	assert_one_line "$output"
	run -127 soakrun -- no-such-program
	run -127 soakrun -- ""
	printf '#!/no/such/interpreter\n' >"$BATS_TEST_TMPDIR/script"
	chmod +x "$BATS_TEST_TMPDIR/script"
	run -127 soakrun -- "$BATS_TEST_TMPDIR/script"
	[[ "$output" == *interpreter* ]]
	run -126 soakrun -- /etc/passwd
	assert_one_line "$output"
	run -126 soakrun -- /tmp
}

@test "what cannot be is refused in one line, before anything starts" {
	touch "$BATS_TEST_TMPDIR/mark"
	for options in "-n 0" "-n x" "-n -1" "-w x" "--trim 60%" "--trim 50%" "--trim x" "--settle x" "--cpus 99" \
		"--cpus 1-" "--body nop" "--output /no/such/folder/x" "--input /no/such/file" \
		"--socket $BATS_TEST_TMPDIR/none" "--no-such" "-n"; do
		echo "run $options"
		# shellcheck disable=SC2086
		run -125 soakrun $options -- sh -c "rm -f $BATS_TEST_TMPDIR/mark"
		assert_one_line "$output"
		[[ "$output" == soakctl* ]]
		[ -e "$BATS_TEST_TMPDIR/mark" ]
	done
	run -125 soakrun
	run -125 "$SOAKCTL"
	run -125 bash -c '"$SOAKCTL" --help >/dev/full'
	run -125 bash -c '"$SOAKCTL" status >/dev/full'
	run -0 soakctl -h
	run -125 soakctl dance
}

@test "the command's stdout is untouched and the report goes to stderr" {
	run -0 --separate-stderr soakrun -n 2 -- echo hello
	[ "$output" = "hello
hello" ]
	[[ "$stderr" == *"CPU load"* && "$stderr" == *"2 runs"* ]]
}

@test "--json gives one document on stdout, with the documented names" {
	run -0 --separate-stderr soakrun -n 2 -w 1 --json --label side -- echo hello
	[[ "$stderr" == *hello* ]]
	jq -e '.runs | length == 2' <<<"$output"
	jq -e '.warmups | length == 1' <<<"$output"
	for name in load_ratio untrimmed_load_ratio taken_ratio slowed_ratio lost_ratio hidden_cpu_seconds \
		unaccounted_ratio background_ratio command_cpu_seconds taken_cpu_seconds accounted_ratio \
		steal_ratio interruptions_per_second elapsed_seconds samples_kept samples_cut exit_status cpus; do
		jq -e --arg m "$name" 'all(.runs[]; has($m))' <<<"$output"
	done
	jq -e '.summary.load_ratio | has("mean") and has("sd") and has("ci_low") and has("ci_high") and .n == 2' \
		<<<"$output"
	jq -e '.environment | has("intrusion_ratio") and has("isolation") and has("body")' <<<"$output"
	jq -e '.command == ["echo", "hello"] and .label == "side" and .partial == false' <<<"$output"
	# The means are those of the runs.
	jq -e '(.summary.elapsed_seconds.mean - ([.runs[].elapsed_seconds] | add / 2)) | fabs < 1e-12' <<<"$output"
}

@test "an argument that is no UTF-8 does not break the document" {
	output=$(soakrun --json -- echo $'a\xffb' 2>/dev/null)
	[ "$(jq -r '.command[1]' <<<"$output")" = 'a\xFFb' ]
}

@test "--output and --input" {
	file="$BATS_TEST_TMPDIR/out"
	echo stale >"$file"
	run -0 --separate-stderr soakrun -n 2 --output "$file" -- echo line
	[ -z "$output" ]
	[ "$(cat "$file")" = "line
line" ]
	run -0 --separate-stderr soakrun --output null -- echo line
	[ -z "$output" ]
	echo text >"$BATS_TEST_TMPDIR/in"
	run -0 --separate-stderr soakrun -n 2 --input "$BATS_TEST_TMPDIR/in" -- cat
	[ "$output" = "text
text" ]
	# Without it, nothing is to be read.
	run -0 --separate-stderr soakrun -- cat
	[ -z "$output" ]
}

@test "failed runs are listed and left out of the mean" {
	echo 0 >"$BATS_TEST_TMPDIR/n"
	cat >"$BATS_TEST_TMPDIR/job" <<-'JOB'
		#!/bin/sh
		n=$(($(cat "$1") + 1))
		echo $n >"$1"
		[ $n -ne 2 ] || exit 4
	JOB
	chmod +x "$BATS_TEST_TMPDIR/job"
	run -4 --separate-stderr soakrun -n 3 --json -- "$BATS_TEST_TMPDIR/job" "$BATS_TEST_TMPDIR/n"
	jq -e '[.runs[].exit_status] == [0, 4, 0]' <<<"$output"
	jq -e '[.runs[].failed] == [false, true, false]' <<<"$output"
	jq -e '.summary.load_ratio.n == 2' <<<"$output"
}

@test "trimming by count: a value or the sentence, never nonsense" {
	run -0 --separate-stderr soakrun --trim 8 -- sleep 0.3
	[[ "$stderr" == *short* ]]
	run -0 --separate-stderr soakrun --trim 8 --json -- sleep 3
	jq -e '.runs[0] | .samples_cut == 16 and .short == false and (.load_ratio | type) == "number"' <<<"$output"
	jq -e '.runs[0] | .samples_kept + .samples_cut == ([.samples.load_ratio[] | values] | length)' <<<"$output"
}

@test "the caller's affinity and niceness are the command's" {
	run -0 --separate-stderr taskset -c 0 nice -n 5 "$SOAKCTL" run --settle 0 -- \
		sh -c 'nice; grep Cpus_allowed_list /proc/self/status; grep SigBlk /proc/self/status'
	[ "${lines[0]}" = 5 ]
	[[ "${lines[1]}" == *$'\t'0 ]]
	[[ "${lines[2]}" == *0000000000000000 ]]
}

@test "children that outlive the command are seen and left alone" {
	run -0 --separate-stderr soakctl run --settle 300ms --json -- \
		sh -c 'sleep 30 >/dev/null 2>&1 & echo $!'
	child=$(sed -n 's/^\([0-9][0-9]*\)$/\1/p' <<<"$stderr")
	kill "$child"
	[ "$(jq '.runs[0].outlived_processes' <<<"$output")" = 1 ]
}

@test "--prepare comes before every run, and its failure ends the measurement" {
	run -0 --separate-stderr soakrun -n 2 --prepare "echo ready" -- echo hello
	[ "$(grep -c ready <<<"$stderr")" = 2 ]
	run -125 soakrun --prepare false -- echo hello
	[[ "$output" == *prepare* ]]
}

@test "SIGINT ends after the present run and prints what there is" {
	"$SOAKCTL" run -n 50 --settle 0 --json --output null -- sleep 0.5 >"$BATS_TEST_TMPDIR/json" &
	pid=$!
	sleep 1.2
	kill -INT "$pid"
	run wait "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
	collect run-file <"$BATS_TEST_TMPDIR/json"
	jq -e '.partial == true and (.runs | length) >= 1 and (.runs | length) < 50' "$BATS_TEST_TMPDIR/json"
	jq -e 'all(.runs[]; .exit_status == 0)' "$BATS_TEST_TMPDIR/json"
}

@test "-q prints the mean load and nothing else" {
	run -0 --separate-stderr soakrun -q -- true
	[ -z "$output" ]
	[[ "$stderr" =~ ^-?[0-9]+\.[0-9]+$ ]]
}

@test "the text report keeps to 72 columns of ASCII" {
	run -0 --separate-stderr soakrun -n 3 --label before -- sh -c 'exit 0'
	report=$stderr
	echo "$report"
	run ! grep -P '[^\x00-\x7F]' <<<"$report"
	[ "$(awk '{ if (length > m) m = length } END { print m }' <<<"$report")" -le 72 ]
	[[ "$report" == *"before: sh -c exit 0"* ]]
	[[ "$report" == *hidden* ]]
	# A run so short has no accounted share.
	[[ "$report" == *"kernel accounting  -  too short"* ]]
}

@test "--observer runs the command as often without soakers" {
	run -0 --separate-stderr soakctl run -n 2 --settle 100ms --observer --json -- \
		sh -c "'$SOAKCTL' rpc status.get | jq .paused >>'$BATS_TEST_TMPDIR/states'"
	jq -e '.observer.elapsed_ratio | .n == 2 and .mean > 0 and .ci_low <= .mean and .mean <= .ci_high' <<<"$output"
	jq -e '(.observer.paused_runs | length) == 2 and (.runs | length) == 2 and all(.runs[]; .failed == false)' <<<"$output"
	# In turns: with, without, without, with. Then they go on.
	[ "$(tr '\n' ' ' <"$BATS_TEST_TMPDIR/states")" = "false true true false " ]
	run -0 soakctl status --json
	jq -e '.paused == false' <<<"$output"
	run -0 --separate-stderr soakctl run --settle 0 --observer -- true
	[[ "$(tr -s ' \n' ' ' <<<"$stderr")" == *" observer "*"as long with soakers as without one pair: no interval"* ]]
	run -125 soakctl run --observer --append -o x -- true
	assert_one_line "$output"
}

@test "report and status: text and JSON" {
	has_report() { "$SOAKCTL" report --last 1s >/dev/null 2>&1; }
	wait_for 10 has_report
	run -0 soakctl report --last 2s --per-cpu
	[[ "$output" == *"CPU load"* && "$output" == *slowed* ]]
	run -0 soakctl report --last 2s --trim 0 --json
	jq -e '.samples_cut == 0 and (.load_ratio | type) == "number"' <<<"$output"
	run -125 soakctl report --last x
	assert_one_line "$output"
	run -125 soakctl report --cpus 99
	assert_one_line "$output"
	run -0 soakctl status
	[[ "$output" == *isolation* ]]
	run -0 soakctl status --json
	jq -e '.sampling' <<<"$output"
}

@test "every document and reply of these tests fits its schema" {
	check_collected
}
