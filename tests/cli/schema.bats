#!/usr/bin/env bats
# The schemas: every method's request and reply fit, what is broken does not, by two validators.

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
	# The last test but one stops it.
	"$SOAKD" stop --socket "$SOCKET" >/dev/null 2>&1 || true
	wait_for 10 no_soak_processes
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

validators() {
	echo validate_python
	! has_ajv || echo validate_ajv
}

# Both take every FILE: accepted SCHEMA[#NAME] FILE...
accepted() {
	local validate

	for validate in $(validators); do
		run -0 "$validate" "$SOAK_SCHEMAS/$1" "${@:2}"
	done
}

# Both refuse every FILE, and name the place where one is given: refused SCHEMA[#NAME] "FILE[: PLACE]"...
refused() {
	local schema="$SOAK_SCHEMAS/$1" validate fault

	shift
	for validate in $(validators); do
		run -1 "$validate" "$schema" "${@%%: *}"
		for fault in "$@"; do
			grep -qF "$fault: " <<<"$output" || {
				echo "$validate does not say $fault: $output"
				return 1
			}
		done
	done
}

# The same for copies of FILE, broken in one place each: lines of stdin have the place and a jq filter.
refused_copies() {
	local schema=$1 file=$2 place filter
	local -a faults=()

	while read -r place filter; do
		echo "copy ${#faults[@]}: $filter"
		jq "$filter" "$file" >"copy-${#faults[@]}.json"
		faults+=("copy-${#faults[@]}.json: $place")
	done
	refused "$schema" "${faults[@]}"
}

@test "the schemas are valid themselves, and ajv's strict mode takes them" {
	local schema n=0

	for schema in "$SOAK_SCHEMAS"/*.schema.json; do
		accepted "${schema##*/}"
		jq -e '."$schema" == "https://json-schema.org/draft/2020-12/schema"' "$schema"
		n=$((n + 1))
	done
	[ "$n" -ge 2 ]
	# What every member is, is said where it stands or where it points.
	jq -es '[.[] | .. | objects | .properties? // empty | objects | to_entries[] |
		select(.value | type == "object" and (has("description") or has("$ref") or has("const") or
			has("items") or has("properties")) | not) | select(.value | type == "object" and has("type")) |
		.key] == []' "$SOAK_SCHEMAS"/*.schema.json
}

