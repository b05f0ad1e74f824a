/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * User-defined policies. For a shared library: loads the record that it exports, checked as far as
 * possible; it stays loaded until the end. POSIX dlopen. The files of such policies, and of
 * commands, as inputs of a run. The knowledge, capabilities and assumptions of a policy, in words.
 *
 * A policy in another language: `-p exec:COMMAND`. The command is a child process. Its first line
 * of output declares the policy; then it gets a line of JSON at each instant with an event of the
 * protocol (src/policies/README.md) and answers with one line. It receives only the knowledge that
 * it declared, and the plan refuses actions that it did not declare. Each run starts a separate
 * child, connected by a pair of sockets; the child ends when it reads the end of its input.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/process.h"
#include "cli/simulate.h"
#include "data/json.h"
#include "horus/version.h"
#include "policies/lib/place.h"
#include "policies/lib/vc_queues.h"

#define HINT "src/policies/README.md, 'A policy outside the tree', has the command that builds one"

const char *const hs_knows_words[] = {"duration", "utilization", "memory", "rate",    "estimate",
                                      "history",  "model",       "speed",  "profile", "scaling",
                                      "host",     "stages",      "loss",   "pairs",   NULL};
const char *const hs_can_words[] = {
    "preempt",        "migrate",    "co-locate",    "slice",       "throttle",
    "resize",         "set timers", "borrow quota", "divide GPUs", "profile",
    "resize any job", "host",       "interleave",   "reserve",     NULL};

void hs_bits_text(uint32_t bits, const char *const *words, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; words[i] != NULL; i++)
        if ((bits & (1u << i)) != 0)
            hs_append(text, size, "%s%s", text[0] != '\0' ? ", " : "", words[i]);
    if (text[0] == '\0')
        hs_append(text, size, "nothing");
}

/* Returns the fault of a record that is not in the table; NULL: none. */
static const char *fault_of(const struct hs_policy_ops *policy)
{
    if (policy->name == NULL || policy->name[0] == '\0' ||
        policy->name[strspn(policy->name, "abcdefghijklmnopqrstuvwxyz0123456789_+-")] != '\0')
        return "its name has other characters than a-z, 0-9, _, + and -";
    if (hs_policy_find(policy->name) != NULL)
        return "horus has a policy of its name";
    if (policy->summary == NULL || policy->cite == NULL)
        return "it has no summary or no cite";
    if (policy->init == NULL || policy->on_event == NULL || policy->decide == NULL ||
        policy->semantics == NULL)
        return "init, on_event, decide or semantics is missing";
    return NULL;
}

enum hs_status hs_plugin_load(const char *path, const struct hs_policy_ops **policy,
                              struct hs_diag *diag)
{
    const struct hs_place place = {.file = path};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return hs_fail(diag, HS_E_INPUT, &place, HINT, "cannot be loaded: %s", dlerror());
    const struct hs_policy_plugin *plugin = dlsym(library, "horus_policy");
    if (plugin == NULL)
        return hs_fail(diag, HS_E_INPUT, &place, HINT,
                       "no policy: the library exports no 'horus_policy'");
    if (strcmp(plugin->version, HS_VERSION) != 0 || plugin->size != sizeof **policy)
        return hs_fail(diag, HS_E_INPUT, &place, "build it again with the headers of this horus",
                       "built for horus %s with a record of %zu bytes; this is %s with %zu",
                       plugin->version, plugin->size, HS_VERSION, sizeof **policy);
    const char *missing = fault_of(plugin->policy);
    if (missing != NULL)
        return hs_fail(diag, HS_E_INPUT, &place, HINT, "policy '%s': %s",
                       plugin->policy->name != NULL ? plugin->policy->name : "", missing);
    *policy = plugin->policy;
    return HS_OK;
}

bool hs_is_command(const char *spec)
{
    return strncmp(spec, HS_EXEC, strlen(HS_EXEC)) == 0;
}

