/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schema of policies: each as text, "fifo:scan=fit", and as an object.
 */
#include <stdio.h>
#include <string.h>

#include "cli/schema.h"

/* "scan=(strict|fit)|placement=(...)"; '-' and '_' are the same in keys of such a text. */
static void put_params(struct hs_regex *r, const struct hs_param *params)
{
    for (const struct hs_param *p = params; p->key != NULL; p++) {
        hs_regex_put(r, p != params ? "|" : "");
        for (const char *c = p->key; *c != '\0'; c++)
            if (*c == '_')
                hs_regex_put(r, "[-_]");
            else
                hs_regex_put_word(r, c, 1);
        hs_regex_put(r, "=(");
        hs_regex_put_param(r, p);
        hs_regex_put(r, ")");
    }
}

static void text_form(struct hs_jsonw *w, const struct hs_policy_ops *policy)
{
    struct hs_regex r;
    hs_regex_begin(&r);
    hs_regex_put_word(&r, policy->name, strlen(policy->name));
    hs_regex_put(&r, "(:");
    if (policy->params != NULL && policy->params->key != NULL) {
        hs_regex_put(&r, "((");
        put_params(&r, policy->params);
        hs_regex_put(&r, ")(,(");
        put_params(&r, policy->params);
        hs_regex_put(&r, "))*,?)?");
    }
    hs_regex_put(&r, ")?");
    hs_regex_end(&r, false);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "type", "string");
    hs_jsonw_member_text(w, "pattern", r.text);
    hs_jsonw_end_object(w);
}

static void object_form(struct hs_jsonw *w, const struct hs_policy_ops *policy)
{
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "type", "object");
    hs_jsonw_key(w, "properties");
    hs_jsonw_object(w);
    hs_jsonw_key(w, "name");
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "const", policy->name);
    hs_jsonw_end_object(w);
    for (const struct hs_param *p = policy->params; p != NULL && p->key != NULL; p++) {
        hs_jsonw_key(w, p->key);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "description", p->help);
        hs_schema_param(w, p, true);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_object(w);
    hs_jsonw_key(w, "required");
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    hs_jsonw_text(w, "name");
    hs_jsonw_end_array(w);
    hs_jsonw_key(w, "additionalProperties");
    hs_jsonw_bool(w, false);
    hs_jsonw_end_object(w);
}

/* "policy_horus-s": a name in a reference; "horus+" is "policy_horus_plus". */
static void def_name(const struct hs_policy_ops *policy, char *name, size_t size)
{
    size_t len = strcspn(policy->name, "+");
    (void)snprintf(name, size, "policy_%.*s%s", (int)len, policy->name,
                   policy->name[len] != '\0' ? "_plus" : "");
}

void hs_schema_policies(struct hs_jsonw *w)
{
    const struct hs_policy_ops *policy;
    char name[96], ref[128];
    hs_jsonw_key(w, "policy");
    hs_jsonw_object(w);
    hs_jsonw_key(w, "anyOf");
    hs_jsonw_array(w);
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        def_name(policy, name, sizeof name);
        (void)snprintf(ref, sizeof ref, "#/$defs/%s", name);
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "$ref", ref);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
    for (size_t i = 0; (policy = hs_policy_at(i)) != NULL; i++) {
        def_name(policy, name, sizeof name);
        hs_jsonw_key(w, name);
        hs_jsonw_object(w);
        hs_jsonw_member_text(w, "description", policy->summary);
        hs_jsonw_key(w, "anyOf");
        hs_jsonw_array(w);
        text_form(w, policy);
        object_form(w, policy);
        hs_jsonw_end_array(w);
        hs_jsonw_end_object(w);
    }
}
