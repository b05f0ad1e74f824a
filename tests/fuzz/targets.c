/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See fuzz.h. Files are in memory (memfd_create), a run directory is on a tmpfs if there is one.
 */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "data/json.h"
#include "model/cluster.h"
#include "traces/format.h"

#define WORDS_MAX 64

void fuzz_broken(const char *what, const char *detail)
{
    (void)fprintf(stderr, "fuzz: %s: %s\n", what, detail);
    abort();
}

void fuzz_exhausted(enum hs_status status)
{
    fuzz_broken("exhausted", hs_status_text(status));
}

const char *fuzz_file(uint32_t slot, const void *bytes, size_t len)
{
    static int fds[FUZZ_FILES] = {-1, -1};
    static char paths[FUZZ_FILES][32];
    if (fds[slot] < 0)
        fds[slot] = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(paths[slot], sizeof paths[slot], "/proc/self/fd/%d", fds[slot]);
    if (pwrite(fds[slot], bytes, len, 0) != (ssize_t)len || ftruncate(fds[slot], (off_t)len) != 0)
        fuzz_broken("harness", "cannot write a file in memory");
    return paths[slot];
}

/* ---- commands ---- */

static uint64_t messages;
static char last_message[1024];

const char *fuzz_last_message(void)
{
    return last_message;
}

/* A message is text: no byte of the input reaches a terminal raw (base/diag.h). */
static void check_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    (void)ctx;
    messages += severity != HS_NOTE;
    if (severity == HS_ERROR)
        (void)snprintf(last_message, sizeof last_message, "%.*s", (int)len, text);
    for (size_t i = 0; i < len; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] == 0x7F)
            fuzz_broken("a control character in a message", text);
}

enum hs_status fuzz_command(const char *words, const char *path)
{
    static char text[3000], paths[128];
    char *argv[WORDS_MAX + 1];
    int argc = 0;
    snprintf(text, sizeof text, "%s", words);
    snprintf(paths, sizeof paths, "%s", path);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "%") == 0 ? paths : word;
    argv[argc] = NULL;
    static struct hs_call call; /* its output stays open */
    call = (struct hs_call){
        .command = (const char *const *)argv, .terminal.columns = 100, .out = call.out};
    enum hs_help_request help;
    enum hs_status status = HS_OK;
    const uint64_t before = messages;
    hs_diag_init(&call.diag, check_message, NULL);
    if (call.out.buffer == NULL)
        status = hs_output_open(&call.out, "/dev/null", &call.diag);
    if (status == HS_OK)
        status = hs_verb_get(argv[0], &call.verb, &call.diag);
    if (status == HS_OK)
        status = hs_options_parse(&call, argc, argv, &help);
    if (status ==
        HS_OK) { /* libFuzzer's alarm is stopped: a run has its own handler for that signal */
        struct sigaction action;
        struct itimerval clock, none = {0};
        (void)setitimer(ITIMER_REAL, &none, &clock);
        (void)sigaction(SIGALRM, NULL, &action);
        status = call.verb->run(&call);
        (void)sigaction(SIGALRM, &action, NULL);
        (void)setitimer(ITIMER_REAL, &clock, NULL);
    }
    if (status != HS_OK && messages == before && status != HS_E_DIFFERS)
        fuzz_broken("a failure without a message", hs_status_text(status));
    if (hs_status_exit_code(status) == hs_status_exit_code(HS_E_INVARIANT))
        fuzz_broken("an invariant is violated", words);
    hs_arena_free(&call.arena);
    return status;
}

static void eat_command(const struct fuzz_target *target, const uint8_t *bytes, size_t len)
{
    /* A policy exec:COMMAND would run a command from the bytes. */
    if (memmem(bytes, len, "exec:", 5) == NULL)
        (void)fuzz_command(target->words, fuzz_file(0, bytes, len));
}

/* ---- traces ---- */

/* Read as a run does by default, or with all tolerant options and other modes: each file by `trace`
 * in one of these ways, and by `trace-FORMAT` in the other. */
