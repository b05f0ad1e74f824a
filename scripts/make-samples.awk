# SPDX-License-Identifier: GPL-3.0-or-later
#
# Synthetic traces in three formats, one of them twice, the same bytes on every machine: the generator is MINSTD (Park
# and Miller, CACM 1988), every distribution is an integer table read with linear interpolation, and
# no function of the mathematics library is used. Sizes, durations and burstiness follow the published
# shapes of Philly (ATC'19) and Helios (SC'21); no row is taken from either.
#
#     awk -v kind=native|classes|helios|philly [-v jobs=2000] -f scripts/make-samples.awk
#
# jobs is for native only: a longer trace begins with the shorter one.

function random() { # 1 .. 2147483646; the product stays below 2^46, exact in a double
    seed = (seed * 16807) % 2147483647
    return seed
}

function below(n) { return int(random() % n) }

# Inverse distribution: points[0..count] at equal steps of probability.
function draw(points, count,    u, i, part) {
    u = below(count * 1000)
    i = int(u / 1000)
    part = u % 1000
    return points[i] + int((points[i + 1] - points[i]) * part / 1000)
}

# One of the words of a list, by the weights beside them: "1 55 2 10" is 1 in 55 of 65.
function choose(list,    n, i, parts, total, at) {
    n = split(list, parts, " ")
    total = 0
    for (i = 2; i <= n; i += 2)
        total += parts[i]
    at = below(total)
    for (i = 2; at >= parts[i] + 0; i += 2)
        at -= parts[i]
    return parts[i - 1]
}

# Seconds since 1970 to "YYYY-MM-DD HH:MM:SS", by the proleptic Gregorian calendar.
function datetime(t,    days, s, era, doe, yoe, doy, mp, d, m, y) {
    days = int(t / 86400) + 719468
    s = t % 86400
    era = int(days / 146097)
    doe = days - era * 146097
    yoe = int((doe - int(doe / 1460) + int(doe / 36524) - int(doe / 146096)) / 365)
    doy = doe - (365 * yoe + int(yoe / 4) - int(yoe / 100))
    mp = int((5 * doy + 2) / 153)
    d = doy - int((153 * mp + 2) / 5) + 1
    m = mp < 10 ? mp + 3 : mp - 9
    y = yoe + era * 400 + (m <= 2 ? 1 : 0)
    return sprintf("%04d-%02d-%02d %02d:%02d:%02d", y, m, d, int(s / 3600), int(s % 3600 / 60), s % 60)
}

# The next submission: bursts of one user's jobs of one size, and between them exponential gaps,
# longer at night. Sets now, user, gpus; mean_gap is in seconds.
function next_submission(    hour) {
    if (burst > 0) {
        burst--
        now += below(20)
        return
    }
    hour = int(now % 86400 / 3600)
    now += int(draw(gap, 20) * mean_gap * (hour < 8 ? 16 : 8) / 10000)
    user = int(draw(user_rank, 8))
    gpus = choose(sizes) + 0
    burst = below(10) < 3 ? 1 + below(8) : 0
}

# Draws are taken one statement each: awk may evaluate the arguments of a call in any order.
function native(    i, length_s) {
    print "job_id,user,vc,submit_time,gpus,duration,status"
    for (i = 0; i < (jobs ? jobs : 2000); i++) {
        next_submission()
        length_s = draw(duration, 20)
        printf "j%04d,u%02d,vc%d,%d,%d,%d,%s\n", i, user, user % 3, now, gpus, length_s, \
            choose("completed 60 cancelled 25 failed 15")
    }
}

# The same with the columns of schedulers that slice and share: 80 % of the mini-batches take at most 600
# ms, as in AntMan's cluster (OSDI'20); one job in six may grow to twice its GPUs.
function classes(    i, length_s, class, step) {
    print "job_id,user,vc,submit_time,gpus,duration,class,step,gpus_max"
    for (i = 0; i < 800; i++) {
        next_submission()
        length_s = draw(duration, 20)
        class = choose("guaranteed 45 opportunistic 45 auto 10")
        step = choose("0.06 20 0.15 20 0.3 20 0.6 20 1.2 20")
        printf "k%03d,u%02d,vc%d,%d,%d,%d,%s,%s,%s\n", i, user, user % 3, now, gpus, length_s, class, step, \
            below(6) == 0 ? 2 * gpus : ""
    }
}

