#!/usr/bin/env bats
# The protocol, spoken by programs that are not ours.

load common

setup_file() {
	run soak_processes
	echo "still running: $output" >&2
	[ -z "$output" ]
	SOCKET="$BATS_FILE_TMPDIR/s"
	export SOCKET
	"$SOAKD" start --socket "$SOCKET" --interval 100ms >/dev/null
}

teardown_file() {
	"$SOAKD" stop --socket "$SOCKET" >/dev/null
	wait_for 10 no_soak_processes
}

REQUEST='{"jsonrpc":"2.0","id":7,"method":"server.info"}'

@test "nc: a request, half-closed, is answered" {
	run -0 nc -N -U "$SOCKET" <<<"$REQUEST"
	collect protocol/server.info/reply <<<"$output"
	[ "$(jq .id <<<"$output")" = 7 ]
	[ "$(jq -r .result.name <<<"$output")" = soakd ]
}

@test "nc: a last line without its end is answered" {
	output=$(printf '%s' "$REQUEST" | nc -N -U "$SOCKET")
	collect protocol/server.info/reply <<<"$output"
	[ "$(jq .id <<<"$output")" = 7 ]
}

@test "socat: several requests in one write" {
	output=$(printf '%s\r\n\n%s\n' "$REQUEST" "$REQUEST" |
		timeout 10 socat -t5 - "UNIX-CONNECT:$SOCKET")
	collect_lines protocol/server.info/reply <<<"$output"
	[ "$(wc -l <<<"$output")" = 2 ]
}

@test "Python's standard library: one byte at a time, and a batch" {
	python3 - "$SOCKET" <<'PY'
import sys
from peer import Peer

peer = Peer(sys.argv[1])
peer.methods["x"] = "status.get"
for byte in b'{"jsonrpc":"2.0","id":"x","method":"status.get"}\n':
    peer.socket.send(bytes([byte]))
answer = peer.read()
assert answer["id"] == "x" and answer["result"]["sampling"] is True, answer

batch = [{"jsonrpc": "2.0", "id": i, "method": "server.info"} for i in range(3)]
batch.append({"jsonrpc": "2.0", "method": "server.info"})
peer.send(batch)
answers = peer.read()
assert [a["id"] for a in answers] == [0, 1, 2], answers
PY
}

@test "npm's jayson: request, error and notification" {
	[ -d "$SOAK_NODE_MODULES/jayson" ] || skip "jayson is not installed"
	NODE_PATH="$SOAK_NODE_MODULES" run -0 timeout 30 node -e '
		const client = require("jayson").client.tcp({path: process.argv[1]});
		client.request("status.get", {}, (error, response) => {
			if (error || response.result.sampling !== true) throw new Error(JSON.stringify([error, response]));
			console.log(JSON.stringify(response));
			client.request("report.get", {trim_ratio: 2}, (error, response) => {
				if (error || response.error.code !== -32602) throw new Error(JSON.stringify([error, response]));
				console.log(JSON.stringify(response));
				client.request("server.info", {}, null, (error) => {
					if (error) throw error;
					process.exit(0);
				});
			});
		});' "$SOCKET"
	[ "${#lines[@]}" = 2 ]
	collect protocol/status.get/reply <<<"${lines[0]}"
	collect protocol/report.get/reply <<<"${lines[1]}"
}

@test "soakctl rpc: result, refusal, and what is no JSON" {
	run -0 --separate-stderr soakctl rpc --socket "$SOCKET" server.info
	[ "$(jq -r .name <<<"$output")" = soakd ]
	run -1 --separate-stderr "$SOAKCTL" rpc --socket "$SOCKET" no.such
	assert_one_line "$stderr"
	run -125 "$SOAKCTL" rpc --socket "$SOCKET" report.get '{'
	assert_one_line "$output"
	run -125 "$SOAKCTL" rpc --socket "$SOCKET"
}

@test "a wrong parameter is named, with what is allowed" {
	while read -r method params member; do
		output=$(rpc "$SOCKET" "$method" "$params")
		echo "$method $params: $output"
		[ "$(jq .error.code <<<"$output")" = -32602 ]
		[ "$(jq -r .error.data.member <<<"$output")" = "$member" ]
		[ -n "$(jq -r .error.data.allowed <<<"$output")" ]
	done <<-'CASES'
		status.get {"x":1} x
		report.get {"trim_ratio":0.5} trim_ratio
		report.get {"trim_ratio":"10%"} trim_ratio
		report.get {"trim_count":-1} trim_count
		report.get {"trim_ratio":0.1,"trim_count":1} trim_ratio
		report.get {"last_seconds":0} last_seconds
		report.get {"cpus":[99]} cpus
		report.get {"cpus":[]} cpus
		report.get {"cpus":"0"} cpus
		samples.get {"last":0} last
		samples.get {"since":-1} since
		samples.get {"last":1,"since":1} last
		samples.unsubscribe {"subscription":"s99"} subscription
		calibration.start {"seconds":0} seconds
		run.begin {"cpus":[0,0.5]} cpus
		run.end {} run
		run.end {"run":"7"} run
		run.end {"run":7} run
	CASES
	[ "$(rpc "$SOCKET" status.get '[1]' | jq .error.code)" = -32602 ]
	[ "$(rpc "$SOCKET" run.end '{"run":"r999"}' | jq .error.code)" = 3 ]
}

