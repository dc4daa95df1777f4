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

@test "--metric finds numbers on stdout and on stderr, the last one of each run" {
	run -0 --separate-stderr soakrun -n 3 --json --metric 'iops=IOPS=([0-9.]+k?):higher' --metric 'p99=[0-9.]+us$' \
		--metric 'lat=: ([0-9]+) us:lower' --metric 'busy=([0-9.]+%)' -- \
		sh -c 'echo x >>n; n=$(wc -l <n); echo "IOPS=1, IOPS=12.${n}k"; echo "p99: $n us" >&2; printf "busy 5%%, 5.$n%%"'
	jq -e '.metrics == [{"name": "iops", "unit": "", "better": "higher"}, {"name": "p99", "unit": "", "better": null},
		{"name": "lat", "unit": "", "better": "lower"}, {"name": "busy", "unit": "ratio", "better": null}]' <<<"$output"
	jq -e '[.runs[].metrics.iops] == [12100, 12200, 12300] and [.runs[].metrics.lat] == [1, 2, 3]' <<<"$output"
	jq -e '[.runs[].metrics.p99] == [null, null, null] and .summary.metrics.p99.mean == null' <<<"$output"
	jq -e '.summary.metrics | .iops.mean == 12200 and .iops.n == 3 and .lat.sd == 1 and
		(.busy.mean - 0.052 | fabs) < 1e-12' <<<"$output"
	jq -e '.work == null and .runs[0].cpu_microseconds_per_work == null' <<<"$output"
	[ "$(grep -c IOPS=1, <<<"$stderr")" = 3 ]
	run -0 --separate-stderr soakrun --json -- echo 5
	jq -e '.metrics == [] and .runs[0].metrics == {} and (.runs[0] | has("metric_notes") | not)' <<<"$output"
}

@test "metrics are in the text, and where none was found a note" {
	run -0 --separate-stderr soakrun -n 3 --metric 'iops=iops=([0-9,]+)' --metric 'busy=busy ([0-9]+%)' --metric none=zzz -- \
		sh -c 'echo x >>n; [ "$(wc -l <n)" = 2 ] || echo iops=40$(wc -l <n); echo busy 5%'
	echo "$stderr"
	[[ "$stderr" == *"  iops               402  [389, 415]  95% CI of the mean, 2 runs"* ]]
	[[ "$stderr" == *"  busy               5.000 %  [5.000, 5.000]  95% CI of the mean, 3 runs"* ]]
	[[ "$stderr" == *"note: run 2: no line of the output matches --metric iops"* ]]
	[[ "$stderr" == *"note: 3 runs (first run 1): no line of the output matches --metric"* ]]
	run -0 --separate-stderr soakrun --metric 'iops=iops=([0-9,]+)' -- echo iops=1,234
	[[ "$stderr" == *'note: run 1: --metric iops found "1,234", which is no number'* ]]
	# One unit a metric: 5 beside 5 % would be a hundred times as much.
	rm n
	run -0 --separate-stderr soakrun -n 2 --metric 'busy=busy (.*)' -- \
		sh -c 'echo x >>n; [ "$(wc -l <n)" = 2 ] && echo busy 5 || echo busy 5%'
	[[ "$stderr" == *'note: run 2: --metric busy found "5", but one in % before'* ]]
	[[ "$stderr" == *"busy               5.000 %  one run"* ]]
	[ "$(awk '{ if (length > m) m = length } END { print m }' <<<"$stderr")" -le 72 ]
}

@test "output passes --metric unchanged, a gigabyte in bounded memory" {
	cat >job <<-'JOB'
		awk '/^VmRSS/ {print $2}' "/proc/$PPID/status" >rss
		dd if=/dev/zero bs=1M count=1024 status=none
		awk '/^VmRSS/ {print $2}' "/proc/$PPID/status" >>rss
	JOB
	run -0 --separate-stderr sh -c "'$SOAKCTL' run --settle 0 -q --metric n=x -- sh job | cksum"
	[ "$output" = "$(dd if=/dev/zero bs=1M count=1024 status=none | cksum)" ]
	# KiB by which soakctl grew.
	[ $(($(tail -n 1 rss) - $(head -n 1 rss))) -lt 8192 ]
	seq 1 300000 >lines
	head -c 300000 /dev/urandom >>lines
	# A file, appended to by each run.
	run -0 --separate-stderr soakrun -n 2 --quiet --output file --metric 'n=^([0-9]+)$' -- cat lines
	cat lines lines | cmp - file
	run -0 --separate-stderr soakrun --json --metric 'n=^([0-9]{6})$' --output null -- cat lines
	jq -e '.runs[0].metrics.n == 300000' <<<"$output"
}

