/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of verbs, in the order in which help lists them.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const struct hs_verb *const verbs[] = {
#define HS_VERB(name) &hs_verb_##name,
#include "cli/verbs.def"
#undef HS_VERB
};

#define VERB_COUNT (sizeof verbs / sizeof *verbs)

const struct hs_verb *hs_verb_at(size_t index)
{
    return index < VERB_COUNT ? verbs[index] : NULL;
}

const struct hs_verb *hs_verb_find(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

enum hs_status hs_verb_unknown(const char *name, struct hs_diag *diag)
{
    const char *names[VERB_COUNT];
    for (size_t i = 0; i < VERB_COUNT; i++)
        names[i] = verbs[i]->name;
    const char *nearest = hs_nearest(name, names, VERB_COUNT);
    if (nearest == NULL)
        return hs_fail(diag, HS_E_USAGE, NULL, "'horus help' lists the commands",
                       "no command and no file is named '%s'", name);
    char hint[128];
    (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "no command and no file is named '%s'", name);
}
