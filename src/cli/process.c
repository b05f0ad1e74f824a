/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The capabilities of the streams are queried once at the start. Colour and block characters are
 * used only on terminals, so that redirected output has the same bytes in every environment. The
 * monotonic clock is read at most once per poll and affects only the volatile part of a manifest.
 *
 * Signal handlers only store to sig_atomic_t: the engine polls the flags every few thousand events,
 * and a read that waits for input is interrupted (no SA_RESTART) and checks its flag. If neither
 * ends the process in time, a timer does, after removing unfinished output. In the pool SIGCHLD and
 * the ending signals are blocked except while the parent waits, so that none arrives between the
 * check of a flag and the wait. A child ends with its status as exit code.
 */
#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/memory.h"

#define COLUMNS_PRESET 100u /* if the stream is not a terminal */
#define COLUMNS_MIN    40u
#define COLUMNS_MAX    1000u

/* The first of the three variables that is set determines it (POSIX 8.2). */
static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < HS_COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        if (value == NULL || *value == '\0')
            continue;
        const char *codeset = strchr(value, '.');
        return codeset != NULL &&
               (strncasecmp(codeset, ".utf-8", 6) == 0 || strncasecmp(codeset, ".utf8", 5) == 0);
    }
    return false;
}

/* Determines the current width of the window. */
static void measure(struct hs_terminal *terminal)
{
    struct winsize size;
    if (terminal->err_is_tty && !terminal->has_fixed_width &&
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        terminal->err_columns = size.ws_col;
}

static void set_columns(struct hs_terminal *terminal)
{
    struct winsize size;
    const char *text = getenv("COLUMNS");
    int64_t wanted = 0;
    terminal->has_fixed_width =
        text != NULL && hs_parse_int64(text, strlen(text), &wanted) && wanted > 0;
    if (wanted > COLUMNS_MAX)
        wanted = COLUMNS_MAX;
    terminal->columns = wanted < COLUMNS_MIN ? COLUMNS_MIN : (uint32_t)wanted;
    if (!terminal->has_fixed_width) {
        bool has_size = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN;
        terminal->columns = has_size ? size.ws_col : COLUMNS_PRESET;
    }
    terminal->err_columns = terminal->columns;
    measure(terminal);
}

void hs_terminal_init(struct hs_terminal *terminal)
{
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    bool is_dumb = term == NULL || *term == '\0' || strcmp(term, "dumb") == 0;

    memset(terminal, 0, sizeof *terminal);
    terminal->out_is_tty = isatty(STDOUT_FILENO) == 1;
    terminal->err_is_tty = isatty(STDERR_FILENO) == 1 && !is_dumb;
    terminal->use_color =
        terminal->out_is_tty && !is_dumb && (no_color == NULL || *no_color == '\0');
    terminal->use_utf8 = terminal->out_is_tty && !is_dumb && locale_is_utf8();
    terminal->err_use_utf8 = terminal->err_is_tty && locale_is_utf8();
    set_columns(terminal);
}

void hs_terminal_emit(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_terminal *terminal = ctx;
    (void)severity;
    hs_terminal_status(terminal, "");
    (void)fwrite(text, 1, len, stderr);
    if (len == 0 || text[len - 1] != '\n')
        (void)fputc('\n', stderr);
    (void)fflush(stderr);
}

void hs_terminal_status(struct hs_terminal *terminal, const char *line)
{
    if (*line == '\0' && !terminal->has_status_line)
        return;
    measure(terminal);
    uint32_t room = terminal->err_columns - 1; /* some terminals wrap in the last column */
    int len = 0;                               /* bytes of these characters */
    for (; line[len] != '\0'; len++)
        if (((unsigned char)line[len] & 0xC0u) != 0x80u && room-- == 0)
            break;
    if (terminal->err_is_tty)
        (void)fprintf(stderr, "\r\033[K%.*s", len, line);
    else if (*line != '\0')
        (void)fprintf(stderr, "%s\n", line);
    (void)fflush(stderr);
    terminal->has_status_line = terminal->err_is_tty && *line != '\0';
}

void hs_say_wrapped(struct hs_output *out, const char *text, uint32_t indent, uint32_t columns)
{
    size_t width = columns > indent + 20 ? columns - indent : 20;
    while (strlen(text) > width) {
        size_t cut = width;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0)
            cut = width;
        hs_say(out, "%.*s\n%*s", (int)cut, text, (int)indent, "");
        text += cut;
        while (*text == ' ')
            text++;
    }
    hs_say(out, "%s\n", text);
}

/* ---- progress ---- */