function helios(    i, id, state, cpu, length_s, queue_s, start) {
    print "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue"
    id = 500000
    now = 1588291200 # 2020-05-01
    for (i = 0; i < 1000; i++) {
        next_submission()
        id += 1 + below(3)
        cpu = below(100) < 53
        length_s = cpu ? below(12) : draw(duration, 20)
        queue_s = below(4) > 0 ? 0 : draw(duration, 20) % 900
        state = choose("COMPLETED 590 CANCELLED 240 FAILED 150 TIMEOUT 15 NODE_FAIL 5")
        start = now + queue_s
        printf "%d,u%04d,vc%s,%d,%d,%d,", id, user * 37, substr("ABCD", 1 + user % 4, 1), \
            cpu ? 0 : gpus, cpu ? 1 + below(8) : gpus * 5, (gpus > 8 ? 2 : 1)
        if (i == 700)
            printf "RUNNING,%s,%s,,,%d\n", datetime(now), datetime(start), queue_s
        else
            printf "%s,%s,%s,%s,%d,%d\n", state, datetime(now), datetime(start), \
                datetime(start + length_s), length_s, queue_s
    }
}

function quoted(t) { return "\"" datetime(t) "\"" }

# The archive's text for a missing time.
function no_time() { return choose("null 1 \"\" 1 \"None\" 2") }

function detail(n,    text, g, used) {
    text = ""
    while (n > 0) {
        used = n < 8 ? n : 8
        text = text (text == "" ? "" : ", ") "{\"ip\": \"m" (1 + below(200)) "\", \"gpus\": ["
        for (g = 0; g < used; g++)
            text = text (g ? ", " : "") "\"gpu" g "\""
        text = text "]}"
        n -= used
    }
    return "[" text "]"
}

function attempts(i, status, n,    count, k, text, t, start, end) {
    if (i % 24 == 5 || (status == "Killed" && i % 3 == 0))
        return "[]"
    count = status == "Failed" ? 1 + below(4) : 1
    t = now + below(600)
    text = ""
    for (k = 0; k < count; k++) {
        start = quoted(t)
        t += draw(duration, 20)
        end = quoted(t)
        t += 30 + below(300)
        if (k > 0 && k < count - 1 && i % 4 == 0)
            end = no_time() # a None end in the middle of the list
        if (k == count - 1 && i % 31 == 7)
            end = no_time() # still running at the snapshot
        if (k == 0 && i % 61 == 9)
            start = no_time()
        text = text (k ? ", " : "") "{\"start_time\": " start ", \"end_time\": " end \
            ", \"detail\": " detail(n) "}"
    }
    return "[" text "]"
}

function philly(    i, status, line, held, vc) {
    print "["
    now = 1507532400 # 2017-10-09 07:00:00
    for (i = 0; i < 300; i++) {
        next_submission()
        status = choose("Pass 69 Killed 17 Failed 14")
        vc = choose("6214e9 5 ee9e8c 3 7f04ca 2")
        line = sprintf(" {\"status\": \"%s\", \"vc\": \"%s\", \"jobid\": \"application_1506638472019_%d\",\n", \
            status, vc, 10000 + i)
        line = line "  \"attempts\": " attempts(i, status, gpus) ",\n"
        line = line sprintf("  \"submitted_time\": \"%s\", \"user\": \"%06x\"}", datetime(now), 1048576 + user * 9973)
        # The archive is not in order of submission: every eleventh job comes one place late.
        if (i % 11 == 4) {
            held = line
            continue
        }
        print line ((i < 299 || held != "") ? "," : "")
        if (held != "") {
            print held (i < 299 ? "," : "")
            held = ""
        }
    }
    print "]"
}

BEGIN {
    seed = 20200401
    sizes = "1 55 2 10 4 12 8 18 16 5"
    # -ln(1 - u) at u = 0, 1/20, ...; 1 = 1000. The last point cuts the tail at 6 means.
    split("51 105 163 223 288 357 431 511 598 693 799 916 1050 1204 1386 1609 1897 2303 2996 6000", gap, " ")
    gap[0] = 0
    # Seconds: median 4 minutes, mean under an hour, longest 20 hours.
    split("4 8 15 26 42 64 92 130 180 240 330 460 640 900 1400 2300 4000 7500 14400 72000", duration, " ")
    duration[0] = 1
    # Few users submit most jobs.
    split("1 2 3 5 8 14 24 40", user_rank, " ")
    user_rank[0] = 0
    mean_gap = kind == "native" ? 520 : 400
    now = 0
    if (kind == "native")
        native()
    else if (kind == "classes")
        classes()
    else if (kind == "helios")
        helios()
    else if (kind == "philly")
        philly()
    else {
        print "usage: awk -v kind=native|classes|helios|philly -f scripts/make-samples.awk" > "/dev/stderr"
        exit 2
    }
}
