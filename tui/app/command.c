/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The table of commands in memory, and the lookup of a row.
 *
 * A command is found by its word or by any unambiguous prefix. pprof's words are rows like all
 * others, so pprof users can type them here. An abbreviation never changes its meaning silently: it
 * stops working when a second word with the same prefix is added.
 */
#include "config.h"
#include "app/command.h"

#include <string.h>

const struct cmd cmds[CMD__N] = {
    {"", NULL, 0, NULL, "", ""},
#define CMD(id, name, keys, panes, arg, group, help) {name, keys, panes, arg, group, help},
#include "app/commands.def"
#undef CMD
};

enum cmd_id command_find(const char *word, size_t n)
{
	enum cmd_id found = CMD_NONE;
	int hits = 0;
	for (int i = 1; n && i < CMD__N; i++) {
		if (strncmp(cmds[i].name, word, n))
			continue;
		if (!cmds[i].name[n])
			return (enum cmd_id)i;
		found = (enum cmd_id)i;
		hits++;
	}
	return hits == 1 ? found : CMD_NONE;
}

void command_first_key(enum cmd_id id, int pane, struct buf *b)
{
	const char *k = cmds[id].keys;
	if (k && (cmds[id].panes & pane))
		buf_put(b, k, strcspn(k, " "));
}
