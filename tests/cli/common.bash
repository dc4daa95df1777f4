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

# Call a method at socket $1: rpc SOCKET METHOD [PARAMS]; prints the whole answer.
rpc() {
	local params=${3:-null}
	jq -nc --arg m "$2" --argjson p "$params" \
		'{jsonrpc: "2.0", id: 1, method: $m} + (if $p == null then {} else {params: $p} end)' |
		nc -N -U "$1"
}

assert_one_line() {
	[ "$(printf '%s\n' "$1" | wc -l)" -eq 1 ] || {
		echo "not one line: $1"
		return 1
	}
}
