/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Schedules that a person can verify on paper. Jobs are written id:gpus,submit,duration[@vc][$cost]
 * and timelines id:start-end,start-end: one stretch per uninterrupted placement. M-numbers are
 * micro-scenarios of the design, "[run]" there against published code; the others are derived in
 * the comment above them. In the drawings a row is a GPU, a column the number of seconds given,
 * '.' an idle GPU, '*' a cost being paid.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

#define expect scenario_expect

/* ---- fifo and sjf: what happens behind a job that does not fit ---- */

/* M1, 1x4, 10 s a column: job 2 would fit beside 0 but is behind 1 in the queue.
 *   0000000000 11111 222
 *   0000000000 11111 ...
 *   0000000000 11111 ...
 *   .......... 11111 ...
 * fit and easy: it takes the free GPU at 20 and ends before 1 can start at 100.
 *   0000000000 11111
 *   0000000000 11111
 *   0000000000 11111
 *   ..222..... 11111 */
static void m1(void **state)
{
    static const char jobs[] = "0:3,0,100 1:4,10,50 2:1,20,30";
    (void)state;
    expect("1x4", "fifo:scan=strict", jobs, "0:0-100 1:100-150 2:150-180");
    expect("1x4", "fifo:scan=fit", jobs, "0:0-100 1:100-150 2:20-50");
    expect("1x4", "fifo:scan=easy", jobs, "0:0-100 1:100-150 2:20-50");
}

/* M2, M1 with a longer job 2, 10 s a column. fit lets it delay 1; easy has promised 100 to job 1
 * with no GPU to spare, so 2 (which would end at 220) waits.
 *   fit   0000000000............11111      easy   00000000001111100000
 *         ..2222222222222222222211111             ..........1111122222222222222222222 */
static void m2(void **state)
{
    static const char jobs[] = "0:3,0,100 1:4,10,50 2:1,20,200";
    (void)state;
    expect("1x4", "fifo:scan=fit", jobs, "0:0-100 1:220-270 2:20-220");
    expect("1x4", "fifo:scan=easy", jobs, "0:0-100 1:100-150 2:150-350");
}

/* 1x8, easy with GPUs to spare: at 100 there will be 2 + 6 = 8 free, job 1 takes 4, 4 are extra.
 * Job 2 (2 GPUs, far beyond 100) fits in the extra ones and starts at once.
 *   0 x6  0000000000
 *   2 x2  2222222222222222...       (2-502)
 *   1 x4            11111           (100-150) */
static void easy_extra(void **state)
{
    (void)state;
    expect("1x8", "fifo:scan=easy", "0:6,0,100 1:4,1,50 2:2,2,500", "0:0-100 1:100-150 2:2-502");
}

/* 1x8: job 1 needs 7 of the 8, so only 1 is extra. Job 2 (2 GPUs, long) would delay it and waits;
 * job 3 (1 GPU, long) uses the extra one; for job 4 (1 GPU, long) there is none left although a GPU
 * is idle. At 100 job 1 starts on 7, at 150 2 and 4 start. */
static void easy_extra_used_up(void **state)
{
    (void)state;
    expect("1x8", "fifo:scan=easy", "0:6,0,100 1:7,1,50 2:2,2,500 3:1,3,500 4:1,4,500",
           "0:0-100 1:100-150 2:150-650 3:3-503 4:150-650");
}

/* 1x4, easy: job 2 ends exactly at the shadow time of 1 (100): it may start. Job 3 would end one
 * second later: it may not, and waits until 1 ends at 110. */
static void easy_ends_at_shadow(void **state)
{
    (void)state;
    expect("1x4", "fifo:scan=easy", "0:2,0,100 1:4,1,10 2:1,2,98 3:1,3,98",
           "0:0-100 1:100-110 2:2-100 3:110-208");
}

