/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A policy in a shared library of the user's: the record that it exports, checked as far as a
 * program can. The library stays loaded until the end. POSIX dlopen.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cli/simulate.h"
#include "horus/version.h"

#define HINT "src/policies/README.md, 'A policy outside the tree', has the command that builds one"

/* What a record must have to be called at all; NULL if it is usable. */
static const char *missing_of(const struct hs_policy_ops *policy)
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
    const char *missing = missing_of(plugin->policy);
    if (missing != NULL)
        return hs_fail(diag, HS_E_INPUT, &place, HINT, "policy '%s': %s",
                       plugin->policy->name != NULL ? plugin->policy->name : "", missing);
    *policy = plugin->policy;
    return HS_OK;
}
