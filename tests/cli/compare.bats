#!/usr/bin/env bats
# soakctl compare as its user meets it; no daemon is needed. The two tables are three and ten runs a
# side of a kernel patch's CPU load: the first does not tell the sides apart, the second does.

load common

BEFORE=(5.02 5.23 5.27)
AFTER=(5.27 5.33 5.32)
BEFORE10=(5.02 5.23 5.27 5.11 5.19 5.24 5.16 5.21 5.08 5.25)
AFTER10=(5.27 5.33 5.32 5.29 5.38 5.31 5.24 5.36 5.30 5.28)

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

compare() {
	soakctl compare "$@"
}

# A run file with these loads, after a jq filter: make FILE FILTER LOAD_PERCENT...
make() {
	local file=$1 filter=$2

	shift 2
	jq -nc --arg name "${file%.json}" --args '{
		schema_version: "1.0", kind: "side", tool: {name: "soakctl", version: "0.1.0"},
		time: "2026-01-02T03:04:05Z", label: $name, command: ["./bench", "-O"],
		runs_requested: ($ARGS.positional | length), partial: false, trim_ratio: 0.1,
		environment: {cpu_model: "X", cpus: [0, 1], body: "alu", body_version: 1, kernel: "6.12"},
		metrics: [], work: null, warmups: [], summary: {},
		runs: [$ARGS.positional | to_entries[] | (.value | tonumber / 100) as $load | {
			run_index: (.key + 1), failed: false, boot_id: "b1", kernel: "6.12", load_ratio: $load,
			untrimmed_load_ratio: $load, metrics: {}}]} | '"$filter" "$@" >"$file"
}

# As "before", of another kernel and boot.
patched='.environment.kernel = "6.12-patch" | .runs[].boot_id = "b2"'

# The table that does not tell its sides apart.
make_three() {
	make before.json . "${BEFORE[@]}"
	make after.json "$patched" "${AFTER[@]}"
}

make_ten() {
	make before.json . "${BEFORE10[@]}"
	make after.json "$patched" "${AFTER10[@]}"
}

# stdout of the command is the text on stdin: prints COMMAND...
prints() {
	cat >expected
	"$@" >printed
	diff -u expected printed
}

@test "three runs a side, as text" {
	make_three
	prints compare before.json after.json <<-'TEXT'
		before: ./bench -O, 3 runs, Linux 6.12
		after:  ./bench -O, 3 runs, Linux 6.12-patch

		CPU load, %
		          run 1  run 2  run 3  mean  95% CI
		  before   5.02   5.23   5.27  5.17  [4.84, 5.51]
		  after    5.27   5.33   5.32  5.31  [5.23, 5.39]
		  change    +0.13 pp [-0.18, +0.44]  (+2.6 % of before)
		            Welch t 1.67, df 2.2, p 0.22, 3 + 3 runs
		  NOT DISTINGUISHABLE: after could be anything from 0.18 pp less to 0.44
		  pp more. With this spread, 3 runs a side show a change of 0.30 pp or
		  more (80 % power); one of 0.13 pp takes 10 runs a side.

		What differs from before to after:
		  kernel                    6.12 -> 6.12-patch (expected)
		  boot                      b1 -> b2 (expected)
		  note: each side is one boot: what differs from boot to boot is not in
		        the interval
	TEXT
}

