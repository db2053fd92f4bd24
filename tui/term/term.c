/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 The ttrace authors */
/*
 * The terminal, by ncurses. Only this file uses it.
 *
 * Output: if terminfo describes an ANSI terminal, screen_diff.c makes the bytes and curses does not
 * draw; for others term_show() passes each row of the grid to curses. Input: one poll() on the
 * terminal, on a pipe that signal handlers write to, and on the pipe of the job; there are no
 * timers.
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
#include <wchar.h>

enum { KEY_SGR = KEY_MAX - 1, SGR_WAIT = 300 };	/* ms to wait for the rest of an event, for slow lines */
struct term {
	SCREEN *screen;
	FILE *in;		/* /dev/tty, or NULL: standard input is the terminal */
	int tty;
	int colours;
	bool mouse, motion, sgr, cursor;
	struct mouse pointer;
	int64_t waited;		/* total ms of waiting for input: time spent drawing does not affect double clicks */
	struct mouse_event event[8];	/* mouse events not returned yet, the last one is next */
	int nevent;
	int16_t *pair; /* [(fg + 1) * 257 + bg + 1]: curses' number of that pair, 0: not made yet */
	int npairs;
	cchar_t *line;
	int nline;
	struct screen_state *screen_state;	/* NULL: curses draws */
	WINDOW *keys;		/* the window from which keys are read: reading from stdscr would draw */
	struct buf out;
	struct term_cost cost;
};

/* ---- opening and closing */

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
	return s ? s : newterm("ansi", stdout, in);
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
	set_escdelay(25);
	common_keys();
	if (!has_colors())
		return;
	start_color();
	use_default_colors();
	t->colours = COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
}

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

/* Return a screen_diff.c state if it can drive the terminal: moves, erases and attributes as in ECMA-48, and
   delayed wrap at the last column; otherwise NULL. */
static struct screen_state *new_ansi_screen(const struct term *t)
{
	if (!cap_is("cup", "\033[%i%p1%d;%p2%dH") || !cap_is("el", "\033[K") || !tigetflag("am") ||
	    !tigetflag("xenl") || !(cap_is("clear", "\033[H\033[2J") || cap_is("clear", "\033[H\033[J")) ||
	    !(cap_none("bold") || cap_is("bold", "\033[1m")) || !(cap_none("rev") || cap_is("rev", "\033[7m")) ||
	    !(cap_none("smul") || cap_is("smul", "\033[4m")) || (t->colours && !cap_is("op", "\033[39;49m")))
		return NULL;
	struct screen_diff_caps c = {.bce = tigetflag("bce") > 0,
	    .rep = cap_is("rep", "%p1%c\033[%p2%{1}%-%db"),
	    .ech = cap_is("ech", "\033[%p1%dX"),
	    .csr = cap_is("csr", "\033[%i%p1%d;%p2%dr") && cap_is("ind", "\n") && cap_is("ri", "\033M"),
	    .off = cap_is("rmul", "\033[24m") && cap_is("rmso", "\033[27m"),
	    .dim = cap_is("dim", "\033[2m"),
	    .rgb = COLORS > 256};
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
		err_set(
		    e, ERR_OUTPUT, ERR_NOWHERE, "unknown terminal (TERM=%s)", name);
		if (t->in)
			fclose(t->in);
		mem_free(t);
		return NULL;
	}
	t->pair = xcalloc(257 * 257, sizeof *t->pair);
	init_modes(t);
	t->screen_state = new_ansi_screen(t);
	refresh();
	return t;
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
	mem_free(t->pair);
	mem_free(t->line);
	mem_free(t);
}

