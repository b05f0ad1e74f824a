/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SIGCHLD and the signals that end the program are blocked but while the parent waits, so that none
 * can arrive between looking and waiting. A child ends with its status as exit code.
 */
#include "cli/procpool.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/interrupt.h"

struct child {
    pid_t pid; /* 0 = free */
    uint32_t index;
};

struct pool {
    const struct hs_procpool *how;
    struct child *children; /* [width] */
    uint32_t running, next, done;
    uint32_t limit; /* tasks from here on are not wanted any more */
    enum hs_status status;
    struct hs_procfailure failure;
    sigset_t mask; /* as it was, and while waiting */
    struct sigaction on_child;
};

static void note_child(int signal_number)
{
    (void)signal_number; /* it is enough to be woken */
}

static void watch_children(struct pool *p)
{
    struct sigaction action;
    sigset_t blocked;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_child;
    (void)sigemptyset(&action.sa_mask);
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGCHLD);
    (void)sigaddset(&blocked, SIGINT);
    (void)sigaddset(&blocked, SIGTERM);
    (void)sigaddset(&blocked, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &blocked, &p->mask);
    (void)sigaction(SIGCHLD, &action, &p->on_child);
}

static void unwatch_children(const struct pool *p)
{
    (void)sigaction(SIGCHLD, &p->on_child, NULL);
    (void)sigprocmask(SIG_SETMASK, &p->mask, NULL);
}

/* Ends the tasks from `from` on. */
static void end_children(const struct pool *p, uint32_t from)
{
    for (uint32_t i = 0; i < p->how->width; i++)
        if (p->children[i].pid != 0 && p->children[i].index >= from)
            (void)kill(p->children[i].pid, SIGTERM);
}

static void fail_at(struct pool *p, uint32_t index, enum hs_status status, int signal_number)
{
    if (index >= p->limit)
        return; /* ended by us, or a failure before it was found */
    p->limit = index;
    p->status = status;
    p->failure = (struct hs_procfailure){index, signal_number};
    end_children(p, index);
}

static void start(struct pool *p, struct child *child, struct hs_diag *diag)
{
    uint32_t index = p->next++;
    pid_t pid = fork();
    if (pid == 0) {
        unwatch_children(p);
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

/* Nobody asked us to end: whoever stopped the child meant it alone. One that does ask both, as a
 * terminal, has told us before the child could end. */
static bool was_stopped_alone(enum hs_status status)
{
    sigset_t pending;
    return status == HS_E_INTERRUPTED && hs_interrupt_signal() == 0 && sigpending(&pending) == 0 &&
           sigismember(&pending, SIGINT) == 0 && sigismember(&pending, SIGTERM) == 0;
}

static bool reap(struct pool *p, struct child *child)
{
    int state;
    if (child->pid == 0 || waitpid(child->pid, &state, WNOHANG) != child->pid)
        return false;
    child->pid = 0;
    p->running--;
    int signal_number = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    enum hs_status status = signal_number != 0 ? HS_E_LIMIT : (enum hs_status)WEXITSTATUS(state);
    if (was_stopped_alone(status)) {
        status = HS_E_LIMIT;
        signal_number = SIGTERM;
    }
    if (p->how->ended != NULL)
        p->how->ended(p->how->ctx, child->index, status, signal_number);
    else if (status != HS_OK)
        fail_at(p, child->index, status, signal_number);
    if (p->how->ended != NULL || status == HS_OK)
        p->done++;
    return true;
}

static bool reap_all(struct pool *p)
{
    bool is_any = false;
    for (uint32_t i = 0; i < p->how->width; i++)
        if (reap(p, &p->children[i]))
            is_any = true;
    return is_any;
}

static void start_some(struct pool *p, struct hs_diag *diag)
{
    for (uint32_t i = 0; i < p->how->width && p->next < p->limit; i++)
        if (p->children[i].pid == 0)
            start(p, &p->children[i], diag);
}

static void run(struct pool *p, struct hs_diag *diag)
{
    bool is_ending = false;
    for (;;) {
        if (!is_ending && hs_interrupt_signal() != 0) {
            is_ending = true;
            p->limit = 0;
            end_children(p, 0);
        }
        start_some(p, diag);
        if (p->how->progress != NULL && !is_ending)
            p->how->progress(p->how->ctx, p->done, p->running);
        if (p->running == 0)
            break;
        if (!reap_all(p))
            (void)sigsuspend(&p->mask);
    }
}

enum hs_status hs_procpool_run(const struct hs_procpool *pool, struct hs_procfailure *failure,
                               struct hs_diag *diag)
{
    struct pool p = {.how = pool, .limit = pool->count};
    *failure = p.failure;
    p.children = hs_alloc_zeroed(pool->width, sizeof *p.children);
    if (p.children == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "out of memory");
    watch_children(&p);
    run(&p, diag);
    unwatch_children(&p);
    if (hs_interrupt_signal() != 0) /* a pending one has come through by now */
        p.status = HS_E_INTERRUPTED;
    hs_free(p.children);
    *failure = p.failure;
    return p.status;
}