static void eat_trace(const struct fuzz_target *target, const uint8_t *bytes, size_t len)
{
    struct hs_diag diag;
    struct hs_trace_options options;
    struct hs_trace *trace;
    struct hs_trace_job *job;
    int64_t before_us = INT64_MIN;
    const uint64_t before = messages;
    hs_trace_options_default(&options);
    options.path = fuzz_file(0, bytes, len);
    options.format = target->words;
    if (len % 2 != (target->words != NULL)) {
        options.skip_bad_permille = 1000;
        options.cpu_jobs = HS_CPU_JOBS_KEEP;
        options.openb_pending = HS_OPENB_PENDING_RUN;
        options.philly_attempts = HS_ATTEMPTS_SPLIT;
        options.zero_duration = HS_ZERO_ONE_SECOND;
        options.sort_window = HS_SORT_ALL;
        options.load = 3;
        options.scale_time = 0.1;
    }
    hs_diag_init(&diag, check_message, NULL);
    enum hs_status status = hs_trace_open(&trace, &options, &diag);
    while (status == HS_OK && (status = hs_trace_next(trace, &job)) == HS_OK) {
        if (job->submit_us < before_us || job->duration_us < 0 || job->id == NULL ||
            job->gpu_milli == 0 || job->gpu_milli > 1000)
            fuzz_broken("a trace hands out an impossible job", job->id);
        before_us = job->submit_us;
    }
    if (status != HS_END && messages == before)
        fuzz_broken("a trace fails without a message", hs_status_text(status));
    hs_trace_close(trace);
}

/* ---- JSON, as a file's ---- */

static void eat_json(const struct fuzz_target *target, const uint8_t *bytes, size_t len)
{
    struct hs_arena arena = {0};
    struct hs_diag diag;
    const struct hs_json *root;
    const char *text = (const char *)bytes;
    const struct hs_source source = {.file = target->name,
                                     .text = text,
                                     .len = len,
                                     .end = len,
                                     .line = 1,
                                     .column = 1,
                                     .has_comments = true};
    const uint64_t before = messages;
    hs_diag_init(&diag, check_message, NULL);
    char *blanked = hs_arena_text(&arena, text, len);
    if (hs_json_parse(&source, blanked, &arena, &root, &diag) != HS_OK && messages == before)
        fuzz_broken("JSON fails without a message", target->name);
    hs_arena_free(&arena);
}

/* ---- clusters ---- */

static void eat_cluster(const struct fuzz_target *target, const uint8_t *bytes, size_t len)
{
    static const enum hs_vc_mode modes[] = {HS_VC_IGNORE, HS_VC_PARTITION, HS_VC_QUOTA};
    char shape[256];
    const char *path = fuzz_file(0, bytes, len);
    size_t kept = len < sizeof shape ? len : sizeof shape - 1;
    memcpy(shape, bytes, kept);
    shape[kept] = '\0';
    bool is_shape = strcmp(target->name, "shape") == 0;
    if (is_shape && strpbrk(shape, "/.") != NULL) /* names a file */
        return;
    struct hs_diag diag;
    struct hs_cluster cluster = {0};
    const uint64_t before = messages;
    const enum hs_vc_mode mode = modes[len % 3];
    hs_diag_init(&diag, check_message, NULL);
    enum hs_status status = hs_cluster_load(&cluster, is_shape ? shape : path, &diag);
    if (status == HS_OK && mode != HS_VC_IGNORE)
        status = hs_cluster_set_vcs(&cluster, mode, NULL, "", &diag);
    if (status == HS_OK && (cluster.node_count == 0 || cluster.gpu_count == 0))
        fuzz_broken("a cluster without GPUs", path);
    if (status != HS_OK && messages == before)
        fuzz_broken("a cluster fails without a message", path);
    hs_cluster_free(&cluster);
}

/* ---- run directories ---- */

static char run_dir[64];

static void remove_run_dir(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", run_dir);
    if (system(command) != 0)
        perror(run_dir);
}

