#!/usr/bin/env bats
# soakctl import as its user meets it; no daemon is needed.

load common

DATA="$BATS_TEST_DIRNAME/../data/import"

import() {
	soakctl import "$@"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "a log becomes a run file with its sides" {
	run -0 --separate-stderr import --format time "$DATA/two-sides.time" -o sides.json --label old,new
	[ -z "$output" ]
	[[ "$stderr" == *"read 60 values in 3 tests, 2 sides; 2 other lines left out"* ]]
	[[ "$stderr" == *"not kept: CPU share, inputs and outputs, page faults, swaps"* ]]
	jq -e '.schema_version == "1.0" and .kind == "sides" and [.sides[].label] == ["old", "new"]' sides.json
	jq -e '.sides[1].source == {"format": "time", "files": ["'"$DATA"'/two-sides.time"]}' sides.json
	jq -e '.sides[0] | .runs | length == 10 and .[0].metrics["Fill elapsed"] == 146.62' sides.json
	jq -e '.sides[0] | .command == null and .environment == {} and .warmups == [] and (.partial | not)' sides.json
}

@test "every format reads its log, and one side is no list of sides" {
	for pair in time:two-sides.time values:prose.values dd:mixed-mail.txt bash-time:mixed-mail.txt \
		bonnie:mixed-mail.txt kunit:benchmarks.kunit fio-json:two-runs.fio; do
		echo "$pair"
		run -0 --separate-stderr import -f "${pair%:*}" "$DATA/${pair#*:}"
		jq -e '[(.sides // [.])[] | .runs[].run_index] | length > 0' <<<"$output"
	done
	jq -e '.kind == "side" and (has("sides") | not)' <<<"$output"
}

@test "several files and stdin are sides in order" {
	printf 'real 0m2.5s\nuser 0m1s\nsys 0m1s\n' >new.log
	printf 'real 1.25\nuser 1\nsys 1\n' >old.log
	run -0 --separate-stderr import --format bash-time old.log - <new.log
	jq -e '[.sides[] | .label, .runs[0].metrics.elapsed] == ["old", 1.25, "stdin", 2.5]' <<<"$output"
}

@test "an existing file is replaced only with --force" {
	echo mine >side.json
	run -125 import --format values -o side.json - <<<"5% 6%"
	[[ "${lines[-1]}" == *"side.json: exists: --force replaces it" ]]
	[ "$(cat side.json)" = mine ]
	run -0 import --format values --force -o side.json - <<<"5% 6%"
	jq -e '[.runs[].metrics.value] == [0.05, 0.06]' side.json
	run -125 import --format values -o /no/such/folder/x - <<<"5%"
	run -125 bash -c '"$SOAKCTL" import --format values - <<<"5%" >/dev/full'
}

@test "what is malformed is refused in one line, and nothing is written" {
	printf 'a: 5.02%% 5.2\xff%%\n' >bad
	run -2 import --format values bad -o side.json
	assert_one_line "$output"
	[[ "$output" == "soakctl import: bad:1:13: malformed: expected "* ]]
	printf 'a: 5%%\n\0' >bad
	run -2 import --format values bad -o side.json
	assert_one_line "$output"
	[[ "$output" == *"bad:2:1: a NUL byte"* ]]
	run -2 import --format values /dev/null -o side.json
	assert_one_line "$output"
	[[ "$output" == *"no data of the format values"* ]]
	seq 100001 >bad
	run -2 import --format values bad -o side.json
	assert_one_line "$output"
	[[ "$output" == *"too many numbers: at most 100000 runs"* ]]
	for path in /no/such/file .; do
		run -2 import --format values "$path" -o side.json
		assert_one_line "$output"
	done
	# One bad log among good ones spoils all.
	run -2 import --format values "$DATA/prose.values" bad -o side.json
	assert_one_line "$output"
	[ ! -e side.json ]
}

@test "100 MB of one line, and what never ends, are refused at once" {
	head -c 100000000 /dev/zero | tr '\0' x >long
	for format in values time bash-time dd bonnie kunit fio-json; do
		run -2 timeout 20 "$SOAKCTL" import --format "$format" long
		assert_one_line "$output"
		[[ "$output" == *"above 64 MiB"* ]]
	done
	rm long
	run -2 timeout 20 "$SOAKCTL" import --format time /dev/zero
	assert_one_line "$output"
	run -2 timeout 20 bash -c 'yes | "$SOAKCTL" import --format time -'
	[[ "$output" == *"above 64 MiB"* ]]
}

@test "CRLF and a missing last newline change nothing" {
	sed 's/$/\r/' "$DATA/two-sides.time" >crlf.time
	head -c -1 "$DATA/mixed-mail.txt" >cut.txt
	import -f time crlf.time -o crlf.json
	import -f time "$DATA/two-sides.time" -o unix.json
	import -f bonnie cut.txt -o cut.json
	diff <(jq '.sides[].runs' crlf.json) <(jq '.sides[].runs' unix.json)
	jq -e '.runs | length == 3' cut.json
}

@test "options and files come in any order" {
	cp "$DATA/benchmarks.kunit" ./-x
	run -0 --separate-stderr import -f kunit "$DATA/benchmarks.kunit" -o out.json -- -x -x
	jq -e '[.sides[].source.files[0]] | .[1:] == ["-x", "-x"]' out.json
	run -125 import -f kunit "$DATA/benchmarks.kunit" -x
	[ "$output" = "soakctl import: unknown option -x (see --help)" ]
}

@test "lines left out are listed with their numbers" {
	run -0 --separate-stderr import --format time --list-left-out "$DATA/two-sides.time"
	[[ "$stderr" == *"     1  Two sets of figures"* ]]
	[[ "$stderr" == *"     3  The machine did nothing else"* ]]
}

@test "wrong use is refused in one line" {
	for arguments in "" "--format time" "--format csv x" "--format time --metric x x" \
		"--format values --label a,b,c $DATA/prose.values" "--format values --label , $DATA/prose.values" \
		"--no-such" "x"; do
		echo "import $arguments"
		# shellcheck disable=SC2086
		run -125 import $arguments
		assert_one_line "$output"
		[[ "$output" == "soakctl import: "* ]]
	done
	run -0 "$SOAKCTL" import --help
	[[ "$output" == *"Formats: values, time, bash-time, dd, bonnie, kunit, fio-json."* ]]
	run -0 awk 'length > 72' <<<"$output"
	[ -z "$output" ]
}

@test "what today's programs write is read" {
	run -0 --separate-stderr bash -c '{ time sleep 0.1; } 2>&1 | "$SOAKCTL" import -f bash-time -'
	jq -e '.runs[0].metrics.elapsed >= 0.1' <<<"$output"
	run -0 --separate-stderr bash -c 'dd if=/dev/zero of=/dev/null count=9 2>&1 | "$SOAKCTL" import -f dd -'
	jq -e '.runs[0].metrics.throughput > 0' <<<"$output"
	[ -x /usr/bin/time ] || skip "no GNU time"
	for option in "" -p -v; do
		run -0 --separate-stderr bash -c '/usr/bin/time $1 sleep 0.1 2>&1 | "$SOAKCTL" import -f time -' - "$option"
		jq -e '.runs[0].metrics.elapsed >= 0.1' <<<"$output"
	done
}

@test "what today's fio writes is read" {
	command -v fio >/dev/null || skip "no fio"
	fio --name=job --rw=randrw --size=256k --filename=x --output-format=json >fio.log
	run -0 --separate-stderr import -f fio-json fio.log
	jq -e --slurpfile fio fio.log '.runs[0].metrics["job read bandwidth"] == $fio[0].jobs[0].read.bw_bytes' <<<"$output"
}

@test "every document of these tests fits its schema" {
	check_collected
}