void term_set_colours(struct term *t, int n)
{
	if (!t->screen_state && n > t->colours)
		return;		/* curses cannot use more than it knows */
	t->colours = n > 256 ? 256 : n;
	if (t->screen_state)
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

static short pair_of(struct term *t, int fg, int bg)
{
	if (!t->colours || (fg < 0 && bg < 0))
		return 0;
	int16_t *p = &t->pair[(fg + 1) * 257 + bg + 1];
	if (!*p && t->npairs + 1 < COLOR_PAIRS && t->npairs < INT16_MAX - 1 &&
	    init_pair((short)(t->npairs + 1), (short)fg, (short)bg) == OK)
		*p = (int16_t)++t->npairs;
	return *p;
}

static attr_t attrs_of(const struct paint *p)
{
	attr_t a = 0;
	a |= p->attr & AT_BOLD ? WA_BOLD : 0;
	a |= p->attr & AT_DIM ? WA_DIM : 0;
	a |= p->attr & AT_REVERSE ? WA_REVERSE : 0;
	a |= p->attr & AT_UNDERLINE ? WA_UNDERLINE : 0;
	return a;
}

static void write_out(struct term *t)
{
	for (size_t done = 0; done < t->out.n;) {
		ssize_t k = write(STDOUT_FILENO, t->out.p + done, t->out.n - done);
		if (k > 0)
			done += (size_t)k;
		else if (errno == EAGAIN)
			poll(&(struct pollfd){STDOUT_FILENO, POLLOUT, 0}, 1, 1000);
		else if (errno != EINTR)
			return;		/* the terminal is closed: the next wait reports it */
	}
}

static void curses_show(struct term *t, const struct grid *g, const struct look *look)
{
	int rows = g->rows < LINES ? g->rows : LINES, cols = g->cols < COLS ? g->cols : COLS;
	if (t->nline < cols) {
		t->nline = cols;
		t->line = xrealloc(t->line, (size_t)cols * sizeof *t->line);
	}
	for (int y = 0; y < rows; y++) {
		int n = 0;
		for (int x = 0; x < cols; x++) {
			const struct cell *c = &g->cell[y * g->cols + x];
			if (!c->ch)
				continue;
			struct paint p = style_cell_paint(look, c);
			wchar_t w[3] = {(wchar_t)c->ch, (wchar_t)c->mark, 0};
			setcchar(&t->line[n++], w, attrs_of(&p), pair_of(t, p.fg, p.bg), NULL);
		}
		mvadd_wchnstr(y, 0, t->line, n);
	}
	move(g->focus_y, g->focus_x);
	refresh();
}

void term_show(struct term *t, const struct grid *g, const struct look *look)
{
	t->cost = (struct term_cost){0, 0};
	if (!t->screen_state) {
		curses_show(t, g, look);
		return;
	}
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
	if (t->screen_state)
		screen_diff_forget(t->screen_state);
	else
		clearok(curscr, TRUE);
}

/* Set the mouse modes. curses only enables presses: 1002 adds moves with a pressed button. If terminfo only has
   the old encoding (tmux, screen), curses cannot distinguish wheel up and down with Ctrl, and columns beyond 223
   cannot be sent: 1006 selects the new encoding, which sgr_event() reads; terminals without it keep the old one. */
static void mouse_modes(struct term *t, bool on)
{
	t->sgr = !cap_is("kmous", "\033[<");
	if (t->sgr)
		define_key("\033[<", on ? KEY_SGR : 0);
	buf_reset(&t->out);
	buf_puts(&t->out, on ? "\033[?1002h" : "\033[?1002l");
	if (t->sgr)
		buf_puts(&t->out, on ? "\033[?1006h" : "\033[?1006l");
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
	if (on == t->mouse)
		return;
	t->mouse = on;
	/* report presses and releases separately: clicks and drags are distinguished here */
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON3_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED |
			   BUTTON_SHIFT | BUTTON_CTRL | REPORT_MOUSE_POSITION
		     : 0,
	    NULL);
	mouseinterval(0);
	if (on == t->motion || cap_none("kmous"))
		return;
	t->motion = on;
	mouse_modes(t, on);
}

/* ---- giving the terminal away */