@test "what status.get and report.get answer has the documented members" {
	status=$(rpc "$SOCKET" status.get)
	for member in sampling soaker_pid cpus intrusion_ratio isolation late_ticks body idle_floor_ratio \
		interval_seconds notes; do
		jq -e --arg m "$member" '.result | has($m)' <<<"$status"
	done
	report() { rpc "$SOCKET" report.get '{"last_seconds": 5}'; }
	has_report() { report | jq -e .result; }
	wait_for 10 has_report
	report=$(report)
	for member in load_ratio untrimmed_load_ratio taken_ratio slowed_ratio lost_ratio samples_kept \
		samples_cut interruptions_per_second elapsed_seconds cpus; do
		jq -e --arg m "$member" '.result | has($m)' <<<"$report"
	done
	[ "$(jq '.result.cpus | length' <<<"$report")" = "$(jq '.result.cpus | length' <<<"$status")" ]
}

@test "a run is exact at both ends, however short" {
	python3 - "$SOCKET" <<'PY'
import sys, time
from peer import Peer

call = Peer(sys.argv[1]).call
run = call("run.begin", {})["result"]
begin = time.monotonic()
assert abs(run["monotonic_seconds"] - begin) < 5
while time.monotonic() - begin < 0.03:
    pass
spent = time.monotonic() - begin
result = call("run.end", {"run": run["run"], "trim_count": 8})["result"]
assert result["short"] is True and result["samples_cut"] == 0
assert result["elapsed_seconds"] >= spent, (result["elapsed_seconds"], spent)
assert result["load_ratio"] == result["untrimmed_load_ratio"]
# Too short for the ticks of /proc/stat: no number is better than one of chance.
assert all(result[name] is None for name in ("accounted_ratio", "unaccounted_ratio", "steal_ratio")), result
# This very program kept a CPU busy: the soakers saw it.
assert result["taken_cpu_seconds"] > 0.5 * spent, (result["taken_cpu_seconds"], spent)
assert call("run.end", {"run": run["run"]})["error"]["code"] == 3

run = call("run.begin", {})["result"]
time.sleep(1.1)
result = call("run.end", {"run": run["run"]})["result"]
assert all(isinstance(result[name], (int, float)) for name in
           ("accounted_ratio", "unaccounted_ratio", "steal_ratio")), result
assert sum(b["count"] for b in result["interruption_histogram"]) > 0
PY
}

@test "subscribers get every sample, in order" {
	python3 - "$SOCKET" <<'PY'
import sys
from peer import Peer

peer = Peer(sys.argv[1], timeout=20)
for i in (1, 2):
    peer.send({"jsonrpc": "2.0", "id": i, "method": "samples.subscribe"})
names, seqs = [], []
while len(names) < 2 or len(seqs) < 5:
    line = peer.read()
    if "id" in line:
        names.append(line["result"]["subscription"])
    else:
        assert line["method"] == "samples.update" and line["params"]["dropped"] == 0
        seqs.append(line["params"]["sample"]["seq"])
assert names[0] == names[1], names
assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), seqs
line = peer.call("samples.unsubscribe", {"subscription": names[0]})
assert line["result"] == {}, line
PY
}

@test "a subscriber that does not read loses samples and is told; nobody waits for it" {
	python3 - "$SOCKET" <<'PY'
import sys, time
from peer import Peer

deaf = Peer(sys.argv[1], receive_bytes=4096)
# Fill what the daemon may queue for it with answers that it does not read either.
for i in range(2000):
    deaf.send({"jsonrpc": "2.0", "id": 1, "method": "status.get"})
deaf.send({"jsonrpc": "2.0", "id": "subscribed", "method": "samples.subscribe"})

other = Peer(sys.argv[1], timeout=5)
for i in range(20):
    assert "result" in other.call("status.get")
    time.sleep(0.1)
dropped = 0
while not dropped:
    line = deaf.read()
    if "id" not in line:
        dropped = line["params"]["dropped"]
PY
}

@test "others may read, but not control" {
	[ "$(id -u)" = 0 ] || skip "needs root to become somebody else"
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/file "$BATS_FILE_TMPDIR" 2>/dev/null || true
	as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups nc -N -U "$SOCKET"; }
	output=$(as_nobody <<<'{"jsonrpc":"2.0","id":1,"method":"status.get"}')
	collect protocol/status.get/reply <<<"$output"
	[ "$(jq .result.sampling <<<"$output")" = true ]
	output=$(as_nobody <<<'{"jsonrpc":"2.0","id":1,"method":"server.shutdown"}')
	collect protocol/server.shutdown/reply <<<"$output"
	[ "$(jq .error.code <<<"$output")" = 1 ]
	output=$(as_nobody <<<'{"jsonrpc":"2.0","id":1,"method":"calibration.start"}')
	collect protocol/calibration.start/reply <<<"$output"
	[ "$(jq .error.code <<<"$output")" = 1 ]
}

@test "a calibration can be repeated while sampling goes on" {
	[ "$(rpc "$SOCKET" calibration.start '{"seconds":1}' | jq .result.started)" = true ]
	[ "$(rpc "$SOCKET" calibration.start | jq .error.code)" = 2 ]
	[ "$(rpc "$SOCKET" status.get | jq -r '.result | [.state, .sampling] | join(" ")')" = "calibrating true" ]
	finished() { [ "$(rpc "$SOCKET" calibration.get | jq -r .result.state)" = done ]; }
	wait_for 10 finished
	rpc "$SOCKET" calibration.get | jq -e '.result.provenance.boot_id, .result.cpus[0].pass_ns > 0'
}

@test "every reply of these tests fits its schema" {
	check_collected
}
