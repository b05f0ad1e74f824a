/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of policies, made from policies.def: a line without its file is a link error that
 * names the symbol.
 */
#include <string.h>

#include "horus/policy.h"

#define POLICY(name) extern const struct hs_policy_ops hs_policy_##name;
#include "policies/policies.def"
#undef POLICY

static const struct hs_policy_ops *const policies[] = {
#define POLICY(name) &hs_policy_##name,
#include "policies/policies.def"
#undef POLICY
};

const struct hs_policy_ops *hs_policy_at(size_t index)
{
    return index < sizeof policies / sizeof policies[0] ? policies[index] : NULL;
}

const struct hs_policy_ops *hs_policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (strcmp(policies[i]->name, name) == 0)
            return policies[i];
    return NULL;
}
