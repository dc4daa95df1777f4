/* SPDX-License-Identifier: MIT */
/*
 * For cppcheck only, included before everything else: the macros of libraries whose headers it does
 * not read, and which it cannot parse unknown.
 */
#pragma once

#define json_array_foreach(array, index, value)                                                    \
	for ((index) = 0; ((value) = json_array_get((array), (index))); (index)++)
#define json_object_foreach(object, name, value)                                                   \
	for ((name) = json_object_iter_key(json_object_iter((object)));                            \
	     ((value) = json_object_get((object), (name)));                                        \
	     (name) = json_object_iter_key(json_object_iter_next((object), (name))))
