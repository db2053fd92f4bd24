/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_CMD_H
#define TTRACE_CMD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Commands. cmd.def is the one place where a command is written down; the enum,
 * the key map, the ":" line and its completion, the help pane, the hint row,
 * `ttrace -print=keys` and the manual read it.
 */
enum cmd_id {
	CMD_NONE,
#define CMD(id, name, keys, panes, arg, group, help) CMD_##id,
#include "cmd.def"
#undef CMD
	CMD__N
};

enum {	/* in which panes a row holds; a pane's own row goes before a P_ALL row with the same key */
	P_TOP = 1, P_LIST = 2, P_PEEK = 4, P_FLAME = 8, P_TIME = 16, P_GOR = 32, P_TASK = 64, P_GC = 128,
	P_EVENTS = 256, P_HELP = 512, P_INFO = 1024, P_ALL = 0xffff
};

struct cmd {
	const char *name, *keys;	/* keys: default keys, space separated, as key names */
	int panes;
	const char *arg;		/* NULL, or what the ":" form takes */
	const char *group, *help;
};
extern const struct cmd cmds[CMD__N];

#endif
