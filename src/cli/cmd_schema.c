/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `horus schema [SUBJECT]`: the JSON Schema of the files that a command reads as --config, of the
 * experiment that `horus sweep` reads, and of clusters.
 */
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/schema.h"
#include "data/json.h"

#define SUBJECTS_MAX 16
#define DRAFT        "https://json-schema.org/draft/2020-12/schema"

static void member_bool(struct hs_jsonw *w, const char *key, bool value)
{
    hs_jsonw_key(w, key);
    hs_jsonw_bool(w, value);
}

static void begin_member(struct hs_jsonw *w, const char *key)
{
    hs_jsonw_key(w, key);
    hs_jsonw_object(w);
}

static void begin_document(struct hs_jsonw *w, const char *title, const char *description)
{
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "$schema", DRAFT);
    hs_jsonw_member_text(w, "title", title);
    hs_jsonw_member_text(w, "description", description);
}

void hs_schema_key(struct hs_jsonw *w)
{
    begin_member(w, "$schema");
    hs_jsonw_member_text(w, "description", "where this schema is, for editors");
    hs_jsonw_end_object(w);
}

/* Members of an open object: every key of a configuration of that verb, and no other. */
static void put_keys(struct hs_jsonw *w, const struct hs_verb *verb)
{
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    hs_schema_key(w);
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++) {
        if (o->is_local)
            continue;
        begin_member(w, o->param.key);
        hs_schema_option(w, o);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_object(w);
    member_bool(w, "additionalProperties", false);
}

static void config_schema(struct hs_jsonw *w, const struct hs_verb *verb)
{
    char title[128];
    (void)snprintf(title, sizeof title, "horus %s --config", verb->name);
    begin_document(w, title, verb->summary);
    put_keys(w, verb);
    if (hs_verb_has_option(verb, "policy")) {
        begin_member(w, "$defs");
        hs_schema_policies(w);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_object(w);
}

/* ---- experiments ---- */

static void put_ref(struct hs_jsonw *w, const char *key)
{
    char ref[128];
    (void)snprintf(ref, sizeof ref, "#/$defs/keys/properties/%s", key);
    hs_jsonw_on_one_line(w);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "$ref", ref);
    hs_jsonw_end_object(w);
}

/* {"type": "array", "minItems": 1, "items": ...}; key NULL: parameters of the policy, which may be
 * any of its kinds. */
static void put_list(struct hs_jsonw *w, const char *key)
{
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "type", "array");
    hs_jsonw_member_u64(w, "minItems", 1);
    hs_jsonw_key(w, "items");
    if (key != NULL) {
        put_ref(w, key);
    } else {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_key(w, "type");
        hs_jsonw_array(w);
        hs_jsonw_text(w, "string");
        hs_jsonw_text(w, "number");
        hs_jsonw_text(w, "boolean");
        hs_jsonw_end_array(w);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_object(w);
}

/* A list of values, or for whole numbers a range such as "1..5". */
static void put_axis(struct hs_jsonw *w, const struct hs_option *o, bool has_ranges)
{
    hs_jsonw_key(w, o->param.key);
    if (o->param.type != HS_PARAM_INT || !has_ranges) {
        put_list(w, o->param.key);
        return;
    }
    hs_jsonw_object(w);
    hs_jsonw_key(w, "anyOf");
    hs_jsonw_array(w);
    put_list(w, o->param.key);
    hs_jsonw_object(w);
    hs_jsonw_member_text(w, "type", "string");
    hs_jsonw_member_text(w, "pattern", "^([0-9]+(\\.\\.[0-9]+)?(,[0-9]+(\\.\\.[0-9]+)?)*)$");
    hs_jsonw_end_object(w);
    hs_jsonw_end_array(w);
    hs_jsonw_end_object(w);
}

#define OF_POLICY "^policy\\."

static void put_axes(struct hs_jsonw *w, const struct hs_verb *verb, const char *name,
                     const char *description, bool has_ranges)
{
    begin_member(w, name);
    hs_jsonw_member_text(w, "description", description);
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
        if (!o->is_local)
            put_axis(w, o, has_ranges);
    hs_jsonw_end_object(w);
    begin_member(w, "patternProperties");
    hs_jsonw_key(w, OF_POLICY);
    put_list(w, NULL);
    hs_jsonw_end_object(w);
    member_bool(w, "additionalProperties", false);
    hs_jsonw_end_object(w);
}