@test "three runs a side, as Markdown, CSV, JSON and mail" {
	make_three
	prints compare --format markdown before.json after.json <<-'TEXT'
		| | before | after | change [95 % CI] | p | verdict |
		| --- | --- | --- | --- | --- | --- |
		| CPU load, % | 5.17 [4.84, 5.51] | 5.31 [5.23, 5.39] | +0.13 pp [-0.18, +0.44] | 0.22 | NOT DISTINGUISHABLE |

		- differs: kernel: 6.12 -> 6.12-patch
		- differs: boot: b1 -> b2
		- each side is one boot: what differs from boot to boot is not in the interval
	TEXT
	prints compare --format mail before.json after.json <<-'TEXT'
		  CPU load (soakctl 0.1.0, ./bench -O, n=3+3):
		    before: 5.02% 5.23% 5.27%
		    after:  5.27% 5.33% 5.32%
		    change: +0.13pp, CI95 [-0.18, +0.44]pp, p=0.22: not distinguishable
	TEXT
	compare --format json before.json after.json >json
	jq -e '.kind == "comparison" and .schema_version == "1.0" and .confidence == 0.95 and (.paired | not) and
		[.sides[] | .name, .runs, .failed_runs, .boots] == ["before", 3, 0, 1, "after", 3, 0, 1]' json
	jq -e '.pairs[0].metrics | length == 1 and (.[0] | .name == "load" and .first.n == 3 and
		(.first.mean - 0.0517333 | fabs) < 1e-7 and (.first.ci_low - 0.04839743 | fabs) < 1e-8 and
		(.difference - 0.00133333 | fabs) < 1e-8 and (.ci_low + 0.00178092 | fabs) < 1e-8 and
		(.ci_high - 0.00444759 | fabs) < 1e-8 and (.t - 1.672484 | fabs) < 1e-6 and
		(.df - 2.228455 | fabs) < 1e-6 and (.p - 0.2235085 | fabs) < 1e-7 and
		(.detectable - 0.002998 | fabs) < 5e-6 and .replicates_needed == 10 and
		.verdict == "not distinguishable" and .obstacle == null)' json
	compare --format csv before.json after.json >csv
	python3 - json <<-'PY'
		import csv, json, sys
		metric = json.load(open(sys.argv[1]))["pairs"][0]["metrics"][0]
		with open("csv", newline="") as file:
		    rows = list(csv.DictReader(file, strict=True))
		assert len(rows) == 1 and None not in rows[0], rows
		row = rows[0]
		assert row["metric"] == "load" and row["unit"] == "ratio" and row["first"] == "before"
		assert row["second"] == "after" and row["second_n"] == "3" and row["obstacle"] == ""
		assert row["verdict"] == "not distinguishable" and row["rank_p"] == ""
		for name in ("difference", "ci_low", "ci_high", "t", "df", "p", "detectable"):
		    assert float(row[name]) == metric[name], name
		assert float(row["first_sd"]) == metric["first"]["sd"]
	PY
}

@test "ten runs a side, which show more" {
	make_ten
	prints compare before.json after.json <<-'TEXT'
		before: ./bench -O, 10 runs, Linux 6.12
		after:  ./bench -O, 10 runs, Linux 6.12-patch

		CPU load, %
		           n   mean  95% CI             sd
		  before  10  5.176  [5.117, 5.235]  0.082
		  after   10  5.308  [5.278, 5.338]  0.042
		  change    +0.132 pp [+0.069, +0.195]  (+2.6 % of before)
		            Welch t 4.52, df 13.4, p 0.00053, 10 + 10 runs
		  MORE in after (worse), by 0.069 pp to 0.195 pp. With this spread, 10
		  runs a side show a change of 0.086 pp or more (80 % power).

		What differs from before to after:
		  kernel                    6.12 -> 6.12-patch (expected)
		  boot                      b1 -> b2 (expected)
		  note: each side is one boot: what differs from boot to boot is not in
		        the interval
	TEXT
	run -0 compare after.json before.json
	[[ "$output" == *"LESS in before (better), by 0.069 pp to 0.195 pp."* ]]
}

# Means of ten have a digit more than the values, which have none to give.
@test "no value is listed with more digits than it has" {
	printf '%s\n' "${BEFORE10[@]}" >before
	printf '%s\n' "${AFTER10[@]}" >after
	run -0 --separate-stderr compare --format-in values --format mail before after
	[[ "$output" == *" 5.02 5.23 5.27 5.11 5.19 5.24 5.16 5.21 5.08 5.25"* ]]
	[[ "$output" == *"change: +0.132, CI95 [+0.069, +0.195], p=0.00053: more"* ]]
}

# No line of stdin is wider than a mail, and all is printable ASCII.
assert_plain() {
	local text

	text=$(cat)
	[ -n "$text" ]
	! LC_ALL=C grep -n '[^ -~]' <<<"$text" || return 1
	! grep -nE '.{73}' <<<"$text" || return 1
}

# What Markdown makes of it: so many cells in each row of each table.
assert_cells() {
	awk -v n="$1" '/^\|/ {
		row = $0
		gsub(/\\\\/, "", row)
		gsub(/\\\|/, "", row)
		if (gsub(/\|/, "", row) != n + 1) { print "broken: " $0; exit 1 }
		rows++
	} END { exit rows < 3 }'
}

