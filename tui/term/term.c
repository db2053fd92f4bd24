/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The terminal, by ncurses. Only this file uses it.
 *
 * Output: screen_diff.c makes the bytes for all terminals of ECMA-48, and terminfo says which
 * details differ. curses selects the modes, and does not draw. Terminals with other sequences, as
 * were made until the eighties, are refused. Input: one poll() on the terminal, on a pipe that signal
 * handlers write to, and on the pipe of the job; there are no timers. curses decodes keys, mouse.c
 * the mouse.
 *
 * The terminal must be restored however the program ends: normally by term_close(), otherwise by
 * restore.c.
 *
 * If standard input carries the data, keys are read from /dev/tty.
 */
#include "config.h"
#include "term/term.h"

#include "base/clock.h"
#include "base/ending.h"
#include "base/mem/mem.h"
#include "base/put.h"
#include "term/background.h"
#include "term/clipboard.h"
#include "term/mouse.h"
#include "term/restore.h"
#include "term/screen_diff.h"
#include "term/terminfo_builtin.h"

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Begin of an event of the mouse, in the two encodings; ms to wait for the rest of it, for slow lines. Begin of the answer
   about the background, and of that about the device. */
enum { KEY_SGR = KEY_MAX - 1, KEY_X10 = KEY_MAX - 2, MOUSE_WAIT = 300, KEY_OSC11 = KEY_MAX - 3, KEY_DEVICE = KEY_MAX - 4 };
/* ms: between the bytes of a key; the same while an answer is expected, which may come in pieces; how long it is expected;
   how long the program stays for it at its end. */
enum { ESC_MS = 25, ESC_ASKED_MS = 200, ASKED_MS = 2000, STAY_MS = 300 };

struct term {
	SCREEN *screen;
	FILE *in;		/* /dev/tty, or NULL: standard input is the terminal */
	int tty;
	int colours;
	bool mouse, cursor;
	struct mouse pointer;
	int64_t waited;		/* total ms of waiting for input: time spent drawing does not affect double clicks */
	int64_t asked;		/* when the background was asked for, in ms; 0: no answer is expected */
	bool answering;		/* the next bytes are of the answer: */
	struct background_bytes answer;
	struct screen_state *screen_state;
	WINDOW *keys;		/* the window from which keys are read: reading from stdscr would draw */
	struct buf out;
	struct term_cost cost;
};

/* ---- opening and closing */

/* Return whether the capability starts with s. */
static bool cap_is(const char *cap, const char *s)
{
	const char *v = tigetstr(cap);
	return v && v != (const char *)-1 && !strncmp(v, s, strlen(s));
}

static bool cap_none(const char *cap)
{
	const char *v = tigetstr(cap);
	return !v || v == (const char *)-1;
}

/* Return whether the terminal moves its cursor and erases as in ECMA-48. */
static bool is_ecma48(void)
{
	return cap_is("cup", "\033[%i%p1%d;%p2%dH") && (cap_none("el") || cap_is("el", "\033[K") || cap_is("el", "\033[0K"));
}

/* Open a terminal that terminfo of the system does not know by a built-in entry. $TERMINFO has the entry meanwhile, not
   later, because programs that are started from the viewer would take it for a folder. */
static SCREEN *open_builtin(const char *name, FILE *in)
{
	const char *entry = terminfo_builtin(name, &name), *was = getenv("TERMINFO");
	if (!entry)
		return NULL;
	char *kept = was ? xstrdup(was) : NULL;
	setenv("TERMINFO", entry, 1);
	SCREEN *s = newterm(name, stdout, in);
	if (kept)
		setenv("TERMINFO", kept, 1);
	else
		unsetenv("TERMINFO");
	mem_free(kept);
	return s;
}

/* Open the terminal. If terminfo does not know it, assume xterm if the name suggests so, otherwise vt100. */
static SCREEN *open_screen(const char *name, FILE *in)
{
	SCREEN *s = newterm(name, stdout, in);
	s = s ? s : open_builtin(name, in);
	if (!s && (strstr(name, "xterm") || strstr(name, "256") || strstr(name, "tmux") ||
		      strstr(name, "kitty")))
		s = newterm("xterm-256color", stdout, in);
	if (!s)
		s = newterm("vt100", stdout, in);
	s = s ? s : newterm("ansi", stdout, in);
	if (s && !is_ecma48()) {
		endwin();
		delscreen(s);
		return NULL;
	}
	return s;
}

