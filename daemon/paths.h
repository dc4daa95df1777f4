/* SPDX-License-Identifier: MIT */
/*
 * Where a daemon keeps its socket and its calibration: the system's places for root, the user's own
 * for everybody else (XDG base directories). Never a folder that others can write to.
 */
#pragma once

/*
 * Return: 0, with the path in @ret (free() it); -ENOENT when the user has no XDG_RUNTIME_DIR;
 * -ENOMEM.
 */
int paths_socket(char **ret);

/* Return: 0; -ENOENT when the user has neither XDG_STATE_HOME nor HOME; -ENOMEM. */
int paths_calibration(char **ret);
