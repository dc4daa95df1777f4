#!/usr/bin/env bats
# Run files: what soakctl run -o writes, what becomes of it when something goes wrong, and what
# recover and report read. All but the last tests have a daemon that answers what it is told
# (fake-soakd.py).

load common

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export SOAKD_SOCKET="$PWD/nobody"
	export SOAKD="$BATS_TEST_DIRNAME/fake-soakd.py"
	export FAKE_SOAKD_SAMPLES=10
}

teardown() {
	if [ -n "$mounted" ]; then
		umount "$mounted"
	fi
	if [ -n "$daemon_socket" ]; then
		"$SOAK_BUILD/soakd" stop --socket "$daemon_socket" >/dev/null
		wait_for 10 no_soak_processes
	fi
}

soakrun() {
	"$SOAKCTL" run --settle 0 "$@"
}

# A new folder that is a file system of its own, with these options.
mount_small() {
	[ "$(id -u)" -eq 0 ] || skip "only root mounts"
	mkdir small
	mount -t tmpfs -o "$1" tmpfs small || skip "no tmpfs can be mounted"
	mounted="$PWD/small"
}

# A command that says its pid in the file "begun" and then sleeps.
start_sleeping() {
	"$SOAKCTL" run --settle 0 "$@" -- sh -c 'echo $$ >begun.new; mv begun.new begun; exec sleep 61' >out 2>err &
	soakctl_pid=$!
	wait_for 10 test -e begun
}

# End the command of start_sleeping, and wait for its soakctl.
end_sleeping() {
	local status=0
	kill "$(cat begun)"
	wait "$soakctl_pid" || status=$?
	echo "status $status"
	cat err
	[ "$status" = "$1" ]
}

# End soakctl as a crash would, and then the command that it has left.
kill_soakctl() {
	kill -KILL "$soakctl_pid"
	wait "$soakctl_pid" || true
	kill "$(cat begun)"
}

# One of a finished run and one that was cut off after two samples, written by hand.
write_journal() {
	cat >"$1" <<-'END'
		{"journal_version":"1.0","output":"a.json","replaces":false,"document":{"schema_version":"1.0","kind":"side","label":"before","command":["true"],"runs_requested":3,"partial":true,"trim_ratio":0.1,"environment":{"cpus":[0]},"metrics":[],"work":null,"runs":[],"warmups":[],"odd":{"kept":1}}}
		{"run_begin":{"side":0,"is_warmup":false,"run_index":1,"monotonic_seconds":10.0,"time":"2026-12-01T00:00:00.000Z"}}
		{"sample":{"monotonic_seconds":11.0,"elapsed_seconds":1.0,"load_ratio":0.1,"cpus":[{"cpu":0,"valid":true,"taken_ratio":0.1,"slowed_ratio":0.0,"interruptions":5}]}}
		{"sample":{"monotonic_seconds":13.5,"elapsed_seconds":1.0,"load_ratio":0.9,"cpus":[{"cpu":0,"valid":true,"taken_ratio":0.9,"slowed_ratio":0.0,"interruptions":5}]}}
		{"run_end":{"side":0,"is_warmup":false,"run":{"run_index":1,"failed":false,"incomplete":false,"load_ratio":0.1,"untrimmed_load_ratio":0.1,"elapsed_seconds":2.0,"exit_status":0}}}
		{"run_begin":{"side":0,"is_warmup":false,"run_index":2,"monotonic_seconds":20.0,"time":"2026-12-01T00:00:10.000Z"}}
		{"sample":{"monotonic_seconds":20.5,"elapsed_seconds":1.0,"load_ratio":0.7,"cpus":[]}}
		{"sample":{"monotonic_seconds":21.5,"elapsed_seconds":1.0,"load_ratio":0.2,"cpus":[{"cpu":0,"valid":true,"taken_ratio":0.2,"slowed_ratio":0.0,"interruptions":5}]}}
		{"sample":{"monotonic_seconds":22.5,"elapsed_seconds":1.0,"load_ratio":0.4,"cpus":[{"cpu":0,"valid":true,"taken_ratio":0.4,"slowed_ratio":0.0,"interruptions":5}]}}
	END
}

