# Shared by the tests of whole programs. SOAK_BUILD is the build folder.

bats_require_minimum_version 1.5.0

SOAK_BUILD=${SOAK_BUILD:-$(cd "${BATS_TEST_DIRNAME}/../../build" && pwd)}
PATH="$SOAK_BUILD:$PATH"
SOAKD="$SOAK_BUILD/soakd"
SOAKCTL="$SOAK_BUILD/soakctl"
export SOAK_BUILD PATH SOAKD SOAKCTL
unset SOAKD_SOCKET XDG_RUNTIME_DIR

# Processes of ours that still run; a zombie that init has not yet reaped does not.
soak_processes() {
	ps -eo stat=,pid=,comm= | awk '$1 !~ /^Z/ && $3 ~ /^soakd/ {print $2, $3}'
}

# Wait until a condition holds: wait_for SECONDS COMMAND...
wait_for() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$deadline" ] || return 1
		sleep 0.05
	done
}

no_soak_processes() {
	[ -z "$(soak_processes)" ]
}

soak_cgroups() {
	find /sys/fs/cgroup -maxdepth 2 -type d -name soakd 2>/dev/null
}

# Documents and replies are collected, and the last test of each file holds them against schema/.
# The folder below SOAK_COLLECTED says what a text is: run-file, compare, protocol (any line that
# the daemon sends), or protocol/NAME for one of the $defs, such as protocol/status.get/reply.
SOAK_SCHEMAS=$(cd "${BATS_TEST_DIRNAME}/../../schema" && pwd)
SOAK_NODE_MODULES=${SOAK_NODE_MODULES:-$SOAK_BUILD/npm/node_modules}
SOAK_COLLECTED="${BATS_FILE_TMPDIR:-}/collected"
PYTHONPATH="${BATS_TEST_DIRNAME}"
PYTHONDONTWRITEBYTECODE=1
export SOAK_NODE_MODULES SOAK_COLLECTED PYTHONPATH PYTHONDONTWRITEBYTECODE

# Keep the text on stdin: collect NAME.
collect() {
	mkdir -p "$SOAK_COLLECTED/$1"
	cat >"$(mktemp --suffix=.json "$SOAK_COLLECTED/$1/XXXXXXXX")"
}

# The same for each line of stdin.
collect_lines() {
	local line

	while IFS= read -r line; do
		collect "$1" <<<"$line"
	done
}

# Hold files against a schema: validate_python SCHEMA[#NAME] FILE...
validate_python() {
	python3 "$BATS_TEST_DIRNAME/../schema/validate.py" "$@"
}

validate_ajv() {
	node "$BATS_TEST_DIRNAME/../schema/validate.mjs" "$@"
}

has_ajv() {
	[ -d "$SOAK_NODE_MODULES/ajv" ]
}

check_collected() {
	local folder name schema faults=0
	local -a arguments=() files

	while IFS= read -r folder; do
		name=${folder#"$SOAK_COLLECTED/"}
		schema="$SOAK_SCHEMAS/${name%%/*}.schema.json"
		[[ $name != */* ]] || schema="$schema#${name#*/}"
		files=("$folder"/*.json)
		arguments+=(-- "$schema" "${files[@]}")
		echo "$name: ${#files[@]}"
	done < <(find "$SOAK_COLLECTED" -name '*.json' -printf '%h\n' | sort -u)
	[ "${#arguments[@]}" -gt 0 ] || {
		echo "nothing was collected"
		return 1
	}
	validate_python "${arguments[@]:1}" || faults=1
	! has_ajv || validate_ajv "${arguments[@]:1}" || faults=1
	[ "$faults" = 0 ] || return 1
	has_ajv || skip "ajv is not installed: only python3-jsonschema has looked"
}

# What soakctl with these arguments writes to stdout, as collect calls it; nothing: no JSON.
name_of_output() {
	case "$*" in
	"compare "*"--format json"*) echo compare ;;
	"rpc "*)
		shift
		[ "$1" != --socket ] || shift 2
		echo "protocol/${1:-}/result"
		;;
	"import "*) echo run-file ;;
	"run"*" --json"*) echo run-file ;;
	"status"*" --json"*) echo protocol/status.get/result ;;
	"report"*" --json"*) echo protocol/report.get/result ;;
	esac
}

# Collect the run file that soakctl with these arguments has written: -o FILE.
collect_written() {
	while [ $# -gt 1 ] && [ "$1" != -- ]; do
		[ "$1" != -o ] || [ ! -f "$2" ] || collect run-file <"$2"
		shift
	done
}

# As "$SOAKCTL", in the foreground; the JSON that it writes is collected.
soakctl() {
	local name copy status=0

	name=$(name_of_output "$@")
	if [ -z "$name" ]; then
		"$SOAKCTL" "$@" || status=$?
	else
		copy=$(mktemp "$BATS_RUN_TMPDIR/XXXXXXXX")
		"$SOAKCTL" "$@" >"$copy" || status=$?
		cat "$copy"
		# A command's own --json is none of ours.
		[ "$(head -c 1 "$copy")" != "{" ] || collect "$name" <"$copy"
		rm "$copy"
	fi
	[ "$status" != 0 ] || collect_written "$@"
	return "$status"
}

# Call a method at socket $1: rpc SOCKET METHOD [PARAMS]; prints the whole answer.
rpc() {
	local params=${3:-null} reply

	reply=$(jq -nc --arg m "$2" --argjson p "$params" \
		'{jsonrpc: "2.0", id: 1, method: $m} + (if $p == null then {} else {params: $p} end)' |
		nc -N -U "$1") || return
	[ -n "$reply" ] || return 0
	collect "protocol/$2/reply" <<<"$reply"
	printf '%s\n' "$reply"
}

assert_one_line() {
	[ "$(printf '%s\n' "$1" | wc -l)" -eq 1 ] || {
		echo "not one line: $1"
		return 1
	}
}
