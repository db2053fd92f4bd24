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
 * Commands. commands.def is the one place that defines a command; the enum, the key map, the ":"
 * line and its completion, the help pane, the hint row, `ttrace -print=keys` and the manual read
 * it.
 */
enum cmd_id {
	CMD_NONE,
#define CMD(id, name, keys, panes, arg, group, help) CMD_##id,
#include "app/commands.def"
#undef CMD
	CMD__N
};

enum {	/* panes to which a row applies; a pane's own row precedes a P_EVERY row with the same key */
	P_TOP = 1, P_LIST = 2, P_PEEK = 4, P_FLAME = 8, P_TIME = 16, P_GOR = 32, P_TASK = 64, P_GC = 128,
	P_EVENTS = 256, P_HELP = 512, P_INFO = 1024, P_REPORT = 2048, P_TAGS = 4096, P_WHY = 8192, P_FINDINGS = 16384,
	P_BOARDS = 32768, P_EVERY = 0xfffff,
	P_TREES = P_TOP | P_LIST | P_PEEK | P_FLAME	/* panes on call trees (common.h) */
};

struct cmd {
	const char *name, *keys;	/* keys: names of the default keys, separated by spaces; NULL: none */
	int panes;
	const char *arg;		/* NULL, or the argument of the ":" form */
	const char *group, *help;
};
extern const struct cmd cmds[CMD__N];	/* [0] is CMD_NONE: empty */

/* A command as a pane receives it. */
struct act {
	enum cmd_id cmd;
	int count;		/* typed before the key; 0: none */
	const char *arg;	/* the rest of the ":" line after the word; NULL for a key */
};
static inline int act_n(const struct act *a) { return a->count > 0 ? a->count : 1; }

/* Return the command of a ":" word: an exact match, or the only one with this prefix. CMD_NONE: no match, or
   several. */
enum cmd_id command_find(const char *word, size_t n);
/* Append the display name of the first key of a command, if it has one. */
void command_first_key(enum cmd_id, int pane, struct buf *);

/* ---- keys.c: the map from keys to commands */

enum { SEQ_MAX = 4 };
struct keymap {
	struct binding {
		int32_t key[SEQ_MAX];
		uint8_t n;
		uint16_t cmd;
		int panes;
		const char *arg;	/* NULL, or the argument of the command (map KEY COMMAND ARG) */
	} *row;
	size_t n, cap;
	struct arena *arena;
};
void keymap_init(struct keymap *, struct arena *);	/* load the keys of commands.def */
/* Add "map KEY COMMAND [ARG]" for some panes; later rows take precedence. */
int keymap_add(struct keymap *, const char *keys, const char *command, int panes, struct err *);
void keymap_free(struct keymap *);

enum match { KM_NONE, KM_MORE, KM_FOUND };
/* Look up the keys typed so far in a pane. */
enum match keymap_find(const struct keymap *, const int32_t *key, size_t n, int pane, const struct binding **);

#endif
