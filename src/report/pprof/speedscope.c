/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * speedscope: the stacks as one file in speedscope's own format, for
 * https://www.speedscope.app or `npx speedscope`: shared frames, and a sampled
 * profile for each sample type, or for the selected one. Stacks that are equal
 * after the filters are one sample with their sum, so the size of the file
 * depends on the number of different stacks.
 *
 * The format has no negative weights: of a difference only increases can be
 * shown, and a notice reports that.
 */
#include "config.h"
#include "report/pprof/internal.h"

#include "base/text/pprof_units.h"
#include "pprof/frame_text.h"
#include "report/json.h"

#include <string.h>

struct scope {
	struct pprof_report *v;
	struct out *out;
	struct json j;
	struct profile *frames;	/* frames as functions, found by content; index + 1 */
	struct intern index;
	uint32_t *frame;	/* by line, then by location without lines; 0: in no sample */
	struct frame_text numbers;	/* of the frames of each location, root first, a comma after each */
	bool negative;
};

static int same_frame(const void *ctx, uint32_t id, const void *key)
{
	const struct profile_function *a = &((const struct scope *)ctx)->frames->fun[id], *b = key;
	return a->name == b->name && a->file == b->file && a->line == b->line;
}

/* Return one line of a location, as a function of s->frames; its strings are the profile's. */
static uint32_t frame_of(struct scope *s, loc_id id, uint32_t line)
{
	struct profile *p = s->v->p;
	struct graph_info i = graph_info_of_line(p, &p->loc[id], line, false);
	const struct profile_location *l = &p->loc[id];
	struct profile_function f = {
	    .name = i.name, .file = i.file, .line = l->nline ? p->fun[p->line[l->line + line].fun].line : 0};
	if (!f.name) {
		struct buf b = {0};
		graph_info_name(&b, p, &i, " ");
		f.name = profile_add_string(p, b.p ? b.p : "?", b.p ? b.n : 1);
		buf_free(&b);
	}
	uint32_t h = intern_hash_u64((uint64_t)f.name << 32 | f.file, (uint64_t)f.line);
	uint32_t at = intern_find(&s->index, h, same_frame, s, &f);
	if (at == UINT32_MAX) {
		at = profile_add_function(s->frames, &f);
		intern_put(&s->index, h, at);
	}
	return at;
}

static uint32_t *frame_at(const struct scope *s, loc_id id, uint32_t line)
{
	const struct profile *p = s->v->p;
	return &s->frame[p->loc[id].nline ? p->loc[id].line + line : p->nline + id];
}

static void number_frames(struct scope *s, loc_id id)
{
	const struct profile_location *l = &s->v->p->loc[id];
	for (uint32_t line = l->nline ? l->nline : 1; line--;) {
		uint32_t *f = frame_at(s, id, line);
		if (!*f)
			*f = frame_of(s, id, line);
	}
}

/* Number frames in the order of the samples, each stack from its root. The frames above a known node have numbers. */
static void find_frames(struct scope *s)
{
	const struct profile *p = s->v->p;
	uint8_t *known = xcalloc(p->tree.n, 1);
	struct stack_path path = {0};
	known[0] = 1;
	s->frame = xcalloc(p->nline + p->nloc + 1, sizeof *s->frame);
	for (size_t i = 0; i < p->nsample; i++) {
		path.n = 0;
		for (uint32_t at = p->stack[p->sample[i].stack]; !known[at]; at = profile_caller(p, at)) {
			known[at] = 1;
			path.node = mem_grow(path.node, &path.cap, path.n + 1, sizeof *path.node);
			path.node[path.n++] = at;
		}
		while (path.n)
			number_frames(s, profile_frame(p, path.node[--path.n]));
	}
	mem_free(path.node);
	mem_free(known);
}

static void print_numbers(struct scope *s)
{
	const struct profile *p = s->v->p;
	for (size_t i = 0; i < p->nloc; i++) {
		for (uint32_t line = p->loc[i].nline ? p->loc[i].nline : 1; line--;) {
			uint32_t frame = *frame_at(s, (loc_id)i, line);
			if (!frame)
				break;
			buf_u64(&s->numbers.text, frame - 1);
			buf_putc(&s->numbers.text, ',');
		}
		frame_text_end(&s->numbers);
	}
}

static void put_frames(struct scope *s)
{
	const struct profile *p = s->v->p;
	json_object(&s->j, "shared");
	json_array(&s->j, "frames");
	for (size_t i = 1; i < s->frames->nfun; i++) {
		const struct profile_function *f = &s->frames->fun[i];
		json_object(&s->j, NULL);
		json_str(&s->j, "name", profile_string(p, f->name), p->str[f->name].n);
		if (f->file)
			json_str(&s->j, "file", profile_string(p, f->file), p->str[f->file].n);
		if (f->file && f->line > 0)
			json_i64(&s->j, "line", f->line);
		json_end(&s->j);
		output_flush(s->out, false);
	}
	json_end(&s->j);
	json_end(&s->j);
}

