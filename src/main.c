/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The program's entry: parses the command line, runs the report or opens the viewer, and prints
 * errors in one line. Only this file uses both the reports and the viewer.
 */
#include "config.h"
#include "base/ending.h"
#include "base/mem/mem.h"
#include "base/mem/paging_file.h"
#include "base/put.h"
#include "base/sandbox.h"
#include "base/subprocess.h"
#include "base/text/path.h"
#include "base/text/regex.h"
#include "base/text/text.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "report/report.h"
#include "cli/options.h"
#include "session/download.h"
#include "session/query.h"
#include "session/trace_open.h"
#include "app/tui.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char about[] =
    "ttrace: explore pprof profiles and Go execution traces in the terminal\n"
    "\n"
    "    ttrace FILE                  open the viewer (? lists all keys)\n"
    "    ttrace REPORT [OPTIONS] FILE print a report: ttrace top cpu.pb.gz\n"
    "    ttrace localhost:6060        fetch a profile of a running program (pprof)\n"
    "    ttrace help                  list all reports and options\n"
    "    man ttrace                   the manual; man ttrace-view: panes and keys\n"
    "\n"
    "How to record a file:\n"
    "    go test -trace t.out -cpuprofile cpu.pb.gz\n"
    "    curl -o t.out 'http://localhost:6060/debug/pprof/trace?seconds=5'\n"
    "    curl -o heap.pb.gz http://localhost:6060/debug/pprof/heap\n"
    "    GODEBUG=gctrace=1,schedtrace=1000 ./program 2>log       or a panic's output\n"
    "    runtime/trace (Start, or a FlightRecorder) and runtime/pprof in your program\n";

/* Print the text and free it. */
static int print_text(struct buf *b, struct err *e)
{
	struct out out;
	int rc = output_open(&out, NULL, e);
	if (!rc) {
		buf_put(&out.buf, b->p, b->n);
		rc = output_close(&out, true, e);
	}
	buf_free(b);
	return rc;
}

static int print_words(const char *s, struct err *e)
{
	struct buf b = {0};
	buf_puts(&b, s);
	return print_text(&b, e);
}

static int print_help(const struct options *o, struct err *e)
{
	struct buf b = {0};
	if (o->arg) {
		const struct report_row *r = cli_find_report(o->arg);
		if (!r)
			return options_unknown_report(o->arg, e);
		cli_help_report(&b, r);
		tui_help_columns(&b, r->columns);
		cli_help_report_options(&b, r);
		return print_text(&b, e);
	}
	buf_puts(&b, about);
	buf_puts(&b, "\nReports\n");
	cli_help_reports(&b);
	buf_puts(&b, "\nOptions (one dash or two; -name=value or -name value)\n");
	cli_help_options(&b);
	return print_text(&b, e);
}

/* Return whether the error's text begins with this file name, escaped like the text. */
static bool names_file(const char *msg, const char *file)
{
	struct buf b = {0};
	text_safe(&b, file, strlen(file));
	bool yes = !strncmp(msg, buf_str(&b), b.n);
	buf_free(&b);
	return yes;
}

/* Print an error in one line: the file if the error is about one that is read, the message, the offset, and for a
   wrong command line a hint to the help. Returns the exit status. */
static int print_error(const struct options *o, const struct err *e)
{
	const char *file = o->nfile == 1 && e->kind != ERR_USAGE && e->kind != ERR_OUTPUT ? o->file[0] : NULL;
	struct buf b = {0};
	if (file && !names_file(e->msg, file))
		buf_printf(&b, "%s: ", file);
	buf_puts(&b, e->msg);
	if (e->at != ERR_NOWHERE)
		buf_printf(&b, " (at byte %llu)", (unsigned long long)e->at);
	buf_puts(&b, e->kind == ERR_USAGE ? "; see ttrace help" : "");
	put_line("ttrace: ", buf_str(&b));
	buf_free(&b);
	return e->kind == ERR_USAGE ? 2 : 1;
}

/* Print the table of -print=TABLE. */
static int print_table(const struct options *o, const char *what, struct err *e)
{
	struct buf b = {0};
	return options_print_table(&b, what) || cli_print_completion(&b, what) ? print_text(&b, e)
									       : tui_print(o, what, e);
}