#define PERIOD_NS   INT64_C(200000000) /* 5 Hz */
#define FIRST_NS    INT64_C(50000000)  /* delay of the first line: none for a short run */
#define DAY_US      86400e6
#define BAR_MIN     8u /* cells; a shorter one is less precise than the per cent before it */
#define BAR_STEP    4u /* step of its length, to keep it stable as the text beside it changes */
#define BAR_MAX     32u
#define STATUS_SIZE 512 /* bytes per line */

static int64_t now_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void hs_status_line_start(struct hs_status_line *line, struct hs_terminal *terminal, bool is_on,
                          uint64_t gpus)
{
    *line = (struct hs_status_line){
        .terminal = terminal, .is_on = is_on, .label = "", .gpus = gpus, .started_ns = now_ns()};
    line->shown_ns = line->started_ns - PERIOD_NS + FIRST_NS;
}

static volatile sig_atomic_t wants_status;

/* Returns true once after each SIGUSR1, which requests the status line. */
static bool is_requested(void)
{
    const bool wants = wants_status != 0;
    wants_status = 0;
    return wants;
}

bool hs_status_line_is_due(struct hs_status_line *line)
{
    if (is_requested())
        return true;
    if (!line->is_on)
        return false;
    int64_t now = now_ns();
    if (now - line->shown_ns < PERIOD_NS)
        return false;
    line->shown_ns = now;
    return true;
}

double hs_status_line_elapsed_s(const struct hs_status_line *line)
{
    return (double)(now_ns() - line->started_ns) / 1e9;
}

/* Formats "LABEL62% [###--] REST | ETA 0:08"; negative share: unknown, elapsed_s 0: no ETA. In a
 * UTF-8 locale the bar has eighths of a cell: "[████▎     ] ". */
static void progress_text(const struct hs_status_line *line, const char *rest, double share,
                          double elapsed_s, char text[STATUS_SIZE])
{
    static const char *const plain[] = {"-", "#"};
    static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    const struct hs_terminal *terminal = line->terminal;
    const char *const *parts = terminal->err_use_utf8 ? eighths : plain;
    const int64_t steps = terminal->err_use_utf8 ? 8 : 1;
    const char *percent = share >= 0 ? HS_TEXT("%.0f%% ", 100 * share) : "";
    char eta[64] = "", bar[4 * BAR_MAX] = "";
    if (share > 0 && elapsed_s > 0) { /* "0:08", "1:02:03" */
        const uint64_t s = (uint64_t)(elapsed_s * (1 - share) / share + 0.5);
        if (s >= 3600)
            hs_append(eta, sizeof eta, " | ETA %" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60);
        else
            hs_append(eta, sizeof eta, " | ETA %" PRIu64, s / 60);
        hs_append(eta, sizeof eta, ":%02" PRIu64, s % 60);
    }
    size_t used = strlen(line->label) + strlen(percent) + strlen(rest) + strlen(eta) + sizeof "[] ";
    size_t room = terminal->err_columns > used ? terminal->err_columns - used : 0;
    if (share >= 0 && terminal->err_is_tty && room >= BAR_MIN) {
        const int64_t cells = room < BAR_MAX ? (int64_t)(room - room % BAR_STEP) : BAR_MAX;
        const int64_t filled = (int64_t)(share * (double)(cells * steps) + 1e-9);
        hs_append(bar, sizeof bar, "[");
        for (int64_t i = 0, left = filled; i < cells; i++, left -= steps)
            hs_append(bar, sizeof bar, "%s", parts[left < 0 ? 0 : left < steps ? left : steps]);
        hs_append(bar, sizeof bar, "] ");
    }
    (void)snprintf(text, STATUS_SIZE, "%s%s%s%s%s", line->label, percent, bar, rest, eta);
}

void hs_status_line_show(const struct hs_status_line *line, const char *rest, double share)
{
    char text[STATUS_SIZE];
    measure(line->terminal);
    progress_text(line, rest, share, hs_status_line_elapsed_s(line), text);
    hs_terminal_status(line->terminal, text);
}

/* Formats "day 41.3 | 1.9 M ev/s | run 512 wait 1,204 | util 87%". */
static void run_progress_text(const struct hs_instant *now, uint64_t gpus, double events_per_s,
                              char *text, size_t size)
{
    bool is_slow = events_per_s < 999.5e3;
    (void)snprintf(text, size, "day %.1f | %.*f %c ev/s | run %s wait %s | util %.0f%%",
                   (double)now->time_us / DAY_US, is_slow ? 0 : 1,
                   events_per_s / (is_slow ? 1e3 : 1e6), is_slow ? 'k' : 'M',
                   HS_GROUPED(now->running), HS_GROUPED(now->pending + now->suspended),
                   gpus > 0 ? 100.0 * (double)now->gpus_held / (double)gpus : 0);
}