@test "names, units and commands of any text leave every format whole" {
	hostile='.label = "a|b\\\n\u001b[31m, \"c\" \u00e4`x`" | .command = ["./b|\n\u001b", ("x" * 300), "a b"] |
		.metrics = [{name: "t|p\n\u00e4,\"", unit: "\u00b5s|\n\u001b[1m", better: "higher"}] |
		.environment.mitigations = {"m\u001b|\n": "on"} | .environment.hostname = "h|\n\u001b\u00e4" |
		.runs |= map(.metrics["t|p\n\u00e4,\""] = .load_ratio)'
	make before.json "$hostile" "${BEFORE[@]}"
	make after.json "$hostile | .label += (\"y\" * 300) | .environment.mitigations[\"m\\u001b|\\n\"] = \"off\" |
		.environment.hostname += (\"z\" * 200) | $patched" "${AFTER[@]}"
	for format in text mail; do
		run -0 compare --format $format before.json after.json
		assert_plain <<<"$output"
	done
	run -0 compare --format markdown before.json after.json
	assert_cells 6 <<<"$output"
	run ! grep -P '[^ -~]' <<<"$output"
	# Two metrics, one bursty word in each list: no list item has been torn.
	run ! grep -vE '^$|^\||^- ' <<<"$output"
	compare --format csv before.json after.json >csv
	python3 - <<-'PY'
		import csv
		with open("csv", newline="") as file:
		    rows = list(csv.reader(file, strict=True))
		assert len(rows) == 3 and {len(row) for row in rows} == {29}, rows
		assert rows[2][0] == 't|p\nä,"' and rows[2][1] == "µs|\n\x1b[1m", rows[2]
	PY
	run -0 compare --format json before.json after.json
	jq -e '.pairs[0].metrics[1].unit == "\u00b5s|\n\u001b[1m"' <<<"$output"
}

@test "long names stay different from each other, and whole where a program reads" {
	make before.json '.label = "a-kernel-with-a-very-long-name-1-release"' "${BEFORE[@]}"
	make after.json '.label = "a-kernel-with-a-very-long-name-2-release"' "${AFTER[@]}"
	run -0 compare before.json after.json
	[[ "$output" == *"a-kernel-..#1:"*"a-kernel-..#2:"* ]]
	run -0 compare --format csv before.json after.json
	[[ "$output" == *",a-kernel-with-a-very-long-name-1-release,"* ]]
	run -0 compare --label "$(printf 'x%.0s' {1..500}),short" before.json after.json
	assert_plain <<<"$output"
}

@test "numbers of any size fit the table" {
	for values in "1234567890.25 2234567890.5" "0.000000012 0.000000013" "1e12 2e12" "-5 -7" "0 0"; do
		printf '%s\n' $values 3 >before
		printf '%s\n' $values 4 >after
		run -0 --separate-stderr compare --format-in values before after
		echo "$output"
		assert_plain <<<"$output"
	done
}

# What cannot be tested gets a sentence, and nothing that could be read as a verdict:
# says SENTENCE BEFORE AFTER, both lists of loads.
says() {
	local word

	make before.json . $2
	make after.json "$patched" $3
	run -0 compare before.json after.json
	[[ "${output//$'\n  '/ }" == *"$1"* ]] || { echo "$output"; return 1; }
	compare --format json before.json after.json >json
	jq -e '.pairs[0].metrics[0] | .verdict == null and .obstacle != null and .p == null and .ci_low == null' json
	[[ "$output" != *"pp ["* ]]
	for word in MORE LESS SAME DISTINGUISHABLE; do
		[[ "$output" != *"$word"* ]]
	done
	for word in text mail markdown; do
		run -0 compare --format $word before.json after.json
		run ! grep -iE 'nan|inf\b' <<<"$output"
	done
	run -4 compare --fail-on more before.json after.json
}

@test "what cannot be tested gets a sentence, never a verdict" {
	says "CANNOT TEST: one run has no spread to judge by. Three or more a side are needed." 5 6
	says "CANNOT TEST: one run has no spread to judge by. Three or more a side are needed." "5 6 7" 6
	says "EQUAL: all values are 5.000 %. Without spread there is nothing to test." "5 5 5" "5 5"
	says "EQUAL: all values are 0.0 %." "0 0" "0 0"
	says "CANNOT TEST: neither side has any spread, so nothing says how much of the change could be chance." "5 5 5" "6 6"
	says "CANNOT TEST: both sides have the same values, run by run, as the same runs have." "5 6 7" "5 6 7"
	says "CANNOT TEST: the values are too large to be computed with." "1e300 2e305" "5 6"
	patched+=' | .runs[].failed = true' says "CANNOT TEST: no good run of after has this figure." "5 6" "5 6"
}

@test "an interval that ends at 0 keeps its sign, and the words say the same" {
	printf '%s\n' 1.0 2.0 3.0 >before
	printf '%s\n' 3.3 4.3 5.3 >after
	run -0 --separate-stderr compare --format-in values --confidence 95 before after
	[[ "$output" == *"change    +2.3 [+0.0, +4.6]"*"MORE in after, by up to 4.6."* ]]
	printf '%s\n' 3.3 4.2 5.4 >after
	run -0 --separate-stderr compare --format-in values before after
	[[ "$output" == *"change    +2.3 [-0.0, +4.6]"*"NOT DISTINGUISHABLE: after could be anything from 0.0 less"* ]]
	printf '%s\n' 3.3 4.3 5.3 >after
	run -0 --separate-stderr compare --format-in values --format mail before after
	[[ "$output" == *"CI95 [+0.0, +4.6], p=0.04"*": more"* ]]
}

@test "how many runs it takes is said for the smallest change that matters" {
	make_three
	run -0 compare --min-effect 0.1pp before.json after.json
	[[ "${output//$'\n  '/ }" == *"one of 0.10 pp takes 16 runs a side."* ]]
	run -0 compare --min-effect 0.4pp before.json after.json
	[[ "$output" == *"NOT DISTINGUISHABLE"*"more (80 % power)."* ]]
	for size in 0.5 0.5pp 10%; do
		run -0 compare --min-effect $size before.json after.json
		[[ "$output" == *"SAME WITHIN 0.5"*" pp: after is 0.18 pp less to 0.44 pp more."* ]]
	done
	run -0 compare --min-effect 0.5pp --format markdown before.json after.json
	[[ "$output" == *"| SAME WITHIN 0.50 pp |"* ]]
	run -0 compare --min-effect 0.5pp --format mail before.json after.json
	[[ "$output" == *": same within 0.50 pp" ]]
}

@test "--fail-on: 3 when more is proven, 4 when it cannot be tested, 0 else" {
	make_ten
	run -3 compare --fail-on more before.json after.json
	[[ "$output" == *"MORE in after"* ]]
	run -3 compare --fail-on more:0.1pp before.json after.json
	run -3 compare --fail-on more:2% before.json after.json
	run -0 compare --fail-on more:0.14 before.json after.json
	run -0 compare --fail-on more:3% before.json after.json
	run -0 compare --fail-on more after.json before.json
	run -0 compare --fail-on more --min-effect 0.2pp before.json after.json
	run -4 compare --fail-on more --metric elapsed before.json after.json
	make three.json "$patched" "${AFTER[@]}"
	make one.json "$patched" 5.3
	run -4 compare --fail-on more one.json three.json after.json
	run -3 compare --fail-on more before.json one.json after.json
	for wrong in less more: more:0 more:x more:0.1s moremore ''; do
		run -125 compare --fail-on "$wrong" before.json after.json
		assert_one_line "$output"
	done
	run -125 compare --fail-on more:0.1pp --metric elapsed before.json after.json
	[[ "$output" == *"percentage points say nothing of elapsed"* ]]
}

# Of throughput more is what one wants.
@test "--fail-on watches what more is bad of, unless it is asked for" {
	seq 1 5 | sed 's/.*/102400 bytes (102 kB, 100 KiB) copied, 0.0&0 s, 1.0 MB\/s/' >before
	seq 4 8 | sed 's/.*/902400 bytes (102 kB, 100 KiB) copied, 0.0&0 s, 1.0 MB\/s/' >after
	run --separate-stderr compare --format-in dd --format csv --fail-on more before after
	[ "$status" = 3 ]
	run -3 --separate-stderr compare --format-in dd --metric elapsed --fail-on more before after
	run -0 --separate-stderr compare --format-in dd --metric elapsed --fail-on more after before
	[[ "$output" == *"elapsed, s"*"LESS in before (better)"* ]]
}

@test "unlike machines, CPU sets and bodies are refused with a table, kernels are not" {
	make before.json . "${BEFORE[@]}"
	for pair in '.environment.cpu_model = "Y"|CPU model * X -> Y' '.environment.cpus = [0]|CPUs * 0-1 -> 0' \
		'.environment.body = "pause"|soaker body * alu -> pause' \
		'.environment.body_version = 2|soaker body?s version * 1 -> 2'; do
		make after.json "$patched | ${pair%%|*}" "${AFTER[@]}"
		run -2 --separate-stderr compare before.json after.json
		[ -z "$output" ]
		[[ "$stderr" == "soakctl compare: before and after were not measured alike (--force compares"* ]]
		# shellcheck disable=SC2053 # a pattern
		[[ "$stderr" == *${pair#*|}* ]]
		run -0 compare --force before.json after.json
		[[ "$output" == *"NOT DISTINGUISHABLE"*"these sides are of unlike machines or soakers (--force)"* ]]
		run -0 compare --force --format mail before.json after.json
		[[ "$output" == *"of unlike machines or soakers (--force)"* ]]
	done
	run -2 --separate-stderr compare --format json before.json before.json after.json
	[ -z "$output" ]
}

@test "three files: each is compared with the first" {
	make_three
	make third.json '.runs[].boot_id = "b3"' 6.1 6.2 6.3
	run -0 compare before.json after.json third.json
	[[ "$output" == *"before: "*"after:  "*"NOT DISTINGUISHABLE: after"*"before: "*"third:  "*"MORE in third (worse)"* ]]
	run -0 compare --format csv before.json after.json third.json
	[ "${#lines[@]}" = 3 ]
	run -0 compare --label old,new,newest before.json after.json third.json
	[[ "$output" == *"MORE in newest"* ]]
	run -0 compare --label old before.json after.json
	[[ "$output" == *"old:   "*"after: "* ]]
}

@test "a file with itself, as one file twice and as one series twice" {
	make before.json . "${BEFORE[@]}"
	run -0 compare before.json before.json
	[[ "$output" == *"before#1"*"before#2"*"CANNOT TEST: both sides have the same values"* ]]
	[[ "$output" == *"note: same command, kernel and boot on both sides"* ]]
	make again.json . 5.03 5.22 5.29
	run -0 compare before.json again.json
	[[ "$output" == *"NOT DISTINGUISHABLE"*"this is an A/A comparison"* ]]
}

@test "--metric: soakctl's, the command's own, several, and what nobody has" {
	own='.metrics = [{name: "lat", unit: "us", better: "lower"}] |
		.runs |= map(.metrics.lat = .load_ratio * 1000 | .elapsed_seconds = .load_ratio)'
	make before.json "$own" "${BEFORE[@]}"
	make after.json "$own | $patched" "${AFTER[@]}"
	run -0 compare --metric lat before.json after.json
	[[ "$output" == *"lat, us"*"+1.3 us [-1.8, +4.4]"* ]]
	[[ "$output" != *"CPU load"* ]]
	run -0 compare --format csv --metric elapsed --metric lat --metric untrimmed before.json after.json
	[ "$(cut -d, -f1 <<<"$output" | paste -sd' ')" = "metric elapsed lat untrimmed" ]
	run -0 compare --format csv before.json after.json
	[ "$(cut -d, -f1 <<<"$output" | paste -sd' ')" = "metric load elapsed lat" ]
	run -0 compare --metric hidden before.json after.json
	[[ "$output" == *"CANNOT TEST: no good run of either side has this figure."* ]]
	run -125 compare --metric latency before.json after.json
	[[ "$output" == *"--metric latency: neither a figure of soakctl's (load, "*" nor one of these files" ]]
	assert_one_line "$output"
}

@test "--trim trims anew what has samples, and says what has none" {
	make before.json . "${BEFORE[@]}"
	samples='.runs |= map(.load_ratio as $l | .untrimmed_load_ratio = $l + 0.09 |
		.samples = {load_ratio: ([range(9) | $l] + [$l + 0.9]), elapsed_seconds: [range(10) | 1], cpus: []})'
	make with.json "$samples" "${BEFORE[@]}"
	make after.json "$samples | $patched" "${AFTER[@]}"
	run -2 compare --trim 0 before.json with.json
	[ "$output" = "soakctl compare: --trim: before.json: its runs have no samples to trim anew" ]
	run -0 compare --trim 10% with.json after.json
	[[ "$output" == *"5.17  [4.84, 5.51]"* ]]
	run -0 compare --trim 0 with.json after.json
	[[ "$output" == *"14.17  [13.84, 14.51]"* ]]
	make other.json "$samples | $patched | del(.trim_ratio) | .trim_count = 1" "${AFTER[@]}"
	run -0 compare with.json other.json
	[[ "$output" == *"note: the sides were trimmed differently: --trim trims them alike"* ]]
	[[ "$output" == *"note: trimming takes 9.00 pp off the load of with, which comes in"* ]]
	[[ "${output//$'\n        '/ }" == *"note: without trimming the change is +0.13 pp [-0.18, +0.44]: NOT DISTINGUISHABLE"* ]]
	run -0 compare --trim 1 with.json other.json
	[[ "$output" != *"trimmed differently"* ]]
	for wrong in 50% -1 x ''; do
		run -125 compare --trim "$wrong" with.json after.json
		assert_one_line "$output"
	done
}

@test "--confidence and --robust" {
	make_three
	run -0 compare --confidence 99 before.json after.json
	[[ "$output" == *"99% CI"*"[-0.53, +0.80]"* ]]
	run -0 compare --confidence 99 --format markdown before.json after.json
	[[ "$output" == *"change [99 % CI]"* ]]
	run -0 compare --robust before.json after.json
	[[ "$output" == *"Welch t 1.67"*"note: --robust needs 10 runs a side: this is the plain Welch test"* ]]
	make_ten
	run -0 compare --robust before.json after.json
	[[ "$output" == *"Yuen t (20 % trimmed) 3.44, df 6.4, p 0.012, 10 + 10 runs;"*"Mann-Whitney p 8.7e-05"*"MORE in after"* ]]
	for wrong in 100 49 0.95 99.999 x ''; do
		run -125 compare --confidence "$wrong" before.json after.json
		assert_one_line "$output"
	done
}

@test "files that cannot be used: one line, status 2, nothing on stdout" {
	make before.json . "${BEFORE[@]}"
	jq '.schema_version = "2.0\u001b[31m"' before.json >newer.json
	jq '.runs = 5' before.json >runs.json
	printf '{"a": \033[31m}' >escape.json
	: >empty.json
	head -c 99 before.json >torn.json
	echo '[]' >list.json
	for file in no-such.json newer.json runs.json escape.json empty.json torn.json list.json . /dev/null; do
		run -2 --separate-stderr compare before.json "$file"
		[ -z "$output" ]
		assert_one_line "$stderr"
		[[ "$stderr" == "soakctl compare: $file:"* ]]
		run ! grep -P '[^ -~]' <<<"$stderr"
	done
	run -2 --separate-stderr compare before.json
	[ "$stderr" = "soakctl compare: before.json holds one side: give the file to compare it with" ]
	run -125 --separate-stderr compare
	[[ "$stderr" == *"no file given"* ]]
	run -125 --separate-stderr compare --format html before.json before.json
	assert_one_line "$stderr"
	run -125 --separate-stderr compare --label a,b,c before.json before.json
	[[ "$stderr" == *"--label a,b,c: takes at most 2 names"* ]]
	run -125 --separate-stderr compare --label a, before.json before.json
	assert_one_line "$stderr"
}

@test "a full disk and a reader who has left are told, also when more is proven" {
	make_ten
	for format in text markdown csv json mail; do
		run -125 --separate-stderr bash -c '"$SOAKCTL" compare --format '$format' before.json after.json >/dev/full'
		assert_one_line "$stderr"
		run -125 --separate-stderr bash -c '"$SOAKCTL" compare --format '$format' before.json after.json >&-'
		assert_one_line "$stderr"
	done
	run -125 --separate-stderr bash -c '"$SOAKCTL" compare --fail-on more before.json after.json >/dev/full'
	assert_one_line "$stderr"
	[ -n "$stderr" ]
}

@test "a thousand runs, and twenty figures" {
	make before.json . $(seq 5 0.001 5.999)
	make after.json "$patched" $(seq 5.1 0.001 6.099)
	run -0 compare before.json after.json
	[[ "$output" == *"before  1000  5.500  [5.482, 5.517]  0.289"*"MORE in after"* ]]
	[[ "$output" == *"before drifts by +0.001 pp from run to run"* ]]
	run -0 compare --format mail before.json after.json
	[[ "$output" == *"before: 5.500% (mean of 1000)"* ]]
	own='.metrics = [range(20) | {name: "figure \(.)", unit: "s", better: "higher", decimals: 1}] |
		.runs |= map(.load_ratio as $l | .metrics = ([range(20) | {"figure \(.)": ($l * 1000 + . | round)}] | add))'
	make before.json "$own" "${BEFORE10[@]}"
	make after.json "$patched | $own" "${AFTER10[@]}"
	run -0 compare --min-effect 1% before.json after.json
	assert_plain <<<"$output"
	[[ "$output" == *$'figure 19, s\n  70.80 -> 72.10, +1.30 s [+0.57, +2.03] (+1.8 %): MORE (better)'* ]]
	[ "$(grep -c '^figure' <<<"$output")" = 20 ]
	[[ "${output//$'\n        '/ }" == *"note: 21 figures are compared, each at 95 %: one in 20 differs by chance alone"* ]]
}

# Both take every FILE: accepted FILE...
accepted() {
	run -0 validate_python "$SOAK_SCHEMAS/compare.schema.json" "$@"
	! has_ajv || run -0 validate_ajv "$SOAK_SCHEMAS/compare.schema.json" "$@"
}

# Both refuse a copy of FILE after a jq filter: refused FILE FILTER
refused() {
	echo "$2"
	jq "$2" "$1" >broken.json
	run -1 validate_python "$SOAK_SCHEMAS/compare.schema.json" broken.json
	! has_ajv || run -1 validate_ajv "$SOAK_SCHEMAS/compare.schema.json" broken.json
}

@test "the schema takes comparisons of all kinds, and refuses broken ones" {
	make_three
	make one.json "$patched" 5.3
	make ten.json . "${AFTER10[@]}"
	compare --format json --min-effect 0.1pp before.json after.json one.json >good.json
	compare --format json --robust ten.json ten.json >robust.json
	printf '%s\n' 1 2 >log
	compare --format json --format-in values log log >imported.json
	jq -n --slurpfile a before.json --slurpfile b after.json '{schema_version: "1.0", kind: "sides",
		design: "abba", order: null, stopped_by: "--until-ci 1%", sides: [$a[0], $b[0]]}' >ab.json
	compare --format json ab.json >paired.json
	accepted good.json robust.json imported.json paired.json
	jq '.new = 1 | .pairs[0].new = [] | .schema_version = "1.3"' good.json >later.json
	accepted later.json
	while IFS= read -r filter; do
		refused good.json "$filter"
	done <<-'FILTERS'
		del(.confidence)
		.kind = "side"
		.schema_version = "2.0"
		.sides |= .[:1]
		.sides[0].command = "./bench"
		del(.sides[1].boots)
		.pairs = []
		.pairs[0].first = 1
		.pairs[0].notes = [1]
		.pairs[0].differences[0].kind = "small"
		.pairs[0].metrics = []
		.pairs[0].metrics[0].verdict = "significant"
		.pairs[0].metrics[0].verdict = null
		.pairs[0].metrics[0].obstacle = "one value"
		.pairs[1].metrics[0].verdict = "more"
		.pairs[0].metrics[0].p = 1.5
		.pairs[0].metrics[0].p = null
		.pairs[0].metrics[0].first.values[0] = null
		del(.pairs[0].metrics[0].second.sd)
		.pairs[0].metrics[0].replicates_needed = 0.5
	FILTERS
}

@test "documents that were broken at random are compared or refused" {
	make_three
	own='.metrics = [{name: "lat", unit: "us", better: "higher", decimals: 2}] | .environment.mitigations = {a: "on"} |
		.runs |= map(.metrics.lat = .load_ratio * 1000 | .elapsed_seconds = .load_ratio | .boot_id = "b\(.run_index % 2)" |
			.cpus = [{cpu: 0, load_ratio: 0.1, idle_floor_ratio: 0.01}] |
			.samples = {load_ratio: [0.1, 0.2, 0.3, 0.1, 0.1, 0.1], cpus: [{cpu: 0, taken_ppm: [1000, 2000]}]})'
	make full.json "$own" "${BEFORE10[@]}"
	jq -n --slurpfile a before.json --slurpfile b after.json '{schema_version: "1.0", kind: "sides",
		design: "abba", order: null, stopped_by: "--until-ci 1%", sides: [$a[0], $b[0]]}' >ab.json
	run -0 python3 "$BATS_TEST_DIRNAME/mutate.py" "$SOAKCTL" 200 before.json after.json full.json ab.json
}

@test "every comparison of these tests fits the schema" {
	check_collected
}