@test "a run file holds what --json writes, and its samples" {
	export FAKE_SOAKD_LOADS=0.0502,0.0523,0.0527
	run -0 --separate-stderr soakrun -n 3 -w 1 --label before -o a.json --json -- true
	jq -e --argjson written "$output" '. == $written' a.json
	jq -e '.schema_version == "1.0" and .kind == "side" and .metrics == [] and .work == null' a.json
	jq -e '.partial == false and (.runs | length) == 3 and (.warmups | length) == 1' a.json
	jq -e '.runs[] | .incomplete == false and .failed == false and (.boot_id | length) > 0 and
		.kernel == $kernel' --arg kernel "$(uname -r)" a.json
	jq -e '[.runs[].samples, .warmups[].samples] | all(
		(.monotonic_seconds | length) == 10 and (.load_ratio[0] == 0.0517) and
		([.cpus[].cpu] == [0, 1]) and (.cpus | all((.taken_ppm | length) == 10 and
		(.slowed_ppm | length) == 10 and .interruptions[9] == 1804)))' a.json
	[ ! -e a.json.part ]
	collect run-file <a.json
	run -0 --separate-stderr soakrun -o b.json -- true
	[ -z "$output" ]
	[ "$(tail -n 1 <<<"$stderr")" = "saved b.json" ]
	run -0 --separate-stderr soakrun -o c.json -q -- true
	[ "$stderr" = 5.02 ]
	jq -e .kind c.json
}

@test "what machine it was stands in it, and no variable does" {
	export SECRET_OF_MINE=hunter2
	run -0 soakrun -o a.json -- true
	jq -e '.environment | .hostname == $host and .kernel_version == $version and
		.memory_bytes > 0 and (.mitigations | type) == "object" and (.smt | type) == "string" and
		(.virtualisation | type) == "string" and (.calibration | .source) == "measured" and
		.kernel_command_line == $line' --arg host "$(uname -n)" --arg version "$(uname -v)" \
		--arg line "$(cat /proc/cmdline)" a.json
	run ! grep -q hunter2 a.json
}

@test "an existing file is refused before anything runs" {
	echo precious >a.json
	run -125 soakrun -o a.json -- touch mark
	assert_one_line "$output"
	[[ "$output" == "soakctl run:"*a.json*exists*--append*--force* ]]
	[ "$(cat a.json)" = precious ]
	[ ! -e mark ]
	[ ! -e a.json.part ]
	run -0 soakrun -o a.json --force -- touch mark
	jq -e '.runs | length == 1' a.json
	run -125 soakrun --append -- touch other
	assert_one_line "$output"
	[ ! -e other ]
}

@test "what can never become the file is refused before anything runs" {
	mkdir folder
	for path in folder . no/such/folder/x a.json/x "" "$(printf 'x%.0s' {1..260})"; do
		[ "$path" != a.json/x ] || touch a.json
		run -125 soakrun -o "$path" -- touch mark
		assert_one_line "$output"
		[[ "$output" == "soakctl run:"* ]]
		[ ! -e mark ]
	done
	[ -z "$(find . -name '*.part')" ]
}

@test "what has room for its journal has room for itself" {
	long=$(printf 'x%.0s' {1..250})
	run -0 soakrun -o "$long" -- true
	jq -e .kind "$long"
	[ "$(find . -type f -name 'x*')" = "./$long" ]
}