@test "an invalid schema and a missing part of one are told" {
	cp "$SOAK_SCHEMAS"/*.schema.json .
	jq '."$defs".ratio.type = "share"' run-file.schema.json >new
	mv new run-file.schema.json
	echo '{}' >empty.json
	run -1 validate_python run-file.schema.json empty.json
	[[ "$output" == *ratio* ]]
	run -2 validate_python "$SOAK_SCHEMAS/protocol.schema.json#no/such" empty.json
	has_ajv || return 0
	run -1 validate_ajv run-file.schema.json empty.json
	[[ "$output" == *ratio* ]]
	run -2 validate_ajv "$SOAK_SCHEMAS/protocol.schema.json#no/such" empty.json
}

@test "what is no JSON is refused" {
	printf '{"schema_version": "1.0"' >torn.json
	printf '{"schema_version": NaN}' >nan.json
	: >empty.json
	refused run-file.schema.json torn.json nan.json empty.json no-such.json
}

@test "the methods are those that the daemon has" {
	schema="$SOAK_SCHEMAS/protocol.schema.json"
	rpc "$SOCKET" server.info | jq -c .result.methods >has
	jq -c '."$defs".method.enum' "$schema" >knows
	diff has knows
	for method in $(jq -r '.[]' has); do
		for part in params result reply; do
			jq -e --arg name "$method/$part" '."$defs" | has($name)' "$schema"
		done
	done
}

@test "a broken run file is refused" {
	soakctl run --socket "$SOCKET" -n 2 -w 1 --settle 50ms --json --output null -- sleep 0.1 >run.json
	accepted run-file.schema.json run.json
	refused_copies run-file.schema.json run.json <<-'FILTERS'
		/ del(.schema_version)
		/schema_version .schema_version = "2.0"
		/schema_version .schema_version = 1
		/tool del(.tool.version)
		/time .time = "yesterday"
		/ del(.partial)
		/partial .partial = "no"
		/command .command = "sleep 0.1"
		/command .command = null
		/ del(.trim_ratio)
		/ .trim_count = 8
		/ del(.summary)
		/summary del(.summary.load_ratio)
		/summary/load_ratio/n .summary.load_ratio.n = null
		/summary/load_ratio/mean .summary.load_ratio.mean = "0.05"
		/environment del(.environment.body)
		/environment/cpus/0 .environment.cpus[0] = "0"
		/environment/intrusion_ratio .environment.intrusion_ratio = "none"
		/runs/1 del(.runs[1].load_ratio)
		/runs/1 del(.runs[1].start)
		/runs/1 del(.runs[1].hidden_cpu_seconds)
		/runs/1/load_ratio .runs[1].load_ratio = "5 %"
		/runs/1/failed .runs[1].failed = 0
		/runs/1/run_index .runs[1].run_index = 0
		/runs/1/exit_status .runs[1].exit_status = 0.5
		/runs/1/cpus/0 del(.runs[1].cpus[0].cpu)
		/runs/1/interruption_histogram/0/count .runs[1].interruption_histogram = [{from_seconds: 1, count: 0}]
		/warmups/0/taken_ratio .warmups[0].taken_ratio = []
		/ .kind = "sides"
		/kind .kind = "page"
		/ del(.kind)
		/ del(.work)
		/runs/0 del(.runs[0].boot_id)
		/runs/0 del(.runs[0].incomplete)
	FILTERS
}

@test "members that nobody knows, and runs without figures, are no fault" {
	soakctl run --socket "$SOCKET" -n 2 --settle 0 --json --output null -- true >run.json
	n=0
	while read -r filter; do
		n=$((n + 1))
		jq "$filter" run.json >"other-$n.json"
	done <<-'FILTERS'
		.new = 1 | .environment.new = {} | .runs[0].new = [] | .summary.new = null
		.schema_version = "1.7"
		.runs[0].load_ratio = null | .summary.load_ratio.sd = null
		.runs[0] |= {run_index, failed: true, incomplete: true}
		del(.trim_ratio) | .trim_count = 8
	FILTERS
	accepted run-file.schema.json other-*.json
	# As it stands in the file when the daemon has gone in the run.
	own=$(jq -c '."$defs".command_end.required + ["run_index", "failed", "incomplete"]' "$SOAK_SCHEMAS/run-file.schema.json")
	jq --argjson own "$own" '.runs[0] |= (with_entries(select(.key | IN($own[]))) | .failed = true)' run.json >lost.json
	accepted run-file.schema.json lost.json
	refused_copies run-file.schema.json lost.json <<<'/runs/0 .runs[0].failed = false'
}

@test "several sides, and imported ones" {
	cat >sides.json <<-'JSON'
		{"schema_version": "1.0", "kind": "sides", "tool": {"name": "soakctl", "version": "0.1.0"},
		 "time": "2026-01-02T03:04:05Z", "design": null, "order": null, "stopped_by": null,
		 "sides": [{"label": "before", "command": null, "runs_requested": null, "partial": false, "environment": {},
			"metrics": [{"name": "real", "unit": "s", "better": "lower"}], "work": null, "warmups": [],
			"runs": [{"run_index": 1, "failed": false, "metrics": {"real": 1.5}, "within_run_sd": {"real": 0.1}}],
			"summary": {}, "source": {"format": "time", "files": ["a.log"]}}]}
	JSON
	accepted run-file.schema.json sides.json
	refused_copies run-file.schema.json sides.json <<-'FILTERS'
		/ del(.sides)
		/ del(.order)
		/sides .sides = []
		/design .design = 1
		/sides/0 del(.sides[0].source)
		/sides/0/source del(.sides[0].source.files)
		/sides/0/runs/0 del(.sides[0].runs[0].metrics)
		/sides/0/runs/0/metrics/real .sides[0].runs[0].metrics.real = "1.5"
		/sides/0/metrics/0/better .sides[0].metrics[0].better = "faster"
		/sides/0/work .sides[0].work = "4 GiB"
	FILTERS
}

@test "a broken reply is refused" {
	rpc "$SOCKET" status.get >reply.json
	accepted protocol.schema.json#status.get/reply reply.json
	accepted protocol.schema.json reply.json
	refused_copies protocol.schema.json#status.get/reply reply.json <<-'FILTERS'
		/ del(.jsonrpc)
		/jsonrpc .jsonrpc = "1.0"
		/ del(.id)
		/id .id = []
		/ del(.result)
		/ .error = {code: 2, message: "not now", data: {reason: "not now"}}
		/result del(.result.notes)
		/result/cpus .result.cpus = "0-1"
		/result/isolation .result.isolation = "some"
		/result/intrusion_ratio .result.intrusion_ratio = "0"
		/error/code del(.result) | .error = {code: 4, message: "new"}
		/error del(.result) | .error = {code: 2}
		/error del(.result) | .error = {code: 3, message: "no such run"}
		/error del(.result) | .error = {code: -32601, message: "no such method"}
		/error/data del(.result) | .error = {code: -32602, message: "wrong", data: {member: "x"}}
	FILTERS
	{
		echo '{"jsonrpc":"2.0","id":1,"method":"samples.subscribe"}'
		sleep 1
	} | nc -N -U "$SOCKET" | sed -n 2p >sample.json
	accepted protocol.schema.json#notification sample.json
	refused_copies protocol.schema.json#notification sample.json <<-'FILTERS'
		/ .id = 1
		/params del(.params.dropped)
		/params/sample del(.params.sample.cpus)
		/params/sample/load_ratio .params.sample.load_ratio = "0"
		/params/sample/cpus/0/flags/0 .params.sample.cpus[0].flags = ["tired"]
		/params/subscription .params.subscription = 1
	FILTERS
}

@test "of each method, a request that is answered and one that is not" {
	python3 - "$SOCKET" <<'PY'
import json, sys, time
from peer import Peer, collect

peer, methods = Peer(sys.argv[1], timeout=30), set()

def good(method, params=None):
    request = {"jsonrpc": "2.0", "id": 1, "method": method}
    collect("protocol/request", request if params is None else {**request, "params": params})
    methods.add(method)
    reply = peer.call(method, params)
    assert "result" in reply, reply
    return reply["result"]

def bad(method, params, code=-32602):
    reply = peer.call(method, params)
    assert reply["error"]["code"] == code, reply
    if code == -32602:
        with open(f"bad-{method}.json", "w") as file:
            json.dump({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, file)

known = good("server.info")["methods"]
bad("server.info", {"x": 1})
while good("status.get")["samples"] < 8:
    time.sleep(0.1)
bad("status.get", {"x": 1})
good("samples.get", {"last": 3, "cpus": [0]})
bad("samples.get", {"last": 1, "since": 1})
assert good("samples.get", {"since": 2})["samples"]
good("report.get")
good("report.get", {"last_seconds": 1, "trim_count": 1})
bad("report.get", {"trim_ratio": 0.5})

name = good("samples.subscribe", {})["subscription"]
bad("samples.subscribe", {"x": 1})
while "id" in peer.read():
    pass
bad("samples.unsubscribe", {"subscription": 1})
assert good("samples.unsubscribe", {"subscription": name}) == {}

run = good("run.begin", {"cpus": [0]})["run"]
bad("run.begin", {"cpus": []})
time.sleep(1.1)
good("run.end", {"run": run, "trim_ratio": 0})
bad("run.end", {"run": run}, 3)
bad("run.end", {"run": "7"})

bad("calibration.start", {"seconds": 9})
good("calibration.start", {"seconds": 1})
bad("calibration.start", {}, 2)
assert good("calibration.get")["state"] == "running"
while good("calibration.get")["state"] != "done":
    time.sleep(0.1)
bad("calibration.get", {"x": 1})

# Stopped by one, seen by all, and not to be let go by another; gone with its connection.
other = Peer(sys.argv[1], timeout=30)
assert good("soakers.pause")["paused"] and good("status.get")["paused"]
assert other.call("soakers.pause")["error"]["code"] == 2
assert other.call("soakers.resume")["error"]["code"] == 2
bad("calibration.start", {}, 2)
bad("soakers.pause", {"x": 1})
bad("soakers.resume", {"x": 1})
newest = good("samples.get", {"last": 1})["samples"][0]["seq"]
while good("samples.get", {"last": 1})["samples"][0]["seq"] < newest + 3:
    time.sleep(0.05)
stopped = good("samples.get", {"last": 2})["samples"]
assert all(cpu["flags"] == ["paused"] and not cpu["valid"] for s in stopped for cpu in s["cpus"]), stopped
assert not good("soakers.resume")["paused"] and not good("status.get")["paused"]
bad("soakers.resume", None, 2)
assert "result" in other.call("soakers.pause")
other.stream.close()
other.socket.close()
while good("status.get")["paused"]:
    time.sleep(0.05)
newest = good("samples.get", {"last": 1})["samples"][0]["seq"]
while good("samples.get", {"last": 1})["samples"][0]["seq"] < newest + 2:
    time.sleep(0.05)
assert all(cpu["valid"] for cpu in good("samples.get", {"last": 1})["samples"][0]["cpus"])

# By position, which is never right; and what is no request of any method.
bad("server.shutdown", [1])
for line, code in ((b"{", -32700), (b"1", -32600), (b"[]", -32600), (b"x" * (1 << 20) + b"x", -32600),
                   (b'{"jsonrpc":"2.0","id":{},"method":"status.get"}', -32600),
                   (b'{"jsonrpc":"2.0","id":5,"method":"no.such"}', -32601)):
    peer.socket.sendall(line + b"\n")
    assert peer.read()["error"]["code"] == code
peer.send([{"jsonrpc": "2.0", "id": i, "method": "server.info"} for i in "ab"])
assert len(peer.read()) == 2

good("server.shutdown")
assert methods == set(known), methods ^ set(known)
PY
	wait_for 10 no_soak_processes
	# What the daemon refused, the schema refuses.
	bad=(bad-*.json)
	[ "${#bad[@]}" -ge 10 ]
	refused protocol.schema.json#request "${bad[@]}"
}

@test "every document and reply of these tests fits its schema" {
	check_collected
}
