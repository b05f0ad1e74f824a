/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the monotonic clock at most once a poll; nothing here can reach a result.
 */
#include "cli/meter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/interrupt.h"

#define PERIOD_NS INT64_C(200000000) /* 5 Hz */
#define DAY_US    86400e6
#define BAR_MIN   8u /* cells; a shorter one says less than the per cent before it */
#define BAR_STEP  4u /* its length does not follow every digit of the text beside it */
#define BAR_MAX   32u

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

/* "0:08", "1:02:03" */
static void eta_text(const struct hs_progress *p, char *text, size_t size)
{
    text[0] = '\0';
    if (!(p->share > 0) || !(p->elapsed_s > 0))
        return;
    double left_s = p->elapsed_s * (1 - p->share) / p->share;
    uint64_t s = left_s > 0 ? (uint64_t)(left_s + 0.5) : 0;
    if (s < 3600)
        (void)snprintf(text, size, " | ETA %" PRIu64 ":%02" PRIu64, s / 60, s % 60);
    else
        (void)snprintf(text, size, " | ETA %" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
                       s / 60 % 60, s % 60);
}

/* "[####------] " of `cells`, in a UTF-8 locale with eighths of a cell: "[████▎     ] ". */
static void bar_text(double share, uint32_t cells, bool use_utf8, char *text, size_t size)
{
    static const char *const parts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const uint32_t steps = use_utf8 ? 8 : 1;
    uint32_t filled = (uint32_t)(share * cells * steps + 1e-9);
    size_t len = (size_t)snprintf(text, size, "[");
    for (uint32_t i = 0; i < cells && len < size; i++) {
        const char *cell = use_utf8 ? "█" : "#";
        if (i == filled / steps)
            cell = use_utf8 ? parts[filled % steps] : "-";
        else if (i > filled / steps)
            cell = use_utf8 ? " " : "-";
        len += (size_t)snprintf(text + len, size - len, "%s", cell);
    }
    if (len < size)
        (void)snprintf(text + len, size - len, "] ");
}

void hs_progress_text(const struct hs_progress *p, const struct hs_terminal *terminal, char *text,
                      size_t size)
{
    char share[16] = "", eta[64], bar[4 * BAR_MAX] = "";
    eta_text(p, eta, sizeof eta);
    if (p->share >= 0)
        (void)snprintf(share, sizeof share, "%.0f%% ", 100 * p->share);
    size_t used = strlen(p->label) + strlen(share) + strlen(p->rest) + strlen(eta) + sizeof "[] ";
    size_t room = terminal->err_columns > used ? terminal->err_columns - used : 0;
    if (p->share >= 0 && terminal->err_is_tty && room >= BAR_MIN)
        bar_text(p->share, room < BAR_MAX ? (uint32_t)(room - room % BAR_STEP) : BAR_MAX,
                 terminal->err_use_utf8, bar, sizeof bar);
    (void)snprintf(text, size, "%s%s%s%s%s", p->label, share, bar, p->rest, eta);
}

void hs_progress_show(const struct hs_progress *progress, struct hs_terminal *terminal)
{
    char text[HS_METER_SIZE];
    hs_terminal_measure(terminal);
    hs_progress_text(progress, terminal, text, sizeof text);
    hs_terminal_status(terminal, text);
}

/* "1.9 M ev/s", "850 k ev/s" */
static void speed_text(const struct hs_meter_reading *reading, char *text, size_t size)
{
    double speed = reading->elapsed_s > 0 ? (double)reading->events / reading->elapsed_s : 0;
    if (speed < 999.5e3)
        (void)snprintf(text, size, "%.0f k ev/s", speed / 1e3);
    else
        (void)snprintf(text, size, "%.1f M ev/s", speed / 1e6);
}

static struct hs_progress progress_of(const struct hs_meter *meter,
                                      const struct hs_meter_reading *reading, char *rest,
                                      size_t size)
{
    const struct hs_instant *now = reading->instant;
    char running[32], waiting[32], speed[32];
    double held = meter->gpus > 0 ? 100.0 * (double)now->gpus_held / (double)meter->gpus : 0;
    speed_text(reading, speed, sizeof speed);
    (void)snprintf(rest, size, "day %.1f | %s | run %s wait %s | util %.0f%%",
                   (double)now->time_us / DAY_US, speed,
                   grouped(now->running, running, sizeof running),
                   grouped(now->pending + now->suspended, waiting, sizeof waiting), held);
    return (struct hs_progress){.label = meter->label,
                                .rest = rest,
                                .share = reading->share,
                                .elapsed_s = reading->elapsed_s};
}

void hs_meter_text(const struct hs_meter *meter, const struct hs_meter_reading *reading, char *text,
                   size_t size)
{
    char rest[HS_METER_SIZE];
    const struct hs_progress progress = progress_of(meter, reading, rest, sizeof rest);
    hs_progress_text(&progress, meter->terminal, text, size);
}

void hs_meter_show(struct hs_meter *meter, const struct hs_meter_reading *reading)
{
    char rest[HS_METER_SIZE];
    const struct hs_progress progress = progress_of(meter, reading, rest, sizeof rest);
    hs_progress_show(&progress, meter->terminal);
}

void hs_meter_stop(struct hs_meter *meter)
{
    hs_terminal_status(meter->terminal, "");
}