/* 1x4, easy promises to the head only: 1 is promised 10, 2 behind it nothing. 3 (1 GPU, 100 s) may
 * not start before the head (extra: 3 + 1 - 4 = 0); at 10 the head starts; at 20 job 2 is head and
 * starts with 4 GPUs, and 3 runs last. */
static void easy_one_promise(void **state)
{
    (void)state;
    expect("1x4", "fifo:scan=easy", "0:3,0,10 1:4,1,10 2:4,2,10 3:1,3,100",
           "0:0-10 1:10-20 2:20-30 3:30-130");
}

/* 1x4: at 10 job 1 takes 2 of 4 GPUs, and under easy the other 2 are extra, which 3 (100 s) begins
 * to use at 3: nothing is promised to 2, which needs all. Under conservative 2 holds 20 to 30, so 3
 * has no time before 30; 4 is gone by 10, and 5 holds 10 to 20 beside 1.
 *
 *     easy                                    conservative
 *     0000000000 1111111111 5555555555 . 22   0000000000 1111111111 2222222222 3
 *     0000000000 1111111111 5555555555 . 22   0000000000 1111111111 2222222222 .
 *     0000000000 444444.... .......... . 22   0000000000 5555555555 2222222222 .
 *     ...3333333 3333333333 3333333333 3 22   ....444444 5555555555 2222222222 . */
static void conservative_promises_to_all(void **state)
{
    static const char jobs[] = "0:3,0,10 1:2,1,10 2:4,2,10 3:1,3,100 4:1,4,6 5:2,5,10";
    (void)state;
    expect("1x4", "fifo:scan=easy", jobs, "0:0-10 1:10-20 2:103-113 3:3-103 4:10-16 5:20-30");
    expect("1x4", "fifo:scan=conservative", jobs, "0:0-10 1:10-20 2:20-30 3:30-130 4:4-10 5:10-20");
}

/* 2x4 consolidate: 0 and 1 leave one GPU on each node, so that 2 (2 GPUs) finds no place at 2
 * although enough are free; its time is from the first expected end on: 20. 3 ends before then and
 * starts. At 4 GPUs are counted again: 2 are free at 13, which 2 holds now, and 4 has no time
 * before. At 13 the two GPUs are on two nodes: 2 goes back to 20, where 8 - 3 - 1 = 4 are free
 * beside 4, which starts. 5 (3 GPUs) has no time at 20, 4 - 2 = 2, and takes 30.
 *   node 0  000 0-30, 3 3-13, 4 13-53, 555 30-40
 *   node 1  111 0-20, 22 20-30 */
static void conservative_fragmented(void **state)
{
    (void)state;
    expect("2x4", "fifo:scan=conservative,placement=consolidate",
           "0:3,0,30 1:3,0,20 2:2,2,10 3:1,3,10 4:1,4,40 5:3,5,10",
           "0:0-30 1:0-20 2:20-30 3:3-13 4:13-53 5:30-40");
}

/* 1x4, sjf. Strict: 1 is the shortest and does not fit, so 2 waits behind it.
 *   strict 0000000000 1 22222     fit  0000000000 1       10 s a column; 1 is 5 s long
 *          0000000000 1 .....          0000000000 1
 *          .......... 1 .....          22222..... 1
 *          .......... 1 .....          .......... 1 */
static void sjf_scan(void **state)
{
    static const char jobs[] = "0:2,0,100 1:4,1,5 2:1,2,50";
    (void)state;
    expect("1x4", "sjf:scan=strict", jobs, "0:0-100 1:100-105 2:105-155");
    expect("1x4", "sjf:scan=fit", jobs, "0:0-100 1:100-105 2:2-52");
}

/* 1x1, sjf: at 10 all wait; shortest first, equal ones by submission, then by row.
 *   0000000000 111 222 444 33333 */
static void sjf_ties(void **state)
{
    (void)state;
    expect("1x1", "sjf", "0:1,0,10 1:1,1,3 2:1,2,3 3:1,2,5 4:1,2,3",
           "0:0-10 1:10-13 2:13-16 3:19-24 4:16-19");
}