@test "--append adds runs to those of the file, which keeps what is not understood" {
	export FAKE_SOAKD_LOADS=0.05
	run -0 soakrun -n 2 -o a.json -- true
	jq '.odd = {"a": [1]} | .runs[0].odd = "b" | .schema_version = "1.3"' a.json >b.json
	export FAKE_SOAKD_LOADS=0.08
	run -0 soakrun -o b.json --append -- true
	jq -e '[.runs[].run_index] == [1, 2, 3] and .runs_requested == 3 and .partial == false' b.json
	jq -e '.odd == {"a": [1]} and .runs[0].odd == "b"' b.json
	jq -e '.summary.load_ratio | .n == 3 and (.mean - 0.06 | fabs) < 1e-12' b.json
	[[ "$output" == *"3/3"*"3 runs"* ]]
	[ ! -e b.json.part ]
	collect run-file <b.json
	# What was missing before still is.
	jq '.runs_requested = 5 | .partial = true' a.json >d.json
	run -0 soakrun -o d.json --append -- true
	jq -e '.partial and .runs_requested == 6' d.json
	[[ "$output" == *"partial: 3 of 6 runs"* ]]
	# Numbers without sense are none.
	for number in 9223372036854775807 -9223372036854775807 '"x"' null 0; do
		sed "s/\"runs_requested\":2/\"runs_requested\":$number/" a.json >e.json
		run -0 soakrun -o e.json --append -- true
		jq -e '.runs_requested == 3' e.json
	done
	# To a file that is not there, they are the first.
	run -0 soakrun -o c.json --append -- true
	jq -e '.runs | length == 1' c.json
}

@test "--append keeps runs of another kind apart" {
	run -0 soakrun -o a.json -- true
	cp a.json kept
	run -125 soakrun -o a.json --append -- sh -c 'touch mark'
	[[ "$output" == *"--append"*command*"sh -c touch mark"* ]]
	run -125 soakrun -o a.json --append --body pause -- true
	[[ "$output" == *"--append"*body*alu*pause* ]]
	run -125 soakrun -o a.json --append --cpus 1 -- true
	[[ "$output" == *"--append"*CPU* ]]
	cmp a.json kept
	[ ! -e mark ]
	[ ! -e a.json.part ]
	jq '.environment.cpu_model = "Another"' kept >a.json
	run -125 soakrun -o a.json --append -- true
	[[ "$output" == *"--append"*Another* ]]
	run -0 soakrun -o a.json --append --force -- true
	jq -e '[.runs[].run_index] == [1, 2] and .environment.cpu_model == "Another"' a.json
	collect run-file <a.json
}

@test "--append to what is no run file is refused, and leaves it" {
	: >empty
	echo '{"schema_version": "2.0", "runs": []}' >newer
	echo '{"schema_version": "1.0", "runs": [3]}' >types
	echo '{"schema_version": "1.0", "runs": [{"load_ratio": NaN}]}' >nan
	echo '{"schema_version": "1.0", "sides": [{"runs": []}, {"runs": []}]}' >sides
	truncate -s 2G zeros
	for file in empty newer types nan sides zeros; do
		cksum=$(head -c 100 $file | cksum)
		run -125 timeout 20 "$SOAKCTL" run --settle 0 -o $file --append -- touch mark
		assert_one_line "$output"
		[[ "$output" == "soakctl run: "*$file* ]]
		[ "$(head -c 100 $file | cksum)" = "$cksum" ]
		[ ! -e mark ]
		[ ! -e $file.part ]
	done
	rm zeros
}

@test "a device stays one, and - is stdout" {
	run -0 soakrun -o /dev/null -- true
	[ -c /dev/null ]
	run -0 --separate-stderr soakrun -o - -- true
	jq -e .kind <<<"$output"
	[ ! -e ./- ]
	run -125 --separate-stderr soakrun -o /dev/full --json -- true
	jq -e .kind <<<"$output"
	assert_one_line "$stderr"
	[[ "$stderr" == *"NOT SAVED"*/dev/full*"No space left"* ]]
}

@test "a link to a file stays one" {
	mkdir folder
	ln -s folder/a.json link
	# To a file that is not there yet, it is refused before anything runs.
	run -125 soakrun -o link -- touch mark
	assert_one_line "$output"
	[[ "$output" == *"-o link"*link* ]]
	[ ! -e mark ]
	run -0 soakrun -o folder/a.json -- true
	run -0 soakrun -o link --append -- true
	[ -L link ]
	jq -e '.runs | length == 2' folder/a.json
}