/* Return speedscope's name of a unit; *ours: our name, for the conversion. */
static const char *unit_name(const char *unit, const char **ours)
{
	if (pprof_units_compatible(unit, "ns")) {
		*ours = "ns";
		return "nanoseconds";
	}
	*ours = pprof_units_compatible(unit, "bytes") ? "B" : unit;
	return pprof_units_compatible(unit, "bytes") ? "bytes" : "none";
}

static double weight_of(const struct scope *s, size_t sample, size_t type, const char *unit)
{
	const struct pprof_report *v = s->v;
	const int64_t *val = profile_value(v->p, sample);
	const char *from = profile_string(v->p, v->p->type[type].unit);
	double ratio = v->ratio > 0 ? v->ratio : 1;
	if (v->g.mean)
		return val[0] ? (double)profile_mean(val[type], val[0]) * ratio : 0;
	return strcmp(unit, from) ? pprof_units_scale(val[type], from, unit, NULL) * ratio : (double)val[type] * ratio;
}

/* Integers are printed as such: %g would round large ones. */
static void put_weight(struct scope *s, const char *key, double w)
{
	if (w < 9e15 && w == (double)(int64_t)w)
		json_i64(&s->j, key, (int64_t)w);
	else
		json_f64(&s->j, key, w);
}

static void put_samples(struct scope *s, const double *w)
{
	const struct profile *p = s->v->p;
	struct profile_frames frames = {.p = p, .stacks = true};
	json_array(&s->j, "samples");
	for (size_t k = 0; k < p->nstack && !s->out->failed; k++) {
		if (!(w[k] > 0))
			continue;
		const struct profile_frame_list *stack = profile_frames_at(&frames, k);
		json_array(&s->j, NULL);
		frame_text_put(&s->numbers, s->j.b, stack, true);
		s->j.b->n -= stack->n ? 1 : 0;	/* the last comma */
		json_end(&s->j);
		output_flush(s->out, false);
	}
	profile_frames_free(&frames);
	json_end(&s->j);
	json_array(&s->j, "weights");
	for (size_t k = 0; k < p->nstack; k++) {
		if (w[k] > 0)
			put_weight(s, NULL, w[k]);
		output_flush(s->out, false);
	}
	json_end(&s->j);
}

static void put_profile(struct scope *s, size_t type)
{
	const struct profile *p = s->v->p;
	const char *ours, *unit = unit_name(profile_string(p, p->type[type].unit), &ours);
	double *w = xcalloc(p->nstack + 1, sizeof *w), end = 0;
	for (size_t i = 0; i < p->nsample; i++)
		w[p->sample[i].stack] += weight_of(s, i, type, ours);
	for (size_t k = 0; k < p->nstack; k++) {
		s->negative |= w[k] < 0;
		end += w[k] > 0 ? w[k] : 0;
	}
	json_object(&s->j, NULL);
	json_text(&s->j, "type", "sampled");
	json_text(&s->j, "name", profile_string(p, p->type[type].type));
	json_text(&s->j, "unit", unit);
	json_i64(&s->j, "startValue", 0);
	put_weight(s, "endValue", end);
	put_samples(s, w);
	json_end(&s->j);
	mem_free(w);
}

/* Is a type selected? Otherwise all types are written. */
static bool wants_one_type(const struct options *o)
{
	static const enum option_id id[] = {OPT_SAMPLE_INDEX, OPT_INUSE_SPACE, OPT_INUSE_OBJECTS, OPT_ALLOC_SPACE,
	    OPT_ALLOC_OBJECTS, OPT_TOTAL_DELAY, OPT_CONTENTIONS, OPT_MEAN_DELAY, OPT_MEAN};
	for (size_t i = 0; i < sizeof id / sizeof *id; i++)
		if (o->v[id[i]].set)
			return true;
	return false;
}

static void put_file(struct scope *s)
{
	const struct pprof_report *v = s->v;
	bool one = wants_one_type(v->o);
	const char *file = v->o->file[0], *slash = strrchr(file, '/');
	json_object(&s->j, NULL);
	json_text(&s->j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(&s->j, "exporter", "ttrace " VERSION);
	json_text(&s->j, "name", slash && slash[1] ? slash + 1 : file);
	json_i64(&s->j, "activeProfileIndex", one ? 0 : (int64_t)v->g.type);
	put_frames(s);
	json_array(&s->j, "profiles");
	for (size_t i = 0; i < v->p->ntype; i++)
		if (!one || i == v->g.type)
			put_profile(s, i);
	json_end(&s->j);
	json_end(&s->j);
}

int report_speedscope(const struct options *o, struct out *out, struct err *e)
{
	struct pprof_report v;
	if (pprof_report_open(&v, o, REPORT_SPEEDSCOPE, e))
		return -1;
	struct scope s = {.v = &v, .out = out, .j = {.b = &out->buf}, .frames = profile_new()};
	find_frames(&s);
	print_numbers(&s);
	put_file(&s);
	if (s.negative)
		pprof_report_notice(NULL, "speedscope has no negative weights: negative differences are left out");
	profile_free(s.frames);
	intern_free(&s.index);
	mem_free(s.frame);
	frame_text_free(&s.numbers);
	pprof_report_close(&v);
	return 0;
}
