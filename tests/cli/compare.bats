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
