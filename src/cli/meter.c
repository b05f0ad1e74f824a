/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the monotonic clock at most once a poll; nothing here can reach a result.
 */
#include "cli/meter.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cli/interrupt.h"

#define PERIOD_NS INT64_C(200000000) /* 5 Hz */
#define DAY_US    86400e6

static int64_t now_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* 1204567 -> "1,204,567" */
static const char *grouped(uint64_t value, char *text, size_t size)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t at = 0;
    for (int i = 0; i < len && at + 2 < size; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

void hs_meter_start(struct hs_meter *meter, struct hs_terminal *terminal, bool is_on, uint64_t gpus)
{
    *meter = (struct hs_meter){
        .terminal = terminal, .is_on = is_on, .label = "", .gpus = gpus, .started_ns = now_ns()};
}

bool hs_meter_is_due(struct hs_meter *meter)
{
    if (hs_interrupt_wants_status())
        return true;
    if (!meter->is_on)
        return false;
    int64_t now = now_ns();
    if (now - meter->shown_ns < PERIOD_NS)
        return false;
    meter->shown_ns = now;
    return true;
}

double hs_meter_elapsed_s(const struct hs_meter *meter)
{
    return (double)(now_ns() - meter->started_ns) / 1e9;
}

void hs_meter_text(const struct hs_meter *meter, const struct hs_meter_reading *reading, char *text,
                   size_t size)
{
    const struct hs_instant *now = reading->instant;
    char share[16] = "", eta[48] = "", running[32], waiting[32];
    if (reading->share > 0) {
        double left_s = reading->elapsed_s * (1 - reading->share) / reading->share;
        uint64_t seconds = left_s > 0 ? (uint64_t)(left_s + 0.5) : 0;
        (void)snprintf(share, sizeof share, "%.0f%% ", 100 * reading->share);
        (void)snprintf(eta, sizeof eta, " | ETA %" PRIu64 ":%02" PRIu64, seconds / 60,
                       seconds % 60);
    }
    double speed = reading->elapsed_s > 0 ? (double)reading->events / reading->elapsed_s : 0;
    double held = meter->gpus > 0 ? 100.0 * (double)now->gpus_held / (double)meter->gpus : 0;
    (void)snprintf(text, size, "%s%sday %.1f | %.1f M ev/s | run %s wait %s | util %.0f%%%s",
                   meter->label, share, (double)now->time_us / DAY_US, speed / 1e6,
                   grouped(now->running, running, sizeof running),
                   grouped(now->pending + now->suspended, waiting, sizeof waiting), held, eta);
}

void hs_meter_show(struct hs_meter *meter, const struct hs_meter_reading *reading)
{
    char text[256];
    hs_meter_text(meter, reading, text, sizeof text);
    hs_terminal_status(meter->terminal, text);
}

void hs_meter_stop(struct hs_meter *meter)
{
    hs_terminal_status(meter->terminal, "");
}