@test "what was measured is saved when a run fails or soakd goes" {
	run -1 soakrun -n 2 -o a.json -- false
	jq -e '[.runs[].failed] == [true, true]' a.json
	FAKE_SOAKD_DIE_AFTER=run.end run -125 soakrun -n 3 -o b.json -- true
	[[ "$output" == *"saved b.json"* ]]
	jq -e '.partial and (.runs | length) >= 1' b.json
	collect run-file <a.json
	collect run-file <b.json
	[ -z "$(find . -name '*.part')" ]
}

@test "what was measured is saved when a signal ends it" {
	start_sleeping -n 3 -o a.json
	kill -TERM "$soakctl_pid"
	status=0
	wait "$soakctl_pid" || status=$?
	[ "$status" -eq 143 ]
	grep -x "saved a.json" err
	jq -e '.partial and (.runs | length) == 1 and .runs[0].failed' a.json
	[ ! -e a.json.part ]
	collect run-file <a.json
}

@test "nothing measured leaves nothing" {
	FAKE_SOAKD_REFUSE="no" run -125 soakrun -o a.json -- true
	run -125 soakrun -o a.json --prepare false -- true
	run -125 soakrun -o a.json --body memory --cpus 7 -- true
	[ -z "$(find . -name 'a.json*')" ]
}

@test "two cannot write the same file" {
	start_sleeping -o a.json
	run -125 soakrun -o a.json -- touch mark
	assert_one_line "$output"
	[[ "$output" == *a.json*"another soakctl"* ]]
	run -125 soakrun -o a.json --force -- touch mark
	run -2 "$SOAKCTL" recover a.json.part
	assert_one_line "$output"
	[[ "$output" == *a.json.part*"a soakctl that runs"* ]]
	[ ! -e mark ]
	end_sleeping 143
	jq -e '.runs | length == 1' a.json
}

@test "appending at the same time loses no run" {
	run -0 soakrun -o a.json -- true
	append_five() {
		local n=0 tries=0

		until [ $n -ge 5 ]; do
			tries=$((tries + 1))
			[ $tries -lt 5000 ] || return 1
			"$SOAKCTL" run --settle 0 -q -o a.json --append -- true 2>>err && n=$((n + 1))
		done
	}
	for i in 1 2 3 4; do
		append_five &
		pids[i]=$!
	done
	for i in 1 2 3 4; do
		wait "${pids[i]}"
	done
	jq -e '[.runs[].run_index] == [range(1; 22)] and .runs_requested == 21' a.json
	[ "$(grep -vx 5.00 err | sort -u | wc -l)" -eq 1 ]
	grep -q "another soakctl" err
}

@test "a file that somebody made meanwhile is left, and the journal is whole" {
	start_sleeping -o a.json
	echo precious >a.json
	end_sleeping 125
	grep "NOT SAVED.*a.json.*recover a.json.part" err
	[ "$(cat a.json)" = precious ]
	run -0 "$SOAKCTL" recover a.json.part -o b.json
	jq -e '.runs | length == 1' b.json
}

@test "a folder that cannot be written is said at once, and measured all the same" {
	mount_small ro
	run -125 --separate-stderr soakrun -o small/a.json --json -- touch mark
	[ -e mark ]
	jq -e '.runs | length == 1' <<<"$output"
	[[ "${stderr_lines[0]}" == *small/a.json*Read-only* ]]
	[[ "${stderr_lines[-1]}" == *"NOT SAVED"*small/a.json*Read-only* ]]
	[ "${#stderr_lines[@]}" -eq 2 ]
}

@test "a full disk costs the file, not the report nor the old file" {
	mount_small size=64k
	run -0 soakrun -o small/old.json -- true
	cp small/old.json kept
	# All but what the journal's first lines take.
	dd if=/dev/zero of=small/fill bs=4k count=$((64 / 4 - 6)) status=none
	run -125 --separate-stderr soakrun -n 9 -o small/a.json -- true
	[[ "$stderr" == *"CPU load"*"NOT SAVED"*small/a.json*"No space left"* ]]
	[[ "$stderr" != *"saved small"* ]]
	run -125 --separate-stderr soakrun -n 9 -o small/old.json --force -- true
	[[ "$stderr" == *"NOT SAVED"* ]]
	cmp small/old.json kept
	[ -z "$(find small -name '*.tmp')" ]
}

