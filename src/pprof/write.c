/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * Writes a profile as profile.proto, gzipped. Messages are built innermost first in a scratch buffer, because the wire
 * format has lengths in front. Field numbers are those of src/load/pprof/profile.proto. Strings are numbered in the
 * order in which fields use them. The outermost message has no length in front, so it is compressed and written block
 * by block.
 */
#include "config.h"
#include "pprof/frame_text.h"

#include "base/text/buf.h"

#include <string.h>
#include <zlib.h>

enum { VARINT = 0, BYTES = 2, BLOCK = 1 << 16 };

struct pprof_writer {
	const struct profile *p;
	struct profile_frames frames;
	struct frame_text ids;	/* of locations, as LEB128 */
	struct buf out, msg, sub;	/* out: not compressed yet */
	uint32_t *number; /* string id -> number + 1 */
	str_id *order;
	size_t n, cap;
	uint64_t most_map, most_fun, most_loc;	/* the greatest ids of the file */
	z_stream z;
	pprof_write_fn *put;
	void *arg;
	bool stop;		/* put() returned false */
};

/* Compress and write the contents of w->out; last: finish the stream. */
static void deflate_output(struct pprof_writer *w, bool last)
{
	unsigned char block[BLOCK];
	w->z.next_in = (Bytef *)w->out.p;
	w->z.avail_in = (uInt)w->out.n;	/* fits: a message has less than 2^26 frames */
	do {
		w->z.next_out = block;
		w->z.avail_out = sizeof block;
		int r = deflate(&w->z, last ? Z_FINISH : Z_NO_FLUSH);
		size_t n = sizeof block - w->z.avail_out;
		w->stop |= r == Z_STREAM_ERROR || (n && !w->put(w->arg, block, n));
	} while (!w->z.avail_out && !w->stop);
	buf_reset(&w->out);
}

/* Call after each message. Return false if writing was stopped. */
static bool should_continue(struct pprof_writer *w)
{
	if (w->out.n >= BLOCK && !w->stop)
		deflate_output(w, false);
	return !w->stop;
}

static void put_tag(struct buf *b, unsigned field, unsigned wire)
{
	buf_varint(b, field << 3 | wire);
}

static void put_uint(struct buf *b, unsigned field, uint64_t v)
{
	if (v) {
		put_tag(b, field, VARINT);
		buf_varint(b, v);
	}
}

static void put_bytes(struct buf *b, unsigned field, const void *p, size_t n)
{
	put_tag(b, field, BYTES);
	buf_varint(b, n);
	buf_put(b, p, n);
}

/* Append m as a field of b, and empty m. */
static void put_message(struct buf *b, unsigned field, struct buf *m)
{
	put_bytes(b, field, m->p, m->n);
	buf_reset(m);
}

static uint64_t number_of(struct pprof_writer *w, str_id s)
{
	if (!w->number[s]) {
		w->order = mem_grow(w->order, &w->cap, w->n + 1, sizeof *w->order);
		w->order[w->n++] = s;
		w->number[s] = (uint32_t)w->n;
	}
	return w->number[s] - 1;
}

static void put_str(struct pprof_writer *w, struct buf *b, unsigned field, str_id s)
{
	put_uint(b, field, number_of(w, s));
}

static void put_type(struct pprof_writer *w, unsigned field, str_id type, str_id unit)
{
	put_str(w, &w->msg, 1, type);
	put_str(w, &w->msg, 2, unit);
	put_message(&w->out, field, &w->msg);
}

/* Return the id to write: records that had none in the file get numbers above the others, by their index. */
static uint64_t id_of(uint64_t id, uint64_t most, size_t index)
{
	return id ? id : most + index;
}

static uint64_t map_id_of(const struct pprof_writer *w, map_id i)
{
	return i ? id_of(w->p->map[i].id, w->most_map, i) : 0;
}

static uint64_t fun_id_of(const struct pprof_writer *w, fun_id i)
{
	return id_of(w->p->fun[i].id, w->most_fun, i);
}

static uint64_t loc_id_of(const struct pprof_writer *w, loc_id i)
{
	return id_of(w->p->loc[i].id, w->most_loc, i);
}

static void find_most(struct pprof_writer *w)
{
	const struct profile *p = w->p;
	for (size_t i = 1; i < p->nmap; i++)
		w->most_map = p->map[i].id > w->most_map ? p->map[i].id : w->most_map;
	for (size_t i = 1; i < p->nfun; i++)
		w->most_fun = p->fun[i].id > w->most_fun ? p->fun[i].id : w->most_fun;
	for (size_t i = 1; i < p->nloc; i++)
		w->most_loc = p->loc[i].id > w->most_loc ? p->loc[i].id : w->most_loc;
}

static void put_sample(struct pprof_writer *w, size_t i)
{
	const struct profile *p = w->p;
	struct profile_run l = p->set[p->sample[i].labels];
	const struct profile_frame_list *stack = profile_frames_at(&w->frames, i);
	frame_text_put(&w->ids, &w->sub, stack, false);
	if (stack->n)
		put_message(&w->msg, 1, &w->sub);
	for (size_t k = 0; k < p->ntype; k++)
		buf_varint(&w->sub, (uint64_t)profile_value(p, i)[k]);
	if (p->ntype)
		put_message(&w->msg, 2, &w->sub);
	for (uint32_t k = 0; k < l.n; k++) {
		const struct profile_label *x = &p->label[l.off + k];
		put_str(w, &w->sub, 1, x->key);
		if (x->str)
			put_str(w, &w->sub, 2, x->str);
		put_uint(&w->sub, 3, (uint64_t)x->num);
		put_str(w, &w->sub, 4, x->unit);
		put_message(&w->msg, 3, &w->sub);
	}
	put_message(&w->out, 2, &w->msg);
}

