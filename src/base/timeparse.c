/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Dates, durations and sizes; the numbers in them are numparse.c's. Dates are converted by
 * counting days, because mktime() follows the host's time zone.
 */
#include "base/timeparse.h"

#include <string.h>

#define US_PER_S INT64_C(1000000)

struct unit {
    const char *name;
    int64_t factor;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where the trailing letters begin. */
static size_t suffix_begin(const char *text, size_t len)
{
    while (len > 0 && is_letter(text[len - 1]))
        len--;
    return len;
}

/* The factor of the suffix; 0 if it is none of the units. The last unit has a NULL name. */
static int64_t unit_find(const struct unit *units, const char *suffix, size_t len)
{
    for (const struct unit *u = units; u->name != NULL; u++)
        if (strlen(u->name) == len && memcmp(u->name, suffix, len) == 0)
            return u->factor;
    return 0;
}

static bool quantity_parse(const char *text, size_t len, const struct unit *units, int64_t *out)
{
    size_t number_len = suffix_begin(text, len);
    int64_t factor = unit_find(units, text + number_len, len - number_len);
    return factor != 0 && hs_parse_decimal_us(text, number_len, factor, out);
}

bool hs_parse_duration_us(const char *text, size_t len, int64_t *out_us)
{
    static const struct unit units[] = {
        {"", US_PER_S},         {"s", US_PER_S},         {"us", 1},
        {"ms", 1000},           {"m", 60 * US_PER_S},    {"min", 60 * US_PER_S},
        {"h", 3600 * US_PER_S}, {"d", 86400 * US_PER_S}, {NULL, 0}};
    return quantity_parse(text, len, units, out_us);
}

bool hs_parse_size_mib(const char *text, size_t len, int64_t *out)
{
    static const struct unit units[] = {{"", 1},         {"MiB", 1},   {"MB", 1},
                                        {"GiB", 1024},   {"GB", 1024}, {"TiB", 1 << 20},
                                        {"TB", 1 << 20}, {NULL, 0}};
    int64_t mib;
    if (!quantity_parse(text, len, units, &mib) || mib < 0)
        return false;
    *out = mib;
    return true;
}

/* count decimal digits; false if one is none */
static bool digits_read(const char *text, int count, int *out)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        unsigned digit = (unsigned char)(text[i] - '0');
        if (digit > 9)
            return false;
        value = value * 10 + (int)digit;
    }
    *out = value;
    return true;
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01. Years begin in March, so that the leap day comes last; 719468 is the
 * distance of 0000-03-01 (H. Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_of(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return 365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

static bool date_read(const char *text, int64_t *days)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    if (!digits_read(text, 4, &year) || text[4] != '-' || !digits_read(text + 5, 2, &month) ||
        text[7] != '-' || !digits_read(text + 8, 2, &day))
        return false;
    if (year < 1 || month < 1 || month > 12 || day < 1)
        return false;
    if (day > lengths[month - 1] + (month == 2 && is_leap(year)))
        return false;
    *days = days_of(year, month, day);
    return true;
}

static bool clock_read(const char *text, int64_t *seconds)
{
    int hour, minute, second;
    if (!digits_read(text, 2, &hour) || text[2] != ':' || !digits_read(text + 3, 2, &minute) ||
        text[5] != ':' || !digits_read(text + 6, 2, &second))
        return false;
    *seconds = hour * 3600 + minute * 60 + second;
    return hour <= 23 && minute <= 59 && second <= 59;
}

/* ".25" at text[*at]: microseconds, half up. */
static bool fraction_read(const char *text, size_t len, size_t *at, int64_t *us)
{
    size_t begin = *at + 1, end = begin;
    while (end < len && (unsigned char)(text[end] - '0') < 10)
        end++;
    *us = 0;
    for (size_t i = begin; i < begin + 6; i++)
        *us = *us * 10 + (i < end ? text[i] - '0' : 0);
    if (end > begin + 6 && text[begin + 6] >= '5')
        (*us)++;
    *at = end;
    return end > begin;
}

static bool is_zone(const char *text, size_t len)
{
    int hours, minutes;
    if (len == 0 || (len == 1 && text[0] == 'Z'))
        return true;
    if (len == 4)
        return memcmp(text, " PST", 4) == 0 || memcmp(text, " PDT", 4) == 0;
    return len == 6 && (text[0] == '+' || text[0] == '-') && digits_read(text + 1, 2, &hours) &&
           text[3] == ':' && digits_read(text + 4, 2, &minutes) && hours <= 23 && minutes <= 59;
}

bool hs_parse_datetime_us(const char *text, size_t len, int64_t *out_us)
{
    int64_t days, seconds, us = 0;
    size_t at = 19;
    if (len < at || (text[10] != ' ' && text[10] != 'T'))
        return false;
    if (!date_read(text, &days) || !clock_read(text + 11, &seconds))
        return false;
    if (len > at && text[at] == '.' && !fraction_read(text, len, &at, &us))
        return false;
    if (!is_zone(text + at, len - at))
        return false;
    *out_us = (days * 86400 + seconds) * US_PER_S + us;
    return true;
}