static void put_points(struct hs_jsonw *w, const struct hs_verb *verb)
{
    begin_member(w, "list");
    hs_jsonw_member_text(w, "description", "points, one by one");
    hs_jsonw_member_text(w, "type", "array");
    hs_jsonw_member_u64(w, "minItems", 1);
    begin_member(w, "items");
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    for (const struct hs_option *o = verb->options; o->param.key != NULL; o++)
        if (!o->is_local) {
            hs_jsonw_key(w, o->param.key);
            put_ref(w, o->param.key);
        }
    hs_jsonw_end_object(w);
    begin_member(w, "patternProperties");
    begin_member(w, OF_POLICY);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
    member_bool(w, "additionalProperties", false);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

/* At least one of them. */
static void put_required(struct hs_jsonw *w)
{
    static const char *const axes[] = {"grid", "zip", "list"};
    hs_jsonw_key(w, "anyOf");
    hs_jsonw_array(w);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        hs_jsonw_on_one_line(w);
        hs_jsonw_object(w);
        hs_jsonw_key(w, "required");
        hs_jsonw_array(w);
        hs_jsonw_text(w, axes[i]);
        hs_jsonw_end_array(w);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_array(w);
}

static void experiment_schema(struct hs_jsonw *w, const struct hs_verb *verb)
{
    begin_document(w, "horus sweep EXPERIMENT.json", verb->summary);
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    hs_schema_key(w);
    begin_member(w, "name");
    hs_jsonw_member_text(w, "description", "of the directory of the results");
    hs_jsonw_member_text(w, "type", "string");
    hs_jsonw_member_text(w, "pattern", "^[^/\\n]{1,200}$");
    hs_jsonw_end_object(w);
    begin_member(w, "config");
    hs_jsonw_member_text(w, "description", "keys of a run that hold for all points");
    hs_jsonw_member_text(w, "$ref", "#/$defs/keys");
    hs_jsonw_end_object(w);
    put_axes(w, verb, "grid", "lists of values, each combined with each", true);
    put_axes(w, verb, "zip", "lists of one length, which advance together", false);
    put_points(w, verb);
    hs_jsonw_end_object(w);
    member_bool(w, "additionalProperties", false);
    put_required(w);
    begin_member(w, "$defs");
    begin_member(w, "keys");
    put_keys(w, verb);
    hs_jsonw_end_object(w);
    hs_schema_policies(w);
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

static bool is_experimental(const struct hs_verb *verb)
{
    return strcmp(verb->operands, "EXPERIMENT.json") == 0;
}

static const char cluster_subject[] = "cluster", workload_subject[] = "workload";

/* What there is a schema of: commands, the first without being named, then files. */
static const char *subject_at(size_t index)
{
    const struct hs_verb *verb;
    for (size_t i = 0; (verb = hs_verb_at(i)) != NULL; i++)
        if ((hs_verb_has_option(verb, "config") || is_experimental(verb)) && index-- == 0)
            return verb->name;
    return index == 0 ? cluster_subject : index == 1 ? workload_subject : NULL;
}

static void cluster_schema(struct hs_jsonw *w)
{
    begin_document(w, "horus -c CLUSTER.json", "Nodes, GPUs and virtual clusters.");
    hs_schema_cluster(w);
    hs_jsonw_end_object(w);
}

static void workload_schema(struct hs_jsonw *w)
{
    begin_document(w, "horus generate --workload FILE", "What the jobs of a cluster are like.");
    hs_schema_workload(w);
    hs_jsonw_end_object(w);
}

static enum hs_status unknown_subject(struct hs_call *call, const char *name)
{
    const char *names[SUBJECTS_MAX];
    char list[96] = "one of", hint[128];
    size_t count = 0, used = strlen(list);
    for (; count < SUBJECTS_MAX && (names[count] = subject_at(count)) != NULL; count++)
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s %s", count > 0 ? "," : "",
                                     names[count]);
    const char *nearest = hs_nearest(name, names, count);
    (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest != NULL ? nearest : "");
    return hs_fail(&call->diag, HS_E_USAGE, NULL, nearest != NULL ? hint : list,
                   "schema: there is none of '%s'", name);
}

static enum hs_status schema(struct hs_call *call)
{
    struct hs_jsonw w;
    const char *name = call->operand_count > 0 ? call->operands[0] : subject_at(0), *subject;
    size_t i = 0;
    while ((subject = subject_at(i)) != NULL && strcmp(subject, name) != 0)
        i++;
    if (subject == NULL)
        return unknown_subject(call, name);
    const struct hs_verb *verb = hs_verb_find(subject);
    hs_jsonw_begin(&w, &call->out);
    if (strcmp(subject, workload_subject) == 0)
        workload_schema(&w);
    else if (verb == NULL)
        cluster_schema(&w);
    else if (is_experimental(verb))
        experiment_schema(&w, verb);
    else
        config_schema(&w, verb);
    hs_jsonw_finish(&w);
    return HS_OK;
}

static const struct hs_option options_table[] = {{.param = {.key = NULL}}};

const struct hs_verb hs_verb_schema = {
    .name = "schema",
    .operands = "[SUBJECT]",
    .word_at = subject_at,
    .summary = "JSON Schema of a configuration, experiment, cluster or workload.",
    .details =
        "SUBJECT is a command that takes --config: run (if none is named), compare, trace; sweep, "
        "for its experiment; cluster, for -c; or workload, for generate. Draft 2020-12. An editor "
        "that knows JSON Schema "
        "completes keys and marks mistakes in a file that names it: \"$schema\": "
        "\"run.schema.json\". Comments are no JSON: take them out for other validators.",
    .examples = {"schema > run.schema.json", "schema sweep > sweep.schema.json"},
    .options = options_table,
    .operands_max = 1,
    .run = schema,
};
