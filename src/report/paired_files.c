/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * paired.csv, a row a group and metric, and jobs_paired.csv, a row a job. results/README.md says
 * what each column means.
 */
#include "report/paired.h"

#include "data/csvwrite.h"

static const char figures_header[] =
    "group,key,metric,jobs,mean_a,mean_b,difference,difference_low,difference_high,ratio,"
    "ratio_low,ratio_high,better,equal,worse,median_difference";
static const char jobs_header[] =
    "job_id,submission_time,gpus,vc,wait_a,wait_b,jct_a,jct_b,difference,isolated,run_a,run_b,"
    "compared";

static void put_figures(struct hs_csvw *w, const struct hs_paired_group *group,
                        enum hs_paired_metric metric)
{
    const struct hs_paired_figures *f = &group->figures[metric];
    hs_csvw_text(w, group->kind);
    hs_csvw_text(w, group->name);
    hs_csvw_text(w, hs_paired_metric_name(metric));
    hs_csvw_u64(w, f->jobs);
    hs_csvw_double(w, f->mean[HS_PAIRED_A]);
    hs_csvw_double(w, f->mean[HS_PAIRED_B]);
    hs_csvw_double(w, f->difference);
    hs_csvw_double(w, f->difference_95.low);
    hs_csvw_double(w, f->difference_95.high);
    hs_csvw_double(w, f->ratio);
    hs_csvw_double(w, f->ratio_95.low);
    hs_csvw_double(w, f->ratio_95.high);
    hs_csvw_ratio(w, f->better, f->jobs, 6);
    hs_csvw_ratio(w, f->equal, f->jobs, 6);
    hs_csvw_ratio(w, f->worse, f->jobs, 6);
    hs_csvw_double(w, f->median_difference);
    hs_csvw_end(w);
}

static void put_seconds_if(struct hs_csvw *w, int64_t us)
{
    if (us >= 0)
        hs_csvw_seconds(w, us);
    else
        hs_csvw_empty(w);
}

static void put_job(struct hs_csvw *w, const struct hs_paired *p, uint32_t row, bool is_compared)
{
    const struct hs_paired_row *a = &p->runs[HS_PAIRED_A].rows[row],
                               *b = &p->runs[HS_PAIRED_B].rows[row];
    hs_csvw_text(w, a->id);
    hs_csvw_seconds(w, a->submit_us);
    hs_csvw_u64(w, a->gpus);
    hs_csvw_text(w, hs_intern_text(&p->runs[HS_PAIRED_A].vcs, a->vc));
    put_seconds_if(w, a->wait_us);
    put_seconds_if(w, b->wait_us);
    put_seconds_if(w, a->jct_us);
    put_seconds_if(w, b->jct_us);
    if (a->is_done && b->is_done)
        hs_csvw_seconds(w, b->jct_us - a->jct_us);
    else
        hs_csvw_empty(w);
    hs_csvw_seconds(w, a->work_us);
    put_seconds_if(w, a->run_us);
    put_seconds_if(w, b->run_us);
    hs_csvw_u64(w, is_compared);
    hs_csvw_end(w);
}

static void put_all_figures(struct hs_csvw *w, const struct hs_paired *p)
{
    for (uint32_t g = 0; g < p->group_count; g++)
        for (int m = 0; m < HS_PAIRED_METRICS; m++)
            put_figures(w, &p->groups[g], (enum hs_paired_metric)m);
}

static void put_all_jobs(struct hs_csvw *w, const struct hs_paired *p)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < p->runs[HS_PAIRED_A].count; i++) {
        bool is_compared = next < p->count && p->compared[next] == i;
        put_job(w, p, i, is_compared);
        next += is_compared;
    }
}

static enum hs_status write_file(const struct hs_paired *p, const struct hs_rundir *dir,
                                 const char *name, const char *header,
                                 void (*put)(struct hs_csvw *w, const struct hs_paired *p),
                                 struct hs_output_file *file)
{
    char path[HS_PATH_SIZE];
    struct hs_csvw w;
    hs_rundir_file(dir, name, path, sizeof path);
    HS_TRY(hs_csvw_open(&w, path, header, p->diag));
    put(&w, p);
    *file = (struct hs_output_file){.name = name,
                                    .hash = hs_output_hash(&w.out),
                                    .bytes = hs_output_bytes(&w.out),
                                    .rows = w.rows};
    return hs_csvw_close(&w, p->diag);
}

enum hs_status hs_paired_write(const struct hs_paired *p, const struct hs_rundir *dir,
                               struct hs_output_file files[HS_PAIRED_FILES])
{
    HS_TRY(write_file(p, dir, "paired.csv", figures_header, put_all_figures, &files[0]));
    return write_file(p, dir, "jobs_paired.csv", jobs_header, put_all_jobs, &files[1]);
}
