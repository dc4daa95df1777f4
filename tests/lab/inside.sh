# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# What scenarios share: TAP, and questions to the programs. To be sourced, inside a lab machine.

# Soakers that do not yield take half of a CPU; those in an autogroup of nice 19 take 15 in 1039, and
# others take theirs on a machine that has to share two CPUs among four.
# shellcheck disable=SC2034 # for who sources this
LAB_MOST_PERMILLE=50

lab_checks=0

# check TEXT COMMAND...: one line of TAP, and what the command said where it failed.
check() {
	lab_text=$1
	shift
	lab_checks=$((lab_checks + 1))
	if "$@" >/tmp/check 2>&1; then
		echo "ok $lab_checks $lab_text"
	else
		echo "not ok $lab_checks $lab_text"
		sed 's/^/#   /' /tmp/check
	fi
}

# same WANTED GOT
same() {
	[ "$1" = "$2" ] && return
	echo "wanted: $1"
	echo "got:    $2"
	return 1
}

# holds PATTERN TEXT: a case(1) pattern.
holds() {
	# shellcheck disable=SC2254 # it is one
	case $2 in
	*$1*) return 0 ;;
	esac
	echo "wanted: $1"
	echo "in:     $2"
	return 1
}

# fact NAME: what soakctl status says of it, on one line.
fact() {
	soakctl status | awk -v name="$1" '
		/^[^ ]/ { on = index($0, name "  ") == 1; if (on) $0 = substr($0, length(name) + 1) }
		on { $1 = $1; printf "%s%s", n++ ? " " : "", $0 }'
}

# Both programs are named by their command; the soaker is the child.
pid_of() {
	for lab_file in /proc/[0-9]*/comm; do
		read -r lab_name <"$lab_file"
		[ "$lab_name" = "$1" ] || continue
		lab_file=${lab_file%/comm}
		echo "${lab_file#/proc/}"
	done
}

# wait_until SECONDS COMMAND...
wait_until() {
	lab_left=$(($1 * 10))
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ "$lab_left" -gt 0 ] || return 1
		lab_left=$((lab_left - 1))
		sleep 0.1
	done
}

has_cpus() {
	same "$1" "$(fact CPUs)"
}

# Busy threads on all CPUs, in another session; sets permille to the share of some seconds in which
# they did not have their CPUs.
measure_intrusion() {
	permille=$(echo | setsid work --seconds-hint 2 |
		sed -n 's/.*"not_running_ratio": *\([0-9.]*\).*/\1/p' |
		awk '{ printf "%.0f", 1000 * $1 }')
}
