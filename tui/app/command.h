/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_APP_COMMAND_H
#define TTRACE_APP_COMMAND_H

#include "base/err.h"
#include "base/text/buf.h"
#include "term/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Commands. commands.def is the one place where a command is written down; the enum,
 * the key map, the ":" line and its completion, the help pane, the hint row,
 * `ttrace -print=keys` and the manual read it.
 */
enum cmd_id {
	CMD_NONE,
#define CMD(id, name, keys, panes, arg, group, help) CMD_##id,
#include "app/commands.def"
#undef CMD
	CMD__N
};

enum {	/* in which panes a row holds; a pane's own row goes before a P_ALL row with the same key */
	P_TOP = 1, P_LIST = 2, P_PEEK = 4, P_FLAME = 8, P_TIME = 16, P_GOR = 32, P_TASK = 64, P_GC = 128,
	P_EVENTS = 256, P_HELP = 512, P_INFO = 1024, P_REPORT = 2048, P_TAGS = 4096, P_ALL = 0xffff,
	P_TREES = P_TOP | P_LIST | P_PEEK | P_FLAME	/* of calls (common.h) */
};

struct cmd {
	const char *name, *keys;	/* keys: default keys, space separated, as key names; NULL none */
	int panes;
	const char *arg;		/* NULL, or what the ":" form takes */
	const char *group, *help;
};
extern const struct cmd cmds[CMD__N];	/* [0] is CMD_NONE: empty */

/* A command as a pane gets it. */
struct act {
	enum cmd_id cmd;
	int count;		/* as typed before the key, 0 when none was */
	const char *arg;	/* what followed the word on the ":" line; NULL from a key */
};
static inline int act_n(const struct act *a) { return a->count > 0 ? a->count : 1; }

/* By ":" word: exactly, or the only one that begins so. CMD_NONE: none, or more than one. */
enum cmd_id command_find(const char *word, size_t n);
/* The first key of a command as people read it, "" when it has none. */
void command_first_key(enum cmd_id, int pane, struct buf *);

/* ---- keys.c: the map from keys to commands */

enum { SEQ_MAX = 4 };
struct keymap {
	struct binding {
		int32_t key[SEQ_MAX];
		uint8_t n;
		uint16_t cmd;
		int panes;
		const char *arg;	/* NULL, or what the command gets (map KEY COMMAND ARG) */
	} *row;
	size_t n, cap;
	struct arena *arena;
};
void keymap_init(struct keymap *, struct arena *);	/* the keys of commands.def */
/* "map KEY COMMAND [ARG]", in some panes: later rows go first. */
int keymap_add(struct keymap *, const char *keys, const char *command, int panes, struct err *);
void keymap_free(struct keymap *);

enum match { KM_NONE, KM_MORE, KM_FOUND };
/* What the keys typed so far mean in a pane. */
enum match keymap_find(const struct keymap *, const int32_t *key, size_t n, int pane, const struct binding **);

#endif