@test "a folder that vanishes costs the file, not the report" {
	mkdir folder
	start_sleeping -o folder/a.json
	rm -r folder
	end_sleeping 125
	grep "CPU load" err
	tail -n 1 err | grep "NOT SAVED.*folder/a.json.*No such file"
	run ! grep -q recover err
}

@test "a journal that was left is not written over, and recover makes a file of it" {
	start_sleeping -n 2 -o a.json
	kill_soakctl
	cp a.json.part kept
	run -125 soakrun -o a.json -- touch mark
	assert_one_line "$output"
	[[ "$output" == *a.json.part*"soakctl recover a.json.part"* ]]
	[ ! -e mark ]
	cmp a.json.part kept
	run -0 "$SOAKCTL" recover a.json.part
	jq -e '.partial and (.runs | length) == 1 and (.runs[0] | .incomplete and .failed)' a.json
	[ ! -e a.json.part ]
	collect run-file <a.json
	# --force does, but only once a series begins.
	cp kept a.json.part
	FAKE_SOAKD_REFUSE="no" run -125 soakrun -o a.json --force -- true
	cmp a.json.part kept
	run -0 soakrun -o a.json --force -- true
	jq -e '.partial == false and .runs[0].incomplete == false' a.json
	[ ! -e a.json.part ]
}

@test "recover keeps whole runs whole, and what the last samples say" {
	write_journal a.json.part
	run -0 "$SOAKCTL" recover a.json.part
	[[ "$output" == *"1 whole run"*"2 samples of 1 that was cut off"*"saved a.json"* ]]
	jq -e '.kind == "side" and .partial and .odd == {"kept": 1}' a.json
	# The second sample ended behind the first run, the first began before the second.
	jq -e '.runs[0].samples.load_ratio == [0.1] and .runs[1].samples.load_ratio == [0.2, 0.4]' a.json
	jq -e '.runs[1] | .run_index == 2 and .incomplete and .failed and
		(.load_ratio - 0.3 | fabs) < 1e-9 and .elapsed_seconds == 2.5' a.json
	jq -e '.summary.load_ratio | .n == 1 and .mean == 0.1' a.json
	run -0 "$SOAKCTL" report a.json
	[[ "$output" == *"1/3"*"2/3"*"10.00 %  one run"* ]]
	run -0 "$SOAKCTL" report --trim 0 a.json
}

@test "recover keeps the samples of a run whose end is damaged" {
	# Torn where another run was still measured behind it.
	write_journal whole
	sed '5s/"run_index"/run_index/' whole >a.json.part
	run -0 "$SOAKCTL" recover a.json.part
	[[ "$output" == *"0 whole runs and 4 samples of 2 that were cut off; 1 torn line"* ]]
	jq -e '[.runs[] | .incomplete and .failed] == [true, true] and
		.runs[0].samples.load_ratio == [0.1, 0.9] and .runs[1].samples.load_ratio == [0.2, 0.4]' a.json
}

@test "recover makes a whole series whole" {
	write_journal long
	head -n 5 long | sed '1s/"runs_requested":3/"runs_requested":1/' >a.json.part
	run -0 "$SOAKCTL" recover a.json.part
	jq -e '.partial == false and (.runs | length) == 1 and .summary.load_ratio.n == 1' a.json
	run -0 "$SOAKCTL" report a.json
	[[ "$output" != *partial* ]]
}