static void put_mapping(struct pprof_writer *w, map_id i)
{
	const struct profile_mapping *m = &w->p->map[i];
	struct buf *b = &w->msg;
	put_uint(b, 1, map_id_of(w, i));
	put_uint(b, 2, m->start);
	put_uint(b, 3, m->limit);
	put_uint(b, 4, m->offset);
	put_str(w, b, 5, m->file);
	put_str(w, b, 6, m->build);
	put_uint(b, 7, m->functions);
	put_uint(b, 8, m->filenames);
	put_uint(b, 9, m->lines);
	put_uint(b, 10, m->inlines);
	put_message(&w->out, 3, b);
}

static void put_location(struct pprof_writer *w, loc_id id)
{
	const struct profile *p = w->p;
	const struct profile_location *l = &p->loc[id];
	put_uint(&w->msg, 1, loc_id_of(w, id));
	put_uint(&w->msg, 2, map_id_of(w, l->map));
	put_uint(&w->msg, 3, l->addr);
	for (uint32_t i = l->line; i < l->line + l->nline; i++) {
		put_uint(&w->sub, 1, fun_id_of(w, p->line[i].fun));
		put_uint(&w->sub, 2, (uint64_t)p->line[i].line);
		put_uint(&w->sub, 3, (uint64_t)p->line[i].col);
		put_message(&w->msg, 4, &w->sub);
	}
	put_uint(&w->msg, 5, l->folded);
	put_message(&w->out, 4, &w->msg);
}

static void put_function(struct pprof_writer *w, fun_id id)
{
	const struct profile_function *f = &w->p->fun[id];
	put_uint(&w->msg, 1, fun_id_of(w, id));
	put_str(w, &w->msg, 2, f->name);
	put_str(w, &w->msg, 3, f->sysname);
	put_str(w, &w->msg, 4, f->file);
	put_uint(&w->msg, 5, (uint64_t)f->line);
	put_message(&w->out, 5, &w->msg);
}

static void put_trailer(struct pprof_writer *w)
{
	const struct profile *p = w->p;
	uint64_t drop = number_of(w, p->meta.drop_frames), keep = number_of(w, p->meta.keep_frames);
	if (p->meta.period_type || p->meta.period_unit)
		put_type(w, 11, p->meta.period_type, p->meta.period_unit);
	for (size_t i = 0; i < p->meta.ncomment; i++)
		buf_varint(&w->sub, number_of(w, p->meta.comment[i]));
	uint64_t dflt = number_of(w, p->meta.default_type), url = number_of(w, p->meta.doc_url);
	for (size_t i = 0; i < w->n && should_continue(w); i++)
		put_bytes(&w->out, 6, p->str[w->order[i]].s, p->str[w->order[i]].n);
	put_uint(&w->out, 7, drop);
	put_uint(&w->out, 8, keep);
	put_uint(&w->out, 9, (uint64_t)p->meta.time);
	put_uint(&w->out, 10, (uint64_t)p->meta.duration);
	put_uint(&w->out, 12, (uint64_t)p->meta.period);
	if (w->sub.n)
		put_message(&w->out, 13, &w->sub);
	put_uint(&w->out, 14, dflt);
	put_uint(&w->out, 15, url);
}

int pprof_write(const struct profile *p, pprof_write_fn *put, void *arg, struct err *e)
{
	struct pprof_writer w = {.p = p, .frames.p = p, .put = put, .arg = arg};
	if (deflateInit2(&w.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_set(e, ERR_LIMIT, ERR_NOWHERE, "out of memory for compression");
	w.number = xcalloc(p->nstr, sizeof *w.number);
	number_of(&w, 0);
	find_most(&w);
	for (size_t i = 0; i < p->nloc; i++) {
		buf_varint(&w.ids.text, i ? loc_id_of(&w, (loc_id)i) : 0);
		frame_text_end(&w.ids);
	}
	for (size_t i = 0; i < p->ntype; i++)
		put_type(&w, 1, p->type[i].type, p->type[i].unit);
	for (size_t i = 0; i < p->nsample && should_continue(&w); i++)
		put_sample(&w, i);
	for (size_t i = 1; i < p->nmap && should_continue(&w); i++)
		put_mapping(&w, (map_id)i);
	for (size_t i = 1; i < p->nloc && should_continue(&w); i++)
		put_location(&w, (loc_id)i);
	for (size_t i = 1; i < p->nfun && should_continue(&w); i++)
		put_function(&w, (fun_id)i);
	if (!w.stop)
		put_trailer(&w);
	if (!w.stop)
		deflate_output(&w, true);
	deflateEnd(&w.z);
	buf_free(&w.out);
	buf_free(&w.msg);
	buf_free(&w.sub);
	profile_frames_free(&w.frames);
	frame_text_free(&w.ids);
	mem_free(w.number);
	mem_free(w.order);
	return 0;
}