/* 1x2, fifo, all submitted at one second, which is time 0 whatever the trace calls it: rows decide,
 * 2 waits for the GPU freed at 5. */
static void fifo_ties(void **state)
{
    (void)state;
    expect("1x2", "fifo", "0:1,7,5 1:1,7,6 2:1,7,1 3:1,7,1", "0:0-5 1:0-6 2:5-6 3:6-7");
}

/* 1x1: finishes come before submissions at one instant. */
static void handover(void **state)
{
    (void)state;
    expect("1x1", "fifo", "0:1,0,5 1:1,5,5", "0:0-5 1:5-10");
}

/* ---- jobs without length, jobs that never fit ---- */

/* 1x1: 0 starts and ends at 0, which lets 1 start at 0; 2 starts and ends when 1 ends. */
static void zero_duration(void **state)
{
    static const char jobs[] = "0:1,0,0 1:1,0,5 2:1,3,0 3:1,5,0";
    (void)state;
    expect("1x1", "fifo", jobs, "0:0-0 1:0-5 2:5-5 3:5-5");
    expect("1x1", "sjf", jobs, "0:0-0 1:0-5 2:5-5 3:5-5");
}

/* 1x2: a job without length obeys the order too (strict), and needs its GPUs free. */
static void zero_duration_waits(void **state)
{
    static const char jobs[] = "0:1,0,10 1:2,1,0 2:1,2,0";
    (void)state;
    expect("1x2", "fifo:scan=strict", jobs, "0:0-10 1:10-10 2:10-10");
    expect("1x2", "fifo:scan=fit", jobs, "0:0-10 1:10-10 2:2-2");
}

/* 1x1, srtf: no work left is the least: 1 interrupts 0 for no time, free of cost. */
static void zero_duration_preempts(void **state)
{
    (void)state;
    expect("1x1", "srtf:form=evict,preempt_cost=free", "0:1,0,10 1:1,4,0", "0:0-4,4-10 1:4-4");
}

/* 1x4: a gang of 5 can never be placed: it is rejected at once, and no job waits for it. */
static void too_big(void **state)
{
    (void)state;
    expect("1x4", "fifo", "0:5,0,10 1:4,0,10", "0:rejected 1:0-10");
    expect("1x4", "srtf", "0:5,0,10 1:4,0,10", "0:rejected 1:0-10");
}

/* ---- placement ---- */

/* M11, 2x4, 10 s a column: 0 and 1 leave one GPU on each node. Only placers that split a pair over
 * nodes can start 2.
 *   yarn, consolidate  0000000000 22222      others  0000000000
 *     node 0           0000000000 22222              0000000000
 *                      0000000000 .....              0000000000
 *                      .......... .....              .22222....
 *     node 1 likewise with 1 */
static void m11(void **state)
{
    static const char jobs[] = "0:3,0,100 1:3,0,100 2:2,10,50";
    (void)state;
    expect("2x4", "fifo:placement=yarn", jobs, "0:0-100 1:0-100 2:100-150");
    expect("2x4", "fifo:placement=consolidate", jobs, "0:0-100 1:0-100 2:100-150");
    expect("2x4", "fifo:placement=count", jobs, "0:0-100 1:0-100 2:10-60");
    expect("2x4", "fifo:placement=best_fit", jobs, "0:0-100 1:0-100 2:10-60");
    expect("2x4", "fifo:placement=first_fit", jobs, "0:0-100 1:0-100 2:10-60");
    expect("2x4", "fifo:placement=spread", jobs, "0:0-100 1:0-100 2:10-60");
}

/* M11, 3x4. yarn: 1 = all of node 1 + 2 on node 0, the first other that has 2; node 2 stays whole
 * for 2, and 3 finds 1 + 0 free until 2 ends.
 *   node 0  0 11 .      node 1  1111      node 2  2222 (5-35), then 33..
 * consolidate: the rest of 1 goes to the node with most free GPUs, node 2, so that no node has 4
 * for 2 before 1 ends at 60; strict keeps 3 behind it. */
