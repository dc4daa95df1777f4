/* SPDX-License-Identifier: MIT */
/*
 * The wiring: events, and what each of them sets going.
 *
 * Order matters at both ends of life. The lock comes before anything spins; the socket before the
 * soakers, so that a bad path costs nothing; the soakers before everything that measures. At the
 * end the soakers go first and the clients last, who are told by the end of their connection.
 */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "calibrating.h"
#include "cleanup.h"
#include "clock.h"
#include "intrusion.h"
#include "log.h"
#include "machine-lock.h"
#include "methods.h"
#include "supervise.h"
#include "ticks.h"
#include "version.h"

#define NS_PER_S 1000000000ULL

#define INTRUSION_MS	   600
#define INTRUSION_AGAIN_MS 2000

/* Sleep is the difference of two clocks read one after the other. */
#define LEAST_SLEEP_NS 10000000

#define DRAIN_MS 500

void daemon_stop(struct daemon *daemon)
{
	(void)event_base_loopbreak(daemon->base);
}

int daemon_schedule(struct event *event, double seconds)
{
	struct timeval after = {.tv_sec = (time_t)seconds,
				.tv_usec = (suseconds_t)((seconds - floor(seconds)) * 1e6)};

	return event_add(event, &after) == 0 ? 0 : -ENOMEM;
}

int daemon_soaked_cpus(const struct daemon *daemon, struct cpulist *ret)
{
	struct cpulist list = {0};

	for (size_t i = 0; i < daemon->sampler.n_cpus; i++) {
		int r;

		if (!daemon->sampler.cpus[i].soaked)
			continue;
		r = cpulist_add(&list, daemon->sampler.cpus[i].cpu);
		if (r < 0) {
			cpulist_fini(&list);
			return r;
		}
	}
	*ret = list;
	return 0;
}

struct calibration_provenance daemon_provenance(const struct daemon *daemon)
{
	return (struct calibration_provenance){
		.version = SOAK_VERSION,
		.body = daemon->config.body->name,
		.body_version = daemon->config.body->version,
		.clock = ticks_clock_name(daemon->soaking.config.clock),
		.cpu_model = daemon->machine.cpu_model,
		.microcode = daemon->machine.microcode,
		.kernel = daemon->machine.kernel,
		.governor = daemon->machine.governor,
		.boot_id = daemon->machine.boot_id,
	};
}

static char *on_line(void *context, struct peer *peer, const char *line, size_t length)
{
	struct method_context method = {context, peer};
	char *reply = NULL;

	if (rpc_handle(methods_table(), line, length, &method, &reply) < 0)
		log_line(LOG_ERR, "out of memory: a request was not answered");
	return reply;
}

static char *on_long_line(void *context, struct peer *peer)
{
	char *reply = NULL;

	(void)context;
	(void)peer;
	if (rpc_error_reply(RPC_INVALID_REQUEST, "Line too long", &reply) < 0)
		return NULL;
	return reply;
}

static void on_peer_gone(void *context, struct peer *peer)
{
	methods_forget(context, peer);
	methods_forget_pause(context, peer);
}

static void on_private_gone(void *context)
{
	daemon_stop(context);
}

static int open_server(struct daemon *daemon)
{
	const struct server_callbacks callbacks = {on_line, on_long_line, on_peer_gone, daemon};
	const char *path = daemon->config.socket_path;
	int fd = daemon->config.private_fd;
	int r = server_new(daemon->base, &callbacks, &daemon->server);

	if (r < 0)
		return r;
	if (fd >= 0) {
		daemon->config.private_fd = -1;
		return server_adopt(daemon->server, fd, on_private_gone);
	}
	/* Reading is for whoever may connect; for a user's own daemon that is the user. */
	r = server_listen(daemon->server, path, geteuid() == 0 ? 0666 : 0600);
	if (r == -ENAMETOOLONG)
		log_line(LOG_ERR, "the socket path %s is longer than a unix socket allows", path);
	else if (r == -EADDRINUSE)
		log_line(LOG_ERR, "another program answers at %s", path);
	else if (r == -EEXIST)
		log_line(LOG_ERR, "%s is there and no socket: choose another --socket", path);
	else if (r < 0)
		log_line(LOG_ERR, "cannot listen at %s: %s", path, strerror(-r));
	return r;
}

static void check_sleep(struct daemon *daemon)
{
	/* Some ns below zero on a machine that never slept: the one clock is read before the other.
	 */
	int64_t slept_ns = (int64_t)(clock_now_ns(CLOCK_BOOTTIME) - clock_now_ns(CLOCK_MONOTONIC));

	if (slept_ns - daemon->slept_ns > LEAST_SLEEP_NS)
		sampler_mark(&daemon->sampler, SAMPLE_SUSPENDED);
	daemon->slept_ns = slept_ns;
}

