# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tables of results/tiresias.md from the cells of its experiments (scripts/reproduce-tiresias.sh):
# the table NAME is function NAME(of), which reproduce-common.sh calls.
# Figures of papers are in the BEGIN block, in their units, with their sources; their ratios are computed
# here like ours.

# ---- months beside papers -----------------------------------------------------------------------

# Ratio of FIFO to a policy in a paper's table, - without such a row.
function told(paper, metric, p,    a, b) {
    a = paper SUBSEP metric SUBSEP "fifo"
    b = paper SUBSEP metric SUBSEP p
    return a in print_of && b in print_of ? digits(print_of[a] / print_of[b]) : ""
}

# FIFO's mean divided by each policy's: METRIC;PAPER,...;PLACE;...
function beside(list,    part, paper, papers, place, places, i, j, p, text) {
    places = split(list, part, ";") - 2
    papers = split(part[2], paper, ",")
    text = "| policy |"
    for (j = 1; j <= places; j++) {
        place[j] = part[j + 2]
        text = text " " (place[j] in place_name ? place_name[place[j]] : place[j]) " |"
    }
    for (j = 1; j <= papers; j++)
        text = text " " paper_name[paper[j]] " |"
    head(text)
    for (i = 1; i <= policies[place[1]]; i++) {
        p = policy[place[1], i]
        if (p == "fifo")
            continue
        text = "| " label(p) " |"
        for (j = 1; j <= places; j++)
            text = text " " ratio(place[j], "fifo", p, part[1]) " |"
        for (j = 1; j <= papers; j++)
            text = text " " told(paper[j], part[1], p) " |"
        print text
    }
}

function own(place, p, metric) { return stat(place, p, "", metric) ? mean : -1 }

function per_cent(x) { return x < 0 ? "-" : sprintf("%.1f %%", 100 * x) }

# Time in the queue as a share of the completion time.
function queue_share(place, p,    queue) {
    queue = own(place, p, "mean_queue")
    return queue < 0 ? -1 : queue / own(place, p, "mean_jct")
}

function shares(list,    place, places, j, text) {
    places = split(list, place, ",")
    text = "| `fifo` |"
    for (j = 1; j <= places; j++)
        text = text " " place[j] " |"
    head(text " Helios, September 2020 |")
    text = "| mean JCT, s |"
    for (j = 1; j <= places; j++)
        text = text sprintf(" %.0f |", own(place[j], "fifo", "mean_jct"))
    print text " " print_of["helios", "mean_jct", "fifo"] " |"
    text = "| of this, in the queue |"
    for (j = 1; j <= places; j++)
        text = text " " per_cent(queue_share(place[j], "fifo")) " |"
    print text " 81.8 % |"
}

# FIFO / SJF by load: MONTH,...;LOAD ...
function loads(list,    part, month, months, load, count, i, j, place, text) {
    split(list, part, ";")
    months = split(part[1], month, ",")
    count = split(part[2], load, " ")
    text = "| load |"
    for (j = 1; j <= months; j++)
        text = text " " month[j] " |"
    head(text)
    for (i = 1; i <= count; i++) {
        text = "| " load[i] " |"
        for (j = 1; j <= months; j++) {
            place = "L, " load[i] ", " month[j]
            text = text " " per_cent(queue_share(place, "fifo")) ", " \
                ratio(place, "fifo", "sjf", "mean_jct") ", " ratio(place, "fifo", "sjf", "mean_queue") " |"
        }
        print text
    }
}

# SJF against FIFO in the clusters of Helios' paper.
function clusters(_,    i) {
    head("| published | queue, share of FIFO's JCT | FIFO / SJF, JCT | queue |")
    for (i = 1; i <= 5; i++)
        printf "| %s | %s | %s | %s |\n", cluster[i, "name"], per_cent(cluster[i, "share"]), \
            digits(cluster[i, "jct"]), digits(cluster[i, "queue"])
}

function say_cluster(i, name, share, jct, queue) {
    cluster[i, "name"] = name
    cluster[i, "share"] = share
    cluster[i, "jct"] = jct
    cluster[i, "queue"] = queue
}

# ---- Philly -------------------------------------------------------------------------------------