@test "recover brings back both sides of soakctl ab, and their order" {
	run -0 "$SOAKCTL" ab --settle 0 -n 2 -w 1 -o whole.json -- true -- :
	jq -e '.order == ["A", "B", "B", "A"]' whole.json
	# Warm-up, two of the first block A B B A, two of the second, B A A B: it hangs in the last.
	cat >b <<-'END'
		#!/bin/sh
		echo >>count
		[ "$(wc -l <count)" -lt 5 ] || { echo $$ >begun.new; mv begun.new begun; exec sleep 61; }
	END
	chmod +x b
	"$SOAKCTL" ab --settle 0 -n 4 -w 1 -o ab.json -- true -- ./b 2>err &
	soakctl_pid=$!
	wait_for 10 test -e begun
	kill_soakctl
	run -0 "$SOAKCTL" recover ab.json.part
	jq -e '.kind == "sides" and .design == "abba" and
		.order == ["A", "B", "B", "A", "B", "A", "A", "B"]' ab.json
	jq -e '[.sides[].runs | length] == [4, 4] and [.sides[].warmups | length] == [1, 1] and
		(.sides[1].runs[3] | .incomplete) and ([.sides[].partial] | all)' ab.json
	run -0 "$SOAKCTL" report ab.json
	collect run-file <ab.json
}

@test "recover passes over torn lines" {
	write_journal whole
	# Cut anywhere: what was finished before is there.
	for bytes in 1 2 40 100; do
		head -c -$bytes whole >b.json.part
		run -0 "$SOAKCTL" recover b.json.part --force
		[[ "$output" == *"1 whole run"*"1 sample "*"1 torn line"* ]]
		jq -e '.runs[0].load_ratio == 0.1 and .runs[1].samples.load_ratio == [0.2]' b.json
	done
	{ cat whole; head -c 5000 /dev/zero; } >c.json.part
	run -0 "$SOAKCTL" recover c.json.part
	[[ "$output" == *"2 samples"*"1 torn line"* ]]
	{ sed 3d whole | sed '2a rubbish'; } >d.json.part
	run -0 "$SOAKCTL" recover d.json.part
	jq -e '.runs[0].samples.load_ratio == [] and .runs[0].load_ratio == 0.1' d.json
}

@test "recover refuses what it cannot use, in one line, and takes nothing away" {
	write_journal good.part
	: >empty.part
	head -n 1 good.part | head -c 50 >torn.part
	echo '{"some": "thing"}' >other.part
	sed 's/"journal_version":"1.0"/"journal_version":"2.0"/' good.part >newer.part
	sed 's/"schema_version":"1.0"/"schema_version":"2.0"/' good.part >newer2.part
	sed 's/"runs":\[\]/"runs":3/' good.part >types.part
	sed 's/"run":{/"run":3,"x":{/' good.part >run.part
	mkdir folder.part
	mkfifo pipe.part
	truncate -s 2G zeros.part
	for file in empty torn other newer newer2 types run folder pipe zeros nothing; do
		run -2 timeout 20 "$SOAKCTL" recover $file.part
		assert_one_line "$output"
		[[ "$output" == "soakctl recover: $file.part: "* ]]
		[ ! -e $file ]
		[ $file = nothing ] || [ -e $file.part ]
	done
	rm zeros.part
	run -125 "$SOAKCTL" recover
	assert_one_line "$output"
	run -125 "$SOAKCTL" recover good.part other.part
	assert_one_line "$output"
}

@test "recover does not write over a file unless told, and keeps the journal when it cannot save" {
	write_journal a.json.part
	echo precious >a.json
	run -125 "$SOAKCTL" recover a.json.part
	assert_one_line "$output"
	[[ "$output" == *a.json*--force* ]]
	[ "$(cat a.json)" = precious ]
	run -125 "$SOAKCTL" recover a.json.part -o no/such/b.json
	assert_one_line "$output"
	[ -e a.json.part ]
	cp a.json.part journal
	run -125 "$SOAKCTL" recover journal
	assert_one_line "$output"
	[[ "$output" == *"-o FILE"* ]]
	run -0 "$SOAKCTL" recover journal -o b.json
	[ ! -e journal ]
	cp a.json.part kept
	ln a.json.part hard
	ln -s a.json.part soft
	for name in a.json.part hard soft; do
		run -125 "$SOAKCTL" recover --force a.json.part -o $name
		assert_one_line "$output"
		cmp a.json.part kept
	done
	run -0 "$SOAKCTL" recover --force a.json.part
	jq -e --slurpfile b b.json '. == $b[0]' a.json
}