/* Return rc, or -1 with ERR_CANCEL if the report was interrupted: an incomplete report is no result. */
static int check_interrupted(const struct options *o, int rc, struct err *e)
{
	if (!o->watch || o->watch->go(o->watch->arg, 0, 0))
		return rc;
	return err_set(e, ERR_CANCEL, ERR_NOWHERE, "stopped");
}

/* Run the report. Return -1 with ERR_LIMIT if a match could not be decided meanwhile: the report's numbers may be wrong, so
   what is not written yet is dropped. */
static int run_checked(const struct report *r, const struct options *o, struct out *out, struct err *e)
{
	uint64_t undecided = regex_undecided();
	int rc = check_interrupted(o, r->run(o, out, e), e);
	if (rc < 0 || regex_undecided() == undecided)
		return rc;
	struct buf b = {0};
	regex_explain_undecided(&b);
	out->buf.n = 0;
	rc = err_set(e, ERR_LIMIT, ERR_NOWHERE, "%s", buf_str(&b));
	buf_free(&b);
	return rc;
}

/* Give up what the report does not need from here on: to open files for writing other than its output, to run programs, to
   use the network. */
static void enter_sandbox(const struct report *r, const struct options *o, const struct out *out)
{
	struct buf folder = {0};
	paging_create();
	if (out->file.temp)
		path_folder(&folder, out->file.temp);
	sandbox_enter(&(struct sandbox_may){
	    .run = report_runs_programs(r),
	    .rename_in = out->file.temp ? buf_str(&folder) : NULL,
	    .create_in = download_save_folder(o->downloads),
	});
	buf_free(&folder);
}

/* Write the report to an open output, and close the output. */
static int write_report(const struct report *r, const struct options *o, struct out *out, struct err *e)
{
	out->watch = o->watch;
	out->safe |= options_bool(o, OPT_SAFE);
	int rc = run_checked(r, o, out, e);
	struct err late = {0};
	if (output_close(out, rc >= 0 || !options_str(o, OPT_OUTPUT), &late) && rc >= 0) {
		*e = late;
		rc = -1;
	}
	return rc;
}

static int run_report(struct options *o, struct err *e)
{
	const struct report *r = report_find(o->report);
	if (!r)
		return options_unknown_report(o->report, e);
	if (!o->nfile && o->arg)	/* for "list cpu.pb.gz" the only word is the report's argument */
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s \"%.60s\" requires a file (- is standard input)",
		    o->report, o->arg);
	if (!o->nfile)
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "%s requires a file (- is standard input)", o->report);
	struct out out;
	if (output_open(&out, options_str(o, OPT_OUTPUT), e))	/* before a server collects for many seconds */
		return -1;
	if (report_fetch_inputs(o, e)) {
		output_close(&out, false, &(struct err){0});
		return -1;
	}
	enter_sandbox(r, o, &out);
	return write_report(r, o, &out, e);
}

/* Run a report for the viewer, on a thread of the caller: into *text, or into the file of -output. */
static int report_text(const struct options *o, struct buf *text, struct err *e)
{
	const struct report *r = report_find(o->report);
	struct out out = {.fd = -1, .held = true, .watch = o->watch};
	if (r && options_str(o, OPT_OUTPUT))
		return output_open(&out, options_str(o, OPT_OUTPUT), e) ? -1 : write_report(r, o, &out, e);
	if (!r)
		return options_unknown_report(o->report, e);
	int rc = run_checked(r, o, &out, e);
	if (out.failed)
		buf_puts(&out.buf, "\n... truncated here; > FILE writes the whole text\n");
	if (rc < 0)
		buf_free(&out.buf);
	*text = out.buf;
	return rc;
}

/* Under TTRACESECURE the viewer, too, gives up what it must not do. Without it, it may run editors, fetch profiles and write
   files until its end. */
static int run_viewer(const struct options *o, struct err *e)
{
	if (subprocess_forbidden())
		sandbox_enter(&(struct sandbox_may){.run = false});
	return tui_run(o, report_text, e);
}

/* Return whether the report's name is mistyped, as in "tpo cpu.pb.gz": no report is named, and the first of
   several files does not exist. */
static bool is_misspelt_report(const struct options *o)
{
	return !strcmp(o->report, "view") && o->nfile > 1 && !strpbrk(o->file[0], "./:") && access(o->file[0], F_OK);
}