# The published table of two VCs above ours; its integers are truncated, and so are ours.
function philly(_,    vc, m, metric, p, k, i, text, here) {
    split("7f04ca 0e4a51", vc, " ")
    split("mean_jct mean_queue", metric, " ")
    split("fifo;sjf;" srtf ";qssf;qssf:pred=oracle", p, ";")
    head("| mean, s | | FIFO | SJF | SRTF | QSSF, their predictions; ours by size of job | QSSF, true run times |")
    for (k = 1; k <= 2; k++)
        for (m = 1; m <= 2; m++) {
            text = "| " vc[k] ", " (m == 1 ? "JCT" : "queue") " | published |"
            for (i = 1; i <= 5; i++)
                text = text " " print_of["philly " vc[k], metric[m], p[i]] " |"
            print text
            text = "| | here |"
            for (i = 1; i <= 5; i++) {
                here = int(own("H, " vc[k], p[i], metric[m]))
                text = text " " (print_of["philly " vc[k], metric[m], p[i]] == here ? "**" here "**" : here) " |"
            }
            print text
        }
}

# For policies under --vc=MODE: the GPU time of each VC.
function quotas(_,    mode, m, i, p, place) {
    head("| `--vc` | policy | mean JCT, s | queue, s | JCT of 7f04ca | JCT of 0e4a51 | preemptions |")
    split("partition quota ignore", mode, " ")
    for (m = 1; m <= 3; m++) {
        place = "Q, " mode[m]
        for (i = 1; i <= policies[place]; i++) {
            p = policy[place, i]
            printf "| `%s` | %s | %.0f | %.0f | %.0f | %.0f | %d |\n", mode[m], label(p),
                own(place, p, "mean_jct"), own(place, p, "mean_queue"), own(place, p, "mean_jct 7f04ca"),
                own(place, p, "mean_jct 0e4a51"), own(place, p, "preemptions")
        }
    }
}

# ---- knobs --------------------------------------------------------------------------------------

# Actions of a policy per job, or relative to the time of held GPUs.
function quotient(place, p, a, b) {
    return stat(place, p, "", a) ? (mean == 0 ? 0 : mean / own(place, p, b)) : -1
}

function knob(place, p, q, what,    x) {
    if (what == "preemptions")
        return digits(quotient(place, p, "preemptions", "n_done"))
    if (what == "paid")
        return sprintf("%.2f %%", 100 * quotient(place, p, "overhead_gpu_seconds", "held_gpu_seconds"))
    return p == q ? hours(place, p, what) : ratio(place, p, q, what)
}

# Figures of policies relative to one (empty: the policy without parameters), which is shown with its own
# figures: REFERENCE;FIGURE,...;NAME=PLACE;...
function relative(list,    part, what, whats, where, count, k, i, j, p, q, name, text) {
    count = split(list, part, ";")
    whats = split(part[2], what, ",")
    text = "| policy |"
    for (k = 3; k <= count; k++) {
        name = where[k] = part[k]
        sub(/=.*/, "", name)
        sub(/.*=/, "", where[k])
        for (j = 1; j <= whats; j++)
            text = text " " (j == 1 ? name ": " : "") heading[what[j]] " |"
    }
    head(text)
    for (i = 1; i <= policies[where[3]]; i++) {
        p = q = policy[where[3], i]
        if (part[1] != "")
            q = part[1]
        else
            sub(/:.*/, "", q)
        text = "| " label(p) " |"
        for (k = 3; k <= count; k++)
            for (j = 1; j <= whats; j++)
                text = text " " knob(where[k], p, q, what[j]) " |"
        print text
    }
}

# ---- Muri ---------------------------------------------------------------------------------------

function muri(_,    t, trace, i, p, there, here, text) {
    split("trace1 trace4", trace, " ")
    head("| mean JCT, s | trace1, published | here | | trace4, published | here | |")
    for (i = 1; i <= policies["M, trace1"]; i++) {
        p = policy["M, trace1", i]
        text = "| " label(p) " |"
        for (t = 1; t <= 2; t++) {
            there = print_of["muri " trace[t], "mean_jct", p]
            here = own("M, " trace[t], p, "mean_jct")
            text = text " " there sprintf(" | %.0f | %+.1f %% |", here, 100 * (here / there - 1))
        }
        print text
    }
}

# ---- claims -------------------------------------------------------------------------------------

function row(claim, place, said, here, verdict) {
    print "| " (claim == last_claim ? "" : claim) " | " place " | " said " | " here " | " verdict " |"
    last_claim = claim
}