const char *fuzz_folder(void)
{
    if (run_dir[0] == '\0') {
        snprintf(run_dir, sizeof run_dir, "%s/horus-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        if (mkdtemp(run_dir) == NULL)
            fuzz_broken("harness", run_dir);
        (void)atexit(remove_run_dir);
    }
    return run_dir;
}

static void write_run_file(const char *name, const uint8_t *bytes, size_t len)
{
    static const char mark[] = "%TRACE";
    char path[128];
    snprintf(path, sizeof path, "%s/%s", run_dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const uint8_t *at;
    bool is_written = fd >= 0;
    while ((at = memmem(bytes, len, mark, strlen(mark))) != NULL) {
        is_written = is_written && write(fd, bytes, (size_t)(at - bytes)) == at - bytes &&
                     dprintf(fd, "%s/trace.csv", run_dir) > 0;
        len -= (size_t)(at - bytes) + strlen(mark);
        bytes = at + strlen(mark);
    }
    if (!is_written || write(fd, bytes, len) != (ssize_t)len || close(fd) != 0)
        fuzz_broken("harness", path);
}

/* The bytes are the files of the directory one after another, each after a line "@@ NAME". "%TRACE"
 * is the path of its trace.csv. */
static void eat_run_dir(const struct fuzz_target *target, const uint8_t *bytes, size_t len)
{
    static const char *const names[] = {"trace.csv",    "manifest.json", "jobs.csv",
                                        "segments.csv", "series.csv",    "nodes.csv",
                                        "summary.json", "summary.csv",   "decisions.csv"};
    (void)fuzz_folder();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char head[32];
        int head_len = snprintf(head, sizeof head, "@@ %s\n", names[i]);
        const uint8_t *at = memmem(bytes, len, head, (size_t)head_len);
        const uint8_t *from = at != NULL ? at + head_len : bytes + len;
        size_t rest = (size_t)(bytes + len - from);
        const uint8_t *end = memmem(from, rest, "@@ ", 3);
        write_run_file(names[i], from, end != NULL ? (size_t)(end - from) : rest);
    }
    (void)fuzz_command(target->words, fuzz_folder());
}

/* ---- the table ---- */

static const struct fuzz_target fixed[] = {
    {"trace", "trace", eat_trace, NULL},
    {"info", "trace", eat_command, "trace info %"},
    {"validate", "trace", eat_command, "trace validate % -c 4x4:V100"},
    {"fit", "trace", eat_command, "generate --fit % -o /dev/null -q"},
    {"map", "map", eat_command, "trace info traces/sample.csv --max-jobs=5 --map %"},
    {"config", "config", eat_command, "run traces/sample.csv --config % --print-config"},
    {"json", "cluster", eat_json, NULL},
    {"cluster", "cluster", eat_cluster, NULL},
    {"shape", "shape", eat_cluster, NULL},
    {"vcs", "vcs", eat_command, "trace validate traces/sample.csv -c 8x8 --vc quota --vc-file %"},
    {"sweep", "sweep", eat_command, "sweep % --list -o /nowhere/sweep"},
    {"workload", "workload", eat_command, "generate --workload % -n 20 -o /dev/null -q"},
    {"profiles", "profiles", eat_command,
     "predict --profiles % --job ResNet18 --with LSTM --gpu V100"},
    {"models", "models", eat_command, "predict --models % --job ResNet18 --with LSTM --gpu V100"},
    {"pairs", "pairs", eat_command, "calibrate interference --data %"},
    {"verify", "rundir", eat_run_dir, "verify %"},
    {"report", "rundir", eat_run_dir, "report % -o /dev/null"},
    {"explain", "rundir", eat_run_dir, "explain % --json"},
    {"explain-job", "rundir", eat_run_dir, "explain % --job 1"},
    {"compare", "rundir", eat_run_dir, "compare % % --bootstrap 10"},
    {"plot", "rundir", eat_run_dir, "plot gantt % -o /dev/null"},
    {"run", "run", fuzz_run, NULL},
    {"verified", "run", fuzz_verified, NULL},
};
#define FIXED (sizeof fixed / sizeof *fixed)

const struct fuzz_target *fuzz_target_at(size_t index)
{
    static struct fuzz_target named[FUZZ_TARGETS_MAX];
    static char names[FUZZ_TARGETS_MAX][32];
    const struct hs_trace_format *format = index < FIXED ? NULL : hs_trace_format_at(index - FIXED);
    if (format == NULL)
        return index < FIXED ? &fixed[index] : NULL;
    snprintf(names[index], sizeof names[index], "trace-%s", format->name);
    named[index] = (struct fuzz_target){names[index], "trace", eat_trace, format->name};
    return &named[index];
}
