/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * make soak: viewers for SOAK_MINUTES (default 60), one after the other, each on a copy of a sample: random keys and
 * sizes, keys that do not wait until the work of earlier keys has ended, and a file that is truncated, replaced and
 * grown meanwhile.
 *
 * It fails if a key takes more than two minutes, if the memory of the process grows over the rounds, or if a sanitizer
 * of the build finds something. Memory is what is resident, which an allocator makes uneven, and what is allocated when no
 * viewer is open. Each viewer has a seed of its own, which decides its file, keys and changes; soak.log has the keys and
 * changes of the last one, in the notation of -script. SOAK_SEED=SEED SOAK_MINUTES=0 repeats that viewer.
 */
#include "config.h"
#include "app/app.h"
#include "app/command.h"
#include "base/clock.h"
#include "base/job.h"
#include "base/mem/mem.h"
#include "base/text/buf.h"
#include "cli/options.h"
#include "sanitized.h"
#include "term/key.h"

#include <inttypes.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define HAVE_MALLINFO2 1
#endif
#endif
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)	/* clang; gcc has the macro below */
#define __SANITIZE_ADDRESS__
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void);
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=16";	/* a small limit on freed memory that is kept, so that other growth shows */
}
#endif

enum { PATIENCE_S = 120, KEYS = 150, ROUND = 26, FIRST_ROUNDS = 4 };

static const char *const samples[] = {
	"orders.trace", "cpu.pb.gz", "stock.trace", "heap.pb.gz", "gctrace.log", "goroutines.txt", "login.folded",
	"mutex.pb.gz", "perf.txt.gz", "block.pb.gz", "leak-after.pb.gz", "leak-before.pb.gz", "goroutine.pb.gz",
};
enum { SAMPLES = sizeof samples / sizeof *samples };
static const char *const phrases[] = {
	"1j2j3j4j5j6j7j8j9j", "!j<Enter>", "jW<Esc>", ";j", ":focus=main<Enter>", ":hide=runtime<Enter>", "uu<^R>", "R",
	":t 40%..60%<Enter>", ":diff other<Enter>", ":diff=<Enter>", "D~D", "r", "r<Esc>", "<Esc>", "5+++w)(", "6j<Enter>",
	":where wait>1us<Enter>nn", "7/a<Enter>n", "9/Block<Enter>n", ":tree<Enter>", ":tagroot=endpoint<Enter>",
	":granularity=lines<Enter>", ":merge other<Enter>", "gt90%<Enter>", ":rows g<Enter>", "4rzp", "maj'a", "y", "?<Esc>",
	":type sched<Enter>1", ":goroutines worker<Enter>", "8<Tab>V", ":fetch diff<Enter>", "a<Esc>", "K<Esc>", "MjC",
};

struct viewer {
	struct app *a;
	struct grid *g;
	uint64_t rng;
	const char *file;	/* the copy that is shown */
	bool quit;
};
static FILE *keylog;
static char folder[] = "/tmp/ttrace-soak.XXXXXX";
static char sources[1024];

static uint32_t rnd(struct viewer *v, uint32_t n)
{
	v->rng = v->rng * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(v->rng >> 33) % n;
}

static void too_long(int sig)
{
	static const char text[] = "soak: a key has taken two minutes: see soak.log\n";
	(void)sig;
	if (write(2, text, sizeof text - 1) < 0)
		_exit(2);
	abort();
}

/* Copy the first `part` per cent of a sample: into the existing file, or into a new one that replaces it. */
static void put_file(const char *name, const char *sample, uint32_t part, bool in_place)
{
	char from[1200];
	struct stat st;
	snprintf(from, sizeof from, "%s/%s", sources, sample);
	FILE *f = fopen(from, "re"), *to = fopen(in_place ? name : "new", "we");
	if (!f || !to || fstat(fileno(f), &st))
		abort();
	char *bytes = xmalloc((size_t)st.st_size + 1);
	size_t n = fread(bytes, 1, (size_t)st.st_size * part / 100, f);
	fwrite(bytes, 1, n, to);
	mem_free(bytes);
	fclose(f);
	fclose(to);
	if (!in_place && rename("new", name))
		abort();
}