# A figure of each month: sets least, most and the text of all.
function months_of(what, p, q, metric,    m, name, x) {
    split("April May June July", name, " ")
    least = 1e30
    most = -1
    months_text = ""
    for (m = 1; m <= 4; m++) {
        x = what == "share" ? queue_share(name[m], p) : stat(name[m], p, q, metric) ? mean : -1
        least = x < least ? x : least
        most = x > most ? x : most
        months_text = months_text (m == 1 ? "" : ", ") (what == "share" ? per_cent(x) : digits(x))
    }
}

# Text: whether a published number is among the months, otherwise its relation to them.
function among(claim, said, what, p, q, metric, text) {
    months_of(what, p, q, metric)
    row(claim, "Venus, four months", text, months_text, \
        said < least ? "does not hold: more" : said > most ? "does not hold: less" : "holds: among the months")
}

# Policy p is this many times better than q, in every month and in the VC of Philly with a queue.
function times(claim, said, p, q, metric, least_ever) {
    months_of("ratio", q, p, metric)
    row(claim, "Venus, four months", said, months_text, \
        least >= least_ever ? "holds" : most < least_ever ? "does not hold" : "holds in some months")
    if (stat("H, 0e4a51", q, p, metric))
        row(claim, "Philly, 0e4a51", "", digits(mean), mean >= least_ever ? "holds" : "does not hold")
}

function to_the_second(    vc, metric, p, k, m, i, all, equal, text, here, there) {
    split("7f04ca 0e4a51", vc, " ")
    split("mean_jct mean_queue", metric, " ")
    split("fifo;sjf;" srtf, p, ";")
    for (k = 1; k <= 2; k++)
        for (m = 1; m <= 2; m++)
            for (i = 1; i <= 3; i++) {
                here = int(own("H, " vc[k], p[i], metric[m]))
                there = print_of["philly " vc[k], metric[m], p[i]]
                all++
                if (here == there)
                    equal++
                else
                    text = text sprintf("; %s of %s: %+.3f %%", m == 1 ? "JCT" : "queue", vc[k], 100 * (here / there - 1))
            }
    row("Helios: means of FIFO, SJF, SRTF in two VCs of Philly", "the same jobs and nodes", all " figures, s", \
        equal " equal" text, equal == all ? "reproduces" : "reproduces but for ties")
}

function queues_suffice(    claim, i, place) {
    claim = "Tiresias: two queues suffice: at least 0.95 times as good as three, mean JCT"
    for (i = 1; i <= 2; i++) {
        place = i == 1 ? "K, Venus" : "K, 0e4a51"
        if (stat(place, "tiresias", "tiresias:queue_limits=3250", "mean_jct"))
            row(claim, i == 1 ? "Venus, four months, mean" : "Philly, 0e4a51", i == 1 ? "no figure" : "", \
                digits(mean) bracket(digits(low), digits(high)), mean >= .95 ? "holds" : "does not hold")
    }
}

function claims(_) {
    head("| claim | here | published | figures here | verdict |")
    to_the_second()
    among("Helios: FIFO / SJF, mean JCT", 3.07, "ratio", "fifo", "sjf", "mean_jct", "3.07 (Venus, September)")
    among("Helios: FIFO / SJF, mean time in the queue", 5.68, "ratio", "fifo", "sjf", "mean_queue", "5.68")
    among("Helios: share of FIFO's JCT that is queue", .818, "share", "fifo", "", "", "81.8 %")
    times("Helios: QSSF, which knows no run times, beats FIFO, mean JCT", "3.53 (Venus), 2.31 (Philly)", \
        "qssf", "fifo", "mean_jct", 1)
    times("and is at least 0.9 times as good as SJF, which knows them", "1.15, 0.92", "qssf", "sjf", "mean_jct", .9)
    times("the same with true run times (ours)", "", "qssf:pred=oracle", "sjf", "mean_jct", .9)
    times("Tiresias: beats YARN's FIFO, mean JCT", "up to 5.5", "tiresias", "fifo", "mean_jct", 1)
    times("Tiresias: comparable to SRSF, which knows run times: at least 0.9 times as good", "no figure", \
        "tiresias", "srsf", "mean_jct", .9)
    times("Tiresias: knowing the distribution helps: 2D-Gittins beats 2D-LAS", "1.17 (worked example)", \
        "tiresias:index=gittins", "tiresias", "mean_jct", 1)
    queues_suffice()
    times("Lucid: its Tiresias beats SJF, mean JCT", "1.43 (Venus), 1.04 (Philly)", lucid, "sjf", "mean_jct", 1)
    times("and in the queue", "3.16, 1.15", lucid, "sjf", "mean_queue", 1)
    times("the same with the parameters of Tiresias' simulator (ours), mean JCT", "", "tiresias", "sjf", "mean_jct", 1)
    times("Lucid: its Tiresias beats QSSF, mean JCT", "1.26, 1.00", lucid, "qssf", "mean_jct", 1)
    times("the same against QSSF with true run times (ours)", "", lucid, "qssf:pred=oracle", "mean_jct", 1)
}