@test "each stream goes where it would, and arrives while the command runs" {
	"$SOAKCTL" run --settle 0 -q --metric n=x -- sh -c 'echo out; echo err >&2; until [ -e go ]; do sleep 0.05; done' >out 2>err &
	soakctl_pid=$!
	wait_for 10 grep -q out out
	wait_for 10 grep -q err err
	touch go
	soakctl_status 0
	[ "$(cat out)" = out ]
	# A closed stream is closed for the command, too.
	run -1 --separate-stderr sh -c "'$SOAKCTL' run --settle 0 -q --metric n=x -- sh -c 'echo lost 2>/dev/null || exit 1' >&-"
	# What is not newline-terminated, or no text, passes as well.
	run -0 --separate-stderr soakrun -q --metric n=x -- printf 'a\nb'
	[ "$output" = $'a\nb' ]
}

@test "a reader that goes is the command's SIGPIPE, not ours" {
	run -0 sh -c "'$SOAKCTL' run --settle 0 -q --metric n=x -- sh -c 'yes; kill -l \$? >sig' 2>err | head -n 1"
	[ "$output" = y ]
	[ "$(cat sig)" = PIPE ]
	[ -e /dev/full ] || skip "no /dev/full"
	run -0 sh -c "'$SOAKCTL' run --settle 0 -q -n 2 --metric n=x -- sh -c 'echo 123; exec >&-' >/dev/full"
	[ "${lines[0]}" = "soakctl: 4 bytes of the command's stdout could not be written: No space left on device" ]
	# Said once.
	[ "${#lines[@]}" = 2 ]
}

@test "a reader that does not read ends with a signal" {
	mkfifo fifo
	exec 9<>fifo
	"$SOAKCTL" run --settle 0 -q --metric n=x -- sh -c 'head -c 100000 /dev/zero; touch done' >fifo 2>err &
	soakctl_pid=$!
	wait_for 10 test -e done
	kill -TERM "$soakctl_pid"
	wait_for 10 gone "$soakctl_pid"
	exec 9>&-
	grep -q "of the command's stdout could not be written: nobody reads them" err
	jq -es 'any(.[]; .method == "run.end")' log
}

@test "a process that outlives the command and holds its pipe is not waited for" {
	run -0 --separate-stderr soakrun --json --metric 'n=n=([0-9]+)' -- \
		sh -c 'echo n=5; sleep 61 & echo $! >pid'
	kill "$(cat pid)"
	jq -e '.runs[0] | .metrics.n == 5 and .outlived_processes == 1 and .elapsed_seconds < 30' <<<"$output"
	# One that goes on writing gets SIGPIPE once the run is over.
	run -0 --separate-stderr soakrun --json --output null --metric 'n=n=([0-9]+)' -- \
		sh -c 'echo n=6; yes & echo $! >pid'
	jq -e '.runs[0].metrics.n == 6' <<<"$output"
	wait_for 10 gone "$(cat pid)"
}

@test "--work divides the CPU time, whichever way it is said" {
	export FAKE_SOAKD_RUN_END='{"taken_cpu_seconds": 0.0193}'
	run -0 --separate-stderr soakrun --json --work 1k block -- true
	jq -e '.work == {"amount": 1000, "metric": null, "unit": "block"}' <<<"$output"
	jq -e '(.runs[0].cpu_microseconds_per_work - 19.3 | fabs) < 1e-9' <<<"$output"
	jq -e '(.summary.cpu_microseconds_per_work.mean - 19.3 | fabs) < 1e-9' <<<"$output"
	run -0 --separate-stderr soakrun -n 2 --work '500 MiB' -- true
	[[ "$stderr" == *"  work               38.60 us of CPU per MiB  [38.60, 38.60]  95% CI of"* ]]
	run -0 --separate-stderr soakrun -n 2 --metric 'blocks=([0-9]+) blocks' --work-metric blocks --json -- \
		sh -c 'echo x >>n; echo $(($(wc -l <n) * 500 - 500)) blocks'
	jq -e '.work == {"amount": null, "metric": "blocks", "unit": "blocks"}' <<<"$output"
	jq -e '.runs[0] | .metrics.blocks == 0 and .cpu_microseconds_per_work == null' <<<"$output"
	jq -e '(.runs[1].cpu_microseconds_per_work - 38.6 | fabs) < 1e-9' <<<"$output"
	jq -e '.runs[0].metric_notes == ["--work-metric blocks is 0: no CPU time per unit"]' <<<"$output"
}

