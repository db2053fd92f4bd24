/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Commands that take one of a few values: without a value they open a menu of them, with the
 * current one marked; on the ":" line Tab offers the same. A pane lists the values of its own
 * commands (pane_ops.own). Those common to all panes on call trees are here: granularity, the
 * base of percentages, the unit, and the tagged functions.
 */
#include "config.h"
#include "app/internal.h"

#include "base/mem/mem.h"
#include "base/text/pprof_units.h"
#include "filter/tag_weights.h"

#include <stdio.h>
#include <string.h>


const char *const gran_names[GRANS] = {"functions", "filefunctions", "files", "lines", "addresses"};

static int choose_gran(const struct app *a, struct choice *out)
{
	static const char *const what[] = {"a row or frame for each function",
	    "for each function of each file", "for each file", "for each source line", "for each address"};
	for (int i = 0; i < GRANS; i++)
		pane_set_choice(&out[i], gran_names[i], what[i], (int)session_query(a->s)->gran == i);
	return GRANS;
}

static const struct { const char *arg, *text; } bases[BASE__N] = {
    [BASE_AUTO] = {"auto", "the default of each pane"},
    [BASE_ALL] = {"whole", "of the total before filters"},
    [BASE_SHOWN] = {"shown", "of the total after filters"},
    [BASE_LOCAL] = {"parent", "of the parent in Flame, Peek's centre, List's function"},
};

static int choose_base(const struct app *a, struct choice *out)
{
	for (int i = 0; i < BASE__N; i++)
		pane_set_choice(&out[i], bases[i].arg, bases[i].text, (int)a->env.base == i);
	return BASE__N;
}

static const char *const units[] = {"ns", "us", "ms", "s", "mins", "hrs", "B", "kB", "MB", "GB", "TB"};

/* Offer the units that fit the sample type. */
static int choose_unit(const struct app *a, struct choice *out)
{
	size_t t = session_type(a->s);
	const char *unit = t < session_ntypes(a->s) ? session_type_unit(a->s, t) : "";
	int n = 0;
	pane_set_choice(&out[n++], "auto", "fits each value", !a->env.unit);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (pprof_units_compatible(unit, units[i]))
			pane_set_choice(&out[n++], units[i], "", a->env.unit && !strcmp(a->env.unit, units[i]));
	return n > 1 ? n : 0;
}

static int choose_type(const struct app *a, struct choice *out)
{
	struct buf b = {0};
	int n = 0;
	for (size_t i = 0; i < session_ntypes(a->s) && n < CHOICES_MAX; i++) {
		int64_t total;
		buf_reset(&b);
		if (session_total(a->s, i, &total))
			pprof_units_label(&b, total, session_type_unit(a->s, i), "auto");
		pane_set_choice(&out[n++], session_type_name(a->s, i), buf_str(&b), session_type(a->s) == i);
	}
	buf_free(&b);
	return n;
}

/* Offer the tag keys, for tagroot and tagleaf. */
static int choose_key(const struct app *a, const char *now, struct choice *out)
{
	str_id key[CHOICES_MAX - 1];
	int n = (int)tag_keys(session_snap(a->s), key, CHOICES_MAX - 1);
	for (int i = 0; i < n; i++) {
		const char *s = store_str(session_snap(a->s)->st, key[i])->s;
		pane_set_choice(&out[i], s, "add its values as frames", now && !strcmp(now, s));
	}
	if (n)
		pane_set_choice(&out[n++], "none", "no tags as frames", !now);
	return n;
}

int app_choices(const struct app *a, enum cmd_id id, struct choice *out)
{
	const struct query *q = session_query(a->s);
	const struct pane_ops *p = pane_now(a);
	int n = pane_choices(p, state_now(a), &a->env, id, out);
	if (id == CMD_LOAD)
		return named_choices(a, NAMED_FILTER, out);
	if (n || !(p->bit & (P_TREES | P_TAGS)))
		return n;
	switch (id) {
	case CMD_GRANULARITY: case CMD_GRAN_NEXT: return choose_gran(a, out);
	case CMD_SAMPLE_INDEX: case CMD_TYPES: return choose_type(a, out);
	case CMD_PERCENT: return choose_base(a, out);
	case CMD_UNIT: return choose_unit(a, out);
	case CMD_TAGROOT: return choose_key(a, q->f.tagroot, out);
	case CMD_TAGLEAF: return choose_key(a, q->f.tagleaf, out);
	default: return 0;
	}
}

/* Open the menu of a command given without a value. false: it does not take one of a few values. */
bool app_choose(struct app *a, enum cmd_id id)
{
	struct choice c[CHOICES_MAX];
	int n = app_choices(a, id, c);
	if (!n)
		return false;
	a->pop = (struct popup){.kind = POP_MENU, .by = id, .row = a->pop.row, .cap = a->pop.cap};
	for (int i = 0; i < n; i++) {
		struct pop_row r = {.cmd = id == CMD_GRAN_NEXT ? CMD_GRANULARITY : id == CMD_TYPES ? CMD_SAMPLE_INDEX : id};
		snprintf(r.arg, sizeof r.arg, "%.47s", c[i].arg);
		snprintf(r.key, sizeof r.key, "%s", c[i].on ? "*" : "");
		snprintf(r.text, sizeof r.text, "%-14.47s %.100s", c[i].arg, c[i].text);
		a->pop.row = mem_grow(a->pop.row, &a->pop.cap, a->pop.nrow + 1, sizeof *a->pop.row);
		a->pop.row[a->pop.nrow++] = r;
	}
	list_set_count(&a->pop.rows, (uint32_t)n);
	for (int i = 0; i < n; i++)
		if (c[i].on) {
			list_select(&a->pop.rows, (uint32_t)i);
			break;
		}
	snprintf(a->pop.title, sizeof a->pop.title, "%.58s", cmds[id].name);
	return true;
}