static enum hs_status add_policy_file(struct hs_setup *s, const char *path, size_t len,
                                      struct hs_diag *diag)
{
    struct hs_manifest_input *file = &s->files[s->file_count++];
    *file =
        (struct hs_manifest_input){.role = "policy", .path = hs_arena_text(&s->arena, path, len)};
    return hs_hash_file(file->path, &file->hash, &file->bytes, diag);
}

/* Adds the library of a policy, or the words of a command that are files. */
enum hs_status hs_own_policy_files(struct hs_setup *s, struct hs_diag *diag)
{
    const char *word = s->options->policy;
    if (!hs_is_command(word)) {
        const size_t len = strcspn(word, ":");
        return memchr(word, '/', len) != NULL ? add_policy_file(s, word, len, diag) : HS_OK;
    }
    word += strlen(HS_EXEC);
    for (size_t len; *word != '\0' && s->file_count < HS_POLICY_FILES_MAX; word += len) {
        struct stat is;
        word += strspn(word, " ");
        len = strcspn(word, " ");
        const char *path = hs_arena_text(&s->arena, word, len);
        if (stat(path, &is) == 0 && S_ISREG(is.st_mode))
            HS_TRY(add_policy_file(s, word, len, diag));
    }
    return HS_OK;
}

/* ---- policies in another language ---- */

#define PROTOCOL  "src/policies/README.md, 'A policy in another language', has the protocol"
#define ANSWER_MS 60000 /* time limit of an answer */
#define TEXT_MAX  (UINT32_C(1) << 30)
#define EVENT_MAX 192u /* bytes of one event in JSON */

extern char **environ;

struct exec_text {
    char *at;
    uint32_t len, cap;
};

struct exec {
    const char *command;
    struct hs_diag *diag;
    struct hs_policy_ops *policy; /* as declared by the child */
};

/* There is one child at a time: the last run's child is terminated when the next run begins. */
static struct {
    int fd; /* 0: no child */
    pid_t pid;
    struct exec_text out, in; /* messages to the child; its answers, not parsed yet */
    struct exec_text refused; /* jobs without GPUs in the last answer, as events */
    bool is_strict;           /* of an answer: after a job without GPUs none starts */
    uint8_t *is_live;         /* by handle */
    uint32_t live_cap;
    int64_t line;           /* line number of the child's output, for messages */
    struct hs_arena answer; /* holds the JSON of the last answer */
} child;

static enum hs_status fail(const struct exec *x, const char *what)
{
    return hs_fail(x->diag, HS_E_POLICY, HS_AT({.file = x->command, .line = child.line}), PROTOCOL,
                   "%s", what);
}

/* ---- the child ---- */

/* Terminates the whole process group; a child waiting for input gets SIGTERM, too. */
static void end_child(void)
{
    if (child.fd == 0)
        return;
    (void)kill(-child.pid, SIGTERM);
    (void)close(child.fd);
    while (waitpid(child.pid, NULL, 0) < 0 && errno == EINTR)
        ;
    child.fd = 0;
}