static void on_tick(int fd, short what, void *context)
{
	struct daemon *daemon = context;
	const struct sample *sample;
	uint64_t n_expired, due_ns;

	(void)what;
	if (read(fd, &n_expired, sizeof(n_expired)) != (ssize_t)sizeof(n_expired))
		return;
	daemon->n_due += n_expired;
	due_ns = daemon->first_due_ns + (daemon->n_due - 1) * daemon->config.interval_ns;
	check_sleep(daemon);
	if (daemon->soaking.paused)
		sampler_mark(&daemon->sampler, SAMPLE_PAUSED);
	sample = sampler_tick(&daemon->sampler, clock_now_ns(CLOCK_MONOTONIC),
			      (int64_t)clock_now_ns(CLOCK_REALTIME), due_ns, n_expired - 1);
	methods_publish(daemon, sample);
	supervise_check_cpus(daemon, sample);
}

static int arm_timer(struct daemon *daemon)
{
	uint64_t interval_ns = daemon->config.interval_ns;
	struct itimerspec times = {
		.it_value = {.tv_sec = (time_t)(daemon->first_due_ns / NS_PER_S),
			     .tv_nsec = (long)(daemon->first_due_ns % NS_PER_S)},
		.it_interval = {.tv_sec = (time_t)(interval_ns / NS_PER_S),
				.tv_nsec = (long)(interval_ns % NS_PER_S)},
	};

	daemon->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (daemon->timer_fd == -1 ||
	    timerfd_settime(daemon->timer_fd, TFD_TIMER_ABSTIME, &times, NULL) == -1)
		return -errno;
	daemon->on_tick =
		event_new(daemon->base, daemon->timer_fd, EV_READ | EV_PERSIST, on_tick, daemon);
	if (!daemon->on_tick || event_add(daemon->on_tick, NULL) == -1)
		return -ENOMEM;
	return 0;
}

/* From here on nobody watches stderr; whoever started the daemon and is gone wants it no more. */
static void tell_ready(struct daemon *daemon)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	log_to_syslog();
	if (null >= 0)
		(void)dup2(null, STDERR_FILENO);
	closep(&null);
	if (write(daemon->config.ready_fd, "r", 1) != 1)
		daemon_stop(daemon);
	closep(&daemon->config.ready_fd);
	daemon->config.ready_fd = -1;
}

void daemon_begin_sampling(struct daemon *daemon)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
	int r;

	daemon->first_due_ns = now_ns + daemon->config.interval_ns;
	check_sleep(daemon);
	sampler_begin(&daemon->sampler, now_ns);
	r = arm_timer(daemon);
	if (r < 0) {
		log_line(LOG_ERR, "cannot make the sampling timer: %s", strerror(-r));
		daemon_stop(daemon);
		return;
	}
	daemon->sampling = true;
	if (daemon->config.ready_fd >= 0)
		tell_ready(daemon);
	if (daemon->config.socket_path)
		log_line(LOG_INFO, "sampling %zu CPUs", daemon->soaking.config.n_cpus);
}

static int lock_machine(struct daemon *daemon)
{
	struct machine_lock_holder holder;
	int r = machine_lock_take(&daemon->lock_fd, &holder);

	if (r == -EADDRINUSE && holder.socket_path[0])
		log_line(LOG_ERR, "one runs already (pid %d, socket %s): use it, or stop it first",
			 (int)holder.pid, holder.socket_path);
	else if (r == -EADDRINUSE && !holder.answered)
		log_line(LOG_ERR, "one is starting already (pid %d): wait until it has",
			 (int)holder.pid);
	else if (r == -EADDRINUSE)
		log_line(LOG_ERR,
			 "one runs already (pid %d), for a soakctl run or a check of its own: "
			 "wait until that has ended",
			 (int)holder.pid);
	else if (r < 0)
		log_line(LOG_ERR, "cannot make sure that no other soakd runs: %s", strerror(-r));
	return r;
}

static void on_lock(int fd, short what, void *context)
{
	const struct daemon *daemon = context;

	(void)what;
	machine_lock_answer(fd, daemon->config.socket_path ? daemon->config.socket_path : "");
}

static void on_signal(int number, short what, void *context)
{
	(void)what;
	log_line(LOG_INFO, "stopping: %s", strsignal(number));
	daemon_stop(context);
}