/* Set the option for reports too, so that they match the panes. */
static void set_report_option(struct app *a, enum option_id id, const char *value)
{
	struct err e;
	if (!session_set_option(a->s, id, value, &e))
		app_update_all_panes(a);
}

static void set_base(struct app *a, const char *arg)
{
	for (int i = 0; i < BASE__N; i++)
		if (arg && !strcmp(arg, bases[i].arg)) {
			a->env.base = (enum base)i;
			set_report_option(a, OPT_RELATIVE, i == BASE_SHOWN ? "true" : "false");
			app_message(a, ST_DIM, "percentages %s", bases[i].text);
			return;
		}
	app_message(a, ST_ERROR, "percent requires whole, shown, parent or auto");
}

void app_unit(struct app *a, const char *arg)
{
	struct choice c[CHOICES_MAX];
	int n = choose_unit(a, c);
	if (!arg || !*arg || !strcmp(arg, "auto") || !strcmp(arg, "minimum")) {
		a->env.unit = NULL;
		set_report_option(a, OPT_UNIT, arg && *arg ? arg : "minimum");
		app_message(a, ST_DIM, "the unit fits each value");
		return;
	}
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		for (int k = 0; k < n; k++)
			if (!strcmp(c[k].arg, units[i]) && (!strcmp(arg, units[i]) || (strlen(arg) > 2 &&
			    pprof_units_compatible(arg, units[i]) && pprof_units_scale(1, arg, units[i], NULL) == 1))) {
				a->env.unit = units[i];
				set_report_option(a, OPT_UNIT, arg);
				return;
			}
	app_message(a, ST_ERROR, "%s is not a unit of these values", arg);
}

/* ---- tagged rows */

static void toggle_tag(struct app *a)
{
	struct place p;
	app_place(a, &p);
	if (!p.fun) {
		app_message(a, ST_WARN, "no function is selected here");
		return;
	}
	for (size_t i = 0; i < a->env.ntagged; i++)
		if (!strcmp(app_fun_name(a, a->tagged[i]), app_fun_name(a, p.fun))) {
			a->tagged[i] = a->tagged[--a->env.ntagged];
			app_message(a, ST_DIM, "tag removed; %zu %s", a->env.ntagged,
			    a->env.ntagged == 1 ? "is" : "are");
			return;
		}
	a->tagged = mem_grow(a->tagged, &a->tagcap, a->env.ntagged + 1, sizeof *a->tagged);
	a->env.tagged = a->tagged;
	a->tagged[a->env.ntagged++] = p.fun;
	struct ask ask = {.kind = ASK_NONE};
	pane_act(pane_now(a), state_now(a), &a->env, &(struct act){CMD_DOWN, 0, NULL}, &ask);
	app_message(a, ST_DIM, "%zu tagged: :tagged shows only stacks through %s", a->env.ntagged,
	    a->env.ntagged == 1 ? "it" : "them");
}

static void filter_tagged(struct app *a, const char *how)
{
	static const struct { const char *word; enum cmd_id cmd; } uses[] = {
	    {"focus", CMD_FOCUS}, {"ignore", CMD_IGNORE}, {"hide", CMD_HIDE}, {"show", CMD_SHOW}};
	enum cmd_id cmd = how && *how ? CMD_NONE : CMD_FOCUS;
	struct buf b = {0};
	for (size_t i = 0; how && i < sizeof uses / sizeof *uses; i++)
		if (!strcmp(how, uses[i].word))
			cmd = uses[i].cmd;
	if (how && !strcmp(how, "none"))
		a->env.ntagged = 0;
	else if (!cmd)
		app_message(a, ST_ERROR, "tagged requires focus, ignore, hide, show or none");
	else if (!a->env.ntagged)
		app_message(a, ST_WARN, "nothing is tagged: t tags a row");
	for (size_t i = 0; cmd && i < a->env.ntagged; i++)
		buf_printf(&b, "%s%s", i ? "|" : "", app_exact_regex(a, app_fun_name(a, a->tagged[i])));
	if (b.n)
		app_filter(a, cmd, arena_strndup(&a->scratch, b.p, b.n), false);
	buf_free(&b);
}

bool app_value_command(struct app *a, const struct act *act)
{
	bool calls = pane_now(a)->bit & P_TREES;
	switch (act->cmd) {
	case CMD_PERCENT:
	case CMD_UNIT:
		if (!act->arg && !(pane_now(a)->bit & (P_TREES | P_TAGS)))
			app_message(a, ST_DIM, "%s for panes 1 to 4, not for this pane",
			    act->cmd == CMD_UNIT ? "units apply" : "percentages apply");
		else if (act->cmd == CMD_UNIT)
			app_unit(a, act->arg);
		else
			set_base(a, act->arg);
		return true;
	case CMD_TAG:
		if (calls)
			toggle_tag(a);
		return calls;
	case CMD_TAGGED: filter_tagged(a, act->arg); return true;
	default: return false;
	}
}
