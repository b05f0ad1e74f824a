/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policies/lib/free_profile.h"

#include <string.h>

void hs_free_profile_init(struct hs_free_profile *f, const struct hs_view *v, uint32_t parts)
{
    f->most = parts;
    f->parts = hs_view_alloc(v, (uint64_t)parts * sizeof *f->parts);
    f->steps = hs_view_alloc(v, (uint64_t)parts * HS_PROFILE_STEPS * sizeof *f->steps);
}

void hs_free_profile_reset(struct hs_free_profile *f, int64_t now_us, int64_t free)
{
    f->count = 1;
    f->parts[0] = (struct hs_profile_part){
        .from_us = now_us, .least = free, .most = free, .count = 1, .place = 0};
    f->steps[0] = (struct hs_profile_step){now_us, free};
}

static struct hs_profile_step *steps_of(const struct hs_free_profile *f, uint32_t part)
{
    return &f->steps[(size_t)f->parts[part].place * HS_PROFILE_STEPS];
}

static int64_t end_of(const struct hs_free_profile *f, uint32_t part)
{
    return part + 1 < f->count ? f->parts[part + 1].from_us : INT64_MAX;
}

static int64_t step_end(const struct hs_free_profile *f, uint32_t part, uint32_t step)
{
    return step + 1 < f->parts[part].count ? steps_of(f, part)[step + 1].from_us : end_of(f, part);
}

/* The part with the time; the first for a time before it. */
static uint32_t part_at(const struct hs_free_profile *f, int64_t at_us)
{
    uint32_t low = 0, count = f->count;
    while (count - low > 1) {
        uint32_t middle = low + (count - low) / 2;
        if (f->parts[middle].from_us <= at_us)
            low = middle;
        else
            count = middle;
    }
    return low;
}

static void measure(struct hs_free_profile *f, uint32_t part)
{
    struct hs_profile_part *p = &f->parts[part];
    const struct hs_profile_step *steps = steps_of(f, part);
    p->least = INT64_MAX;
    p->most = INT64_MIN;
    for (uint32_t i = 0; i < p->count; i++) {
        const int64_t free = steps[i].free + p->shift;
        p->least = free < p->least ? free : p->least;
        p->most = free > p->most ? free : p->most;
    }
}

/* Moves the later half of a full part into a new one behind it. */
static void halve(struct hs_free_profile *f, uint32_t part)
{
    const uint32_t kept = HS_PROFILE_STEPS / 2;
    struct hs_profile_part *p = &f->parts[part];
    memmove(p + 2, p + 1, (f->count - part - 1) * sizeof *p);
    p[1] = p[0];
    p[1].place = f->count++;
    p[0].count = kept;
    p[1].count -= kept;
    memcpy(steps_of(f, part + 1), steps_of(f, part) + kept,
           p[1].count * sizeof(struct hs_profile_step));
    p[1].from_us = steps_of(f, part + 1)->from_us;
    measure(f, part);
    measure(f, part + 1);
}

/* Lets a step begin at that time. */
static void cut(struct hs_free_profile *f, int64_t at_us)
{
    uint32_t part = part_at(f, at_us);
    if (f->parts[part].count == HS_PROFILE_STEPS) {
        halve(f, part);
        part += f->parts[part + 1].from_us <= at_us;
    }
    struct hs_profile_part *p = &f->parts[part];
    struct hs_profile_step *steps = steps_of(f, part);
    uint32_t i = p->count;
    while (i > 1 && steps[i - 1].from_us > at_us)
        i--;
    if (steps[i - 1].from_us == at_us)
        return;
    memmove(&steps[i + 1], &steps[i], (p->count - i) * sizeof *steps);
    steps[i] = (struct hs_profile_step){at_us, steps[i - 1].free};
    p->count++;
}

bool hs_free_profile_add(struct hs_free_profile *f, int64_t from_us, int64_t to_us, int64_t free)
{
    if (f->count + 2 > f->most)
        return false;
    if (from_us >= to_us || free == 0)
        return true;
    cut(f, from_us);
    if (to_us < INT64_MAX)
        cut(f, to_us);
    for (uint32_t i = part_at(f, from_us); i < f->count && f->parts[i].from_us < to_us; i++) {
        struct hs_profile_part *p = &f->parts[i];
        if (p->from_us >= from_us && end_of(f, i) <= to_us) {
            p->shift += free;
            p->least += free;
            p->most += free;
            continue;
        }
        struct hs_profile_step *steps = steps_of(f, i);
        for (uint32_t s = 0; s < p->count; s++)
            if (steps[s].from_us >= from_us && steps[s].from_us < to_us)
                steps[s].free += free;
        measure(f, i);
    }
    return true;
}

int64_t hs_free_profile_first(const struct hs_free_profile *f, int64_t from_us, int64_t length_us,
                              int64_t wanted)
{
    int64_t at_us = from_us; /* enough is free from here to the step looked at */
    if (length_us <= 0)
        return from_us;
    for (uint32_t i = part_at(f, from_us); i < f->count; i++) {
        const struct hs_profile_part *p = &f->parts[i];
        const bool is_even = p->least >= wanted || p->most < wanted; /* all or none of its steps */
        for (uint32_t s = 0; s < (is_even ? 1 : p->count); s++) {
            const int64_t end_us = is_even ? end_of(f, i) : step_end(f, i, s);
            if (end_us <= at_us)
                continue;
            if ((is_even ? p->least : steps_of(f, i)[s].free + p->shift) < wanted)
                at_us = end_us;
            else if (end_us - at_us >= length_us)
                return at_us;
        }
    }
    return INT64_MAX;
}

int64_t hs_free_profile_below(const struct hs_free_profile *f, int64_t wanted)
{
    uint32_t i = 0, s = 0;
    while (i < f->count && f->parts[i].least >= wanted)
        i++;
    if (i == f->count)
        return INT64_MAX;
    while (steps_of(f, i)[s].free + f->parts[i].shift >= wanted)
        s++;
    return steps_of(f, i)[s].from_us;
}

int64_t hs_free_profile_last(const struct hs_free_profile *f)
{
    const struct hs_profile_part *p = &f->parts[f->count - 1];
    return steps_of(f, f->count - 1)[p->count - 1].free + p->shift;
}