@test "runs are added to a file with the same metrics and work only, and recovered with their units" {
	measured() {
		soakrun -o file.json --metric 'busy=busy ([0-9]+%)' --work 5 MiB "$@" -- echo busy 5%
	}
	run -0 measured
	run -0 measured --append -n 2
	jq -e '[.runs[].metrics.busy] == [0.05, 0.05, 0.05] and .metrics[0].unit == "ratio"' file.json
	jq -e '.summary.metrics.busy.n == 3 and .summary.cpu_microseconds_per_work.n == 3' file.json
	cp file.json kept.json
	for options in "" "--metric busy=x" "--metric other=x --work 5 MiB" "--metric busy=x --work 6 MiB" \
		"--metric busy=x --metric more=y --work 5 MiB"; do
		echo "options: $options"
		run -125 soakrun -o file.json --append --force $options -- echo busy 5%
		assert_one_line "$output"
		cmp file.json kept.json
	done
	"$SOAKCTL" run --settle 0 -o cut.json -n 2 --metric 'busy=busy ([0-9]+%)' -- \
		sh -c 'echo busy 5%; [ -e one ] || exec touch one; echo $$ >pid; touch two; exec sleep 61' >out 2>err &
	soakctl_pid=$!
	wait_for 10 test -e two
	kill -9 "$soakctl_pid"
	kill "$(cat pid)"
	run -0 "$SOAKCTL" recover cut.json.part
	jq -e '.metrics[0].unit == "ratio" and .runs[0].metrics.busy == 0.05' cut.json
}

@test "ab takes the numbers of both commands, and compares them" {
	run -0 --separate-stderr "$SOAKCTL" ab --settle 0 -n 2 --json --metric 'iops=iops=([0-9]+):higher' \
		--work-metric iops -- 'echo iops=10; echo out >&2' -- 'echo iops=12'
	jq -e '[.sides[].runs[].metrics.iops] == [10, 10, 12, 12] and .sides[1].metrics[0].better == "higher"' <<<"$output"
	jq -e '[.sides[].work.metric] == ["iops", "iops"] and .sides[0].runs[0].cpu_microseconds_per_work > 0' <<<"$output"
	run -125 "$SOAKCTL" ab --metric 'iops=(' -- true -- true
	[[ "$output" == "soakctl ab: --metric iops=(: "* ]]
	run -0 --separate-stderr "$SOAKCTL" ab --settle 0 -n 2 --output null --metric 'iops=iops=([0-9]+)' -- 'echo iops=10' -- 'echo iops=12'
	[[ "$stderr$output" == *iops* ]]
}

@test "metrics and work that cannot be are refused before a daemon is started" {
	many=()
	for i in $(seq 17); do many+=(--metric "m$i=x"); done
	for options in "--metric x" "--metric =x" "--metric a=" "--metric a=x:lower --metric a=y" "--metric load=x" \
		"--metric é=x" "--metric a=(" "--metric a=[" "--work 5" "--work 0 MiB" "--work -5 MiB" "--work 5% MiB" "--work x MiB" \
		"--work 1,000 MiB" "--work 5 -n" "--work-metric a" "--metric a=x --work-metric b" \
		"--metric a=x --work-metric a --work 5 MiB" "${many[*]}"; do
		echo "options: $options"
		run -125 soakrun $options -- touch mark
		assert_one_line "$output"
		[[ "$output" == "soakctl run: --"* ]]
		[ ! -e mark ]
	done
	run -125 soakrun --metric 'a=(' -- touch mark
	[[ "$output" == *"Unmatched ( or \\("* ]]
	[ ! -e log ]
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
