#!/usr/bin/env bats
# soakctl run against a daemon that answers what it is told (fake-soakd.py): the figures are known,
# no machine is soaked, and a real soakd beside it does not matter.

load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	# The search order ends at a socket where nobody listens, so that a private one is started.
	export SOAKD_SOCKET="$PWD/nobody"
	export SOAKD="$BATS_TEST_DIRNAME/fake-soakd.py"
	export FAKE_SOAKD_LOG="$PWD/log"
}

teardown() {
	# Whatever came: the fake has gone when its socket has.
	[ ! -s log ] || wait_for 10 daemon_gone
}

daemon_gone() {
	! kill -0 "$(jq -r .pid log | tail -n 1)" 2>/dev/null
}

soakrun() {
	soakctl run --settle 0 "$@"
}

# What the daemon was asked, in one line.
calls() {
	jq -r 'select(.method) | .method' log | paste -sd' '
}

# A command that says its pid in the file "pid" and then sleeps.
sleeper() {
	printf '%s\n' sh -c 'echo $$ >pid.new; mv pid.new pid; exec sleep 61'
}

start_sleeper() {
	mapfile -t command < <(sleeper)
	# No function: $! is to be soakctl itself, and not a shell around it.
	"$SOAKCTL" run --settle 0 "$@" -- "${command[@]}" >out 2>err &
	soakctl_pid=$!
	wait_for 10 test -e pid
}

# The status of the soakctl that start_sleeper started.
soakctl_status() {
	local status=0
	wait "$soakctl_pid" || status=$?
	echo "status $status"
	cat err
	[ "$status" = "$1" ]
}