@test "report prints a file as run printed it" {
	soakrun -n 3 --label before -o a.json -- true 2>printed
	"$SOAKCTL" report a.json >again
	echo "saved a.json" >>again
	diff printed again
	run -0 "$SOAKCTL" report --json a.json
	jq -e --slurpfile a a.json '. == $a[0]' <<<"$output"
	run -0 "$SOAKCTL" report --per-cpu a.json
	[[ "$output" == *longest* ]]
	jq -n --slurpfile a a.json '{"schema_version": "1.0", "kind": "sides", "sides":
		[$a[0], ($a[0] | .label = "after")]}' >two.json
	run -0 "$SOAKCTL" report two.json a.json
	[ "$(grep -c ': true$' <<<"$output")" -eq 3 ]
	[[ "$output" == *"after: true"* ]]
	run -0 bash -c '"$SOAKCTL" report - <a.json'
	run -125 bash -c '"$SOAKCTL" report a.json >/dev/full'
}

@test "report --trim takes the samples of the file" {
	run -0 soakrun -n 2 -o a.json -- true
	# Nine of 5.17 % and one of 100 %.
	run -0 "$SOAKCTL" report --trim 0 --json a.json
	jq -e '.trim_count == 0 and .runs[0].samples_kept == 10 and
		(.runs[0].load_ratio - 0.14653 | fabs) < 1e-9' <<<"$output"
	run -0 "$SOAKCTL" report --trim 10% --json a.json
	jq -e '.trim_ratio == 0.1 and .runs[1].samples_cut == 2 and
		(.runs[1].load_ratio - 0.0517 | fabs) < 1e-9 and
		(.runs[1].cpus[1].load_ratio - 0.0517 | fabs) < 2e-6 and
		(.summary.load_ratio.mean - 0.0517 | fabs) < 1e-9' <<<"$output"
	run -0 "$SOAKCTL" report --trim 8 a.json
	[[ "$output" == *short*"2 runs are short"* ]]
	run -0 "$SOAKCTL" report --trim 8 --json a.json
	collect run-file <<<"$output"
	jq 'del(.runs[1].samples)' a.json >b.json
	run -2 "$SOAKCTL" report --trim 8 b.json
	assert_one_line "$output"
	[[ "$output" == *b.json*"no samples"* ]]
}

@test "report refuses options of a daemon with a file, and files that are none" {
	run -0 soakrun -o a.json -- true
	for options in "--last 30s" "--cpus 0" "--socket s"; do
		# shellcheck disable=SC2086
		run -125 "$SOAKCTL" report $options a.json
		assert_one_line "$output"
		[[ "$output" == *"${options%% *}"*a.json* ]]
	done
	: >empty
	mkdir folder
	head -c 1000 a.json >torn
	truncate -s 2G zeros
	jq '.schema_version = "2.0"' a.json >newer
	jq '.runs = {}' a.json >types
	sed 's/"failed":false/"failed":NaN/' a.json >nan
	for file in empty folder torn zeros newer types nan nothing; do
		run -2 timeout 20 "$SOAKCTL" report $file
		assert_one_line "$output"
		[[ "$output" == "soakctl report: $file:"* ]]
	done
	rm zeros
}

