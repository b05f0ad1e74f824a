/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The record says what a policy has at most; the policy itself, asked with its presets, what of it
 * it needs.
 */
#include "cli/policy_scope.h"

#include <stdio.h>
#include <string.h>

#include "cli/setup.h"
#include "data/param.h"

struct hs_policy_scope hs_policy_scope_of(const struct hs_policy_ops *policy,
                                          struct hs_arena *arena)
{
    struct hs_policy_scope s = {.can = policy->can, .knows = policy->knows};
    void *state = hs_arena_alloc(arena, policy->state_size + 1);
    if (policy->needs != NULL && state != NULL &&
        hs_param_defaults(policy->params, state, arena) == HS_OK)
        policy->needs(state, &s.can, &s.knows);
    s.more_can = policy->can & ~s.can;
    s.more_knows = policy->knows & ~s.knows;
    return s;
}

typedef void bits_text(uint32_t bits, char *text, size_t size);

static void scope_text(bits_text *name, uint32_t bits, uint32_t more, bool is_short, char *text,
                       size_t size)
{
    char added[128];
    name(bits, text, size);
    size_t used = strlen(text);
    if (more == 0)
        return;
    name(more, added, sizeof added);
    if (is_short)
        (void)snprintf(text + used, size - used, " +");
    else
        (void)snprintf(text + used, size - used, " (some parameters: %s)", added);
}

void hs_policy_knows_text(const struct hs_policy_scope *scope, bool is_short, char *text,
                          size_t size)
{
    scope_text(hs_setup_knows_text, scope->knows, scope->more_knows, is_short, text, size);
}

void hs_policy_may_text(const struct hs_policy_scope *scope, bool is_short, char *text, size_t size)
{
    scope_text(hs_setup_can_text, scope->can, scope->more_can, is_short, text, size);
}