# A row of a paper's table: NAME;... and their figures.
function say_paper(paper, metric, names, figures,    name, x, n, i) {
    n = split(names, name, ";")
    split(figures, x, " ")
    for (i = 1; i <= n; i++)
        print_of[paper, metric, name[i]] = x[i]
}

BEGIN {
    srtf = "srtf:compat=helios,preempt_cost=table"
    lucid = "tiresias:compat=helios,queue_limits=18000,inqueue=submit,round_s=60,preempt_cost=table," \
        "cost_table=40/40/60"
    called[srtf] = "`srtf`, Helios'"
    called[lucid] = "`tiresias`, Lucid's"
    called["tiresias:index=gittins,gittins=exact"] = "the same with the published sample of service"
    called["tiresias:index=gittins,gittins=repo"] = "and with the index of the published simulator"
    heading["mean_jct"] = "JCT"
    heading["mean_queue"] = "queue"
    heading["max_jct"] = "longest JCT"
    heading["preemptions"] = "preemptions a job"
    heading["paid"] = "GPU time paid"
    paper_name["helios"] = "Helios, Venus, September"
    paper_name["lucid"] = "Lucid, Venus, September"
    paper_name["philly"] = "Helios, 11 VCs of Philly"
    paper_name["philly 0e4a51"] = "Helios, 0e4a51"
    paper_name["philly 7f04ca"] = "Helios, 7f04ca"
    paper_name["lucid philly"] = "Lucid, Philly"
    place_name["H, 0e4a51"] = "0e4a51"
    place_name["H, 7f04ca"] = "7f04ca"
    # Hu et al., SC'21, table 3: s; of the queues only the ratio is printed.
    say_paper("helios", "mean_jct", "fifo;sjf;qssf", "64702 21095 18349")
    say_paper("helios", "mean_queue", "fifo;sjf", "5.68 1")
    say_cluster(1, "Venus", .818, 3.07, 5.68)
    say_cluster(2, "Earth", .693, 2.87, 16.4)
    say_cluster(3, "Saturn", .897, 6.59, 18.5)
    say_cluster(4, "Uranus", .425, 1.49, 4.51)
    say_cluster(5, "Philly", 56531 / 86072, 86072 / 34272, 56531 / 4731)
    # HeliosArtifact bdaae10, result_plot.ipynb, stored output: s, October and November 2017.
    artifact = "fifo;sjf;" srtf ";qssf"
    say_paper("philly", "mean_jct", artifact, "86072 34272 30683 37324")
    say_paper("philly", "mean_queue", artifact, "56531 4731 1138 7783")
    say_paper("philly 7f04ca", "mean_jct", artifact, "133826 133271 132980 133941")
    say_paper("philly 7f04ca", "mean_queue", artifact, "1412 857 565 1527")
    say_paper("philly 0e4a51", "mean_jct", artifact, "233539 168747 146023 196886")
    say_paper("philly 0e4a51", "mean_queue", artifact, "101473 36682 13953 64820")
    # Hu et al., ASPLOS'23, table 4: hours.
    four = "fifo;sjf;qssf;" lucid
    say_paper("lucid", "mean_jct", four, "18.57 5.86 5.15 4.09")
    say_paper("lucid", "mean_queue", four, "15.30 2.59 1.88 0.82")
    say_paper("lucid philly", "mean_jct", four, "36.85 9.41 9.03 9.02")
    say_paper("lucid philly", "mean_queue", four, "30.45 3.01 2.63 2.62")
    # Zhao et al., SIGCOMM'22, artifact Rivendile/Muri 4e69a78, draw_fig9-10.py: s.
    three = "srtf:form=replace,placement=yarn,preempt_cost=restart;" \
        "srsf:form=replace,placement=yarn,preempt_cost=restart;tiresias:placement=count,preempt_cost=restart"
    say_paper("muri trace1", "mean_jct", three, "1370603 980141 3330371")
    say_paper("muri trace4", "mean_jct", three, "581983 487167 1319383")
}