void hs_status_line_show_run(const struct hs_status_line *line, const struct hs_instant *now,
                             double share, uint64_t events)
{
    char rest[STATUS_SIZE];
    double elapsed_s = hs_status_line_elapsed_s(line);
    run_progress_text(now, line->gpus, elapsed_s > 0 ? (double)events / elapsed_s : 0, rest,
                      sizeof rest);
    hs_status_line_show(line, rest, share);
}

void hs_status_line_show_count(struct hs_status_line *line, uint32_t done, uint32_t count,
                               const char *rest)
{
    if (!is_requested() && (!line->is_on || (done == line->shown_count && done > 0)))
        return;
    line->shown_count = done;
    hs_status_line_show(line, rest, (double)done / count);
}

/* ---- signals ---- */

static volatile sig_atomic_t ending_signal;

#define PATIENCE_US 700000 /* time limit for a loop to check the flag */

/* 0: no limit. */
static void set_patience(int64_t us)
{
    (void)setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = us}, NULL);
}

static void on_ending(int signal_number)
{
    ending_signal = signal_number;
    hs_input_stop = 1;
    set_patience(PATIENCE_US);
}

static void on_status(int signal_number)
{
    (void)signal_number;
    wants_status = 1;
}

/* Removes unfinished output; then the signal, whose handler is reset, ends the program. */
static void on_abandon(int signal_number)
{
    hs_beside_abandon();
    (void)raise(signal_number);
}

/* Called when a loop did not check the flag in time. */
static void on_patience_end(int signal_number)
{
    static const char text[] = "error: stopped by a signal: what was unfinished is removed\n";
    (void)signal_number;
    hs_beside_abandon();
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(128 + ending_signal);
}

static void handle(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(signal_number, &action, NULL);
}

/* SIGINT stays ignored if it was at the start (nohup, a background job of a script). */
static void handle_ending(void (*handler)(int))
{
    struct sigaction action;
    if (sigaction(SIGINT, NULL, &action) != 0 || action.sa_handler != SIG_IGN)
        handle(SIGINT, handler, (int)SA_RESETHAND);
    handle(SIGTERM, handler, (int)SA_RESETHAND);
}

void hs_interrupt_init(void)
{
    handle(SIGPIPE, SIG_IGN, 0);
    handle(SIGXFSZ, SIG_IGN, 0);
    handle_ending(on_abandon);
}

void hs_interrupt_watch(void)
{
    handle(SIGALRM, on_patience_end, 0);
    handle_ending(on_ending);
    handle(SIGUSR1, on_status, SA_RESTART);
}

void hs_interrupt_unhurried(void)
{
    set_patience(0);
}

int hs_interrupt_signal(void)
{
    return ending_signal;
}

const char *hs_interrupt_name(void)
{
    return ending_signal == SIGINT ? "SIGINT" : "SIGTERM";
}

/* ---- a pool of processes ---- */

struct child {
    pid_t pid; /* 0 = free */
    uint32_t index;
};

struct pool {
    const struct hs_process_pool *how;
    struct child *children; /* [width] */
    uint32_t running, next, done;
    uint32_t limit; /* tasks from this one on are not started, or were terminated */
    enum hs_status status;
    struct hs_process_failure failure;
    sigset_t mask; /* the original mask, and the mask while waiting */
};

static void note_child(int signal_number)
{
    (void)signal_number; /* its only effect: sigsuspend() returns */
}

static void unwatch_children(const struct pool *p)
{
    handle(SIGCHLD, SIG_DFL, 0);
    (void)sigprocmask(SIG_SETMASK, &p->mask, NULL);
}

/* Terminates the tasks from `from` on. */
static void end_children(const struct pool *p, uint32_t from)
{
    for (uint32_t i = 0; i < p->how->width; i++)
        if (p->children[i].pid != 0 && p->children[i].index >= from)
            (void)kill(p->children[i].pid, SIGTERM);
}

static void fail_at(struct pool *p, uint32_t index, enum hs_status status, int signal_number)
{
    if (index >= p->limit)
        return; /* terminated by the pool, or after a failure found before */
    p->limit = index;
    p->status = status;
    p->failure = (struct hs_process_failure){index, signal_number};
    end_children(p, index);
}

/* A child without memory ends with that status, which the parent reports. */
static void end_child(enum hs_status status)
{
    (void)status;
    hs_beside_abandon();
    exit((int)HS_E_MEMORY);
}

