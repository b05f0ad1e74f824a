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

/* Civil date of a day number, by H. Hinnant, "chrono-compatible low-level date algorithms". */
static void civil_date(int64_t day, int *year, int *month, int *mday)
{
    int64_t z = day + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    *mday = (int)(doy - (153 * mp + 2) / 5 + 1);
    *month = (int)(mp < 10 ? mp + 3 : mp - 9);
    *year = (int)(yoe + era * 400 + (*month <= 2));
}

struct hs_figure hs_figure_clock(int64_t us)
{
    struct hs_figure f;
    if (us < CALENDAR_US) {
        f.text[hs_fmt_seconds(f.text, us)] = '\0';
        return f;
    }
    int year, month, mday;
    civil_date(us / US_PER_DAY, &year, &month, &mday);
    int second = (int)(us % US_PER_DAY / US_PER_S);
    snprintf(f.text, sizeof f.text, "%d-%02d-%02d %02d:%02d:%02d", year, month, mday, second / 3600,
             second / 60 % 60, second % 60);
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
}