/* Define the code of a key sequence that terminfo lacks. */
static void define_missing_key(const char *keys, int code)
{
	if (!key_defined(keys) || key_defined(keys) > KEY_MAX)
		define_key(keys, code);
}

/* Define the sequences that nearly all terminals send, also if TERM names an older one, with Shift, Alt and Ctrl
   too. Otherwise they would be read as Esc and characters, and PgUp would change the sample type and open the
   timeline. */
static void common_keys(void)
{
	static const struct { int number; char last; int key; } of[] = {
		{ 0, 'A', KEY_UP }, { 0, 'B', KEY_DOWN }, { 0, 'C', KEY_RIGHT }, { 0, 'D', KEY_LEFT },
		{ 0, 'H', KEY_HOME }, { 0, 'F', KEY_END }, { 0, 'Z', KEY_BTAB },
		{ 1, '~', KEY_HOME }, { 2, '~', KEY_IC }, { 3, '~', KEY_DC }, { 4, '~', KEY_END },
		{ 5, '~', KEY_PPAGE }, { 6, '~', KEY_NPAGE }, { 7, '~', KEY_HOME }, { 8, '~', KEY_END },
		{ 15, '~', KEY_F(5) }, { 17, '~', KEY_F(6) }, { 18, '~', KEY_F(7) }, { 19, '~', KEY_F(8) },
		{ 20, '~', KEY_F(9) }, { 21, '~', KEY_F(10) }, { 23, '~', KEY_F(11) }, { 24, '~', KEY_F(12) } };
	char keys[32];
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		if (of[i].number) {
			snprintf(keys, sizeof keys, "\033[%d%c", of[i].number, of[i].last);
			define_missing_key(keys, of[i].key);
		} else {
			snprintf(keys, sizeof keys, "\033[%c", of[i].last);
			define_missing_key(keys, of[i].key);
			snprintf(keys, sizeof keys, "\033O%c", of[i].last);
			define_missing_key(keys, of[i].key);
		}
		for (int with = 2; with <= 8; with++) {
			snprintf(keys, sizeof keys, "\033[%d;%d%c", of[i].number ? of[i].number : 1, with, of[i].last);
			define_missing_key(keys, of[i].key);
		}
	}
}

/* Make the begin of an event of the mouse a key, instead of that of curses if terminfo has it. */
static void define_mouse(const char *begin, int key)
{
	define_key(begin, 0);
	define_key(begin, key);
}

static void init_modes(struct term *t)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	t->keys = newpad(1, 1);
	keypad(t->keys, TRUE);
	nodelay(t->keys, TRUE);
	curs_set(0);
	set_escdelay(ESC_MS);
	common_keys();
	define_mouse("\033[<", KEY_SGR);
	if (cap_is("kmous", "\033[M"))		/* on other terminals it may be F1 */
		define_mouse("\033[M", KEY_X10);
	int n = cap_none("setaf") ? 0 : tigetnum("colors");
	t->colours = n >= 256 ? 256 : n >= 16 ? 16 : n >= 8 ? 8 : 0;
}

static struct screen_state *new_screen_state(void)
{
	struct screen_diff_caps c = {.bce = tigetflag("bce") > 0,
	    .rep = cap_is("rep", "%p1%c\033[%p2%{1}%-%db"),
	    .ech = cap_is("ech", "\033[%p1%dX"),
	    .csr = cap_is("csr", "\033[%i%p1%d;%p2%dr") && cap_is("ind", "\n") && cap_is("ri", "\033M"),
	    .off = cap_is("rmul", "\033[24m") && cap_is("rmso", "\033[27m"),
	    .no_default = !cap_is("op", "\033[39;49m"),
	    .wraps = tigetflag("am") > 0 && tigetflag("xenl") <= 0,
	    .dim = cap_is("dim", "\033[2m"),
	    .rgb = tigetnum("colors") > 256};
	return screen_diff_new(&c);
}

/* Add the bytes of a capability to the reset, without the delays ($<5>) that only tputs() handles. */
static void undo_by(const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "$");
		restore_add_reset(s, n);
		s += n;
		if (*s)
			s = strncmp(s, "$<", 2) || !strchr(s, '>') ? s + 1 : strchr(s, '>') + 1;
	}
}

/* Prepare the bytes that undo our settings: mouse, attributes, colours, cursor, keypad, alternate screen. Without
   an alternate screen, the shell continues below the last line. */
