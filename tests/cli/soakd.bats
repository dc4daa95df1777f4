#!/usr/bin/env bats
# The daemon's life: start, stop, and what it does when something of it is killed.

load common

setup() {
	SOCKET="$BATS_TEST_TMPDIR/s"
	# Only one soakd can run on a machine: none may be left from before.
	run soak_processes
	echo "still running: $output"
	[ -z "$output" ]
}

teardown() {
	"$SOAKD" stop --socket "$SOCKET" >/dev/null 2>&1 || true
	wait_for 10 no_soak_processes
}

@test "start says what it found, answers, and stop leaves nothing" {
	run -0 "$SOAKD" start --socket "$SOCKET"
	for fact in CPUs body isolation intrusion "idle floor" socket; do
		[[ "$output" == *"$fact"* ]]
	done
	run -0 rpc "$SOCKET" status.get
	[ "$(jq -r .result.sampling <<<"$output")" = true ]

	run -0 "$SOAKD" stop --socket "$SOCKET"
	[[ "$output" == *stopped* ]]
	no_soak_processes
	[ ! -e "$SOCKET" ]
	[ -z "$(soak_cgroups)" ]
	run -1 "$SOAKD" stop --socket "$SOCKET"
	[[ "$output" == *"not running"* ]]
}

@test "a second start names the first and changes nothing" {
	"$SOAKD" start --socket "$SOCKET"
	before=$(rpc "$SOCKET" status.get | jq -c '.result | [.pid, .soaker_pid]')
	pid=$(jq '.[0]' <<<"$before")
	run -1 "$SOAKD" start --socket "$SOCKET"
	[[ "$output" == *"pid $pid"* && "$output" == *"$SOCKET"* ]]
	assert_one_line "$output"
	# Nor on another socket: two sets of soakers would halve each other.
	run -1 "$SOAKD" start --socket "$BATS_TEST_TMPDIR/other"
	[[ "$output" == *"pid $pid"* && "$output" == *"$SOCKET"* ]]
	[ "$(rpc "$SOCKET" status.get | jq -c '.result | [.pid, .soaker_pid]')" = "$before" ]
}

@test "soakers are idle, nice, pinned, deaf, and make no system call" {
	"$SOAKD" start --socket "$SOCKET"
	soaker=$(rpc "$SOCKET" status.get | jq .result.soaker_pid)
	cpus=$(rpc "$SOCKET" status.get | jq '.result.cpus | length')
	n=0
	seen=""
	for task in /proc/"$soaker"/task/*; do
		tid=${task##*/}
		# Blocked signals: every one but those that cannot be.
		grep -q '^SigBlk:.*fffffffe7ffbfeff' "$task/status"
		[ "$tid" = "$soaker" ] && continue
		read -r policy nice < <(awk '{print $41, $19}' <(sed 's/.*) /x x /' "$task/stat"))
		[ "$policy" = 5 ]
		[ "$nice" = 19 ]
		[ "$(cat "$task/syscall" 2>/dev/null || echo running)" = running ]
		cpu=$(awk '/^Cpus_allowed_list/ {print $2}' "$task/status")
		[[ "$cpu" =~ ^[0-9]+$ ]]
		[[ " $seen " != *" $cpu "* ]]
		seen="$seen $cpu"
		n=$((n + 1))
	done
	[ "$n" = "$cpus" ]
}

@test "the soaker process alone is in the idle group" {
	"$SOAKD" start --socket "$SOCKET"
	status=$(rpc "$SOCKET" status.get)
	case $(jq -r .result.isolation <<<"$status") in
	cgroup-*)
		group=$(soak_cgroups)
		[ "$(cat "$group/cpu.idle")" = 1 ]
		[ "$(cat "$group/cgroup.procs")" = "$(jq .result.soaker_pid <<<"$status")" ]
		;;
	autogroup)
		grep -q 'nice 19' /proc/"$(jq .result.soaker_pid <<<"$status")"/autogroup
		;;
	*)
		skip "no scheduling groups here"
		;;
	esac
}

restarted() {
	[ "$(rpc "$SOCKET" status.get | jq .result.soaker_restarts)" = 1 ]
}

@test "a killed soaker is started again and its samples are marked" {
	"$SOAKD" start --socket "$SOCKET" --interval 200ms
	old=$(rpc "$SOCKET" status.get | jq .result.soaker_pid)
	# A soaker that lived less than a second is given a second's rest.
	sleep 1
	kill -9 "$old"
	wait_for 5 restarted
	new=$(rpc "$SOCKET" status.get | jq .result.soaker_pid)
	[ "$new" != "$old" ]
	kill -0 "$new"
	marked() {
		rpc "$SOCKET" samples.get '{"last": 30}' |
			jq -e '[.result.samples[].cpus[].flags[]] | index("soaker-restarted")' >/dev/null
	}
	wait_for 5 marked
	valid_again() {
		rpc "$SOCKET" samples.get '{"last": 1}' | jq -e '.result.samples[0].cpus[0].valid'
	}
	wait_for 5 valid_again
	rpc "$SOCKET" status.get | jq -e '.result.notes | length > 0'
}

@test "when soakd is killed nothing spins on, and the next start works" {
	"$SOAKD" start --socket "$SOCKET"
	pid=$(rpc "$SOCKET" status.get | jq .result.pid)
	kill -9 "$pid"
	wait_for 10 no_soak_processes
	# What it left: its socket and its cgroup. Both are taken over.
	[ -S "$SOCKET" ]
	run -0 "$SOAKD" start --socket "$SOCKET"
	run -0 "$SOAKD" stop --socket "$SOCKET"
	[ -z "$(soak_cgroups)" ]
}

