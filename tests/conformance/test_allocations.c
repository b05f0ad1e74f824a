/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * No allocation after warm-up: in a trace that repeats the same hour, a few hours contain all that
 * a run must remember, and the rows after them may not allocate memory. So `horus run` calls
 * malloc's family as often for a trace as for one twice as long, under every policy, with the
 * summary alone and with all files, from every form of input. Calls of libraries count (the
 * functions are replaced for the whole process), as do those of libc itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "horus/policy.h"
#include "support/sink.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define CAN_COUNT 0 /* the sanitizer has its own functions, and another libc other names */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAN_COUNT 0
#endif
#endif
#ifndef CAN_COUNT
#define CAN_COUNT 1
#endif

/* Calls of malloc, calloc and realloc; volatile because compilers assume that these do not change
 * it. */
static volatile uint64_t calls;

#if CAN_COUNT
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    calls++;
    return __libc_realloc(memory, size);
}
#endif

/* ---- the trace: equal hours, each with more work than the cluster can do, then idle ---- */

#define HOUR_S    3600
#define HOUR_JOBS 40
#define WARM      12 /* hours; they contain all that a run remembers */
#define ROW_MAX   64

static void write_hours(const char *name, uint32_t hours)
{
    static const uint32_t gangs[] = {1, 2, 1, 4, 1, 1, 8, 1};
    static char text[(size_t)2 * WARM * HOUR_JOBS * ROW_MAX];
    size_t len = (size_t)snprintf(text, sizeof text,
                                  "job_id,submit_time,gpus,duration,user,gpu_mem_mib,gpu_util\n");
    for (uint32_t n = 0; n < hours * HOUR_JOBS; n++) {
        uint32_t i = n % HOUR_JOBS;
        int row = snprintf(text + len, sizeof text - len, "j%04u,%u,%u,%u,u%u,%u,%u\n", n,
                           n / HOUR_JOBS * HOUR_S + 5 * i, gangs[i % 8], 8 + 17 * i % 70, i % 7,
                           1000 + 500 * (i % 9), 10 + i);
        assert_in_range(row, 1, ROW_MAX);
        len += (size_t)row;
    }
    (void)scratch_write(name, text, len);
}

/* ---- a command, in a process of its own ---- */

#define WORDS_MAX 16

static enum hs_status command(const char *const *words)
{
    int count = 0;
    while (words[count] != NULL)
        count++;
    struct hs_call call = {.command = words, .verb = hs_verb_find(words[0])};
    enum hs_help_request help;
    hs_terminal_init(&call.terminal);
    hs_diag_init(&call.diag, hs_terminal_emit, &call.terminal);
    HS_TRY(hs_output_open(&call.out, "-", &call.diag));
    HS_TRY(hs_options_parse(&call, count, (char **)(uintptr_t)words, &help));
    HS_TRY(call.verb->run(&call));
    HS_TRY(hs_output_close(&call.out, &call.diag));
    hs_arena_free(&call.arena);
    return HS_OK;
}

/* Number of calls that allocate memory. */
static uint64_t calls_of(const char *const *words)
{
    int ends[2];
    uint64_t seen = 0;
    int status = -1;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        calls = 0;
        bool is_done = null >= 0 && dup2(null, STDOUT_FILENO) >= 0 && command(words) == HS_OK;
        seen = calls;
        _exit(is_done && write(ends[1], &seen, sizeof seen) == sizeof seen ? 0 : 1);
    }
    (void)close(ends[1]);
    bool is_told = read(ends[0], &seen, sizeof seen) == sizeof seen;
    (void)close(ends[0]);
    assert_true(waitpid(child, &status, 0) == child);
    if (!is_told || status != 0)
        fail_msg("failed: %s %s", words[0], words[1]);
    return seen;
}

static uint64_t run(const char *trace, const char *policy, const char *outputs)
{
    static unsigned runs;
    char path[256], dir[256];
    (void)snprintf(path, sizeof path, "%s", scratch_path(trace));
    (void)snprintf(dir, sizeof dir, "%s-%04u", scratch_path("run"), runs++);
    /* Rows are held back, to order late ones, until there are this many: fewer than the trace has.
     */
    const char *words[WORDS_MAX] = {"run",       path,   "-o", dir,        "-q", "--no-progress",
                                    "--sort",    "64",   "-c", "4x4:V100", "-p", policy,
                                    "--outputs", outputs};
    return calls_of(words);
}

static void expect_steady(const char *once, const char *twice, const char *policy,
                          const char *outputs)
{
    uint64_t calls_once = run(once, policy, outputs), calls_twice = run(twice, policy, outputs);
    if (calls_once != calls_twice)
        fail_msg("%s %s: %llu allocations over %s, %llu over %s\n", policy, outputs,
                 (unsigned long long)calls_once, once, (unsigned long long)calls_twice, twice);
}

/* ---- tests ---- */

static void need_counts(void)
{
    if (CAN_COUNT)
        return;
    print_message("calls of malloc cannot be counted under this sanitizer or libc\n");
    skip();
}

static void test_counter_counts(void **state)
{
    (void)state;
    need_counts();
    uint64_t before = calls;
    void *volatile memory = malloc(10);
    assert_int_equal(calls, before + 1);
    memory = realloc(memory, 20);
    assert_int_equal(calls, before + 2);
    free(memory);
    assert_int_equal(calls, before + 2);
}

static void test_every_policy(void **state)
{
    (void)state;
    need_counts();
    const struct hs_policy_ops *policy;
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++)
        if (strcmp(policy->name, "gavel") == 0) /* the solver of linear programs allocates anew */
            expect_steady("short.csv", "twice.csv", "gavel:objective=isolated", "summary");
        else if (strcmp(policy->name, "ftf") != 0)
            expect_steady("short.csv", "twice.csv", policy->name, "summary");
}

static void test_every_file(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo", "tiresias", "horus", "gandiva", "antman"};
    need_counts();
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        expect_steady("short.csv", "twice.csv", policies[i], "all");
}

/* Writes the same jobs in another format, by the name of the file; fifo needs no columns beyond
 * those. */
static void convert(const char *from_name, const char *to_name, const char *format)
{
    char from[256], to[256];
    (void)snprintf(from, sizeof from, "%s", scratch_path(from_name));
    (void)snprintf(to, sizeof to, "%s", scratch_path(to_name));
    const char *words[WORDS_MAX] = {"trace", "convert", from, "-o", to, "-q", "--to", format};
    (void)calls_of(words);
}

static void test_every_input(void **state)
{
    (void)state;
    static const char *const forms[][3] = {{"short.csv.gz", "twice.csv.gz", "csv"},
                                           {"short.csv.zst", "twice.csv.zst", "csv"},
                                           {"short-helios.csv", "twice-helios.csv", "helios"},
                                           {"short-philly.json", "twice-philly.json", "philly"}};
    need_counts();
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        convert("short.csv", forms[i][0], forms[i][2]);
        convert("twice.csv", forms[i][1], forms[i][2]);
        expect_steady(forms[i][0], forms[i][1], "fifo", "summary");
    }
}

static int write_traces(void **state)
{
    if (scratch_open(state) != 0)
        return -1;
    write_hours("short.csv", WARM);
    write_hours("twice.csv", 2 * WARM);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counter_counts),
        cmocka_unit_test(test_every_policy),
        cmocka_unit_test(test_every_file),
        cmocka_unit_test(test_every_input),
    };
    return cmocka_run_group_tests(tests, write_traces, scratch_close);
}
