/* SPDX-License-Identifier: MIT */
/*
 * The only state outside of structs in the daemon: where lines go.
 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <syslog.h>

static bool use_syslog;

void log_to_syslog(void)
{
	openlog("soakd", LOG_PID, LOG_DAEMON);
	use_syslog = true;
}

void log_line(int priority, const char *format, ...)
{
	int saved = errno;
	va_list arguments;

	va_start(arguments, format);
	if (use_syslog) {
		vsyslog(priority, format, arguments);
	} else {
		char line[1024];

		/* One write a line, so that lines of several programs do not mix. */
		(void)vsnprintf(line, sizeof(line), format, arguments);
		(void)fprintf(stderr, "soakd: %s\n", line);
	}
	va_end(arguments);
	errno = saved;
}
