# SPDX-License-Identifier: MIT
# shellcheck shell=dash
#
# Known loads, one after another, and CPU-bound work in another session beside the soaker. Judged
# by accuracy.py. Nothing but the generator and soakd runs while a load is on: in virtual time even
# soakctl's own 0.1 % would show.
#
# The generator has a real-time priority, so that its wake-ups cost the same whatever it used
# before, and nothing cuts its bursts: behind a burst of more than 6 ms the fair scheduler of this
# kernel gives the soaker a tick, see README.md. The period shares no small multiple with the tick,
# so that both meet in every phase.

DUTIES="0 2 5 20 40 60 80"
INTERVAL=400ms
PERIOD=29.7ms
WORK_SECONDS=3.2 # by its own estimate, which is low here: about 4

# shellcheck source=tests/lab/inside.sh
. /inside.sh

# burn DUTY SECONDS [OPTION...]
burn() {
	local duty=$1 seconds=$2

	shift 2
	chrt -f 1 duty --cpu 0 --duty "$duty" --period "$PERIOD" --seconds "$seconds" "$@"
}

# A round of work for each line: one beside the soaker, one without it.
drive_work() {
	sleep 1
	echo
	sleep 4.5
	kill -STOP "$1"
	echo
	sleep 4.5
	kill -CONT "$1"
}

echo +cpu >/sys/fs/cgroup/cgroup.subtree_control || exit 1
echo 1 >/proc/sys/kernel/sched_autogroup_enabled || exit 1
echo 3600 >/proc/sys/vm/stat_interval || exit 1
soakd start --interval "$INTERVAL" || exit 1
soakctl status --json >/out/status.json || exit 1
soakd=$(pid_of soakd)
soaker=$(pid_of soakd-soaker)

# Its first samples touch memory for the first time.
sleep 1.2
# CPU time in ns, time waiting, and how often it ran: soakd's own while the machine is idle.
cat "/proc/$soakd/schedstat" >/out/idle.before
for duty in $DUTIES; do
	burn "$duty" 2 --trace "/out/duty-$duty.trace" >"/out/duty-$duty.json" || exit 1
	[ "$duty" != 0 ] || cat "/proc/$soakd/schedstat" >/out/idle.after
done
soakctl run --settle 0 --trim 1 -q -o /out/run.json --output null -- \
	chrt -f 1 duty --cpu 0 --duty 20 --period "$PERIOD" --seconds 3.2 || exit 1
soakctl rpc samples.get '{"last": 1000}' >/out/samples.json || exit 1
drive_work "$soaker" | setsid work --cpus 0 --seconds-hint "$WORK_SECONDS" >/out/work.json || exit 1
soakd stop
