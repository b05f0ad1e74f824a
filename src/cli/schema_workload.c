/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The schema of a workload file, as workload/workload_read.c reads it: an object is a table of its
 * members, those first that must be there.
 */
#include <stdio.h>

#include "cli/schema.h"
#include "workload/workload.h"

#define COUNT_OF(a) ((uint32_t)(sizeof(a) / sizeof *(a)))

/* What a member is: a range is [min, max], a list has min to max items of `ref`. */
enum kind { NAME, DATE, NUMBER, INTEGER, LIST, OBJECT };

struct member {
    const char *key, *description;
    enum kind kind;
    double min, max;
    const char *ref; /* of "$defs" */
};

struct object {
    const char *name;
    const struct member *members;
    uint32_t count, required; /* so many of them, the first */
};

static const struct member arrivals[] = {
    {"first", "the first day", DATE, 0, 0, NULL},
    {"jobs_per_day", "mean", NUMBER, 1e-6, 1e9, NULL},
    {"weekdays", "weights from Monday", LIST, 7, 7, "weight"},
    {"hours", "weights from midnight", LIST, 24, 24, "weight"},
    {"modulation", "how the rate moves around that profile", OBJECT, 0, 0, "modulation"},
    {"outages", "spans in which no job comes", OBJECT, 0, 0, "outages"},
    {"batches", "runs of submissions of one user", OBJECT, 0, 0, "batches"},
};
static const struct member modulation[] = {
    {"cv", "coefficient of variation over hours", NUMBER, 0, 10, NULL},
    {"hours", "after which the quick part has forgotten all but 1/e", NUMBER, 1e-3, 1e6, NULL},
    {"slow_hours", "the same of the slow part", NUMBER, 1e-3, 1e6, NULL},
    {"slow_share", "of the slow part in the variance", NUMBER, 0, 1, NULL},
};
static const struct member outages[] = {
    {"per_day", "how many", NUMBER, 0, 1, NULL},
    {"hours", "how long, rounded up", LIST, 2, HS_CURVE_POINTS_MAX, "point"},
};
static const struct member batches[] = {
    {"jobs", "of a batch, rounded up", LIST, 2, HS_CURVE_POINTS_MAX, "point"},
    {"gap_s", "between two of them", LIST, 2, HS_CURVE_POINTS_MAX, "point"},
    {"same_size", "chance that a member has the GPUs of the batch", NUMBER, 0, 1, NULL},
    {"duration_correlation", "of normal scores of durations", NUMBER, 0, 1, NULL},
};
static const struct member bucket[] = {
    {"name", "of these sizes", NAME, 0, 0, NULL},
    {"gpus", "[GPUs, share of jobs], or with thousandths of each GPU behind", LIST, 1,
     HS_WORKLOAD_SIZES_MAX, "size"},
    {"duration_s", "rounded up to whole seconds", LIST, 2, HS_CURVE_POINTS_MAX, "point"},
    {"states", "[rank, completed, cancelled, failed] up to ranks of duration", LIST, 1,
     HS_CURVE_POINTS_MAX, "state"},
    {"retries", "mean over all of these jobs", NUMBER, 0, HS_WORKLOAD_RETRIES_MAX, NULL},
    {"batch_max", "jobs of a batch of such jobs at most", INTEGER, 1, HS_WORKLOAD_BATCH_MAX, NULL},
};
static const struct member users[] = {
    {"count", "how many", INTEGER, 1, HS_WORKLOAD_USERS_MAX, NULL},
    {"sigma", "of the logarithm of their weights", NUMBER, 0, 10, NULL},
};
static const struct member vc[] = {
    {"name", "of the virtual cluster", NAME, 0, 0, NULL},
    {"share", "weight for all jobs", NUMBER, 0, 1e15, NULL},
    {"shares", "weights, one for each of sizes", LIST, 1, HS_WORKLOAD_BUCKETS_MAX, "weight"},
    {"gpus_max", "jobs of more GPUs are not submitted to it", INTEGER, 1, 65535, NULL},
};
static const struct member retries[] = {
    {"time_s", "until an attempt fails", LIST, 2, HS_CURVE_POINTS_MAX, "point"},
    {"max", "retries of a job", INTEGER, 1, HS_WORKLOAD_RETRIES_MAX, NULL},
};
static const struct member workload[] = {
    {"name", "of the workload", NAME, 0, 0, NULL},
    {"arrivals", "when jobs come", OBJECT, 0, 0, "arrivals"},
    {"sizes", "sizes that share a distribution of durations", LIST, 1, HS_WORKLOAD_BUCKETS_MAX,
     "bucket"},
    {"users", "log-normal weights", OBJECT, 0, 0, "users"},
    {"vcs", "virtual clusters", LIST, 1, HS_WORKLOAD_VCS_MAX, "vc"},
    {"retries", "of failed jobs", OBJECT, 0, 0, "retries"},
};

