/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts and exit codes of the status list, and the words that result files use for the enumerations
 * of include/horus. The words are part of the file formats (configs, jobs.csv, segments.csv,
 * decisions.csv): a change here changes formats. Also commit, compiler and flags of the build,
 * which passes HS_COMMIT and HS_COMPILER_FLAGS only to this file, so that a new commit recompiles
 * one file.
 */

#include "horus/observe.h"
#include "horus/version.h"

struct status_row {
    const char *text;
    int exit_code;
};

static const struct status_row rows[] = {
#define STATUS_ROW(name, exit_code, text) [HS_##name] = {text, exit_code},
    HS_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

/* A value outside the list is a bug: it reads as an invariant violation. */
static const struct status_row *status_find(enum hs_status status)
{
    size_t at = (size_t)status;
    return at < HS_COUNT_OF(rows) ? &rows[at] : &rows[HS_E_INVARIANT];
}

const char *hs_status_text(enum hs_status status)
{
    return status_find(status)->text;
}

int hs_status_exit_code(enum hs_status status)
{
    return status_find(status)->exit_code;
}

/* ---- words of result files ---- */

#define TEXT(name, text) text,

static const char *text_of(const char *const *texts, size_t count, size_t at)
{
    return at < count ? texts[at] : "invalid";
}

const char *hs_outcome_text(enum hs_outcome outcome)
{
    static const char *const texts[] = {HS_OUTCOME_LIST(TEXT)};
    return text_of(texts, HS_COUNT_OF(texts), (size_t)outcome);
}

const char *hs_job_class_text(enum hs_job_class job_class)
{
    static const char *const texts[] = {HS_JOB_CLASS_LIST(TEXT)};
    return text_of(texts, HS_COUNT_OF(texts), (size_t)job_class);
}

const char *hs_profile_from_text(enum hs_profile_from from)
{
    static const char *const texts[] = {HS_PROFILE_FROM_LIST(TEXT)};
    return text_of(texts, HS_COUNT_OF(texts), (size_t)from);
}

const char *hs_figure_from_text(enum hs_figure_from from)
{
    static const char *const texts[] = {HS_FIGURE_FROM_LIST(TEXT)};
    return text_of(texts, HS_COUNT_OF(texts), (size_t)from);
}

const char *hs_segment_end_text(enum hs_segment_end end)
{
    static const char *const texts[] = {HS_SEGMENT_END_LIST(TEXT)};
    return text_of(texts, HS_COUNT_OF(texts), (size_t)end);
}

const char *hs_decision_text(enum hs_decision_kind kind)
{
    static const char *const texts[] = {HS_DECISION_LIST(TEXT)};
    return text_of(texts, HS_COUNT_OF(texts), (size_t)kind);
}

/* ---- the build ---- */

#ifndef HS_COMMIT
#define HS_COMMIT "unknown"
#endif
#ifndef HS_COMPILER_FLAGS
#define HS_COMPILER_FLAGS "unknown"
#endif

const char *hs_version_commit(void)
{
    return HS_COMMIT;
}

const char *hs_version_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

const char *hs_version_flags(void)
{
    return HS_COMPILER_FLAGS;
}
