/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus version [--verbose]`: what was built, how, and on which libraries it runs.
 */
#include <stddef.h>

#include "base/builtin.h"
#include "cli/cli.h"
#include "cli/record.h"
#include "horus/version.h"

struct version_options {
    bool verbose;
};

void hs_version_say(struct hs_output *out, bool is_verbose)
{
    hs_say(out, "horus %s (%s)\n", HS_VERSION, hs_version_commit());
    if (!is_verbose)
        return;
    hs_say(out, "compiler    %s\nflags       %s\n", hs_version_compiler(), hs_version_flags());
    uint32_t count = 0;
    const struct hs_manifest_library *libraries = hs_libraries(&count);
    for (uint32_t i = 0; i < count; i++)
        hs_say(out, "%-11s %s\n", libraries[i].name, libraries[i].version);
    const struct hs_builtin *file;
    for (size_t i = 0; (file = hs_builtin_at(i)) != NULL; i++)
        hs_say(out, "%-11s " HS_BUILTIN "%s\n", i == 0 ? "models" : "", file->name);
    hs_say(out, "licence     GPL-3.0-or-later\n");
}

static enum hs_status version(struct hs_call *call)
{
    const struct version_options *options = call->options;
    hs_version_say(&call->out, options->verbose);
    return HS_OK;
}

static const struct hs_option options_table[] = {
    {.param = {.key = "verbose",
               .type = HS_PARAM_FLAG,
               .offset = offsetof(struct version_options, verbose),
               .preset = "no",
               .help = "also compiler, flags, libraries and built-in model files"},
     .letter = 'v',
     .group = "Output",
     .in_short_help = true,
     .is_local = true},
    {.param = {.key = NULL}},
};

const struct hs_verb hs_verb_version = {
    .name = "version",
    .operands = "",
    .summary = "Version; with --verbose compiler, flags and libraries.",
    .examples = {"version --verbose"},
    .options = options_table,
    .options_size = sizeof(struct version_options),
    .run = version,
};