/* Reset the attributes, because curses does not know what screen_diff.c has set. */
static void pen_down(struct term *t)
{
	if (!t->screen_state)
		return;
	buf_reset(&t->out);
	buf_puts(&t->out, "\033[m");
	write_out(t);
}

void term_leave(struct term *t)
{
	pen_down(t);
	if (t->motion)
		mouse_modes(t, false);
	curses_down();
	restore_settings();
}

void term_back(struct term *t)
{
	struct winsize ws;
	if (t->screen_state)
		screen_diff_forget(t->screen_state);
	if (!ioctl(t->tty, TIOCGWINSZ, &ws) && ws.ws_row && ws.ws_col)
		resizeterm(ws.ws_row, ws.ws_col);
	clearok(curscr, TRUE);
	refresh();
	if (t->motion)
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

/* Translate an event that curses has decoded. */
static struct mouse_event from_mouse(const MEVENT *m)
{
	static const struct { mmask_t from; unsigned to; } bits[] = {{BUTTON1_PRESSED, MOUSE_PRESS},
	    {BUTTON1_RELEASED, MOUSE_RELEASE}, {BUTTON3_PRESSED, MOUSE_RIGHT}, {BUTTON4_PRESSED, MOUSE_UP},
	    {BUTTON5_PRESSED, MOUSE_DOWN}, {REPORT_MOUSE_POSITION, MOUSE_MOVE}, {BUTTON_SHIFT | BUTTON_CTRL, MOUSE_FAR}};
	struct mouse_event e = {.y = m->y, .x = m->x};
	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		e.what |= m->bstate & bits[i].from ? bits[i].to : 0;
	return e;
}

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

/* Read an event after ESC [ < . */
static void sgr_event(struct term *t)
{
	struct mouse_sgr s = {0};
	enum mouse_read r = MOUSE_MORE;
	wint_t c;
	wtimeout(t->keys, SGR_WAIT);
	while (r == MOUSE_MORE && wget_wch(t->keys, &c) == OK)
		r = mouse_read_sgr(&s, (uint32_t)c, &t->event[t->nevent]);
	nodelay(t->keys, TRUE);
	t->nevent += r == MOUSE_EVENT;
}

/* Return the next meaningful mouse event. If several arrive at once, as over a slow line, curses reports one
 * KEY_MOUSE and returns them from the last to the first. */
static bool read_mouse(struct term *t, struct term_input *in)
{
	in->key = 0;
	while (t->nevent && !in->key) {
		const struct mouse_event *e = &t->event[--t->nevent];
		in->y = e->y;
		in->x = e->x;
		in->key = mouse_key(&t->pointer, e, t->waited);
	}
	return in->key != 0;
}

/* Read an event that has arrived; false: none. An event without a meaning (a release) is TE_TIME. */
static bool read_key(struct term *t, struct term_input *in, enum term_event *ev)
{
	wint_t k;
	bool held = t->nevent > 0;
	*ev = TE_CLICK;
	if (read_mouse(t, in))
		return true;
	int r = wget_wch(t->keys, &k);
	*ev = TE_TIME;
	if (r == ERR)
		return held;
	if (r == OK) {
		in->key = k == '\b' ? 127 : (int32_t)k;
	} else if ((int)k == KEY_MOUSE) {
		MEVENT m;
		while (t->nevent < (int)(sizeof t->event / sizeof *t->event) && getmouse(&m) == OK)
			t->event[t->nevent++] = from_mouse(&m);
		if (read_mouse(t, in))
			*ev = TE_CLICK;
		return true;
	} else if ((int)k == KEY_SGR) {
		sgr_event(t);
		if (read_mouse(t, in))
			*ev = TE_CLICK;
		return true;
	} else {
		in->key = from_curses(k);
	}
	if (in->key)
		*ev = TE_KEY;
	return true;
}

bool term_has_key(struct term *t)
{
	struct pollfd p = {t->tty, POLLIN, 0};
	return t->nevent || poll(&p, 1, 0) > 0;
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