static void prepare_reset(void)
{
	static const char *const caps[] = {"sgr0", "op", "cnorm", "rmkx", "rmcup"};
	static const char mouse_off[] = "\033[?1000l\033[?1002l\033[?1006l";
	if (!cap_none("kmous"))
		restore_add_reset(mouse_off, sizeof mouse_off - 1);
	for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
		if (!cap_none(caps[i]))
			undo_by(tigetstr(caps[i]));
	if (cap_none("rmcup") && !cap_none("cup"))
		undo_by(tparm(tigetstr("cup"), 998L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
}

struct term *term_open(struct err *e)
{
	const char *name = getenv("TERM");
	if (!name || !*name || !strcmp(name, "dumb")) {
		err_set(e, ERR_OUTPUT, ERR_NOWHERE,
		    "this terminal (TERM=%s) cannot move its cursor: use `ttrace top FILE`, "
		    "or `ttrace view FILE | cat` for the first screen",
		    name && *name ? name : "");
		return NULL;
	}
	struct term *t = xcalloc(1, sizeof *t);
	if (!isatty(STDIN_FILENO) && !(t->in = fopen("/dev/tty", "re"))) {
		err_set(
		    e, ERR_OUTPUT, ERR_NOWHERE, "cannot open the terminal to read keys: %s", strerror(errno));
		mem_free(t);
		return NULL;
	}
	t->tty = t->in ? fileno(t->in) : STDIN_FILENO;
	ending_delay(true);
	t->screen = restore_open(t->tty, e) ? NULL : open_screen(name, t->in ? t->in : stdin);
	if (t->screen) {
		prepare_reset();
		restore_arm(STDOUT_FILENO);
	}
	ending_delay(false);
	if (!t->screen) {
		err_set(e, ERR_OUTPUT, ERR_NOWHERE,
		    "this terminal (TERM=%s) is unknown, or has no sequences of ECMA-48: use `ttrace top FILE`", name);
		if (t->in)
			fclose(t->in);
		mem_free(t);
		return NULL;
	}
	init_modes(t);
	t->screen_state = new_screen_state();
	refresh();
	return t;
}

/* ---- the background */

void term_ask_background(struct term *t)
{
	if (t->colours < 256 || !background_may_ask(getenv("TERM"), getenv))
		return;
	define_key("\033]11;", KEY_OSC11);
	define_key("\033[?", KEY_DEVICE);
	set_escdelay(ESC_ASKED_MS);
	t->asked = clock_ms();
	(void)put_all(STDOUT_FILENO, background_question, strlen(background_question));
}

static void stop_expecting(struct term *t)
{
	if (t->asked)
		set_escdelay(ESC_MS);
	t->asked = 0;
}

/* Before another program gets the terminal: take the answer, which it would read as keys. */
static void await_answer(struct term *t)
{
	static const char end[] = "\033[?";
	int64_t until = clock_ms() + STAY_MS, now;
	size_t seen = t->answering && t->answer.device ? 3 : 0;
	if (t->asked && clock_ms() < t->asked + ASKED_MS)
		while (seen < sizeof end && (now = clock_ms()) < until) {
			struct pollfd p = {t->tty, POLLIN, 0};
			char c;
			if (poll(&p, 1, (int)(until - now)) <= 0 || read(t->tty, &c, 1) != 1)
				break;
			if (seen == 3)
				seen = c >= 0x40 ? sizeof end : seen;
			else
				seen = c == end[seen] ? seen + 1 : c == end[0];
		}
	stop_expecting(t);
}

static void pen_down(struct term *t);

/* Without an alternate screen our screen stays, and the next program writes in its last line: erase that. */
static void curses_down(void)
{
	endwin();
	if (cap_none("rmcup") && !cap_none("el"))
		putp(tigetstr("el"));
	fflush(stdout);
}

void term_close(struct term *t)
{
	if (!t)
		return;
	term_mouse(t, false);
	pen_down(t);
	await_answer(t);
	curses_down();
	restore_disarm();
	restore_settings();
	restore_watch_signals(false);
	delwin(t->keys);
	delscreen(t->screen);
	restore_close();
	if (t->in)
		fclose(t->in);
	screen_diff_free(t->screen_state);
	buf_free(&t->out);
	mem_free(t);
}

void term_set_colours(struct term *t, int n)
{
	t->colours = n > 256 ? 256 : n;
	screen_diff_set_rgb(t->screen_state, n > 256);
}

int term_colours(const struct term *t)
{
	return t->colours;
}

void term_size(const struct term *t, int *rows, int *cols)
{
	(void)t;
	*rows = LINES;
	*cols = COLS;
}

/* ---- output */

/* A failure is not reported: if the terminal is closed, the next wait finds that. */
static void write_out(const struct term *t)
{
	(void)put_all(STDOUT_FILENO, t->out.p, t->out.n);
}

void term_show(struct term *t, const struct grid *g, const struct look *look)
{
	buf_reset(&t->out);
	t->cost.cells = screen_diff_write(t->screen_state, g, look, &t->out);
	t->cost.bytes = t->out.n;
	write_out(t);
}

struct term_cost term_cost(const struct term *t)
{
	return t->cost;
}

void term_redraw(struct term *t)
{
	screen_diff_forget(t->screen_state);
}

/* 1002 adds moves with a pressed button, 1006 the encoding for columns beyond 223; a terminal ignores those that it
   does not know. */
static void mouse_modes(struct term *t, bool on)
{
	buf_reset(&t->out);
	buf_puts(&t->out, on ? "\033[?1000h\033[?1002h\033[?1006h" : "\033[?1000l\033[?1002l\033[?1006l");
	write_out(t);
}

void term_cursor(struct term *t, bool on)
{
	if (on != t->cursor)
		curs_set(on);
	t->cursor = on;
}

void term_mouse(struct term *t, bool on)
{
	on = on && !cap_none("kmous");
	if (on != t->mouse)
		mouse_modes(t, on);
	t->mouse = on;
}

/* ---- giving the terminal away */

/* Reset the attributes, because curses does not know what screen_diff.c has set. */
static void pen_down(struct term *t)
{
	buf_reset(&t->out);
	buf_puts(&t->out, "\033[m");
	write_out(t);
}

void term_leave(struct term *t)
{
	pen_down(t);
	if (t->mouse)
		mouse_modes(t, false);
	await_answer(t);
	curses_down();
	restore_settings();
}

void term_back(struct term *t)
{
	struct winsize ws;
	screen_diff_forget(t->screen_state);
	if (!ioctl(t->tty, TIOCGWINSZ, &ws) && ws.ws_row && ws.ws_col)
		resizeterm(ws.ws_row, ws.ws_col);
	clearok(curscr, TRUE);
	refresh();
	if (t->mouse)
		mouse_modes(t, true);
}

void term_stop(struct term *t)
{
	term_leave(t);
	signal(SIGTSTP, SIG_DFL);
	kill(0, SIGTSTP);		/* the whole job: other programs of a pipe stop too */
	restore_watch_signals(true);
	term_back(t);
}

int term_tty(const struct term *t)
{
	return t->tty;
}

/* ---- copying */

enum term_copied term_copy(struct term *t, const char *s, size_t n, char *file, size_t nfile)
{
	enum { OSC_MAX = 74000 };	/* terminals ignore longer ones */
	if (clipboard_to_tmux(s, n))
		return TC_TMUX;
	/* Ms: terminfo states support of OSC 52 */
	if (n <= OSC_MAX && (!cap_none("Ms") || clipboard_supports_osc52(getenv("TERM"))) && !getenv("STY")) {
		buf_reset(&t->out);
		clipboard_put_osc52(&t->out, s, n);
		write_out(t);
		return TC_OSC52;
	}
	return clipboard_to_file(s, n, file, nfile) ? TC_FILE : TC_NOWHERE;
}

/* ---- input */

static int32_t from_curses(wint_t k)
{
	static const struct {
		int from;
		int32_t to;
	} map[] = {{KEY_DOWN, KEY_DOWN_}, {KEY_UP, KEY_UP_}, {KEY_LEFT, KEY_LEFT_},
	    {KEY_RIGHT, KEY_RIGHT_}, {KEY_NPAGE, KEY_PGDN}, {KEY_PPAGE, KEY_PGUP},
	    {KEY_HOME, KEY_HOME_}, {KEY_END, KEY_END_}, {KEY_FIND, KEY_HOME_},
	    {KEY_SELECT, KEY_END_}, {KEY_IC, KEY_INS}, {KEY_DC, KEY_DEL}, {KEY_BTAB, KEY_BACKTAB},
	    {KEY_ENTER, KEY_RETURN}, {KEY_BACKSPACE, 127}};
	for (size_t i = 0; i < sizeof map / sizeof *map; i++)
		if (map[i].from == (int)k)
			return map[i].to;
	return (int)k >= KEY_F(1) && (int)k <= KEY_F(12) ? KEY_F1 + ((int)k - KEY_F(1)) : 0;
}

/* Read an event of the mouse after its first characters; false: this is none. */
static bool read_mouse(struct term *t, bool sgr, struct mouse_event *e)
{
	struct mouse_bytes bytes = {.x10 = !sgr};
	enum mouse_read r = MOUSE_MORE;
	wtimeout(t->keys, MOUSE_WAIT);
	for (int c; r == MOUSE_MORE && (c = wgetch(t->keys)) != ERR;)
		r = mouse_read(&bytes, c < 256 ? (uint32_t)c : 127, e);	/* 127 is a key of curses; no other byte is one */
	nodelay(t->keys, TRUE);
	return r == MOUSE_EVENT;
}

/* Take a byte of an answer. false: it is not part of one. */
static bool take_answer(struct term *t, wint_t k, struct term_input *in, enum term_event *ev)
{
	enum background_read r = background_read(&t->answer, k);
	t->answering = r == BACKGROUND_MORE;
	if (r == BACKGROUND_NONE && t->answer.device)
		stop_expecting(t);
	if (r == BACKGROUND_DARK || r == BACKGROUND_LIGHT) {
		in->light = r == BACKGROUND_LIGHT;
		*ev = TE_BACKGROUND;
	}
	return r != BACKGROUND_BROKEN;
}

/* Read a key or an event of the mouse that has arrived; false: none. Without a meaning (a release) it is TE_TIME. */
static bool read_key(struct term *t, struct term_input *in, enum term_event *ev)
{
	wint_t k;
	int r = wget_wch(t->keys, &k);
	*ev = TE_TIME;
	if (r == ERR)
		return false;
	if (t->answering && take_answer(t, k, in, ev))
		return true;
	if (r != OK && ((int)k == KEY_OSC11 || (int)k == KEY_DEVICE)) {
		t->answering = true;
		t->answer = (struct background_bytes){.device = (int)k == KEY_DEVICE};
		return true;
	}
	if (r == OK) {
		in->key = k == '\b' ? 127 : (int32_t)k;
		*ev = in->key ? TE_KEY : TE_TIME;
	} else if ((int)k == KEY_SGR || (int)k == KEY_X10) {
		struct mouse_event e;
		in->key = read_mouse(t, (int)k == KEY_SGR, &e) ? mouse_key(&t->pointer, &e, t->waited) : 0;
		if (in->key) {
			in->y = e.y;
			in->x = e.x;
			*ev = TE_CLICK;
		}
	} else {
		in->key = from_curses(k);
		*ev = in->key ? TE_KEY : TE_TIME;
	}
	return true;
}

bool term_has_key(struct term *t)
{
	struct pollfd p = {t->tty, POLLIN, 0};
	return poll(&p, 1, 0) > 0;
}

static enum term_event on_pipe(struct term *t)
{
	struct winsize ws;
	switch (restore_read_signal()) {
	case SIGWINCH:
		if (!ioctl(t->tty, TIOCGWINSZ, &ws) && ws.ws_row && ws.ws_col)
			resizeterm(ws.ws_row, ws.ws_col);
		return TE_RESIZE;
	case SIGTSTP: return TE_STOP;
	case SIGCONT: return TE_CONT;
	case SIGTERM: case SIGHUP: case SIGINT: return TE_QUIT;
	default: return TE_TIME;
	}
}

enum term_event term_wait(struct term *t, int fd, int ms, struct term_input *in)
{
	enum term_event ev;
	if (t->asked && clock_ms() > t->asked + ASKED_MS)
		stop_expecting(t);
	if (read_key(t, in, &ev))	/* curses may have some already */
		return ev; /* return also without a meaning: an earlier event may not be drawn yet, so do not wait */
	struct pollfd p[3] = {{t->tty, POLLIN, 0}, {restore_signal_fd(), POLLIN, 0}, {fd, POLLIN, 0}};
	int64_t began = clock_ms();
	int n = poll(p, fd >= 0 ? 3 : 2, ms);
	t->waited += clock_ms() - began;
	if (n < 0)
		return errno == EINTR ? TE_TIME : TE_QUIT;
	if (p[1].revents & POLLIN)
		return on_pipe(t);
	if (p[0].revents & (POLLERR | POLLHUP | POLLNVAL) && !(p[0].revents & POLLIN))
		return TE_QUIT;			/* the terminal is closed */
	if (p[0].revents & POLLIN)	/* a closed terminal is always readable, without data */
		return read_key(t, in, &ev) || !(p[0].revents & POLLHUP) ? ev : TE_QUIT;
	return n > 0 && fd >= 0 && p[2].revents ? TE_FD : TE_TIME;
}
