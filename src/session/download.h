/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
#ifndef TTRACE_SESSION_DOWNLOAD_H
#define TTRACE_SESSION_DOWNLOAD_H

#include "cli/options.h"
#include "load/load.h"
#include "pprof/profile.h"
#include "session/input_cache.h"

/*
 * Inputs of a command line that can be read only once: URLs, standard input,
 * pipes and devices. They are fetched at the start and kept; URLs all at the same
 * time. So a report, the viewer and an export of the viewer read the same bytes.
 * A name of an existing file is that file, even if it could be host:port.
 */
struct downloads;

/* Callbacks of the caller that waits for the downloads. */
struct download_watch {
	struct input_watch input;	/* progress of all downloads; go NULL: not reported */
	/* Show a line to the user. news: also show it after the download, as where it was saved. */
	void (*add_notice)(void *arg, bool news, const char *line);
	void *arg;
};

/* Return the name of the first input among the files and, if wanted, the bases that can be read only once: standard
   input ("-"), a pipe or a device. NULL: there is none. */
const char *download_find_stream(const struct options *, bool bases);
/* Return whether an input must be fetched first. */
bool download_needed(const struct options *);
/* Fetch all inputs. Return NULL with *e if none could be tried or if it was cancelled. The failure of a single input is
   reported when that input is opened. */
struct downloads *download_fetch(const struct options *, const struct download_watch *, struct err *e);
void download_free(struct downloads *);

struct download_info {
	char name[200];		/* full name */
	char title[120];	/* host and endpoint if it is the first file; else "" */
	int64_t seconds;
	bool trace;
};
/* Describe the first input to fetch: its name, its title, and how long the server will collect (s). Return false if
   there is none. */
bool download_describe(const struct options *, struct download_info *);

/* Return -1 with *e if the command line of a report on one file names several. */
int download_require_one_file(const struct options *, struct err *e);
/* As input_open() for a name of the command line, which may be in o->downloads or o->cached_inputs. */
int download_open_input(const struct options *, const char *name, struct bytes *, struct err *e);
int download_open_watched(
    const struct options *, const char *name, const struct input_watch *, struct bytes *, struct err *e);

/* Save the profile that was made of what was fetched, under a free name as pprof does, and report the name. Does
   nothing if no profile was fetched. */
void download_save(struct downloads *, const struct profile *);
/* Return the folder in which download_save() will create the file, and create that folder. NULL: no profile was fetched, or
   there is no such folder. */
const char *download_save_folder(struct downloads *);
const char *download_saved_name(const struct downloads *);	/* name of the saved file; NULL: none */

/* Add what was fetched to a list of cached inputs, under the names of the command line and under the saved name. The
   other members are those of *as. */
void download_lend(const struct downloads *, const struct cached_input *as, struct cached_inputs *);

#endif