/* Change the file that is shown, in one of six ways. */
static void change_file(struct viewer *v)
{
	uint32_t how = rnd(v, 6), part = rnd(v, 100);
	const char *sample = samples[rnd(v, SAMPLES)];
	FILE *f;
	fprintf(keylog, "\n# change %" PRIu32 ": %" PRIu32 " %% of %s\n", how, part, sample);
	switch (how) {
	case 0:
		if (truncate(v->file, (off_t)part * 1000))
			put_file(v->file, sample, 100, false);	/* the file does not exist: an earlier change removed it */
		break;
	case 1: put_file(v->file, sample, 100, false); break;
	case 2: put_file(v->file, sample, part, false); break;
	case 3: put_file(v->file, sample, 100, true); break;
	case 4:
		f = fopen(v->file, "ae");
		for (uint32_t i = 0; f && i < part * 100; i++)
			putc((int)rnd(v, 256), f);
		if (f)
			fclose(f);
		break;
	default: unlink(v->file);
	}
}

/* Take results of jobs, as the loop of the terminal does; wait up to ms milliseconds for them. */
static void take_news(struct viewer *v, int ms)
{
	struct job *j = app_job(v->a), *own = app_work(v->a);
	struct pollfd p[2] = {{j ? job_fd(j) : -1, POLLIN, 0}, {own ? job_fd(own) : -1, POLLIN, 0}};
	if (app_busy(v->a))
		app_run_step(v->a);
	else
		poll(p, 2, ms);
	if (j)
		job_drain(j);
	app_refresh(v->a);
	app_take_results(v->a, false);
	app_draw(v->a, v->g);
}

static void press(struct viewer *v, int32_t key)
{
	struct buf b = {0};
	keys_print(key, &b);
	fprintf(keylog, b.n > 1 && (unsigned char)*b.p < 0x80 ? "<%s>" : "%s", buf_str(&b));
	fflush(keylog);
	buf_free(&b);
	alarm(PATIENCE_S);
	app_key(v->a, key);
	app_draw(v->a, v->g);
	struct app_requests w = app_take_requests(v->a);
	v->quit |= w.quit;
	app_requests_free(&w);
	if (rnd(v, 3) == 0)
		take_news(v, (int)rnd(v, 5));
}

static void press_some(struct viewer *v)
{
	static const int32_t special[] = {KEY_DOWN_, KEY_UP_, KEY_LEFT_, KEY_RIGHT_, KEY_RETURN, KEY_ESC, KEY_PGDN, KEY_PGUP};
	const char *s = phrases[rnd(v, sizeof phrases / sizeof *phrases)];
	uint32_t how = rnd(v, 4);
	if (how == 0) {
		press(v, special[rnd(v, sizeof special / sizeof *special)]);
	} else if (how == 1) {
		press(v, (int32_t)(' ' + rnd(v, 95)));
	} else {
		for (size_t n = strlen(s), at = 0; at < n && !v->quit;) {
			int32_t key;
			at += keys_parse(s + at, n - at, &key);
			press(v, key);
		}
	}
}

static void use_viewer(struct viewer *v)
{
	for (int i = 0; i < KEYS && !v->quit; i++) {
		if (rnd(v, 12) == 0)
			change_file(v);
		if (rnd(v, 12) == 0) {
			int rows = 1 + (int)rnd(v, 70), cols = 1 + (int)rnd(v, 200);
			fprintf(keylog, "\n# size %dx%d\n", cols, rows);
			app_resize(v->a, rows, cols);
			app_draw(v->a, v->g);
		}
		press_some(v);
	}
	for (int i = 0; rnd(v, 2) && i < 50 && !v->quit && (app_job(v->a) || app_work(v->a)); i++)
		take_news(v, 20);
}

