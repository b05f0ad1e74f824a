/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lines and figures of the reports on a trace.
 */
#include "traces/say.h"

#include <stdio.h>

#define US_PER_DAY  INT64_C(86400000000)
#define US_PER_S    INT64_C(1000000)
#define CALENDAR_US (INT64_C(7305) * US_PER_DAY) /* 1990-01-01 */

struct hs_figure hs_figure_ratio(uint64_t num, uint64_t den, unsigned decimals)
{
    struct hs_figure f = {"-"};
    if (den > 0)
        f.text[hs_fmt_ratio(f.text, num, den, decimals)] = '\0';
    return f;
}

struct hs_figure hs_figure_seconds(uint64_t us)
{
    return hs_figure_ratio(us, (uint64_t)US_PER_S, us < 1000 * (uint64_t)US_PER_S ? 3 : 0);
}

struct hs_figure hs_figure_clock(int64_t us)
{
    struct hs_figure f;
    if (us < CALENDAR_US) {
        f.text[hs_fmt_seconds(f.text, us)] = '\0';
        return f;
    }
    f.text[hs_fmt_datetime(f.text, us)] = '\0';
    return f;
}

void hs_say_intake(struct hs_output *out, const char *path, const char *format,
                   const struct hs_trace_counts *counts)
{
    hs_say(out, "trace        %s (%s)\n", path, format);
    hs_say(out, "rows         %llu\n", (unsigned long long)counts->rows);
    hs_say(out, "jobs         %llu\n", (unsigned long long)counts->accepted);
    if (counts->bad > 0)
        hs_say(out, "bad rows     %llu\n", (unsigned long long)counts->bad);
    for (uint32_t i = 0; i < counts->drop_kinds; i++)
        if (counts->drops[i] > 0)
            hs_say(out, "dropped      %llu %s\n", (unsigned long long)counts->drops[i],
                   counts->drop_texts[i]);
    if (counts->rounded > 0)
        hs_say(out, "rounded up   %llu GPU demands (" HS_ROUNDED_TEXT ")\n",
               (unsigned long long)counts->rounded);
}
