/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Named tags, key presets, and the lines of the configuration file.
 *
 * tag NAME = RE
 *
 * A named tag tags all functions that its expression matches, for `:tagged`, as the key t does for
 * one row. Filter sets have names too (filter_sets.c). The lines of the configuration are commands
 * of the ":" line, except those that require an open file.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/text/text.h"
#include "findings/configured.h"
#include "operations/operations.h"

#include <string.h>

enum { TAGS_MAX = 2000 };

static struct tag_preset *find_tag(struct app *a, const char *name, size_t n)
{
	for (size_t i = 0; i < a->files.nnamed; i++)
		if (strlen(a->files.tag_preset[i].name) == n && !memcmp(a->files.tag_preset[i].name, name, n))
			return &a->files.tag_preset[i];
	return NULL;
}

/* Store "NAME = RE". Return false for "NAME" alone, which the caller handles. */
static bool define_tag(struct app *a, const char *arg, size_t n)
{
	const char *s = arg + n + strspn(arg + n, " ");
	if (*s != '=')
		return false;
	s += 1 + strspn(s + 1, " ");
	struct tag_preset *old = find_tag(a, arg, n);
	if (!old) {
		a->files.tag_preset =
		    mem_grow(a->files.tag_preset, &a->files.namedcap, a->files.nnamed + 1, sizeof *a->files.tag_preset);
		old = &a->files.tag_preset[a->files.nnamed++];
		*old = (struct tag_preset){arena_strndup(&a->life, arg, n), NULL};
	}
	old->text = arena_strndup(&a->life, s, strlen(s));
	return true;
}

static void list_tags(struct app *a)
{
	struct buf b = {0};
	for (size_t i = 0; i < a->files.nnamed; i++)
		buf_printf(&b, " %s", a->files.tag_preset[i].name);
	if (b.n)
		app_message(a, ST_NORMAL, "tags:%s", buf_str(&b));
	else
		app_message(a, ST_DIM, "no named tags: :tag NAME = RE adds one");
	buf_free(&b);
}

static void run_tag(struct app *a, const struct tag_preset *t)
{
	const struct snap *sn = session_snap(a->s);
	struct err e;
	struct regex *rx = regex_new(t->text, &e);
	size_t before = a->env.ntagged;
	if (!rx) {
		app_message(a, ST_ERROR, "tag %s: %s", t->name, e.msg);
		return;
	}
	for (fun_id f = 1; f < sn->nfuns && a->env.ntagged < TAGS_MAX; f++) {
		const struct str_row *s = store_str(sn->st, store_fun(sn->st, f)->name);
		bool have = false;
		for (size_t i = 0; i < a->env.ntagged && !have; i++)
			have = a->tagged[i] == f;
		if (have || !regex_match(rx, s->s, s->n))
			continue;
		a->tagged = mem_grow(a->tagged, &a->tagcap, a->env.ntagged + 1, sizeof *a->tagged);
		a->env.tagged = a->tagged;
		a->tagged[a->env.ntagged++] = f;
	}
	regex_free(rx);
	app_message(a, ST_DIM, "%zu function%s tagged by %s: :tagged shows only stacks through %s",
	    a->env.ntagged - before, text_s(a->env.ntagged - before), t->name,
	    a->env.ntagged == 1 ? "it" : "them");
}

void tag_preset_command(struct app *a, const char *arg)
{
	size_t n = strcspn(arg, " =");
	if (!n) {
		list_tags(a);
		return;
	}
	if (define_tag(a, arg, n)) {
		app_message(a, ST_DIM, "defined: tag %s (:tag %.*s tags the functions that match)", arg, (int)n, arg);
		return;
	}
	const struct tag_preset *t = find_tag(a, arg, n);
	if (t)
		run_tag(a, t);
	else
		app_message(a, ST_ERROR, "no tag %s", arg);
}

const char *tag_preset_name(const struct app *a, size_t i)
{
	return i < a->files.nnamed ? a->files.tag_preset[i].name : NULL;
}

/* Map w s to zoom, a d to pan, as in Perfetto and speedscope, on the timeline and in the flame graph only. */
static int map_wasd(struct app *a, struct err *e)
{
	static const struct { const char *key, *cmd; } wasd[] = {
	    {"w", "zoom-in"}, {"s", "zoom-out"}, {"a", "left"}, {"d", "right"}};
	for (size_t i = 0; i < sizeof wasd / sizeof *wasd; i++)
		if (keymap_add(&a->in.keys, wasd[i].key, wasd[i].cmd, P_TIME | P_FLAME, e))
			return -1;
	return 0;
}

int files_map_key(struct app *a, const char *arg, struct err *e)
{
	size_t n = strcspn(arg, " ");
	const char *cmd = arg + n + strspn(arg + n, " ");
	if (!strcmp(arg, "wasd"))
		return map_wasd(a, e);
	if (!*cmd)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "map requires KEY COMMAND, or wasd");
	return keymap_add(&a->in.keys, arena_strndup(&a->scratch, arg, n), cmd, P_EVERY, e);
}

int files_config_line(struct app *a, const char *s, struct err *e)
{
	size_t n = strcspn(s, " \t");
	const char *arg = s + n + strspn(s + n, " \t");
	if (!*s || *s == '#')
		return 0;
	if (n == 3 && !memcmp(s, "map", n))
		return files_map_key(a, arg, e);
	if (n == 3 && !memcmp(s, "set", n)) {
		size_t k = strcspn(arg, " =");
		return app_set(a, arena_strndup(&a->scratch, arg, k), arg + k + strspn(arg + k, " ="), e);
	}
	if (n == 6 && !memcmp(s, "filter", n))
		return filter_set_add_line(a, arg, false, e);
	if (n == 6 && !memcmp(s, "server", n))
		return operations_add_server(arg, e);
	if (n == 9 && !memcmp(s, "threshold", n))
		return findings_configure_threshold(arg, e);
	if (n == 5 && !memcmp(s, "known", n))
		return findings_configure_known(arg, e);
	if (n != 3 || memcmp(s, "tag", n))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "%.*s: only set, map, filter, server, threshold, known and tag are possible",
		    (int)(n < 40 ? n : 40), s);
	size_t k = strcspn(arg, " =");
	if (!k || !define_tag(a, arg, k))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "tag requires NAME = RE");
	struct regex *rx = regex_new(find_tag(a, arg, k)->text, e);
	if (!rx)
		return -1;
	regex_free(rx);
	return 0;
}
