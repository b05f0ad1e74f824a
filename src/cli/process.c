/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal handlers only store to sig_atomic_t: the engine polls the flags every few thousand events,
 * and a read that waits for input is woken (no SA_RESTART) and looks at its own flag. In the pool
 * SIGCHLD and the ending signals are blocked except while the parent waits, so that none arrives
 * between the look at a flag and the wait. A child ends with its status as exit code.
 */
#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "report/run/rundir.h"

/* ---- signals ---- */

static volatile sig_atomic_t ending_signal;
static volatile sig_atomic_t wants_status;

static void on_ending(int signal_number)
{
    ending_signal = signal_number;
    hs_input_stop = 1;
}

static void on_status(int signal_number)
{
    (void)signal_number;
    wants_status = 1;
}

/* Removes what is half written; the signal, whose handler is reset by now, then ends the program.
 */
static void on_abandon(int signal_number)
{
    hs_wholefile_abandon();
    (void)raise(signal_number);
}

void hs_process_remove_unfinished(void)
{
    hs_wholefile_abandon();
    hs_rundir_abandon();
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

/* SIGINT stays ignored where it was at the start (nohup, a background job of a script). */
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
    handle_ending(on_ending);
    handle(SIGUSR1, on_status, SA_RESTART);
}

int hs_interrupt_signal(void)
{
    return ending_signal;
}

const char *hs_interrupt_name(void)
{
    return ending_signal == SIGINT ? "SIGINT" : "SIGTERM";
}

bool hs_interrupt_wants_status(void)
{
    bool wants = wants_status != 0;
    wants_status = 0;
    return wants;
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
    uint32_t limit; /* tasks from here on are not started, or were ended */
    enum hs_status status;
    struct hs_process_failure failure;
    sigset_t mask; /* as it was, and while waiting */
    struct sigaction on_child;
};

static void note_child(int signal_number)
{
    (void)signal_number; /* its only effect: sigsuspend() returns */
}

static void watch_children(struct pool *p)
{
    static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGUSR1};
    struct sigaction action;
    sigset_t blocked;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_child;
    (void)sigemptyset(&action.sa_mask);
    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)sigaddset(&blocked, signals[i]);
    (void)sigprocmask(SIG_BLOCK, &blocked, &p->mask);
    (void)sigaction(SIGCHLD, &action, &p->on_child);
}

static void unwatch_children(const struct pool *p)
{
    (void)sigaction(SIGCHLD, &p->on_child, NULL);
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
        return; /* ended by the pool, or behind a failure that was found before */
    p->limit = index;
    p->status = status;
    p->failure = (struct hs_process_failure){index, signal_number};
    end_children(p, index);
}

/* A child without memory ends with that status: the parent reports it. */
static void end_child(enum hs_status status)
{
    (void)status;
    hs_process_remove_unfinished();
    exit((int)HS_E_MEMORY);
}

static void start(struct pool *p, struct child *child, struct hs_diag *diag)
{
    uint32_t index = p->next++;
    pid_t pid = fork();
    if (pid == 0) {
        unwatch_children(p);
        hs_on_fatal(end_child);
        exit((int)p->how->task(p->how->ctx, index));
    }
    if (pid < 0) {
        fail_at(p, index,
                hs_fail(diag, HS_E_LIMIT, NULL, "fewer at a time (-j) need less",
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
    /* A signal that was sent to the child alone: one from a terminal, which reaches both, has
     * reached the parent before the child could end. */
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
    struct pool p = {.how = pool, .limit = pool->count};
    bool is_ending = false;
    p.children = hs_alloc_zeroed(pool->width, sizeof *p.children);
    watch_children(&p);
    for (;;) {
        if (!is_ending && hs_interrupt_signal() != 0) {
            is_ending = true;
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
    if (hs_interrupt_signal() != 0) /* a pending one has been delivered by now */
        p.status = HS_E_INTERRUPTED;
    hs_free(p.children);
    *failure = p.failure;
    return p.status;
}

const char *hs_process_kill_hint(int signal_number)
{
    return signal_number == SIGKILL ? "for want of memory? fewer at a time (-j) need less" : NULL;
}

/* ---- a lock ---- */

/* Polling, not F_SETLKW: a signal that comes just before the call would not end it. */
#define POLL_NS 100000000

enum hs_status hs_file_lock_take(struct hs_file_lock *lock, const char *path, struct hs_diag *diag)
{
    const struct hs_place place = {.file = path};
    bool has_waited = false;
    struct stat held, there;
    for (;;) {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->fd < 0)
            return hs_fail(diag, HS_E_IO, &place, NULL, "cannot open: %s", strerror(errno));
        bool is_locked = fcntl(lock->fd, F_SETLK, &whole) == 0;
        int error = errno;
        /* The holder removes the file before it unlocks, so that a lock counts only if the path
         * still leads to the file that is locked. */
        bool is_there = fstat(lock->fd, &held) == 0 && stat(path, &there) == 0 &&
                        held.st_dev == there.st_dev && held.st_ino == there.st_ino;
        if (is_locked && is_there)
            return HS_OK;
        (void)close(lock->fd);
        lock->fd = -1;
        if (!is_there) /* removed by its holder meanwhile */
            continue;
        if (error != EACCES && error != EAGAIN)
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
}

void hs_file_lock_free(struct hs_file_lock *lock, const char *path)
{
    if (lock->fd < 0)
        return;
    (void)unlink(path);
    (void)close(lock->fd);
    lock->fd = -1;
}
