/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * User-defined policies. For a shared library: loads the record that it exports, checked as far as
 * possible; it stays loaded until the end. POSIX dlopen. The files of such policies, and of
 * commands (exec_policy.c), as inputs of a run. The knowledge, capabilities and assumptions of a
 * policy, in words.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/simulate.h"
#include "horus/version.h"

#define HINT "src/policies/README.md, 'A policy outside the tree', has the command that builds one"

const char *const hs_knows_words[] = {"duration", "utilization", "memory", "rate",    "estimate",
                                      "history",  "model",       "speed",  "profile", "scaling",
                                      "host",     "stages",      "loss",   "pairs",   NULL};
const char *const hs_can_words[] = {
    "preempt",        "migrate",    "co-locate",    "slice",       "throttle",
    "resize",         "set timers", "borrow quota", "divide GPUs", "profile",
    "resize any job", "host",       "interleave",   "reserve",     NULL};

void hs_setup_describe(struct hs_setup *s)
{
    struct hs_semantics *semantics = &s->card.policy_semantics;
    if (s->policy->semantics != NULL)
        s->policy->semantics(s->policy_state, semantics);
    if (semantics->priority == NULL)
        return;
    (void)snprintf(s->order_text, sizeof s->order_text, "%s, then %s", semantics->priority,
                   semantics->order);
    semantics->order = s->order_text;
}

void hs_bits_text(uint32_t bits, const char *const *words, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; words[i] != NULL; i++)
        if ((bits & (1u << i)) != 0)
            hs_append(text, size, "%s%s", text[0] != '\0' ? ", " : "", words[i]);
    if (text[0] == '\0')
        hs_append(text, size, "nothing");
}

const char *hs_policy_fault(const struct hs_policy_ops *policy)
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
    const char *missing = hs_policy_fault(plugin->policy);
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
