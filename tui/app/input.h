/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_INPUT_H
#define TTRACE_APP_INPUT_H

#include "app/command.h"

/* What is known of the keys and of the mouse between two keys (input.c). */
struct app_input {
	struct keymap keys;
	int32_t typed[SEQ_MAX];
	size_t ntyped;
	int count;
	bool counting;			/* the keys since # were digits: the next digit belongs to the count */
	enum cmd_id letter;		/* MARK or JUMP_MARK waits for its letter */
	bool dragging;			/* a drag of the mouse that began at line drag_y of the pane */
	int drag_y;
	enum cmd_id did;		/* the command of the current key, for undo */
	bool queried;			/* this key has changed the query */
	bool turned;			/* this key has switched to another session */
	bool keyed;			/* the user has pressed a key */
	int interrupted;		/* ^C was the previous key (1), or is this one (2) */
};

#endif