static int make_events(struct daemon *daemon)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

	daemon->on_calibrated = evtimer_new(daemon->base, calibrating_end, daemon);
	daemon->on_soaker_retry = evtimer_new(daemon->base, supervise_retry, daemon);
	daemon->on_lock =
		event_new(daemon->base, daemon->lock_fd, EV_READ | EV_PERSIST, on_lock, daemon);
	if (!daemon->on_calibrated || !daemon->on_soaker_retry || !daemon->on_lock ||
	    event_add(daemon->on_lock, NULL) == -1)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		daemon->on_signals[i] = evsignal_new(daemon->base, signals[i], on_signal, daemon);
		if (!daemon->on_signals[i] || event_add(daemon->on_signals[i], NULL) == -1)
			return -ENOMEM;
	}
	return 0;
}

static int open_base(struct daemon *daemon)
{
	struct event_config *config = event_config_new();

	/* Without it timers follow CLOCK_MONOTONIC_COARSE, some ms behind. */
	if (config && event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER) == 0)
		daemon->base = event_base_new_with_config(config);
	if (config)
		event_config_free(config);
	return daemon->base ? make_events(daemon) : -ENOMEM;
}

static int find_cpus(struct daemon *daemon)
{
	struct topology_left_out refused = {.cpu = -1};
	const struct topology_source affinity = {topology_get_affinity, NULL};
	int r = topology_read("", &affinity, daemon->config.wanted, &refused, &daemon->topology);

	if (r == -ENXIO && refused.cpu >= 0)
		log_line(LOG_ERR, "CPU %d cannot be soaked: %s", refused.cpu,
			 topology_reason_text(refused.reason));
	else if (r < 0)
		log_line(LOG_ERR, "cannot tell which CPUs there are: %s", strerror(-r));
	return r;
}

static int read_machine(struct daemon *daemon)
{
	return machine_read("", daemon->topology.cpus.cpus[0], &daemon->machine);
}

/* All that may be soaked some day: what can be now, and what is only offline. */
static int list_all_cpus(struct daemon *daemon, struct cpulist *ret)
{
	int r = cpulist_copy(&daemon->topology.cpus, ret);

	for (size_t i = 0; r == 0 && i < daemon->topology.n_left_out; i++)
		if (daemon->topology.left_out[i].reason == TOPOLOGY_OFFLINE)
			r = cpulist_add(ret, daemon->topology.left_out[i].cpu);
	return r;
}

static int make_sampler(struct daemon *daemon)
{
	cleanup(cpulist_fini) struct cpulist cpus = {0};
	enum loop_clock clock = ticks_choose(&daemon->machine);
	double tick_ns = ticks_measure_ns(clock);
	uint64_t capacity = daemon->config.history_ns / daemon->config.interval_ns;
	struct sampler_source source = soaking_source(&daemon->soaking);
	int r = list_all_cpus(daemon, &cpus);

	if (r < 0)
		return r;
	r = sampler_init(&daemon->sampler, &source, cpus.cpus, cpus.n, tick_ns,
			 daemon->config.interval_ns, capacity ? (size_t)capacity : 1);
	if (r == -E2BIG)
		log_line(LOG_ERR,
			 "a history of %llu samples of %zu CPUs takes more than %llu MiB: choose a "
			 "shorter --history or a longer --interval",
			 (unsigned long long)capacity, cpus.n,
			 (unsigned long long)(HISTORY_MAX_BYTES >> 20));
	if (r < 0)
		return r;
	daemon->calibration_first = calloc(cpus.n, sizeof(*daemon->calibration_first));
	if (!daemon->calibration_first)
		return -ENOMEM;
	return soaking_init(&daemon->soaking, "", &cpus, daemon->config.body, clock, tick_ns,
			    ticks_window_ns(), &daemon->sampler);
}

static int start_soakers(struct daemon *daemon)
{
	int r = soaking_start(&daemon->soaking, &daemon->topology.cpus);

	daemon->last_soaker_start_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (r < 0) {
		log_line(LOG_ERR, "cannot start the soakers: %s", strerror(-r));
		return r;
	}
	return supervise_watch(daemon);
}

static int measure_intrusion(struct daemon *daemon, int milliseconds)
{
	int r = intrusion_measure(&daemon->soaking.soaker, daemon->sampler.tick_ns, milliseconds,
				  &daemon->intrusion_ratio);

	if (r < 0) {
		daemon->intrusion_ratio = NAN;
		log_line(LOG_WARNING, "cannot measure the soakers' intrusion: %s", strerror(-r));
	}
	return r;
}

/*
 * What the kernel hands out in slices of some ms is coarse over a short time: a second, longer
 * measurement confirms before a start is refused.
 */
