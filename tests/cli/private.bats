#!/usr/bin/env bats
# soakctl run without a daemon: it brings one up and leaves nothing behind.

load common

setup() {
	run soak_processes
	echo "still running: $output"
	[ -z "$output" ]
}

teardown() {
	wait_for 10 no_soak_processes
}

@test "no daemon is needed, and none is left" {
	run -0 --separate-stderr soakctl run --settle 0 --json --output null -- true
	jq -e '.environment.private_daemon == true' <<<"$output"
	no_soak_processes
	[ -z "$(soak_cgroups)" ]
	[ ! -e /run/soakd/soakd.sock ]
	run -125 soakctl report
	[[ "$output" == *"soakd start"* ]]
	assert_one_line "$output"
}

@test "a CPU that is not there is named by the daemon" {
	run -125 soakctl run --cpus 99 -- true
	[[ "$output" == *"99"* ]]
	assert_one_line "$output"
}

@test "only the CPUs asked for are soaked" {
	run -0 --separate-stderr soakctl run --settle 0 --cpus 0 --body pause --json --output null -- true
	jq -e '.environment.cpus == [0] and .environment.body == "pause"' <<<"$output"
	jq -e '.runs[0].cpus | length == 1' <<<"$output"
}

running() {
	pgrep -f "^sleep 61.5" >/dev/null
}

@test "kill -9 of soakctl in a run leaves no daemon" {
	"$SOAKCTL" run --settle 0 -- sleep 61.5 2>/dev/null &
	pid=$!
	wait_for 20 running
	kill -9 "$pid"
	wait_for 10 no_soak_processes
	[ -z "$(soak_cgroups)" ]
	kill "$(pgrep -n -f "^sleep 61.5")"
}

@test "SIGTERM is passed on to the command, and leaves nothing" {
	"$SOAKCTL" run --settle 0 -- sleep 61.5 2>"$BATS_TEST_TMPDIR/err" &
	pid=$!
	wait_for 20 running
	kill "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 143 ]
	grep -q SIGTERM "$BATS_TEST_TMPDIR/err"
	run ! running
}

@test "SIGINT while the daemon gets ready leaves nothing" {
	"$SOAKCTL" run --settle 0 -- true 2>/dev/null &
	pid=$!
	daemon_there() { soak_processes | grep -q soakd; }
	wait_for 10 daemon_there
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
}

@test "when the daemon is killed in a run, the run is said not to be measured" {
	"$SOAKCTL" run --settle 0 -- sleep 3 2>"$BATS_TEST_TMPDIR/err" &
	pid=$!
	sleeping() { pgrep -f "^sleep 3$" >/dev/null; }
	wait_for 20 sleeping
	kill -9 "$(pgrep -P "$pid" -x soakd)"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 125 ]
	grep -q "not measured" "$BATS_TEST_TMPDIR/err"
}

@test "under taskset, the CPUs of the caller are measured" {
	run -0 --separate-stderr taskset -c 0 "$SOAKCTL" run --settle 0 --json --output null -- true
	collect run-file <<<"$output"
	jq -e '.environment.cpus == [0]' <<<"$output"
}

@test "an ordinary user can measure" {
	[ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
	folder=$(mktemp -d)
	chmod 755 "$folder"
	cp "$SOAKD" "$SOAKCTL" "$folder"
	unset SOAKD
	run -0 --separate-stderr setpriv --reuid=nobody --clear-groups env HOME=/nonexistent \
		"$folder/soakctl" run --settle 0 --json --output null -- true
	rm -r "$folder"
	collect run-file <<<"$output"
	jq -e '.environment.isolation | . == "autogroup" or . == "plain"' <<<"$output"
}

@test "every document of these tests fits its schema" {
	check_collected
}
