/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Key names, and the map from keys to commands.
 *
 * A binding is a sequence of up to four keys (gg, g;). User mappings take precedence over
 * commands.def, and a row of a pane over one for all panes; of equals the newest wins. The keys
 * typed so far result in a command, no match, or a request for more keys. If one sequence is a
 * prefix of another (z and zz), the pane's own row does not wait: in a pane that uses z, z acts at
 * once. The map is a list; comparing its hundred rows takes a microsecond.
 */
#include "config.h"
#include "app/command.h"

#include "base/mem/mem.h"
#include "base/text/text.h"

#include <string.h>

static const struct { const char *name; int32_t key; } names[] = {
    {"Enter", KEY_RETURN}, {"Return", KEY_RETURN}, {"Esc", KEY_ESC}, {"Tab", KEY_TAB},
    {"Space", ' '}, {"Backspace", KEY_BACKSPACE}, {"S-Tab", KEY_BACKTAB}, {"Down", KEY_DOWN_},
    {"Up", KEY_UP_}, {"Left", KEY_LEFT_}, {"Right", KEY_RIGHT_}, {"PgDn", KEY_PGDN},
    {"PgUp", KEY_PGUP}, {"Home", KEY_HOME_}, {"End", KEY_END_}, {"Ins", KEY_INS}, {"Del", KEY_DEL},
    {"F1", KEY_F1}, {"F2", KEY_F2}, {"F3", KEY_F3}, {"F4", KEY_F4}, {"F5", KEY_F5}, {"F6", KEY_F6},
    {"F7", KEY_F7}, {"F8", KEY_F8}, {"F9", KEY_F9}, {"F10", KEY_F10}, {"F11", KEY_F11},
    {"F12", KEY_F12}, {"lt", '<'}, {"gt", '>'}};	/* the last two are skipped by parse_name */

/* Parse a key name. script: in angle brackets, where lt and gt mean < and >; elsewhere gt is two keys. */
static size_t parse_name(const char *s, size_t n, int32_t *key, bool script)
{
	for (size_t i = 0; i < sizeof names / sizeof *names - (script ? 0 : 2); i++)
		if (strlen(names[i].name) == n && !memcmp(names[i].name, s, n)) {
			*key = names[i].key;
			return n;
		}
	if (n >= 2 && (s[0] == '^' || (n == 3 && !memcmp(s, "C-", 2)))) {
		char c = s[n - 1] >= 'a' && s[n - 1] <= 'z' ? (char)(s[n - 1] - 32) : s[n - 1];
		if ((n == 2 || s[0] == 'C') && c >= '@' && c <= '_') {
			*key = c & 31;
			return n;
		}
	}
	return 0;
}

size_t keys_parse(const char *s, size_t n, int32_t *key)
{
	const char *gt = n > 2 && s[0] == '<' ? memchr(s, '>', n < 16 ? n : 16) : NULL;
	if (gt && parse_name(s + 1, (size_t)(gt - s) - 1, key, true))
		return (size_t)(gt - s) + 1;
	if (n && (s[0] == '\n' || s[0] == '\r')) {
		*key = KEY_RETURN;
		return 1;
	}
	uint32_t cp;
	size_t k = n ? text_decode_utf8(s, n, &cp) : 0;
	*key = k ? (int32_t)cp : 0;
	return k;
}

void keys_print(int32_t key, struct buf *b)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].key == key && strcmp(names[i].name, "lt") &&
		    strcmp(names[i].name, "gt")) {
			buf_puts(b, names[i].name);
			return;
		}
	char u[4];
	if (key >= 0 && key < 32)
		buf_printf(b, "^%c", (char)(key + '@'));
	else if (key < KEYS_SPECIAL)
		buf_put(b, u, text_encode_utf8((uint32_t)key, u));
}

/* Parse one word of a row's keys: a name (Enter, ^F), or a sequence of characters (gg, g;). */
static bool parse_seq(const char *s, size_t n, struct binding *b)
{
	b->n = 0;
	if (parse_name(s, n, &b->key[0], false)) {
		b->n = 1;
		return true;
	}
	while (n) {
		size_t k = keys_parse(s, n, &b->key[b->n]);
		if (++b->n > SEQ_MAX - 1 && n > k)
			return false;
		s += k;
		n -= k;
	}
	return b->n > 0;
}

static void add_binding(struct keymap *m, const struct binding *b)
{
	m->row = mem_grow(m->row, &m->cap, m->n + 1, sizeof *m->row);
	m->row[m->n++] = *b;
}

void keymap_init(struct keymap *m, struct arena *a)
{
	*m = (struct keymap){.arena = a};
	for (int i = 1; i < CMD__N; i++) {
		struct binding b = {.cmd = (uint16_t)i, .panes = cmds[i].panes};
		for (const char *k = cmds[i].keys; k && *k;) {
			size_t n = strcspn(k, " ");
			if (parse_seq(k, n, &b))
				add_binding(m, &b);
			k += n + strspn(k + n, " ");
		}
	}
}

int keymap_add(struct keymap *m, const char *keys, const char *command, int panes, struct err *e)
{
	struct binding b = {.panes = P_EVERY};
	size_t n = strcspn(command, " =");
	b.cmd = (uint16_t)command_find(command, n);
	if (!b.cmd)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "unknown command: %.*s", (int)n, command);
	if (!parse_seq(keys, strlen(keys), &b))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "unknown key: %s", keys);
	b.panes = cmds[b.cmd].panes & panes;
	if (command[n])
		b.arg = arena_strndup(m->arena, command + n + 1, strlen(command + n + 1));
	add_binding(m, &b);
	/* bit 30 marks a user mapping, which takes precedence over a pane's row */
	m->row[m->n - 1].panes |= 1 << 30;
	return 0;
}

void keymap_free(struct keymap *m)
{
	mem_free(m->row);
	*m = (struct keymap){0};
}

/* Return the precedence of a binding. 0: of another pane; 1: of all panes; 2: the pane's own; 3: the user's. */
static int binding_rank(const struct binding *b, int pane)
{
	if (!(b->panes & pane))
		return 0;
	if (b->panes & 1 << 30)
		return 3;
	return (b->panes & P_EVERY) == P_EVERY ? 1 : 2;
}

enum match keymap_find(const struct keymap *m, const int32_t *key, size_t n, int pane,
    const struct binding **found)
{
	int best = 0, longer = 0;
	*found = NULL;
	for (size_t i = 0; i < m->n; i++) {
		const struct binding *b = &m->row[i];
		int r = binding_rank(b, pane);
		if (!r || b->n < n || memcmp(b->key, key, n * sizeof *key))
			continue;
		if (b->n > n) {
			longer = r > longer ? r : longer;
		} else if (r >= best) {
			best = r;
			*found = b;
		}
	}
	if (longer >= best && longer)
		return KM_MORE;
	return *found ? KM_FOUND : KM_NONE;
}