static void m11_spanning(void **state)
{
    static const char jobs[] = "0:1,0,100 1:6,0,60 2:4,5,30 3:2,7,10";
    (void)state;
    expect("3x4", "fifo:placement=yarn", jobs, "0:0-100 1:0-60 2:5-35 3:35-45");
    expect("3x4", "fifo:placement=consolidate", jobs, "0:0-100 1:0-60 2:60-90 3:60-70");
}

/* 2x4, consolidate: 0 and 1 share node 0 (fullest fit), so that node 1 is idle for 4 of the 6 GPUs
 * of job 2 and node 0 has the other 2. yarn takes the first fit and ends up the same. */
static void spanning(void **state)
{
    static const char jobs[] = "0:1,0,50 1:1,0,50 2:6,0,10";
    (void)state;
    expect("2x4", "fifo:placement=consolidate", jobs, "0:0-50 1:0-50 2:0-10");
    expect("2x4", "fifo:placement=yarn", jobs, "0:0-50 1:0-50 2:0-10");
}

/* 2x4: 0 and 1 fill node 0, 2 and 3 node 1. At 10 three GPUs of each are free, 6 in all, but no
 * node is idle for the gang of 5 before 50; `count` needs no idle node.
 *   node 0  000 (0-10)  1 (0-50)        4444 (50-60)
 *   node 1  222 (0-10)  3 (0-60)        4 (50-60) */
static void spanning_needs_idle_node(void **state)
{
    static const char jobs[] = "0:3,0,10 1:1,0,50 2:3,0,10 3:1,0,60 4:5,1,10";
    (void)state;
    expect("2x4", "fifo:placement=consolidate", jobs, "0:0-10 1:0-50 2:0-10 3:0-60 4:50-60");
    expect("2x4", "fifo:placement=yarn", jobs, "0:0-10 1:0-50 2:0-10 3:0-60 4:50-60");
    expect("2x4", "fifo:placement=count", jobs, "0:0-10 1:0-50 2:0-10 3:0-60 4:10-20");
}

/* 2x4: fullest fit puts 1 beside 0 on node 0, so that node 1 stays whole for 2. */
static void best_fit_keeps_nodes_whole(void **state)
{
    (void)state;
    expect("2x4", "fifo:placement=consolidate", "0:2,0,30 1:1,1,30 2:4,2,5", "0:0-30 1:1-31 2:2-7");
}

/* 2x4 consolidate, easy: 0 and 1 leave one GPU on each node, so that the head 2 has enough GPUs in
 * number but not on one node. At 2 its shadow time is the end of the first running job, 50, with
 * 2 + 3 - 2 = 3 GPUs to spare: 3 ends by then and starts. At 3 the first end is that of 3 itself,
 * with 1 + 1 - 2 = 0 to spare: 4 is too long. At 32 it is 50 and 3 again, and 4 starts. */
static void easy_fragmented_head(void **state)
{
    (void)state;
    expect("2x4", "fifo:scan=easy,placement=consolidate",
           "0:3,0,100 1:3,0,50 2:2,1,10 3:1,2,30 4:1,3,200",
           "0:0-100 1:0-50 2:50-60 3:2-32 4:32-232");
}

/* ---- srtf and srsf ---- */

/* M3, 1x2, 10 s a column: left at 10: 0 90, 1 60; at 20: 2 20, 1 50, 0 90; at 40: 1 50, 0 90.
 *   0 1 22 11111 000000000
 *   0 . 22 ..... 000000000 */
