/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tasks in processes: all of them, some at a time, and the same failure for any width.
 */
#include "cli/process.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/sink.h"

#define TASKS 7u

/* What each task must end with, and how long it takes. */
struct plan {
    enum hs_status status[TASKS];
    int kill[TASKS], delay_ms[TASKS];
    uint32_t most_running;
};

static struct sink sink;

static const char *mark_path(uint32_t index)
{
    char name[32];
    snprintf(name, sizeof name, "done-%u", index);
    return scratch_path(name);
}

/* Returns early at a watched signal. */
static void wait_ms(int ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    while (hs_interrupt_signal() == 0 && nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

static enum hs_status work(void *ctx, uint32_t index)
{
    const struct plan *plan = ctx;
    wait_ms(plan->delay_ms[index]);
    if (hs_interrupt_signal() != 0)
        return HS_E_INTERRUPTED;
    if (plan->kill[index] != 0)
        (void)raise(plan->kill[index]);
    if (plan->status[index] != HS_OK)
        return plan->status[index];
    FILE *mark = fopen(mark_path(index), "w");
    return mark != NULL && fclose(mark) == 0 ? HS_OK : HS_E_IO;
}

static void see(void *ctx, uint32_t done, uint32_t running)
{
    struct plan *plan = ctx;
    (void)done;
    if (running > plan->most_running)
        plan->most_running = running;
}

/* Bit i: task i has ended. */
static unsigned take_marks(void)
{
    unsigned marks = 0;
    for (uint32_t i = 0; i < TASKS; i++)
        marks |= (unsigned)(unlink(mark_path(i)) == 0) << i;
    return marks;
}

static enum hs_status run(struct plan *plan, uint32_t width, struct hs_process_failure *failure)
{
    const struct hs_process_pool pool = {
        .width = width, .count = TASKS, .task = work, .progress = see, .ctx = plan};
    sink_init(&sink);
    enum hs_status status = hs_process_pool_run(&pool, failure, &sink.diag);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
    return status;
}

static void every_task_is_done_once(void **state)
{
    (void)state;
    struct hs_process_failure failure;
    for (uint32_t width = 1; width <= TASKS + 1; width += 3) {
        struct plan plan = {.delay_ms = {20, 1, 10, 1}};
        assert_int_equal(run(&plan, width, &failure), HS_OK);
        assert_int_equal(take_marks(), (1u << TASKS) - 1);
        assert_true(plan.most_running <= width && plan.most_running >= 1);
    }
}

/* Task 4 fails at once, task 2 later: 2 is the failure, with 0 and 1 done, and 3 if there was time
 * before; tasks after 4 have no effect. */
static void the_first_failure_counts(void **state)
{
    (void)state;
    struct hs_process_failure failure;
    for (uint32_t width = 1; width <= TASKS; width++) {
        struct plan plan = {.status = {[2] = HS_E_INPUT, [4] = HS_E_POLICY},
                            .delay_ms = {[1] = 20, [2] = 40, [5] = 5000, [6] = 5000}};
        assert_int_equal(run(&plan, width, &failure), HS_E_INPUT);
        assert_int_equal(failure.index, 2);
        assert_int_equal(failure.signal_number, 0);
        assert_int_equal(take_marks() & 7, 3);
    }
}

static void a_killed_task_has_failed(void **state)
{
    (void)state;
    struct hs_process_failure failure;
    struct plan plan = {.kill = {[1] = SIGKILL}};
    assert_int_equal(run(&plan, 1, &failure), HS_E_LIMIT);
    assert_int_equal(failure.index, 1);
    assert_int_equal(failure.signal_number, SIGKILL);
    assert_int_equal(take_marks(), 1);
}

static void note_stopped(void *ctx, uint32_t index, enum hs_status status, int signal_number)
{
    uint32_t *stopped = ctx;
    if (status == HS_E_LIMIT && signal_number == SIGTERM)
        *stopped |= 1u << index;
    else
        assert_int_equal(status, HS_OK);
}

static enum hs_status be_stopped(void *ctx, uint32_t index)
{
    (void)ctx;
    return index == 1 ? HS_E_INTERRUPTED : HS_OK;
}

/* A child that SIGTERM ended, while the parent got no signal, has failed: taken for an interruption
 * of all, its task would be missing without a message. */
static void a_task_stopped_alone_has_failed(void **state)
{
    (void)state;
    struct hs_process_failure failure;
    uint32_t stopped = 0;
    struct plan plan = {.status = {[1] = HS_E_INTERRUPTED}};
    assert_int_equal(run(&plan, 1, &failure), HS_E_LIMIT);
    assert_int_equal(failure.index, 1);
    assert_int_equal(failure.signal_number, SIGTERM);
    assert_int_equal(take_marks(), 1);
    const struct hs_process_pool pool = {
        .width = 2, .count = TASKS, .task = be_stopped, .ended = note_stopped, .ctx = &stopped};
    assert_int_equal(hs_process_pool_run(&pool, &failure, &sink.diag), HS_OK);
    assert_int_equal(stopped, 1u << 1);
}

/* In a separate process, because the signal is remembered to the end of the program. The children
 * wait for a minute; SIGTERM ends them all. */
static void a_signal_ends_all(void **state)
{
    (void)state;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct hs_process_failure failure;
        struct plan plan = {.delay_ms = {60000, 60000, 60000}};
        hs_interrupt_watch();
        pid_t killer = fork();
        if (killer == 0) {
            wait_ms(100);
            (void)kill(getppid(), SIGTERM);
            _exit(0);
        }
        const struct hs_process_pool pool = {
            .width = 3, .count = TASKS, .task = work, .ctx = &plan};
        sink_init(&sink);
        enum hs_status status = hs_process_pool_run(&pool, &failure, &sink.diag);
        (void)waitpid(killer, NULL, 0);
        bool is_alone = waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
        _exit(status == HS_E_INTERRUPTED && is_alone ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_done_once),
        cmocka_unit_test(the_first_failure_counts),
        cmocka_unit_test(a_killed_task_has_failed),
        cmocka_unit_test(a_task_stopped_alone_has_failed),
        cmocka_unit_test(a_signal_ends_all),
    };
    return cmocka_run_group_tests_name("process_pool", tests, scratch_open, scratch_close);
}
