/* SPDX-License-Identifier: MIT */
/*
 * Calibrations of a running daemon. daemon_calibrate() (daemon.h) begins one.
 */
#pragma once

#include "daemon.h"

/* The time of a calibration is over: an event callback, @context is the daemon. */
void calibrating_end(int fd, short what, void *context);