# No signal waits to be taken from the signalfd of process $1.
signal_taken() {
	grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$1/status"
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

@test "the figures of a side are those of its runs" {
	export FAKE_SOAKD_LOADS=0.0502,0.0523,0.0527
	run -0 --separate-stderr soakrun -n 3 --label before --json -- true
	jq -e '[.runs[].load_ratio] == [0.0502, 0.0523, 0.0527]' <<<"$output"
	jq -e '.summary.load_ratio | .n == 3 and (.mean - 0.0517333 | fabs) < 1e-7 and
		(.ci_low - 0.04839743 | fabs) < 1e-8 and (.ci_high - 0.05506924 | fabs) < 1e-8' <<<"$output"
	jq -e '.environment | .private_daemon and .soakd_version == "fake" and
		.calibration.provenance.cpu_model == "Fake CPU" and (.kernel | length) > 0' \
		<<<"$output"
	run -0 --separate-stderr soakrun -n 3 --label before -- true
	[ -z "$output" ]
	[[ "$stderr" == *"before: true"* ]]
	[[ "$stderr" == *"CPU load           5.17 %  [4.84, 5.51]  95% CI of the mean, 3 runs"* ]]
	[[ "$stderr" == *"show a change of 0.41 pp or"*"10 runs a side: 0.18 pp"* ]]
	run -0 --separate-stderr soakrun -n 3 -q -- true
	[ "$stderr" = 5.17 ]
}

@test "one run has no interval, and says so" {
	run -0 soakrun -- true
	[[ "$output" == *"5.00 %  one run: no interval"* ]]
	[[ "$output" != *nan* && "$output" != *"I/O"* ]]
	run -0 soakrun --json -- true
	jq -e '.summary.load_ratio | .n == 1 and .sd == null and .ci_low == null' <<<"$output"
}

@test "each run has its windows, in order, and nothing else is asked" {
	export FAKE_SOAKD_LOADS=0.001,0.05,0.003
	run -0 --separate-stderr soakctl run --settle 50ms --trim 8 --json -- true
	[ "$(calls)" = "status.get status.get calibration.get samples.subscribe run.begin run.end run.begin run.end run.begin run.end status.get" ]
	jq -es '[.[] | select(.method == "run.end") | .params.trim_count] == [8, 8, 8]' log
	jq -e '.trim_count == 8' <<<"$output"
	jq -e '.runs[0] | .load_ratio == 0.05 and .background_before_ratio == 0.001 and
		.background_after_ratio == 0.003 and .background_ratio == 0.002' <<<"$output"
	jq -e '.runs[0] | (.hidden_cpu_seconds - (.taken_cpu_seconds - .command_cpu_seconds) | fabs) < 1e-9' \
		<<<"$output"
}

@test "options of the daemon are handed to it" {
	run -0 soakrun --cpus 1 --body pause --force -- true
	jq -es '.[0].start == {"--private": "3", "--cpus": "1", "--body": "pause", "--force": true}' log
	jq -es '[.[] | select(.method == "run.begin")] | length == 1 and .[0].params.cpus == [1]' log
}

@test "it waits while the daemon calibrates" {
	export FAKE_SOAKD_CALIBRATING=5
	run -0 soakrun -q -- true
	[ "$(jq -r 'select(.method == "status.get") | 1' log | wc -l)" -ge 6 ]
}

@test "a daemon that refuses says why itself, and nothing is run" {
	export FAKE_SOAKD_REFUSE="intrusion is 50 %"
	run -125 soakrun -- touch mark
	[ "$output" = "soakd: intrusion is 50 %" ]
	[ ! -e mark ]
	unset FAKE_SOAKD_REFUSE
	run -125 soakrun --cpus 99 -- touch mark
	assert_one_line "$output"
	[[ "$output" == *99* ]]
	[ ! -e mark ]
	SOAKD=/no/such/soakd run -125 soakrun -- touch mark
	assert_one_line "$output"
	[ ! -e mark ]
}

@test "the daemon that runs is used, and its CPUs and its body are what can be had" {
	"$SOAKD" run --socket "$PWD/s" &
	daemon=$!
	wait_for 10 test -S s
	export SOAKD_SOCKET="$PWD/s"
	run -0 --separate-stderr soakrun --cpus 1 --json -- true
	jq -e '.environment.private_daemon == false' <<<"$output"
	for options in "--cpus 0,99" "--body memory"; do
		run -125 soakrun $options --prepare "touch mark" --output kept -- touch mark
		assert_one_line "$output"
		[[ "$output" == *"${options#* }"* || "$output" == *99* ]]
		[ ! -e mark ]
	done
	kill "$daemon"
}

@test "exit statuses are env's" {
	run -0 soakrun -q -- true
	run -3 soakrun -q -- sh -c 'exit 3'
	run -139 soakrun -- sh -c 'kill -SEGV $$'
	[[ "$output" == *SIGSEGV* ]]
	rm log
	run -127 soakrun -- no-such-program
	assert_one_line "$output"
	run -126 soakrun -- /etc/passwd
	assert_one_line "$output"
	[ ! -e log ]
}

@test "what cannot be is refused before a daemon is started" {
	for options in "-n 0" "-n 1x" "-w -1" "--trim 60%" "--trim x" "--settle x" "--body nop" "--cpus 1-" \
		"--output /no/such/folder/x" "--input /no/such/file" "--no-such" "-n"; do
		echo "options: $options"
		run -125 soakrun $options -- touch mark
		assert_one_line "$output"
		[ ! -e mark ]
	done
	[ ! -e log ]
}

@test "a command's own options are its own" {
	run -0 --separate-stderr soakrun echo -n --json
	[ "$output" = --json ]
}

@test "stdout is the command's, --json's or --output's" {
	run -0 --separate-stderr soakrun -n 2 -- echo hello
	[ "$output" = "hello
hello" ]
	run -0 --separate-stderr soakrun --json -- echo hello
	jq -es 'length == 1' <<<"$output"
	[ "$stderr" = hello ]
	run -0 --separate-stderr soakrun --json --output file -n 2 -- echo hello
	[ "$(cat file)" = "hello
hello" ]
	[ -z "$stderr" ]
	jq -es 'length == 1' <<<"$output"
	run -0 --separate-stderr soakrun --output null -- echo hello
	[ -z "$output" ]
}

@test "an output file keeps what it holds until the first run" {
	echo kept >file
	FAKE_SOAKD_REFUSE=no run -125 soakrun --output file -- true
	[ "$(cat file)" = kept ]
	run -0 soakrun --output file -- echo line
	[ "$(cat file)" = line ]
}

@test "each run reads its input from the beginning, and nothing without one" {
	echo text >file
	run -0 --separate-stderr soakrun -n 2 --input file -- cat
	[ "$output" = "text
text" ]
	echo other | { run -0 --separate-stderr soakrun -- cat; [ -z "$output" ]; }
}

@test "the report cannot be written: 125" {
	[ -e /dev/full ] || skip "no /dev/full"
	run -125 sh -c "'$SOAKCTL' run --settle 0 --json --output null -- true >/dev/full"
	assert_one_line "$output"
}

@test "what the figures do not say, a sentence does" {
	FAKE_SOAKD_RUN_END='{"untrimmed_load_ratio": 0.08}' run -0 soakrun -- true
	[[ "$output" == *"trimming takes 3.00 pp of the load away"* ]]
	# Trimming may take lulls away as well.
	FAKE_SOAKD_RUN_END='{"untrimmed_load_ratio": 0.02}' run -0 soakrun -- true
	[[ "$output" == *"trimming adds 3.00 pp"* && "$output" != *"-3.00"* ]]
	FAKE_SOAKD_RUN_END='{"short": true}' run -0 soakrun -- true
	[[ "$output" == *short* && "$output" == *untrimmed* ]]
	FAKE_SOAKD_RUN_END='{"steal_ratio": 0.02}' run -0 soakrun -- true
	[[ "$output" == *"steal 2.00 %"* ]]
	FAKE_SOAKD_STATUS='{"notes": ["no quiet window was found"]}' run -0 soakrun -- true
	[[ "$output" == *"note: no quiet window was found"* ]]
	FAKE_SOAKD_LOADS=0.02,0.05,0.02 run -0 soakctl run --settle 10ms -- true
	[[ "$output" == *"2.00 % before, 2.00 % after"* && "$output" == *"background 2.00 %"* ]]
	FAKE_SOAKD_RUN_END='{"read_bytes": 1048576, "written_bytes": 3145728, "taken_cpu_seconds": 0.004}' \
		run -0 soakrun -- true
	[[ "$output" == *"1 MiB read, 3 MiB written: 1000 us of CPU per MiB"* ]]
}

@test "numbers that do not exist are null, and a dash" {
	export FAKE_SOAKD_RUN_END='{"load_ratio": null, "untrimmed_load_ratio": null, "taken_cpu_seconds": null,
		"accounted_ratio": null, "unaccounted_ratio": null}'
	run -0 --separate-stderr soakrun --json -- true
	jq -e '.runs[0] | .load_ratio == null and .hidden_cpu_seconds == null' <<<"$output"
	jq -e '.summary.load_ratio | .n == 0 and .mean == null' <<<"$output"
	run -0 soakrun -- true
	[[ "$output" != *nan* ]]
}

@test "the text is ASCII of 72 columns, whatever the command is" {
	run -0 --separate-stderr soakrun --label $'s\xc3\xa9rie' -- true $(seq 100 140) $'caf\xc3\xa9' $'\e[31m' $'a\xffb' 'two words'
	echo "$stderr"
	run ! grep -aP '[^\x20-\x7E]' <<<"$stderr"
	[ "$(awk '{ if (length > m) m = length } END { print m }' <<<"$stderr")" -le 72 ]
}

@test "failed runs are listed and left out of the mean" {
	export FAKE_SOAKD_LOADS=0.04,0.90,0.06
	run -4 --separate-stderr soakrun -n 3 --json -- sh -c 'echo x >>n; [ "$(wc -l <n)" != 2 ] || exit 4'
	jq -e '[.runs[] | [.exit_status, .failed]] == [[0, false], [4, true], [0, false]]' <<<"$output"
	jq -e '.summary.load_ratio | .n == 2 and (.mean - 0.05 | fabs) < 1e-12' <<<"$output"
	jq -e '.partial == false' <<<"$output"
}

@test "warm-ups do not count" {
	export FAKE_SOAKD_LOADS=0.90,0.05
	run -0 --separate-stderr soakrun -w 1 -n 2 --json -- true
	jq -e '(.warmups | length) == 1 and [.runs[].load_ratio] == [0.05, 0.05]' <<<"$output"
}

@test "--prepare comes before each run, outside of its window" {
	run -0 soakrun -n 2 --prepare "echo '{\"method\": \"PREPARE\"}' >>log" -q -- true
	[ "$(calls)" = "status.get status.get calibration.get PREPARE run.begin run.end PREPARE run.begin run.end status.get" ]
	run -125 soakrun --prepare 'exit 7' -- touch mark
	[[ "$output" == *"--prepare"*7* ]]
	[ ! -e mark ]
}

@test "SIGTERM ends a --prepare command, too" {
	"$SOAKCTL" run --settle 0 --prepare 'echo $$ >pid.new; mv pid.new pid; exec sleep 61' -- touch mark 2>err &
	soakctl_pid=$!
	wait_for 10 test -e pid
	kill "$soakctl_pid"
	wait_for 4 gone "$(cat pid)"
	soakctl_status 143
	[ ! -e mark ]
}

@test "SIGINT lets the run end and prints what there is" {
	"$SOAKCTL" run --settle 0 -n 9 --json -- sh -c 'touch begun; until [ -e go ]; do sleep 0.05; done' >out 2>err &
	soakctl_pid=$!
	wait_for 10 test -e begun
	kill -INT "$soakctl_pid"
	touch go
	soakctl_status 130
	collect run-file <out
	jq -e '.partial and (.runs | length) == 1 and .runs[0].exit_status == 0' out
}

@test "a second SIGINT ends the command, and its run does not count" {
	start_sleeper -n 9 --json
	kill -INT "$soakctl_pid"
	# The command is in no terminal's group here, so the first one leaves it alone.
	wait_for 10 signal_taken "$soakctl_pid"
	kill -0 "$(cat pid)"
	kill -INT "$soakctl_pid"
	soakctl_status 130
	collect run-file <out
	jq -e '.partial and (.runs | length) == 1 and .runs[0].signal == 15 and .runs[0].failed' out
	jq -e '.summary.load_ratio.n == 0' out
}

@test "SIGTERM and SIGHUP are handed on" {
	start_sleeper
	kill -TERM "$soakctl_pid"
	soakctl_status 143
	grep -q SIGTERM err
	rm pid
	start_sleeper
	kill -HUP "$soakctl_pid"
	soakctl_status 129
	grep -q SIGHUP err
}

@test "a command that does not listen is killed after five seconds" {
	"$SOAKCTL" run --settle 0 -- sh -c 'trap "" TERM; echo $$ >pid; while :; do sleep 0.1; done' 2>err &
	soakctl_pid=$!
	wait_for 10 test -s pid
	kill "$soakctl_pid"
	soakctl_status 143
	grep -q SIGKILL err
}

@test "under nohup a hangup is nobody's business" {
	(trap '' HUP && exec "$SOAKCTL" run --settle 0 -q -- sh -c 'touch begun; until [ -e go ]; do sleep 0.05; done; exit 5') 2>err &
	soakctl_pid=$!
	wait_for 10 test -e begun
	kill -HUP "$soakctl_pid"
	touch go
	soakctl_status 5
}

@test "signals, their mask and descriptors are the caller's own in the command" {
	names='/^(SigBlk|SigIgn)/ {print}'
	want=$(awk "$names" /proc/self/status)
	run -0 --separate-stderr soakrun -- awk "$names" /proc/self/status
	[ "$output" = "$want" ]
	here=$(ls /proc/self/fd | wc -l)
	run -0 --separate-stderr soakrun -- sh -c 'ls /proc/self/fd | wc -l'
	[ "$output" -le "$here" ]
}

@test "processes that outlive the command are seen, each by its own run, and left alone" {
	# Each run leaves one behind and ends the one of the run before.
	cat >job <<-'JOB'
		#!/bin/sh
		sleep 61 >/dev/null 2>&1 &
		new=$!
		if [ -e last ]; then
			kill "$(cat last)"
			until grep -q '^State:.Z' "/proc/$(cat last)/status"; do sleep 0.05; done
		fi
		echo $new >last
	JOB
	chmod +x job
	run -0 --separate-stderr soakrun -n 2 --json --output null -- ./job
	kill "$(cat last)"
	jq -e '[.runs[].outlived_processes] == [1, 1]' <<<"$output"
}

@test "a process that outlives the command and ends while settling adds its time to the run" {
	run -0 --separate-stderr soakctl run --settle 1s --json -- \
		sh -c '(i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done) & '
	jq -e '.runs[0] | .outlived_processes == 0 and .command_cpu_seconds > 0.01' <<<"$output"
}

@test "a daemon that goes in a run: the command ends by itself, and 125" {
	export FAKE_SOAKD_DIE_AFTER=run.begin
	run -125 --separate-stderr soakrun -n 2 --json -- sh -c 'sleep 0.3; echo done >>mark'
	[ "$(cat mark)" = "done" ]
	jq -e '.partial and (.runs | length) == 1 and .runs[0].failed and .runs[0].exit_status == 0' <<<"$output"
	[[ "$stderr" == *"not measured"* ]]
	assert_one_line "$stderr"
}

@test "kill -9 of soakctl leaves no daemon" {
	start_sleeper
	kill -9 "$soakctl_pid"
	wait_for 10 daemon_gone
	jq -es 'any(.[]; .end)' log
	kill "$(cat pid)"
}

@test "progress is for terminals" {
	export FAKE_SOAKD_SAMPLES=1 TERM=xterm
	run -0 script -qec "'$SOAKCTL' run --settle 0 -n 2 -- true" /dev/null
	[[ "$output" == *$'\r\e[Krun 2/2  0 s  load -'* ]]
	run -0 script -qec "'$SOAKCTL' run --settle 0 -q -- true" /dev/null
	[[ "$output" != *$'\e'* ]]
	rm log
	run -0 soakrun -- true
	[[ "$output" != *$'\e'* ]]
	[[ "$(calls)" != *subscribe* ]]
}

@test "rpc: the result, or the daemon's words and 1" {
	"$SOAKD" run --socket "$PWD/s" &
	daemon=$!
	wait_for 10 test -S s
	export SOAKD_SOCKET="$PWD/s"
	run -0 soakctl rpc server.info
	jq -e '.version == "fake"' <<<"$output"
	run -1 --separate-stderr soakctl rpc no.such
	[ -z "$output" ]
	assert_one_line "$stderr"
	run -1 soakctl rpc run.begin '{"cpus": [99]}'
	run -125 soakctl rpc run.begin '{"cpus": '
	run -125 soakctl rpc
	run -0 soakctl status --json
	jq -e '.sampling' <<<"$output"
	run -0 soakctl report --last 5s --per-cpu
	[[ "$output" == *"5.00 %"* ]]
	run -125 sh -c "'$SOAKCTL' report >/dev/full"
	assert_one_line "$output"
	kill "$daemon"
	wait "$daemon" || true
	run -125 soakctl report
	assert_one_line "$output"
	[[ "$output" == *"soakd start"* ]]
}

@test "every document and reply of these tests fits its schema" {
	check_collected
}
