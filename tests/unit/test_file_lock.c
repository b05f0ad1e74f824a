/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One process at a time has a lock: others wait until it releases the lock or is killed.
 */
#include "cli/process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/sink.h"

static struct sink sink;

/* Starts another process, which has the lock on return; it continues on GO, or is killed. */
static pid_t other_holds(const char *path, int *go)
{
    int ready[2], told[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct hs_file_lock lock;
        struct hs_diag silent = {.least = HS_ERROR};
        bool is_held = hs_file_lock_take(&lock, path, &silent) == HS_OK;
        (void)close(told[1]);
        if (is_held && write(ready[1], &byte, 1) == 1 && read(told[0], &byte, 1) == 1)
            hs_file_lock_free(&lock, path);
        _exit(0);
    }
    (void)close(ready[1]), (void)close(told[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    *go = told[1];
    return pid;
}

/* A child that ends the wait after `ms`, by the given act. */
static pid_t after_ms(int ms, void (*act)(int), int arg)
{
    pid_t pid = fork();
    if (pid == 0) {
        (void)nanosleep(&(struct timespec){.tv_nsec = (long)ms * 1000000}, NULL);
        act(arg);
        _exit(0);
    }
    return pid;
}

static void let_go(int fd)
{
    char byte = 0;
    if (write(fd, &byte, 1) != 1)
        _exit(1);
}

static void kill_hard(int pid)
{
    (void)kill(pid, SIGKILL);
}

static void ask_to_end(int pid)
{
    (void)kill(pid, SIGTERM);
}

static void reap(pid_t pid)
{
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_free_lock_leaves_nothing(void **state)
{
    (void)state;
    sink_init(&sink);
    const char *path = scratch_path("free.lock");
    struct hs_file_lock lock;
    struct stat there;
    assert_int_equal(hs_file_lock_take(&lock, path, &sink.diag), HS_OK);
    assert_int_equal(stat(path, &there), 0);
    hs_file_lock_free(&lock, path);
    assert_int_not_equal(stat(path, &there), 0);
    assert_string_equal(sink.text, "");
}

/* The first poll always comes too early: the lock is released 150 ms later. */
static void test_waits_for_its_turn(void **state)
{
    (void)state;
    sink_init(&sink);
    const char *path = scratch_path("turn.lock");
    struct hs_file_lock lock;
    int go;
    pid_t owner = other_holds(path, &go);
    pid_t helper = after_ms(150, let_go, go);
    assert_int_equal(hs_file_lock_take(&lock, path, &sink.diag), HS_OK);
    assert_non_null(strstr(sink.text, "another process is running this point: waiting"));
    reap(owner), reap(helper), (void)close(go);
    hs_file_lock_free(&lock, path);
}

/* The killed process leaves a file without a lock. */
static void test_killed_owner_frees_it(void **state)
{
    (void)state;
    sink_init(&sink);
    const char *path = scratch_path("killed.lock");
    struct hs_file_lock lock;
    int go;
    pid_t owner = other_holds(path, &go);
    pid_t helper = after_ms(150, kill_hard, owner);
    assert_int_equal(hs_file_lock_take(&lock, path, &sink.diag), HS_OK);
    reap(owner), reap(helper), (void)close(go);
    hs_file_lock_free(&lock, path);
}

static void test_signal_ends_the_wait(void **state)
{
    (void)state;
    sink_init(&sink);
    const char *path = scratch_path("signal.lock");
    struct hs_file_lock lock;
    int go;
    hs_interrupt_watch();
    pid_t owner = other_holds(path, &go);
    pid_t helper = after_ms(150, ask_to_end, getpid());
    assert_int_equal(hs_file_lock_take(&lock, path, &sink.diag), HS_E_INTERRUPTED);
    assert_non_null(strstr(sink.text, "stopped while another process was running this point"));
    kill_hard(owner), reap(owner), reap(helper), (void)close(go);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_lock_leaves_nothing), cmocka_unit_test(test_waits_for_its_turn),
        cmocka_unit_test(test_killed_owner_frees_it),
        cmocka_unit_test(test_signal_ends_the_wait), /* last: its signal stays noted */
    };
    return cmocka_run_group_tests_name("file_lock", tests, scratch_open, scratch_close);
}
