/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds profiles by names that people write in many ways: an exact key through the table of folded
 * keys, else one pass over the profiles that keeps the best candidate.
 */
#include <stdio.h>
#include <string.h>

#include "base/timeparse.h"
#include "model/profile.h"
#include "model/profile_private.h"

/* What is asked for; NULL is "" here. */
struct wanted {
    const char *model, *dataset, *batch, *precision;
};

static bool is_skipped(char c)
{
    return c == '-' || c == '_' || c == ' ' || c == '\t';
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool hs_profile_fold(const char *text, char *folded, size_t size)
{
    size_t len = 0;
    for (; *text != '\0'; text++) {
        if (is_skipped(*text))
            continue;
        if (len + 1 >= size)
            return false;
        folded[len++] = fold(*text);
    }
    folded[len] = '\0';
    return true;
}

static bool is_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (is_skipped(*a))
            a++;
        while (is_skipped(*b))
            b++;
        if (fold(*a) != fold(*b))
            return false;
        if (*a == '\0')
            return true;
    }
}

static bool is_given(const char *text)
{
    return text[0] != '\0';
}

static bool agrees(const char *wanted, const char *known)
{
    return !is_given(wanted) || is_same(wanted, known);
}

/* The first row with what is given, or HS_NO_PROFILE. */
static uint32_t first_with(const struct hs_catalogue *catalogue, const struct wanted *w)
{
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        if (is_same(w->model, p->model) && agrees(w->dataset, p->dataset) &&
            agrees(w->precision, p->precision) && agrees(w->batch, p->batch))
            return i;
    }
    return HS_NO_PROFILE;
}

/* 0 where there is none. */
static int64_t batch_of(const char *text)
{
    int64_t batch;
    return hs_parse_int64(text, strlen(text), &batch) && batch > 0 && batch <= INT32_MAX ? batch
                                                                                         : 0;
}

/* Whether a is nearer to `to` than b by ratio, ties to the smaller; a row without batch is last. */
static bool is_nearer(int64_t a, int64_t b, int64_t to)
{
    if (a == 0 || b == 0 || to == 0)
        return b == 0 && a != 0 && to != 0;
    /* max(a, to) / min(a, to) < max(b, to) / min(b, to), multiplied out: exact below 2^62. */
    int64_t left = (a > to ? a : to) * (b < to ? b : to);
    int64_t right = (b > to ? b : to) * (a < to ? a : to);
    return left < right || (left == right && a < b);
}

/* A dataset or precision that the model is not known with is as good as not given. */
static uint32_t nearest_batch(const struct hs_catalogue *catalogue, struct wanted w)
{
    int64_t to = batch_of(w.batch), best_batch = 0;
    w.batch = "";
    struct wanted dataset_only = w;
    dataset_only.precision = "";
    if (first_with(catalogue, &dataset_only) == HS_NO_PROFILE)
        w.dataset = "";
    if (first_with(catalogue, &w) == HS_NO_PROFILE)
        w.precision = "";
    uint32_t best = HS_NO_PROFILE;
    for (uint32_t i = 0; i < catalogue->count; i++) {
        const struct hs_profile *p = &catalogue->profiles[i];
        if (!is_same(w.model, p->model) || !agrees(w.dataset, p->dataset) ||
            !agrees(w.precision, p->precision))
            continue;
        int64_t batch = batch_of(p->batch);
        bool is_better = best == HS_NO_PROFILE || is_nearer(batch, best_batch, to);
        /* one whose utilization nobody measured stands for another only where there is no other */
        if (best != HS_NO_PROFILE && (p->util_pm >= 0) != (catalogue->profiles[best].util_pm >= 0))
            is_better = p->util_pm >= 0;
        if (is_better) {
            best = i;
            best_batch = batch;
        }
    }
    return best;
}

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

uint32_t hs_catalogue_find(const struct hs_catalogue *catalogue, const char *key)
{
    char folded[HS_PROFILE_KEY_MAX];
    if (catalogue->count == 0 || !hs_profile_fold(key, folded, sizeof folded))
        return HS_NO_PROFILE;
    uint32_t id = hs_intern_find(&catalogue->keys, folded);
    return id == UINT32_MAX || id == 0 ? HS_NO_PROFILE : id - 1;
}

uint32_t hs_catalogue_match(const struct hs_catalogue *catalogue, const char *model,
                            const char *dataset, const char *batch, const char *precision,
                            enum hs_match *match)
{
    struct wanted w = {text_of(model), text_of(dataset), text_of(batch), text_of(precision)};
    *match = HS_MATCH_NONE;
    if (!is_given(w.model))
        return HS_NO_PROFILE;
    char key[HS_PROFILE_KEY_MAX];
    int len = snprintf(key, sizeof key, "%s/%s/%s/%s", w.model, w.dataset, w.batch, w.precision);
    if (len > 0 && (size_t)len < sizeof key) {
        uint32_t exact = hs_catalogue_find(catalogue, key);
        if (exact != HS_NO_PROFILE) {
            *match = HS_MATCH_EXACT;
            return exact;
        }
    }
    uint32_t part = first_with(catalogue, &w);
    if (part != HS_NO_PROFILE) {
        *match = HS_MATCH_PART;
        return part;
    }
    uint32_t nearest = nearest_batch(catalogue, w);
    if (nearest != HS_NO_PROFILE)
        *match = HS_MATCH_BATCH;
    return nearest;
}