static void start(struct pool *p, struct child *child, struct hs_diag *diag)
{
    uint32_t index = p->next++;
    const pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        unwatch_children(p);
        /* a child must not write in a directory after its parent was killed */
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
            exit((int)HS_E_INTERRUPTED);
        hs_on_fatal(end_child);
        exit((int)p->how->task(p->how->ctx, index));
    }
    if (pid < 0) {
        fail_at(p, index,
                hs_fail(diag, HS_E_LIMIT, NULL, "fewer processes (-j) need less",
                        "cannot start a process: %s", strerror(errno)),
                0);
        return;
    }
    *child = (struct child){pid, index};
    p->running++;
}

static bool reap(struct pool *p, struct child *child)
{
    int state;
    sigset_t pending;
    if (child->pid == 0 || waitpid(child->pid, &state, WNOHANG) != child->pid)
        return false;
    child->pid = 0;
    p->running--;
    int signal_number = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    enum hs_status status = signal_number != 0 ? HS_E_LIMIT : (enum hs_status)WEXITSTATUS(state);
    /* The signal was sent only to the child: one from a terminal reaches the parent, too, before
     * the child ends. */
    if (status == HS_E_INTERRUPTED && hs_interrupt_signal() == 0 && sigpending(&pending) == 0 &&
        sigismember(&pending, SIGINT) == 0 && sigismember(&pending, SIGTERM) == 0) {
        status = HS_E_LIMIT;
        signal_number = SIGTERM;
    }
    if (p->how->ended != NULL)
        p->how->ended(p->how->ctx, child->index, status, signal_number);
    else if (status != HS_OK)
        fail_at(p, child->index, status, signal_number);
    p->done += p->how->ended != NULL || status == HS_OK;
    return true;
}

enum hs_status hs_process_pool_run(const struct hs_process_pool *pool,
                                   struct hs_process_failure *failure, struct hs_diag *diag)
{
    static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGUSR1};
    struct pool p = {.how = pool, .limit = pool->count};
    sigset_t blocked;
    bool is_ending = false;
    p.children = hs_alloc_zeroed(pool->width, sizeof *p.children);
    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < HS_COUNT_OF(signals); i++)
        (void)sigaddset(&blocked, signals[i]);
    (void)sigprocmask(SIG_BLOCK, &blocked, &p.mask);
    handle(SIGCHLD, note_child, 0);
    for (;;) {
        if (!is_ending && hs_interrupt_signal() != 0) {
            is_ending = true;
            set_patience(0); /* the children have their own */
            p.limit = 0;
            end_children(&p, 0);
        }
        for (uint32_t i = 0; i < pool->width && p.next < p.limit; i++)
            if (p.children[i].pid == 0)
                start(&p, &p.children[i], diag);
        if (pool->progress != NULL && !is_ending)
            pool->progress(pool->ctx, p.done, p.running);
        if (p.running == 0)
            break;
        bool is_any = false;
        for (uint32_t i = 0; i < pool->width; i++)
            is_any |= reap(&p, &p.children[i]);
        if (!is_any)
            (void)sigsuspend(&p.mask);
    }
    unwatch_children(&p);
    if (hs_interrupt_signal() != 0) /* a pending one was delivered by now */
        p.status = HS_E_INTERRUPTED;
    hs_free(p.children);
    *failure = p.failure;
    return p.status;
}

const char *hs_process_kill_hint(int signal_number)
{
    return signal_number == SIGKILL ? "out of memory? fewer processes (-j) need less" : NULL;
}

/* ---- a lock ---- */

/* Polling: a signal just before a blocking call would not interrupt it. */
#define POLL_NS 100000000

enum hs_status hs_file_lock_take(struct hs_file_lock *lock, const char *path, struct hs_diag *diag)
{
    const struct hs_place place = {.file = path};
    bool has_waited = false;
    struct stat info;
    int error;
    while ((error = hs_lock_try(path, &lock->fd)) != 0) {
        if (error == EINTR)
            continue;
        if (error != EWOULDBLOCK)
            return hs_fail(diag, HS_E_IO, &place, NULL, "cannot lock: %s", strerror(error));
        if (hs_interrupt_signal() != 0)
            return hs_fail(diag, HS_E_INTERRUPTED, &place, NULL,
                           "stopped while another process was running this point");
        if (!has_waited)
            hs_report(diag, HS_NOTE, &place, NULL,
                      "another process is running this point: waiting");
        has_waited = true;
        (void)nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    if (fstat(lock->fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0)
        return HS_OK;
    (void)close(lock->fd);
    return hs_fail(diag, HS_E_IO, &place, "rename it",
                   "it is not a lock file of horus and is left as it is");
}

void hs_file_lock_free(const struct hs_file_lock *lock, const char *path)
{
    (void)unlink(path);
    (void)close(lock->fd);
}