static void m3(void **state)
{
    static const char jobs[] = "0:2,0,100 1:1,10,60 2:2,20,20";
    static const char timeline[] = "0:0-10,90-180 1:10-20,40-90 2:20-40";
    (void)state;
    expect("1x2", "srtf:form=evict,preempt_cost=free", jobs, timeline);
    expect("1x2", "srtf:form=replace,preempt_cost=free", jobs, timeline);
    expect("1x2", "srtf:form=replace,preempt_cost=free,placement=count", jobs, timeline);
}

/* M4, M3 with job 2 of 30 s. srsf weighs by GPUs: at 20, 1 has 50 x 1 left, 2 has 30 x 2.
 *   srtf  0 1 222 11111 000000000      srsf  0 111111 222 000000000
 *         0 . 222 ..... 000000000            0 ...... 222 000000000 */
static void m4(void **state)
{
    static const char jobs[] = "0:2,0,100 1:1,10,60 2:2,20,30";
    (void)state;
    expect("1x2", "srtf:form=evict,preempt_cost=free", jobs,
           "0:0-10,100-190 1:10-20,50-100 2:20-50");
    expect("1x2", "srtf:form=replace,preempt_cost=free", jobs,
           "0:0-10,100-190 1:10-20,50-100 2:20-50");
    expect("1x2", "srsf:form=evict,preempt_cost=free", jobs, "0:0-10,100-190 1:10-70 2:70-100");
    expect("1x2", "srsf:form=replace,preempt_cost=free", jobs, "0:0-10,100-190 1:10-70 2:70-100");
}

/* M16, 1x8, cost 40, 10 s a column ('*' = 10 s of cost):
 *   0 x6  0  ***             ****000000000...     10: 1 evicts 0 (90 left, 40 owed)
 *   1 x8   1    ****1111                          20: 2 (30) first, 1 (40 + 40) out, 0 beside 2
 *   2 x2    222                                   50: 1 (80) before 0 (90 + 10 + 40 = 140)
 * 0 pays 30 of its 40 from 20 to 50, the unpaid 10 stay owed. */
static void m16(void **state)
{
    (void)state;
    expect("1x8", "srtf:form=evict,preempt_cost=table,cost_table=40/40/40",
           "0:6,0,100 1:8,10,50 2:2,20,30", "0:0-10,20-50,130-270 1:10-20,50-130 2:20-50");
}

/* Cost by gang size, 7 s for one GPU, 30 s up to eight, 60 s beyond; the victim pays on resuming.
 *   1x1   0 (10 s), 1 (10-30), 0: 7 s of cost and 90 s of work: ends 127
 *   1x8   the same with 8 GPUs: 30 + 90: ends 150
 *   2x8   the same with 16 GPUs: 60 + 90: ends 180
 * and per job: 0 pays its own 5 s: ends 125. */
static void costs(void **state)
{
    static const char table[] = "srtf:form=evict,preempt_cost=table,cost_table=7/30/60";
    (void)state;
    expect("1x1", table, "0:1,0,100 1:1,10,20", "0:0-10,30-127 1:10-30");
    expect("1x8", table, "0:8,0,100 1:8,10,20", "0:0-10,30-150 1:10-30");
    expect("2x8", table, "0:16,0,100 1:16,10,20", "0:0-10,30-180 1:10-30");
    expect("1x1", "srtf:form=evict,preempt_cost=job", "0:1,0,100$5 1:1,10,20$9",
           "0:0-10,30-125 1:10-30");
}

/* 1x1, what is owed counts as remaining: at 10, 0 has 20 left against 15: it is evicted, and now
 * has 20 + 7. At 12 job 2 is submitted with 25: behind 1 (13 left), and at 25 before 0 (25 < 27).
 *   0000000000 1..1 2...2 ***0..0 */
static void cost_counts_as_remaining(void **state)
{
    (void)state;
    expect("1x1", "srtf:form=evict,preempt_cost=table,cost_table=7/7/7",
           "0:1,0,30 1:1,10,15 2:1,12,25", "0:0-10,50-77 1:10-25 2:25-50");
}