static int check_intrusion(struct daemon *daemon)
{
	const struct isolation *isolation = &daemon->soaking.isolation;

	if (measure_intrusion(daemon, INTRUSION_MS) < 0 ||
	    daemon->intrusion_ratio <= INTRUSION_LIMIT_RATIO)
		return 0;
	if (measure_intrusion(daemon, INTRUSION_AGAIN_MS) < 0 ||
	    daemon->intrusion_ratio <= INTRUSION_LIMIT_RATIO)
		return 0;
	log_line(daemon->config.force ? LOG_WARNING : LOG_ERR,
		 "the soakers take %.1f %% of a CPU from a busy workload, more than %.0f %%: "
		 "isolation is %s (%s); start soakd as root, or set "
		 "kernel.sched_autogroup_enabled=0, or start with --force",
		 daemon->intrusion_ratio * 100, INTRUSION_LIMIT_RATIO * 100,
		 isolation_name(isolation->kind), isolation->detail);
	return daemon->config.force ? 0 : -EBUSY;
}

/* Until the first calibration, every baseline is unknown. */
static int make_calibration(struct daemon *daemon)
{
	struct calibration *calibration = &daemon->calibration;

	calibration->n_cpus = daemon->sampler.n_cpus;
	calibration->cpus = calloc(calibration->n_cpus, sizeof(*calibration->cpus));
	if (!calibration->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < calibration->n_cpus; i++)
		calibration->cpus[i] = (struct calibration_cpu){
			.cpu = daemon->sampler.cpus[i].cpu,
			.pass_ns = NAN,
			.pass_sd_ns = NAN,
			.idle_floor_ratio = NAN,
			.idle_floor_uncertainty_ratio = NAN,
		};
	return 0;
}

static int start(struct daemon *daemon)
{
	static int (*const steps[])(struct daemon * daemon) = {
		lock_machine, open_base,	find_cpus,     read_machine,	open_server,
		make_sampler, make_calibration, start_soakers, check_intrusion,
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		r = steps[i](daemon);
	if (r == 0)
		r = daemon_calibrate(daemon, DAEMON_CALIBRATION_SECONDS);
	if (r == -ENOMEM)
		log_line(LOG_ERR, "out of memory");
	return r;
}

static void free_event(struct event **event)
{
	if (*event)
		event_free(*event);
	*event = NULL;
}

/* What would look at the soakers, which go before the loop runs its last turns. */
static void free_measuring_events(struct daemon *daemon)
{
	free_event(&daemon->on_tick);
	free_event(&daemon->on_soaker);
	free_event(&daemon->on_soaker_retry);
	free_event(&daemon->on_calibrated);
}

static void free_other_events(struct daemon *daemon)
{
	free_event(&daemon->on_lock);
	for (size_t i = 0; i < sizeof(daemon->on_signals) / sizeof(daemon->on_signals[0]); i++)
		free_event(&daemon->on_signals[i]);
}

static void stop(struct daemon *daemon)
{
	free_measuring_events(daemon);
	soaking_fini(&daemon->soaking);
	if (daemon->server)
		server_drain(daemon->server, DRAIN_MS);
	server_free(daemon->server);
	closep(&daemon->config.private_fd);
	free_other_events(daemon);
	closep(&daemon->timer_fd);
	closep(&daemon->lock_fd);
	closep(&daemon->config.ready_fd);
	if (daemon->base)
		event_base_free(daemon->base);
	runs_fini(&daemon->runs);
	sampler_fini(&daemon->sampler);
	topology_fini(&daemon->topology);
	free(daemon->calibration.cpus);
	free(daemon->calibration_first);
	free(daemon);
	libevent_global_shutdown();
}

int daemon_run(const struct daemon_config *config)
{
	struct daemon *daemon = calloc(1, sizeof(*daemon));
	int r;

	if (!daemon) {
		log_line(LOG_ERR, "out of memory");
		return -ENOMEM;
	}
	daemon->config = *config;
	daemon->lock_fd = -1;
	daemon->timer_fd = -1;
	daemon->soaking.soaker = SOAKER_NONE;
	daemon->intrusion_ratio = NAN;
	daemon->begin_monotonic_ns = clock_now_ns(CLOCK_MONOTONIC);
	(void)signal(SIGPIPE, SIG_IGN);
	json_object_seed(0);
	r = start(daemon);
	if (r == 0 && event_base_dispatch(daemon->base) == -1) {
		log_line(LOG_ERR, "the event loop failed");
		r = -EIO;
	}
	if (r == 0 && !daemon->sampling)
		r = -EINTR;
	stop(daemon);
	return r;
}