static void run_viewer(uint64_t seed)
{
	static char program[] = "ttrace", word[] = "view", file[] = "shown";
	struct viewer v = {.rng = seed * 2862933555777941757 + 3037000493, .file = file};
	struct options o;
	struct err e = {0};
	const char *sample = samples[rnd(&v, SAMPLES)];
	put_file("other", samples[rnd(&v, SAMPLES)], 100, false);
	put_file(file, sample, 100, false);
	keylog = fopen("soak.log", "we");
	if (!keylog)
		abort();
	fprintf(keylog, "# seed %" PRIu64 ": %s\n", seed, sample);
	alarm(PATIENCE_S);
	if (options_parse(&o, 3, (char *[]){program, word, file, NULL}, &e))
		abort();
	struct session *s = session_open(&o, &e);
	struct app_setup u = {.rows = 24, .cols = 80, .look = {TH_DARK, 256}, .patient = true};
	bool whole = rnd(&v, 2);	/* wait until the file is read before the first key */
	bool ok = s && !(whole && session_wait(s, &e));
	v.a = ok ? app_new(&o, s, &u, &e) : NULL;
	v.g = grid_new(u.rows, u.cols, false);
	if (v.a) {
		use_viewer(&v);
		s = app_session(v.a);
		app_free(v.a);
	}
	session_close(s);
	grid_free(v.g);
	options_free(&o);
	fclose(keylog);
}

static double resident_mb(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Return the bytes on the heap, or 0 if that is not known. */
static double allocated_mb(void)
{
#ifdef __SANITIZE_ADDRESS__
	return (double)__sanitizer_get_current_allocated_bytes() / 1e6;
#elif defined HAVE_MALLINFO2
	struct mallinfo2 m = mallinfo2();
	return (double)(m.uordblks + m.hblkhd) / 1e6;
#else
	return 0;
#endif
}

struct memory { double resident, allocated; };	/* MB */

/* Report memory that is clearly above the most of the first rounds. A sanitizer keeps each new call stack that allocates,
   so what is resident grows with the number of different keys, and only what is allocated is compared. */
static bool has_grown(const struct memory *now, const struct memory *most)
{
	bool fits = SANITIZED || now->resident <= most->resident * 1.25 + 16;
	if (fits && now->allocated <= most->allocated * 1.25 + 1)
		return false;
	fprintf(stderr, "soak: memory grows: at most %.0f MB resident, %.2f MB allocated in the first rounds\n", most->resident,
	    most->allocated);
	return true;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 10) : otherwise;
}

int main(void)
{
	const char *dir = getenv("srcdir");
	uint64_t seed = number("SOAK_SEED", (uint64_t)clock_ns() % 1000000000), first = seed;
	int64_t end = clock_ns() + (int64_t)number("SOAK_MINUTES", 60) * 60000000000;
	struct memory most = {0};
	if (chdir(dir ? dir : ".") || !getcwd(sources, sizeof sources - 10) || !mkdtemp(folder) || chdir(folder))
		return 2;
	strcat(sources, "/samples");
	setenv("TTRACESECURE", "1", 1);	/* random keys write no files and run no programs */
	setlocale(LC_CTYPE, "C.UTF-8");
	signal(SIGALRM, too_long);
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);	/* with an arena for each thread, free memory grows for long and hides leaks */
#endif
	printf("seed %" PRIu64 ", log %s/soak.log\n", seed, folder);
	fflush(stdout);
	for (int round = 1; round == 1 || clock_ns() < end; round++) {
		for (int i = 0; i < ROUND && (i == 0 || clock_ns() < end); i++)
			run_viewer(seed++);
		struct memory now = {resident_mb(), allocated_mb()};
		printf("round %d: %" PRIu64 " viewers, %.0f MB resident, %.2f MB allocated\n", round, seed - first, now.resident,
		    now.allocated);
		fflush(stdout);
		if (round > FIRST_ROUNDS && has_grown(&now, &most))
			return 1;
		if (round <= FIRST_ROUNDS)
			most = (struct memory){fmax(most.resident, now.resident), fmax(most.allocated, now.allocated)};
	}
	printf("%" PRIu64 " viewers, nothing found\n", seed - first);
	return 0;
}