/* 1x1: at 10 job 0 ends before 1 is considered; at 5 in the second line 0 and 1 have 5 s left each
 * and the earlier submission keeps the GPU. */
static void srtf_boundaries(void **state)
{
    (void)state;
    expect("1x1", "srtf", "0:1,0,10 1:1,10,1", "0:0-10 1:10-11");
    expect("1x1", "srtf:form=evict", "0:1,0,10 1:1,5,5", "0:0-10 1:10-15");
    expect("1x1", "srtf:form=replace", "0:1,0,10 1:1,5,5", "0:0-10 1:10-15");
}

/* 1x2, srsf: at 0 job 0 (2 x 1) does not fit beside 1 (1 x 1), so 1 and 2 run. At 1 job 1 ends, and
 * 2 x 1 of job 2 stands against 1 x 2 of job 0. evict: no job is evicted for an equal key. replace:
 * equal keys keep the order of the decision before, which was 1 0 2.
 *   evict    1..0      replace  10..
 *            2220               2022 */
static void preemption_ties(void **state)
{
    static const char jobs[] = "0:2,0,1 1:1,0,1 2:1,0,3";
    (void)state;
    expect("1x2", "srsf:form=evict,preempt_cost=free", jobs, "0:3-4 1:0-1 2:0-3");
    expect("1x2", "srsf:form=replace,preempt_cost=free", jobs, "0:1-2 1:0-1 2:0-1,2-4");
}

/* 2x2 consolidate, evict: nodes {0,1} and {2,3}. At 10 job 4 is submitted (2 GPUs, 20 s). Left: 0
 * 40, 1 61, 2 52, 3 73; by number 4, 0 and 2 are chosen, 1 and 3 are evicted, and then 4 finds one
 * free GPU on each node: a chosen job that cannot be placed waits, and so do those not chosen. At
 * 50 job 0 ends: 2 (12), 4 (20), 1 (61) are chosen, 4 gets node 0, 1 is placed beside 2; at 62 job
 * 2 ends, 3 resumes.
 *   node 0  0 0-50, then 4 50-70 on both     1 1-10
 *   node 1  2 2-62, then 3 62-135            3 3-10, then 1 50-111 */
static void evict_leaves_holes(void **state)
{
    (void)state;
    expect("2x2", "srtf:form=evict,preempt_cost=free,placement=consolidate",
           "0:1,0,50 1:1,1,70 2:1,2,60 3:1,3,80 4:2,10,20",
           "0:0-50 1:1-10,50-111 2:2-62 3:3-10,62-135 4:50-70");
}

/* The same under replace: every pass places all anew by what is left, fullest node first, and
 * moving is free. Nodes of each pass:
 *    t   node 0  node 1        t   node 0  node 1
 *    0   0                    10   4 4     0 2     (1 and 3 out)
 *    1   0 1                  30   0 2     1 3
 *    2   0 2     1            50   2 1     3
 *    3   0 2     1 3          62   1 3 */
static void replace_moves(void **state)
{
    (void)state;
    expect("2x2", "srtf:form=replace,preempt_cost=free,placement=consolidate",
           "0:1,0,50 1:1,1,70 2:1,2,60 3:1,3,80 4:2,10,20",
           "0:0-10,10-30,30-50 1:1-2,2-10,30-50,50-91 2:2-10,10-30,30-62 3:3-10,30-62,62-103 "
           "4:10-30");
}

/* 1x4: at 10 job 1 (3 GPUs, 50 s) goes before 0 (2 GPUs, 90 s left), which does not fit into the
 * one GPU left; 2 does, although it is last in order.
 *   0 x2  0-10        60-150
 *   1 x3        10-60
 *   2 x1        10-210 */
static void srtf_skips_misfits(void **state)
{
    (void)state;
    expect("1x4", "srtf:form=evict,preempt_cost=free", "0:2,0,100 1:3,10,50 2:1,10,200",
           "0:0-10,60-150 1:10-60 2:10-210");
    expect("1x4", "srtf:form=replace,preempt_cost=free", "0:2,0,100 1:3,10,50 2:1,10,200",
           "0:0-10,60-150 1:10-60 2:10-210");
}

