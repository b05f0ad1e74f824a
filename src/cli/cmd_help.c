/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus help [COMMAND|formats]`.
 */
#include <string.h>

#include "cli/cli.h"

static enum hs_status help(struct hs_call *call)
{
    uint32_t columns = call->terminal.columns;
    if (call->operand_count == 0) {
        hs_help_program(&call->out);
        return HS_OK;
    }
    const char *topic = call->operands[0];
    if (strcmp(topic, "formats") == 0) {
        hs_help_formats(&call->out, columns);
        return HS_OK;
    }
    const struct hs_verb *verb = hs_verb_find(topic);
    if (verb == NULL)
        return hs_verb_unknown(topic, &call->diag);
    hs_help_verb_all(&call->out, verb, columns);
    return HS_OK;
}

static const struct hs_option options_table[] = {{.param = {.key = NULL}}};

const struct hs_verb hs_verb_help = {
    .name = "help",
    .operands = "[COMMAND|formats]",
    .summary = "All options of a command; the trace formats.",
    .examples = {"help", "help run", "help formats"},
    .options = options_table,
    .operands_max = 1,
    .run = help,
};