@test "SIGTERM is an orderly stop" {
	"$SOAKD" start --socket "$SOCKET"
	kill "$(rpc "$SOCKET" status.get | jq .result.pid)"
	wait_for 10 no_soak_processes
	[ ! -e "$SOCKET" ]
	[ -z "$(soak_cgroups)" ]
}

@test "SIGTERM while starting leaves nothing" {
	"$SOAKD" run --socket "$SOCKET" 2>/dev/null &
	pid=$!
	answers() { rpc "$SOCKET" status.get 2>/dev/null | jq -e .result; }
	wait_for 10 answers
	kill "$pid"
	run wait "$pid"
	wait_for 10 no_soak_processes
	[ ! -e "$SOCKET" ]
}

@test "wrong options get one line and start nothing" {
	long=$(printf 'x%.0s' {1..120})
	touch "$BATS_TEST_TMPDIR/file"
	for options in "--interval 0" "--interval 9ms" "--interval 61s" "--interval x" \
		"--cpus 99" "--cpus 1-" "--cpus ," "--body nop" "--history 0" "--socket s" \
		"--socket $BATS_TEST_TMPDIR/$long" "--socket $BATS_TEST_TMPDIR/file" \
		"--socket /proc/none/s" "--socket $BATS_TEST_TMPDIR/none/s" "--no-such" "--interval" "extra" \
		"--interval 10ms --history 720h"; do
		echo "start $options"
		# shellcheck disable=SC2086
		run "$SOAKD" start $options
		[ "$status" -ne 0 ]
		assert_one_line "$output"
		[[ "$output" == soakd* ]]
	done
	no_soak_processes
	run -2 "$SOAKD"
	run -2 "$SOAKD" dance
	assert_one_line "$output"
}

@test "every command explains itself" {
	run -0 "$SOAKD" --help
	for command in start run stop status doctor calibrate; do
		[[ "$output" == *"$command"* ]]
		run -0 "$SOAKD" "$command" --help
		[[ "$output" == *--socket* ]]
		run -0 "$SOAKD" --help
	done
	run -0 "$SOAKD" --version
}

@test "soakd keeps to the CPUs it may use" {
	taskset -c 0 "$SOAKD" start --socket "$SOCKET"
	run -0 rpc "$SOCKET" status.get
	[ "$(jq -c .result.cpus <<<"$output")" = "[0]" ]
}

@test "an ordinary user gets what there is without root, and is told what root would give" {
	[ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
	folder="$BATS_TEST_TMPDIR/user"
	install -d -o nobody -m 700 "$folder"
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$BATS_TEST_TMPDIR" 2>/dev/null || true
	cp "$SOAKD" "$SOAKCTL" "$folder"
	chown nobody "$folder"/*
	SOCKET="$folder/s"
	as_nobody() { setpriv --reuid=nobody --clear-groups env HOME="$folder" "$@"; }
	run as_nobody "$folder/soakd" start --socket "$SOCKET"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *autogroup* || "$output" == *plain* ]]
	[[ "$output" == *root* ]]
	# What found no quiet windows is not kept.
	stored="$folder/.local/state/soakd/calibration.json"
	if [ "$(rpc "$SOCKET" status.get | jq .result.quiet)" = true ]; then
		collect protocol/calibration <"$stored"
	else
		[ ! -e "$stored" ]
	fi
	[ "$(stat -c %a "$SOCKET")" = 600 ]
	# Without a place of its own for the socket, it is asked for one.
	run as_nobody "$folder/soakd" start
	[ "$status" -ne 0 ]
	[[ "$output" == *--socket* ]]
	assert_one_line "$output"
}

@test "calibrate shows every CPU, and stores" {
	run -0 "$SOAKD" calibrate --seconds 1
	[[ "$output" == *"pass ns"* && "$output" == *"idle floor"* && "$output" == *"quiet"* ]]
	[ "$(grep -cE '^ *[0-9]+ ' <<<"$output")" = "$(nproc)" ]
	wait_for 10 no_soak_processes
	run -2 "$SOAKD" calibrate --seconds 9
}

@test "doctor gives a line a check" {
	run "$SOAKD" doctor
	[ "$status" -le 1 ]
	for check in isolation intrusion calibration "clock source" steal SMT frequency "other soakers" \
		"cgroup limits" "allowed CPUs"; do
		[[ "$output" == *"$check"* ]]
	done
	[ "$(grep -cE '^(ok|note|problem) ' <<<"$output")" -ge 10 ]
	if grep -q '^problem' <<<"$output"; then [ "$status" -eq 1 ]; else [ "$status" -eq 0 ]; fi
}

@test "samples come at the interval asked for" {
	"$SOAKD" start --socket "$SOCKET" --interval 50ms --history 2s
	enough() { [ "$(rpc "$SOCKET" status.get | jq .result.samples)" -ge 40 ]; }
	wait_for 20 enough
	run -0 rpc "$SOCKET" samples.get '{"last": 1000}'
	# Two seconds of them and no more, in order, each with what really elapsed.
	[ "$(jq '.result.samples | length' <<<"$output")" = 40 ]
	jq -e '[.result.samples[].seq] | . == sort' <<<"$output"
	jq -e 'all(.result.samples[]; .elapsed_seconds > 0 and (.late_seconds >= 0))' <<<"$output"
}

@test "every reply of these tests fits its schema" {
	check_collected
}