/* ---- virtual clusters ---- */

static void expect_vcs(enum hs_vc_mode mode, const char *cluster, const char *policy,
                       const char *jobs, const char *timeline)
{
    static const char vcs[] = "{\"vcs\": {\"a\": 4, \"b\": 4}}\n";
    struct hs_test_options options = {.vc = mode};
    options.vc_file = scratch_write("vcs.json", vcs, sizeof vcs - 1);
    scenario_expect_with(cluster, policy, jobs, &options, timeline);
}

/* 2x4, node 0 belongs to a, node 1 to b: 1 waits for its own node though b's is idle, and does not
 * block b's queue; 3 (5 GPUs of b's 4) can never run. */
static void vc_partition(void **state)
{
    (void)state;
    expect_vcs(HS_VC_PARTITION, "2x4", "fifo:scan=strict",
               "0:4,0,100@a 1:1,1,10@a 2:4,2,10@b 3:5,3,10@b 4:1,4,3@b",
               "0:0-100 1:100-110 2:2-12 3:rejected 4:12-15");
}

/* 1x8 and quotas of 4: a is at its quota until 100 while 4 GPUs stand idle; b takes them at 2. */
static void vc_quota(void **state)
{
    (void)state;
    expect_vcs(HS_VC_QUOTA, "1x8", "fifo:scan=strict", "0:4,0,100@a 1:1,1,10@a 2:4,2,10@b",
               "0:0-100 1:100-110 2:2-12");
}

/* Quotas shared in part: a holds 2 of 4, the gang of 3 must wait until 0 ends, fit lets the single
 * job pass. */
static void vc_quota_fit(void **state)
{
    (void)state;
    expect_vcs(HS_VC_QUOTA, "1x8", "fifo:scan=fit", "0:2,0,50@a 1:3,1,10@a 2:1,2,10@a 3:4,2,5@b",
               "0:0-50 1:50-60 2:2-12 3:2-7");
}

/* Without --vc the names mean nothing: M1 again. */
static void vc_ignored(void **state)
{
    (void)state;
    expect("1x4", "fifo", "0:3,0,100@a 1:4,10,50@b 2:1,20,30@c", "0:0-100 1:100-150 2:150-180");
}

/* types=fastest where all speeds are equal: by name, so the K80s (GPUs 2 and 3) are first. Job 1
 * needs two GPUs of one type and gets the V100s, job 2 the K80 that is left. Job 3 needs three: no
 * type has them, so it is rejected; where types may be mixed it gets them at 100. */
static void types_fastest(void **state)
{
    (void)state;
    static const char jobs[] = "0:1,0,100 1:2,0,100 2:1,0,10 3:3,0,10";
    expect("1x2:V100,1x2:K80", "fifo:types=fastest", jobs,
           "0:0-100@2 1:0-100@0+1 2:0-10@3 3:rejected");
    expect("1x2:V100,1x2:K80", "fifo:types=any,placement=count", jobs,
           "0:0-100@0 1:0-100@1+2 2:0-10@3 3:100-110@0+1+2");
}

/* A node of two GPUs and one core: each job needs the core. */
static void a_node_of_one_core(void **state)
{
    (void)state;
    static const char shape[] = "{\"nodes\": [{\"gpus\": 2, \"cpus\": 1}]}";
    expect(scratch_write("core.json", shape, sizeof shape - 1), "fifo", "0:1,0,10+1 1:1,0,10+1",
           "0:0-10 1:10-20");
}

/* A job that asks for a type gets no other: the V100s are taken until 50. */
static void types_of_a_job(void **state)
{
    (void)state;
    expect("1x2:V100,1x2:K80", "fifo:types=fastest,scan=fit",
           "0:2,0,50=V100 1:1,0,10=V100 2:1,0,10=V100|K80 3:2,0,10",
           "0:0-50@0+1 1:50-60@0 2:0-10@2 "
           "3:10-20@2+3");
}