#define OBJECT_OF(table, required)                                                                 \
    {                                                                                              \
#table, table, COUNT_OF(table), required                                                   \
    }
static const struct object objects[] = {
    OBJECT_OF(arrivals, 2), OBJECT_OF(modulation, 2), OBJECT_OF(outages, 2), OBJECT_OF(batches, 2),
    OBJECT_OF(bucket, 3),   OBJECT_OF(users, 2),      OBJECT_OF(vc, 1),      OBJECT_OF(retries, 1),
};

static void begin_member(struct hs_jsonw *w, const char *key)
{
    hs_jsonw_key(w, key);
    hs_jsonw_object(w);
}

static void put_range(struct hs_jsonw *w, const char *type, double min, double max)
{
    hs_jsonw_member_text(w, "type", type);
    hs_jsonw_key(w, "minimum");
    hs_jsonw_double(w, min);
    hs_jsonw_key(w, "maximum");
    hs_jsonw_double(w, max);
}

static void put_ref(struct hs_jsonw *w, const char *ref)
{
    char text[64];
    (void)snprintf(text, sizeof text, "#/$defs/%s", ref);
    hs_jsonw_member_text(w, "$ref", text);
}

static void put_list(struct hs_jsonw *w, double min, double max, const char *ref)
{
    hs_jsonw_member_text(w, "type", "array");
    hs_jsonw_member_u64(w, "minItems", (uint64_t)min);
    hs_jsonw_member_u64(w, "maxItems", (uint64_t)max);
    begin_member(w, "items");
    put_ref(w, ref);
    hs_jsonw_end_object(w);
}

static void put_member(struct hs_jsonw *w, const struct member *m)
{
    begin_member(w, m->key);
    hs_jsonw_member_text(w, "description", m->description);
    if (m->kind == NUMBER || m->kind == INTEGER) {
        put_range(w, m->kind == NUMBER ? "number" : "integer", m->min, m->max);
    } else if (m->kind == LIST) {
        put_list(w, m->min, m->max, m->ref);
    } else if (m->kind == OBJECT) {
        put_ref(w, m->ref);
    } else {
        hs_jsonw_member_text(w, "type", "string");
        hs_jsonw_member_u64(w, "minLength", 1);
        hs_jsonw_member_u64(w, "maxLength", 255);
        if (m->kind == DATE)
            hs_jsonw_member_text(w, "pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$");
    }
    hs_jsonw_end_object(w);
}

/* The rest of an object whose "properties" are open. */
static void put_members(struct hs_jsonw *w, const struct member *members, uint32_t count,
                        uint32_t required)
{
    for (uint32_t i = 0; i < count; i++)
        put_member(w, &members[i]);
    hs_jsonw_end_object(w);
    hs_jsonw_key(w, "required");
    hs_jsonw_on_one_line(w);
    hs_jsonw_array(w);
    for (uint32_t i = 0; i < required; i++)
        hs_jsonw_text(w, members[i].key);
    hs_jsonw_end_array(w);
    hs_jsonw_key(w, "additionalProperties");
    hs_jsonw_bool(w, false);
}

/* [probability, value] and the like: `first` is the largest that the first number may be. */
static void put_row(struct hs_jsonw *w, const char *name, double first, uint32_t least,
                    uint32_t most)
{
    begin_member(w, name);
    hs_jsonw_member_text(w, "type", "array");
    hs_jsonw_member_u64(w, "minItems", least);
    hs_jsonw_member_u64(w, "maxItems", most);
    hs_jsonw_key(w, "prefixItems");
    hs_jsonw_array(w);
    hs_jsonw_object(w);
    put_range(w, "number", 0, first);
    hs_jsonw_end_object(w);
    hs_jsonw_end_array(w);
    begin_member(w, "items");
    put_ref(w, "weight");
    hs_jsonw_end_object(w);
    hs_jsonw_end_object(w);
}

void hs_schema_workload(struct hs_jsonw *w)
{
    const double weight_max = 1e15, gpus_max = 65535;
    hs_jsonw_member_text(w, "type", "object");
    begin_member(w, "properties");
    hs_schema_key(w);
    put_members(w, workload, COUNT_OF(workload), 3);
    begin_member(w, "$defs");
    begin_member(w, "weight");
    put_range(w, "number", 0, weight_max);
    hs_jsonw_end_object(w);
    put_row(w, "point", 1, 2, 2);
    put_row(w, "state", 1, 1 + HS_WORKLOAD_STATES, 1 + HS_WORKLOAD_STATES);
    put_row(w, "size", gpus_max, 2, 3);
    for (uint32_t i = 0; i < COUNT_OF(objects); i++) {
        begin_member(w, objects[i].name);
        hs_jsonw_member_text(w, "type", "object");
        begin_member(w, "properties");
        put_members(w, objects[i].members, objects[i].count, objects[i].required);
        hs_jsonw_end_object(w);
    }
    hs_jsonw_end_object(w);
}
