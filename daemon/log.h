/* SPDX-License-Identifier: MIT */
/*
 * What the daemon has to say, one line an event: to stderr while somebody is watching, to syslog
 * once it runs in the background.
 *
 * A function logs or returns an error, never both. The library and the loop are silent.
 */
#pragma once

/*
 * Log one line; `format` as printf, no newline. Priorities are syslog(3)'s. Keeps errno.
 */
void log_line(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on, write to syslog instead of stderr. */
void log_to_syslog(void);