/* Racks of 8 and 12 GPUs. Twelve in both, by the lowest ids, have half the speed of those in one;
 * twenty need both and have all of it. A gang on one node is in one rack. */
static void racks_slow_gangs(void **state)
{
    static const struct hs_test_options half = {.rack_q32 = UINT64_C(1) << 31};
    static const char json[] = "{\"racks\": [{\"nodes\": [{\"count\": 2, \"gpus\": 4}]},"
                               "             {\"nodes\": [{\"count\": 3, \"gpus\": 4}]}]}";
    const char *path = scratch_write("racks.json", json, strlen(json));
    (void)state;
    scenario_expect_with(path, "fifo:placement=consolidate", "0:12,0,10", &half, "0:0-20");
    scenario_expect_with(path, "fifo:placement=rack", "0:12,0,10", &half, "0:0-10");
    scenario_expect_with(path, "fifo:placement=rack", "0:20,0,10 1:4,10,10", &half,
                         "0:0-10 1:10-20");
    /* 8 are in one rack; of the 12 left, with 3 taken, 10 would be in one if all was idle */
    scenario_expect_with(path, "fifo:placement=rack", "0:3,0,40 1:8,0,10 2:9,0,10", &half,
                         "0:0-40 1:0-10 2:0-20");
    /* racks of 12 and 8, the first of which could hold the 12 */
    static const char first[] = "{\"racks\": [{\"nodes\": [{\"count\": 3, \"gpus\": 4}]},"
                                "             {\"nodes\": [{\"count\": 2, \"gpus\": 4}]}]}";
    scenario_expect_with(scratch_write("racks.json", first, strlen(first)),
                         "fifo:placement=consolidate", "0:4,0,40 1:12,0,10", &half,
                         "0:0-40 1:0-20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m1),
        cmocka_unit_test(m2),
        cmocka_unit_test(easy_extra),
        cmocka_unit_test(easy_extra_used_up),
        cmocka_unit_test(easy_ends_at_shadow),
        cmocka_unit_test(easy_one_promise),
        cmocka_unit_test(conservative_promises_to_all),
        cmocka_unit_test(conservative_fragmented),
        cmocka_unit_test(sjf_scan),
        cmocka_unit_test(sjf_ties),
        cmocka_unit_test(fifo_ties),
        cmocka_unit_test(handover),
        cmocka_unit_test(zero_duration),
        cmocka_unit_test(zero_duration_waits),
        cmocka_unit_test(zero_duration_preempts),
        cmocka_unit_test(too_big),
        cmocka_unit_test(m11),
        cmocka_unit_test(m11_spanning),
        cmocka_unit_test(spanning),
        cmocka_unit_test(spanning_needs_idle_node),
        cmocka_unit_test(best_fit_keeps_nodes_whole),
        cmocka_unit_test(easy_fragmented_head),
        cmocka_unit_test(m3),
        cmocka_unit_test(m4),
        cmocka_unit_test(m16),
        cmocka_unit_test(costs),
        cmocka_unit_test(cost_counts_as_remaining),
        cmocka_unit_test(srtf_boundaries),
        cmocka_unit_test(preemption_ties),
        cmocka_unit_test(evict_leaves_holes),
        cmocka_unit_test(replace_moves),
        cmocka_unit_test(srtf_skips_misfits),
        cmocka_unit_test(vc_partition),
        cmocka_unit_test(vc_quota),
        cmocka_unit_test(vc_quota_fit),
        cmocka_unit_test(vc_ignored),
        cmocka_unit_test(types_fastest),
        cmocka_unit_test(types_of_a_job),
        cmocka_unit_test(a_node_of_one_core),
        cmocka_unit_test(racks_slow_gangs),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