@test "report survives values of wrong types" {
	run -0 soakrun -n 2 -o a.json -- true
	for change in '.label = 3' '.command = "x"' '.command = [1, null, {}]' '.summary = []' \
		'.summary.load_ratio = "x"' '.environment.notes = [1, {}]' '.runs_requested = "x"' \
		'.runs[0].cpus = 3' '.runs[0].cpus = [1, null]' '.runs[0].samples = 12' \
		'.runs[0].samples.load_ratio = [0.1]' '.runs[0].samples.cpus[0].taken_ppm = [1, "x"]' \
		'.runs[0].samples.cpus = [3]' '.runs[0].exit_status = 1e300' '.runs[0].signal = 4711' \
		'.runs[0].load_ratio = 1e300' '.runs[0].elapsed_seconds = -5' 'del(.warmups)' 'del(.environment)' \
		'.runs = []' '.runs[0] = {}' '.label = "\u001b[2J\u0007"' '.runs[0].samples_cut = 9e18'; do
		echo "$change"
		jq -c "$change" a.json >odd.json
		for options in "" --json --per-cpu; do
			run -0 "$SOAKCTL" report $options odd.json
			[[ "$output" != *$'\e'* ]]
		done
		run "$SOAKCTL" report --trim 1 odd.json
		[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
	done
}

start_daemon() {
	export SOAKD="$SOAK_BUILD/soakd"
	run soak_processes
	echo "still running: $output" >&2
	[ -z "$output" ]
	daemon_socket="$PWD/s"
	"$SOAKD" start --socket "$daemon_socket" --interval 100ms >/dev/null
}

@test "killed in its third run, it loses at most the current second" {
	start_daemon
	# The third run does not end by itself.
	cat >command <<-'END'
		#!/bin/sh
		echo >>count
		[ "$(wc -l <count)" -lt 3 ] || { echo $$ >begun; exec sleep 61; }
		exec sleep 0.75
	END
	chmod +x command
	"$SOAKCTL" run --settle 0 --socket "$daemon_socket" -n 5 -o a.json -- ./command 2>err &
	soakctl_pid=$!
	third_has_samples() {
		[ "$(sed '1,/"run_index":3/d' a.json.part | grep -c '^{"sample"')" -ge 5 ]
	}
	wait_for 20 third_has_samples
	kill_soakctl
	n=$(sed '1,/"run_index":3/d' a.json.part | grep -c '^{"sample".*}$')
	run -0 "$SOAKCTL" recover a.json.part
	[[ "$output" == *"2 whole runs"*"of 1 that was cut off"* ]]
	jq -e '[.runs[].incomplete] == [false, false, true] and .partial' a.json
	jq -e '.runs[0:2] | all(.failed == false and (.samples.load_ratio | length) >= 5)' a.json
	# All but the one that was under way when the run began.
	jq -e '.runs[2].samples.load_ratio | length >= $n - 1 and length >= 4' --argjson n "$n" a.json
	jq -e '.runs[2].load_ratio != null and .runs[2].failed' a.json
	[ ! -e a.json.part ]
	collect run-file <a.json
	run -0 "$SOAKCTL" report a.json
	[[ "$output" == *"partial: 3 of 5 runs"* ]]
}

@test "trimming again is what soakd would have said" {
	start_daemon
	for trim in 10% 2; do
		rm -f a.json
		run -0 "$SOAKCTL" run --settle 0 --socket "$daemon_socket" --trim $trim -n 2 -o a.json -- \
			sh -c 'sleep 0.8; i=0; while [ $i -lt 90000 ]; do i=$((i + 1)); done; sleep 0.6'
		run -0 "$SOAKCTL" report --trim $trim --json a.json
		jq -e --slurpfile a a.json '[.runs, $a[0].runs] | transpose | all(
			(.[0].samples_kept == .[1].samples_kept) and (.[0].samples_cut == .[1].samples_cut) and
			.[0].samples_cut > 0 and (.[0].short == false) and (.[1].short == false))' <<<"$output"
		jq -e --slurpfile a a.json '[.runs, $a[0].runs] | transpose | all(
			(.[0].load_ratio - .[1].load_ratio | fabs) < 1e-9)' <<<"$output"
		jq -e --slurpfile a a.json '[[.runs[].cpus[]], [$a[0].runs[].cpus[]]] | transpose | all(
			(.[0].load_ratio - .[1].load_ratio | fabs) < 3e-6)' <<<"$output"
	done
}

@test "every file fits its schema" {
	check_collected
}