static enum hs_status begin_child(const struct exec *x)
{
    int ends[2];
    end_child();
    child.in.len = child.out.len = child.refused.len = 0;
    child.line = 0;
    char *command = hs_arena_text(&child.answer, x->command, strlen(x->command));
    char *arguments[] = {(char[]){"sh"}, (char[]){"-c"}, command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return fail(x, strerror(errno));
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_addclose(&actions, ends[0]);
    (void)posix_spawn_file_actions_addclose(&actions, ends[1]);
    (void)posix_spawnattr_init(&attributes);
    (void)sigemptyset(&usual);
    (void)sigaddset(&usual, SIGPIPE);
    (void)posix_spawnattr_setsigdefault(&attributes, &usual);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawn(&child.pid, "/bin/sh", &actions, &attributes, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    (void)close(ends[1]);
    if (error != 0) {
        (void)close(ends[0]);
        return fail(x, strerror(error));
    }
    child.fd = ends[0];
    return HS_OK;
}

static enum hs_status send_line(const struct exec *x)
{
    for (uint32_t sent = 0; sent < child.out.len;) {
        const ssize_t n = send(child.fd, child.out.at + sent, child.out.len - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR && hs_interrupt_signal() == 0)
            continue;
        if (n < 0)
            return errno == EINTR ? HS_E_INTERRUPTED : fail(x, "the command has ended");
        sent += (uint32_t)n;
    }
    child.out.len = 0;
    return HS_OK;
}

/* Reads more output of the child; HS_E_POLICY at its end or after ANSWER_MS. */
static enum hs_status read_more(const struct exec *x)
{
    struct pollfd wait = {.fd = child.fd, .events = POLLIN};
    const int ready = poll(&wait, 1, ANSWER_MS);
    if (ready < 0)
        return errno == EINTR && hs_interrupt_signal() == 0 ? HS_OK : HS_E_INTERRUPTED;
    if (ready == 0)
        return fail(x, "no answer within 60 s");
    hs_grow(child.in.at, child.in.cap, (uint64_t)child.in.len + 4096, TEXT_MAX);
    const ssize_t n = recv(child.fd, child.in.at + child.in.len, child.in.cap - child.in.len, 0);
    if (n < 0 && errno == EINTR)
        return HS_OK;
    if (n <= 0)
        return fail(x, "the command ended without an answer");
    child.in.len += (uint32_t)n;
    return HS_OK;
}

/* Parses the next line, a JSON object; it is valid until the next call. */
static enum hs_status read_answer(const struct exec *x, const struct hs_json **object)
{
    uint32_t end = 0;
    child.line++;
    while (end == child.in.len || child.in.at[end] != '\n') {
        if (end < child.in.len)
            end++;
        else
            HS_TRY(read_more(x));
    }
    hs_arena_reset(&child.answer);
    const char *text = hs_arena_text(&child.answer, child.in.at, end);
    const struct hs_source source = {
        .file = x->command, .text = text, .len = end, .end = end, .line = child.line, .column = 1};
    child.in.len -= end + 1;
    memmove(child.in.at, child.in.at + end + 1, child.in.len);
    if (text[0] != '{')
        return fail(x, "the line is no JSON object: other output belongs on standard error");
    return hs_json_parse(&source, NULL, &child.answer, object, x->diag) == HS_OK ? HS_OK
                                                                                 : HS_E_POLICY;
}

/* ---- messages to the child ---- */

HS_PRINTF(3, 4) static void put(struct exec_text *to, uint32_t room, const char *fmt, ...)
{
    va_list list;
    hs_grow(to->at, to->cap, (uint64_t)to->len + room, TEXT_MAX);
    va_start(list, fmt);
    to->len += (uint32_t)vsnprintf(to->at + to->len, room, fmt, list);
    va_end(list);
}

static void put_submission(const struct exec *x, const struct hs_view *v, hs_job_id job)
{
    const uint32_t knows = x->policy->knows;
    hs_grow(child.is_live, child.live_cap, (uint64_t)job + 1, TEXT_MAX);
    child.is_live[job] = 1;
    put(&child.out, EVENT_MAX,
        "{\"submit\":%" PRIu32 ",\"gpus\":%" PRIu32 ",\"vc\":%" PRIu32 ",\"priority\":%" PRId32,
        job, hs_view_gpus(v, job), hs_view_vc(v, job), hs_view_priority(v, job));
    if ((knows & HS_KNOWS_DURATION) != 0)
        put(&child.out, EVENT_MAX, ",\"duration\":%.6f", (double)hs_view_duration_us(v, job) / 1e6);
    if ((knows & HS_KNOWS_UTILIZATION) != 0)
        put(&child.out, EVENT_MAX, ",\"utilization\":%.3f", hs_view_util_pm(v, job) / 1e3);
    if ((knows & HS_KNOWS_MEMORY) != 0)
        put(&child.out, EVENT_MAX, ",\"memory_mib\":%" PRIu32, hs_view_gpu_mem_mib(v, job));
    put(&child.out, EVENT_MAX, "}");
}

static void exec_event(void *state, const struct hs_view *v, const struct hs_event *event)
{
    static const char *const words[] = {[HS_EVENT_FINISH] = "finish",
                                        [HS_EVENT_STARTED] = "started",
                                        [HS_EVENT_STOPPED] = "stopped"};
    const struct exec *x = state;
    if (event->kind != HS_EVENT_SUBMIT && event->job != HS_NO_JOB &&
        (event->kind > HS_EVENT_STOPPED || words[event->kind] == NULL))
        return;
    put(&child.out, EVENT_MAX, "%s", child.out.len > 0 ? "," : "");
    if (event->kind == HS_EVENT_SUBMIT)
        put_submission(x, v, event->job);
    else if (event->kind == HS_EVENT_TIMER)
        put(&child.out, EVENT_MAX, "{\"timer\":%" PRIu64 "}", event->tag);
    else if (event->kind == HS_EVENT_NODE)
        put(&child.out, EVENT_MAX, "{\"node\":%" PRId32 "}", (int32_t)event->tag);
    else
        put(&child.out, EVENT_MAX, "{\"%s\":%" PRIu32 "}", words[event->kind], event->job);
    if (event->kind == HS_EVENT_FINISH)
        child.is_live[event->job] = 0;
}

/* ---- answers of the child ---- */

/* Fails on a member that is not in the list, which would be without effect. */
static enum hs_status check_members(const struct exec *x, const struct hs_json *object,
                                    const char *known)
{
    for (const struct hs_json *m = hs_json_first(object); m != NULL; m = hs_json_next(m)) {
        const char *key = hs_json_key(m) != NULL ? hs_json_key(m) : "";
        if (!hs_is_listed(known, ' ', key))
            return fail(x, HS_TEXT("unknown member \"%.32s\": there are %s", key, known));
    }
    return HS_OK;
}

/* Requires a whole number below `end` with this key. */
static bool has_number(const struct hs_json *object, const char *key, int64_t end, int64_t *number)
{
    const struct hs_json *value = hs_json_get(object, key);
    return value != NULL && hs_json_int(value, number) && *number >= 0 && *number < end;
}

static int64_t seconds_us(const struct hs_json *object, const char *key)
{
    const double seconds = hs_json_number(hs_json_get(object, key));
    return seconds >= 0 && seconds < 9e12 ? (int64_t)(seconds * 1e6 + 0.5) : -1;
}

/* Starts a job on [[NODE, GPUS], ...], or on GPUs found by consolidating placement. */
static enum hs_status start(const struct exec *x, const struct hs_view *v, struct hs_plan *p,
                            hs_job_id job, const struct hs_json *nodes)
{
    if (nodes == NULL) {
        if ((child.is_strict && child.refused.len > 0) ||
            (!hs_place(v, p, job, (struct hs_place_rule){.placer = HS_PLACE_CONSOLIDATE}) &&
             !hs_reject_hopeless(v, p, job)))
            put(&child.refused, EVENT_MAX, "%s{\"refused\":%" PRIu32 "}",
                child.refused.len > 0 ? "," : "", job);
        return HS_OK;
    }
    hs_plan_start(p, job);
    for (const struct hs_json *at = hs_json_first(nodes); at != NULL; at = hs_json_next(at)) {
        int64_t node, gpus;
        const struct hs_json *first = hs_json_first(at);
        if (hs_json_count(at) != 2 || !hs_json_int(first, &node) ||
            !hs_json_int(hs_json_next(first), &gpus) || node < 0 || node >= v->nodes || gpus < 1 ||
            gpus > v->max_node_gpus)
            return fail(x, "\"on\" is no list of [node, GPUs]");
        hs_plan_on_node(p, (uint32_t)node, (uint32_t)gpus);
    }
    return HS_OK;
}

static enum hs_status act(const struct exec *x, const struct hs_view *v, struct hs_plan *p,
                          const struct hs_json *action)
{
    int64_t job = 0, tag = 0;
    HS_TRY(check_members(x, action, "start on preempt cost timer tag"));
    if (hs_json_get(action, "timer") != NULL) {
        const int64_t at_us = seconds_us(action, "timer");
        if (at_us < hs_view_now_us(v))
            return fail(x, "\"timer\" is no time from now on");
        (void)has_number(action, "tag", INT64_MAX, &tag);
        hs_plan_timer(p, at_us, (uint64_t)tag);
        return HS_OK;
    }
    const bool is_start = has_number(action, "start", child.live_cap, &job);
    if ((!is_start && !has_number(action, "preempt", child.live_cap, &job)) ||
        child.is_live[job] == 0)
        return fail(x, "an action is \"start\" or \"preempt\" of a job that was submitted and has "
                       "not finished, or a \"timer\"");
    if (is_start)
        return start(x, v, p, (hs_job_id)job, hs_json_get(action, "on"));
    const int64_t cost_us = seconds_us(action, "cost");
    hs_plan_preempt(p, (hs_job_id)job, cost_us > 0 ? cost_us : 0);
    return HS_OK;
}

/* The child is not asked at an instant without an event of the protocol. */
static enum hs_status exec_decide(void *state, const struct hs_view *v, struct hs_plan *p)
{
    const struct exec *x = state;
    const struct hs_json *answer;
    if (child.out.len == 0)
        return HS_OK;
    put(&child.refused, child.out.len + EVENT_MAX, "%s%.*s", child.refused.len > 0 ? "," : "",
        (int)child.out.len, child.out.at); /* refused jobs come first */
    child.out.len = 0;
    put(&child.out, EVENT_MAX, "{\"now\":%.6f,\"free\":[", (double)hs_view_now_us(v) / 1e6);
    for (uint32_t vc = 0; vc < v->vcs; vc++)
        put(&child.out, EVENT_MAX, "%s%" PRIu64, vc > 0 ? "," : "", hs_view_free_gpus(v, vc));
    put(&child.out, child.refused.len + EVENT_MAX, "],\"events\":[%.*s]}\n", (int)child.refused.len,
        child.refused.at);
    child.refused.len = 0;
    HS_TRY(send_line(x));
    HS_TRY(read_answer(x, &answer));
    HS_TRY(check_members(x, answer, "do strict"));
    const struct hs_json *actions = hs_json_get(answer, "do");
    child.is_strict = hs_json_bool(hs_json_get(answer, "strict"));
    if (actions != NULL && hs_json_kind(actions) != HS_JSON_ARRAY)
        return fail(x, "\"do\" is no list of actions");
    for (const struct hs_json *a = hs_json_first(actions); a != NULL; a = hs_json_next(a))
        HS_TRY(act(x, v, p, a));
    return HS_OK;
}

/* ---- the record ---- */

static enum hs_status exec_init(void *state, const struct hs_view *v)
{
    const struct exec *x = state;
    const struct hs_json *declared;
    HS_TRY(begin_child(x));
    HS_TRY(read_answer(x, &declared)); /* the declaration was read once before the run */
    /* the cluster, once: each node as [GPUs, type] */
    put(&child.out, EVENT_MAX, "{\"horus\":\"%s\",\"vcs\":%" PRIu32 ",\"types\":[", HS_VERSION,
        v->vcs);
    for (uint32_t t = 0; t < v->gpu_types; t++) {
        const char *name = hs_view_gpu_type(v, t)->name;
        put(&child.out, (uint32_t)strlen(name) + EVENT_MAX, "%s\"%s\"", t > 0 ? "," : "", name);
    }
    put(&child.out, EVENT_MAX, "],\"nodes\":[");
    for (uint32_t n = 0; n < v->nodes; n++)
        put(&child.out, EVENT_MAX, "%s[%" PRIu32 ",%" PRIu32 "]", n > 0 ? "," : "",
            hs_view_node(v, n)->gpus, hs_view_node(v, n)->type);
    put(&child.out, EVENT_MAX, "]}\n");
    return send_line(x);
}

static void exec_semantics(const void *state, struct hs_semantics *out)
{
    const bool preempts = (((const struct exec *)state)->policy->can & HS_CAN_PREEMPT) != 0;
    *out = (struct hs_semantics){.order = "of the command",
                                 .scan = "of the command",
                                 .placement = "of the command, or consolidate",
                                 .preemption = preempts ? "evict" : "none",
                                 .cost = preempts ? "of the command" : "none"};
}

/* Returns the bits of these words among those of the protocol. */
static enum hs_status read_bits(const struct exec *x, const struct hs_json *words,
                                const char *const *names, uint32_t known, uint32_t *bits)
{
    for (const struct hs_json *w = hs_json_first(words); w != NULL; w = hs_json_next(w)) {
        uint32_t i = 0;
        const char *word = hs_json_text(w);
        while (names[i] != NULL && (word == NULL || strcmp(word, names[i]) != 0))
            i++;
        if (names[i] == NULL || (known & (1u << i)) == 0)
            return fail(x,
                        "\"knows\" is a list of duration, utilization, memory; \"may\" of preempt");
        *bits |= 1u << i;
    }
    return HS_OK;
}

/* Reads {"name": "...", "summary": "...", "knows": [...], "may": [...]}. */
static enum hs_status read_declaration(const struct exec *x, struct hs_arena *arena)
{
    const struct hs_json *declared;
    HS_TRY(read_answer(x, &declared));
    HS_TRY(check_members(x, declared, "name summary knows may"));
    const char *name = hs_json_text(hs_json_get(declared, "name"));
    const char *summary = hs_json_text(hs_json_get(declared, "summary"));
    if (name == NULL)
        return fail(x, "the first line has no \"name\"");
    x->policy->name = hs_arena_text(arena, name, strlen(name));
    if (summary != NULL)
        x->policy->summary = hs_arena_text(arena, summary, strlen(summary));
    x->policy->can = HS_CAN_TIME | HS_CAN_DIVIDE; /* the usual placement assigns shares of GPUs */
    HS_TRY(read_bits(x, hs_json_get(declared, "knows"), hs_knows_words,
                     HS_KNOWS_DURATION | HS_KNOWS_UTILIZATION | HS_KNOWS_MEMORY,
                     &x->policy->knows));
    HS_TRY(
        read_bits(x, hs_json_get(declared, "may"), hs_can_words, HS_CAN_PREEMPT, &x->policy->can));
    const char *fault = fault_of(x->policy);
    return fault == NULL ? HS_OK : fail(x, fault);
}

enum hs_status hs_exec_policy(const char *command, const struct hs_policy_ops **policy,
                              void **state, struct hs_arena *arena, struct hs_diag *diag)
{
    struct exec *x = hs_arena_alloc(arena, sizeof *x);
    x->command = hs_arena_text(arena, command, strlen(command));
    x->diag = diag;
    x->policy = hs_arena_alloc(arena, sizeof *x->policy);
    *x->policy = (struct hs_policy_ops){.summary = "a policy in another language",
                                        .cite = "its command",
                                        .state_size = sizeof *x,
                                        .init = exec_init,
                                        .on_event = exec_event,
                                        .decide = exec_decide,
                                        .semantics = exec_semantics};
    *policy = x->policy;
    *state = x;
    HS_TRY(begin_child(x));
    const enum hs_status status = read_declaration(x, arena);
    end_child();
    return status;
}