/* Return the default memory limit: half of the free memory, or else of all. 0: unknown. */
static size_t default_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	size_t all = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0, available = mem_available();
	return (available ? available : all) / 2;
}

/* Set the memory limit of -mem=SIZE (512M, 2G) for a trace, and for one part of any file. The limit also refuses small
   files that unpack to huge ones. */
static int set_memory(const char *size, struct err *e)
{
	enum { LEAST = 128 << 20 };
	if (!size) {
		size_t half = default_memory();
		mem_set_budget(half && half < LEAST ? LEAST : half);
		return 0;
	}
	uint64_t n;
	if (!text_parse_size(size, &n))
		return err_set(e, ERR_USAGE, ERR_NOWHERE, "-mem requires a size like 512M or 2G, not \"%.40s\"",
		    size);
	if (n < LEAST)
		put_line("ttrace: ", "-mem is less than the smallest limit: 128 MB is used");
	mem_set_budget(n < LEAST ? LEAST : (size_t)n);
	return 0;
}

/* Open /dev/null in the place of each closed standard stream. Otherwise the next file that is opened gets the number of the
   stream, and messages or the report are written into that file. The mode refuses what the stream is used for: a report to a
   closed standard output fails. */
static void fill_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Return whether the local time is UTC at that time, under the beginning of this name. */
static bool is_utc_by_name(const char *name, time_t at)
{
	struct tm tm;
	char zone[40], offset[8];
	if (!localtime_r(&at, &tm) || !strftime(offset, sizeof offset, "%z", &tm))
		return false;
	if (!strftime(zone, sizeof zone, "%Z", &tm))
		zone[0] = '\0';
	return !strcmp(offset, "+0000") && strcmp(zone, "GMT") && !strncmp(name, zone, strlen(zone));
}

/* Use UTC if the system does not know the zone of TZ, as Go does. The C library uses UTC as well, but with the beginning of
   the zone's name: "Asia" for Asia/Tokyo. A zone that it knows, such as WET, may be UTC for half of the year. A name like
   XYZ-5 defines a zone. */
static void settle_time_zone(void)
{
	const char *name = getenv("TZ");
	time_t now = time(NULL), half_year = 182 * 86400;
	if (!name)
		return;
	name += *name == ':';
	bool defined = isdigit((unsigned char)name[strcspn(name, "0123456789/")]);
	if (!defined && is_utc_by_name(name, now) && is_utc_by_name(name, now + half_year) && !setenv("TZ", "UTC0", 1))
		tzset();
}

int main(int argc, char **argv)
{
	struct options o;
	struct err e = {.at = ERR_NOWHERE};
	fill_closed_streams();
	settle_time_zone();
	mem_start();
	ending_start();
	bool bare = argc == 1;
	const char *env = getenv("TTRACE_OPTS");
	int typed = argc;
	char **args = options_prepend_env(env ? env : "", &argc, argv);
	int rc = options_parse(&o, argc, args, &e);
	o.habits = argc - typed;
	if (!rc)
		rc = options_check_report(&o, &e);
	if (!rc)
		rc = set_memory(options_str(&o, OPT_MEM), &e);
	if (!rc)
		rc = query_add_servers(&o, &e);
	if (!rc)
		trace_drop_program(&o);
	if (!rc && options_bool(&o, OPT_VERSION))
		rc = print_words("ttrace " VERSION "\n", &e);
	else if (!rc && (options_bool(&o, OPT_HELP) || !strcmp(o.report, "help")))
		rc = print_help(&o, &e);
	else if (!rc && options_str(&o, OPT_PRINT))
		rc = print_table(&o, options_str(&o, OPT_PRINT), &e);
	else if (!rc && bare)
		rc = print_words(about, &e);
	else if (!rc && is_misspelt_report(&o))
		rc = options_unknown_report(o.file[0], &e);
	else if (!rc && !strcmp(o.report, "view") && o.nfile)
		rc = run_viewer(&o, &e);
	else if (!rc)
		rc = run_report(&o, &e);
	if (rc < 0)
		rc = print_error(&o, &e);
	download_free(o.downloads);
	options_free(&o);
	options_env_free(args);
	return rc;
}
