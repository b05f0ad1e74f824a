#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Writes configs/workloads/*.json from published figures: distributions of durations and sizes, GPU time by
# size, outcomes, profiles of arrival. The published figures are marginals (a duration distribution of all
# jobs, mean durations by size, outcomes by size and by GPU time); a generator needs the joint distribution.
# It is the nearest one, in the sense of Kullback and Leibler, to a first guess among all with those
# marginals: iterative proportional fitting (Deming and Stephan 1940), with one exponential tilt a size for
# its mean.
#
#     HORUS_DATA=... scripts/make-workloads.py [NAME...]        into configs/workloads/
#
# The first guess: of Venus and Philly, published distributions by size bucket; of the other Helios
# clusters, the ranks that a size has in Venus; of PAI, none (sizes are alike but for their means).
import csv
import math
import os
import sys

DATA = os.environ.get("HORUS_DATA", "../shared/data") + "/published/"
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "configs", "workloads")
ROUNDS = 120
PARTS = 4  # steps of an octave
RANKS = [0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1]  # steps of the mix of outcomes
STATES = ["completed", "cancelled", "failed"]


def rows(name, **only):
    with open(DATA + name, encoding="utf-8") as file:
        return [r for r in csv.DictReader(file) if all(r[k] == v for k, v in only.items())]


class Curve:
    """Inverse distribution: straight in (log value, probability) between points, atoms allowed."""

    def __init__(self, points):
        self.points = points  # (value, probability at or below)

    def below(self, x):
        points = self.points
        if x < points[0][0]:
            return 0.0
        for (a, p), (b, q) in zip(points, points[1:]):
            if x < b:
                return p if a >= b else p + (q - p) * math.log(x / a) / math.log(b / a)
        return points[-1][1]


def log_mean(a, b):
    return a if a >= b else (b - a) / math.log(b / a)


class Fit:
    """Masses of size buckets (rows) on intervals of duration (columns)."""

    def __init__(self, marginal, more_edges, mean, shape=None, tilt_above=4096):
        """shape: masses within the steps of the marginal's points; None: even in log time."""
        grid = [x for x, _ in marginal.points]
        edges = {x * 2 ** (i / PARTS) for x in grid for i in range(PARTS)} | set(more_edges)
        self.edges = sorted(e for e in edges if grid[0] <= e <= grid[-1])
        self.edges = [self.edges[0]] + [b for a, b in zip(self.edges, self.edges[1:]) if b > a * 1.0001]
        self.middles = [self.edges[0]] + [log_mean(a, b) for a, b in zip(self.edges, self.edges[1:])]
        self.lever = [math.log(t) for t in self.middles]
        self.marginal = self.match_mean(marginal, grid, mean, shape, tilt_above)

    def masses(self, curve):
        at = [curve.below(e) for e in self.edges]
        return [at[0]] + [b - a for a, b in zip(at, at[1:])]

    def match_mean(self, marginal, grid, mean, shape, tilt_above):
        """Shifts mass to the lower ends of the steps of the published grid until the mean is the
        published one."""
        plain = self.masses(marginal)
        inner = plain if shape is None else [max(m, 1e-9) for m in shape(self)]
        step = []
        for e in self.edges:
            step.append(next(i for i, x in enumerate(grid) if e <= x * 1.0001))

        def tilted(power):
            masses = [m * max(t / tilt_above, 1) ** -power for m, t in zip(inner, self.middles)]
            sums, wanted = {}, {}
            for s, m, p in zip(step, masses, plain):
                sums[s] = sums.get(s, 0) + m
                wanted[s] = wanted.get(s, 0) + p
            return [m * wanted[s] / sums[s] if sums[s] > 0 else 0 for s, m in zip(step, masses)]

        low, high = -8.0, 8.0
        for _ in range(80):
            power = (low + high) / 2
            got = sum(m * t for m, t in zip(tilted(power), self.middles))
            low, high = (power, high) if got > mean else (low, power)
        self.power = power
        return tilted(power)

    def mean(self, masses):
        return sum(m * t for m, t in zip(masses, self.middles)) / sum(masses)

    def tilt_to_mean(self, masses, mean):
        """One step of Newton's: masses times the exponential of a multiple of `lever`, so that the
        mean comes nearer."""
        total = sum(masses)
        middle = sum(m * h for m, h in zip(masses, self.lever)) / total
        slope = sum(m * (h - middle) * t for m, h, t in zip(masses, self.lever, self.middles)) / total
        times = max(-0.2, min(0.2, (mean - self.mean(masses)) / slope))
        tilted = [m * math.exp(times * h) for m, h in zip(masses, self.lever)]
        scale = total / sum(tilted)
        return [m * scale for m in tilted]

    def solve(self, shares, guesses, means, groups):
        """groups: [(bucket indices, masses or None)]; means: by bucket, None = any."""
        joint = [[s * g / sum(guess) for g in guess] for s, guess in zip(shares, guesses)]
        for _ in range(ROUNDS):
            for members, wanted in groups:
                found = [sum(joint[b][k] for b in members) for k in range(len(self.middles))]
                total = sum(shares[b] for b in members)
                for k, f in enumerate(found):
                    for b in members:
                        joint[b][k] *= wanted[k] * total / f if f > 0 else 0
            for b, share in enumerate(shares):
                if means[b] is not None:
                    joint[b] = self.tilt_to_mean(joint[b], means[b])
                scale = share / sum(joint[b])
                joint[b] = [m * scale for m in joint[b]]
            found = [sum(row[k] for row in joint) for k in range(len(self.middles))]
            for row in joint:
                for k, f in enumerate(found):
                    row[k] *= self.marginal[k] / f if f > 0 else 0
        return [[m / sum(row) for m in row] for row in joint]

    def curve(self, masses):
        """The needed points [probability, seconds]."""
        points, p = [(0.0, self.edges[0])], 0.0
        for m, e in zip(masses, self.edges):
            p += m
            if p > points[-1][0] + 1e-9 or e == self.edges[0]:
                points.append((min(p, 1.0), e))
            elif e > points[-1][1] and p < 1 - 1e-9:
                points[-1] = (points[-1][0], points[-1][1])
        points[-1] = (1.0, points[-1][1])
        points = thin(points)
        return [p for p, q in zip(points, points[1:]) if number(p[0]) != number(q[0])] + [points[-1]]


def thin(points):
    """Leaves out points closer to a straight line than 0.0006, or 2 % of the probability above."""
    kept, first = [points[0]], 0
    for i in range(2, len(points)):
        (p, a), (q, b) = points[first], points[i]
        for r, c in points[first + 1:i]:
            at = q if b <= a else p + (q - p) * math.log(max(c, a) / a) / math.log(b / a)
            if abs(at - r) > min(0.0006, 0.02 * (1 - r)) or b <= a:
                kept.append(points[i - 1])
                first = i - 1
                break
    return kept + [points[-1]]


def rank_means(curve):
    """Mean duration of the jobs between two steps of RANKS."""
    sums, before = [0.0] * len(RANKS), 0.0
    for (p, a), (q, b) in zip(curve, curve[1:]):
        low = 0.0
        for i, high in enumerate(RANKS):
            lo, hi = max(p, low), min(q, high)
            if hi > lo and q > p:
                x, y = (a * (b / a) ** ((r - p) / (q - p)) for r in (lo, hi))
                sums[i] += (hi - lo) * log_mean(x, y)
            low = high
    out = []
    for s, high in zip(sums, RANKS):
        out.append(s / (high - before))
        before = high
    return out


def fates(curves, gpu_shares, by_size, gpu_time):
    """Mix of outcomes by rank in each bucket: by_size on the whole, gpu_time over all."""
    widths = [b - a for a, b in zip([0] + RANKS, RANKS)]
    means = [rank_means(c) for c in curves]
    theta = [0.0, 0.0, 0.0]
    for _ in range(80):
        mixes, time = [], [0.0] * 3
        for curve_means, gpus, wanted in zip(means, gpu_shares, by_size):
            mid = math.log(sum(m * w for m, w in zip(curve_means, widths)))
            mix = [[s * math.exp(t * (math.log(max(m, 1)) - mid)) for s, t in zip(wanted, theta)]
                   for m in curve_means]
            for _ in range(30):
                found = [sum(r[o] * w for r, w in zip(mix, widths)) for o in range(3)]
                mix = [[v * wanted[o] / found[o] if found[o] > 0 else 0 for o, v in enumerate(r)] for r in mix]
                mix = [[v / sum(r) for v in r] for r in mix]
            mixes.append(mix)
            for r, m, w in zip(mix, curve_means, widths):
                for o in range(3):
                    time[o] += gpus * r[o] * m * w
        total = sum(time)
        for o in range(3):
            if gpu_time[o] > 0:
                theta[o] += 0.3 * math.log(gpu_time[o] / (time[o] / total))
        theta = [t - sum(theta) / 3 for t in theta]
    return mixes, [t / total for t in time]


# ---- writing ----

def number(x, digits=5):
    text = "%.*g" % (digits, x)
    return "%d" % round(x) if abs(x) >= 10 ** digits else text if "e" not in text else "%.6f" % x


def seconds(t):
    return number(t, 4) if t < 1000 else "%d" % round(float("%.4g" % t))


def write(name, comments, arrivals, buckets, users, vcs, retries):
    lines = ["// " + c for c in comments] + ["{", '  "name": "%s",' % name, '  "arrivals": {']
    lines += ["    " + line for line in arrivals] + ["  },", '  "sizes": [']
    for i, b in enumerate(buckets):
        gpus = ", ".join("[%s, %s]" % (g, number(s)) for g, s in b["gpus"])
        lines += ['    {"name": "%s", "gpus": [%s],' % (b["name"], gpus)]
        lines += wrap('     "duration_s": [', ["[%s, %s]" % (number(p), seconds(t)) for p, t in b["curve"]], "]")
        if "states" in b:
            lines[-1] += ","
            mixes = ["[%s, %s]" % (number(r), ", ".join(number(v, 3) for v in mix))
                     for r, mix in zip([1] if len(b["states"]) == 1 else RANKS, b["states"])]
            lines += wrap('     "states": [', mixes, "]")
        if "retries" in b:
            lines[-1] += ","
            lines += ['     "retries": %s' % b["retries"]]
        if b.get("batch_max"):
            lines[-1] += ","
            lines += ['     "batch_max": %d' % b["batch_max"]]
        lines[-1] += "}" + ("," if i + 1 < len(buckets) else "")
    lines += ["  ]"]
    if users:
        lines[-1] += ","
        lines += ['  "users": {"count": %d, "sigma": %s}' % users]
    if vcs:
        lines[-1] += ","
        lines += ['  "vcs": ['] + ["    " + v + ("," if v is not vcs[-1] else "") for v in vcs] + ["  ]"]
    if retries:
        lines[-1] += ","
        lines += wrap('  "retries": {"max": 3, "time_s": [', retries, "]}")
    with open(os.path.join(OUT, name + ".json"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines + ["}", ""]))


def wrap(begin, items, end):
    """Items of a list on lines of at most 110 columns."""
    lines, line = [], begin
    indent = " " * (begin.rindex("[") + 1) if len(begin) < 24 else " " * 8
    for i, item in enumerate(items):
        text = item + (", " if i + 1 < len(items) else end)
        if len(line) + len(text) > 110:
            lines.append(line.rstrip())
            line = indent
        line += text
    return lines + [line]


# ---- Helios ----

HELIOS_TAIL = {  # sizes above 64 GPUs: our choice, with the published mean of GPUs
    "venus": [(80, .35), (128, .45), (160, .12), (200, .08)],
    "earth": [(80, .33), (128, .45), (160, .12), (208, .10)],
    "saturn": [(96, .15), (128, .30), (192, .25), (256, .25), (384, .05)],
    "uranus": [(72, 1)],
}
HELIOS_MEDIAN = {"venus": 204, "earth": 234, "saturn": 124, "uranus": 280}
HELIOS_DAYS = 183  # April to September 2020
HELIOS_JOBS = {"venus": 125303, "earth": 427148, "saturn": 698896, "uranus": 329117}
HELIOS_USERS = {"venus": (311, 1.95), "earth": (215, 1.48), "saturn": (364, 1.95), "uranus": (337, 1.57)}
VENUS_WEEK = [708, 765, 882, 831, 656, 471, 533]
VENUS_GROUPS = {"1": ["1"], "2": ["2-4"], "4": ["2-4"], "8": ["5-8"], "12": ["9-16"], "16": ["9-16"],
                "24": ["17-32"], "32": ["17-32"]}
BEYOND_48H = {"1": .012, "2-4": .037, "5-8": .019, "9-16": .031, "17-32": .039, ">32": .014}
# As in Venus' submissions: CV of gaps, dispersion of hourly counts and its autocorrelation, gaps of 0 and
# up to 5 s, batches of similar jobs. 97 of 100 Venus jobs of so many GPUs are in batches that are not
# longer (same GPUs, gaps of up to 60 s); those of 1 and of 5 to 8 GPUs may be in the longest.
HELIOS_BATCH_MAX = [(1, None), (4, 4), (8, None), (16, 4), (32, 5), (1024, 2)]
HELIOS_ARRIVALS = [
    '"modulation": {"cv": 0.92, "hours": 0.7, "slow_hours": 72, "slow_share": 0.3},',
    '"outages": {"per_day": 0.06, "hours": [[0, 5], [1, 17]]},',
    '"batches": {"jobs": [[0, 1], [0.88, 1], [0.955, 2], [0.985, 5], [0.996, 15], [0.9997, 80], [1, 700]],',
    '            "gap_s": [[0, 0], [0.3, 0], [0.5, 2], [0.7, 10], [1, 60]],',
    '            "same_size": 0.97, "duration_correlation": 0.5}',
]


def grid_of(source, cluster, what="gpu_job_duration"):
    got = rows("helios_published_cdf.csv", cluster=cluster, what=what)
    return [(float(r["x"]), float(r["cdf"])) for r in got if r["source"] == source]


def with_median(grid, median):
    """The median is a point of the curve too, if the curve still rises."""
    lower = max(x for x, p in grid if p < 0.5)
    upper = min(x for x, p in grid if p >= 0.5)
    points = grid + ([(median, 0.5)] if lower * 1.01 < median < upper * 0.99 else [])
    return Curve(sorted(points))


def quantile_curve(dataset, bucket, share_below, tail):
    """A published table of quantiles, with the shape of `tail` above its end."""
    row = rows("quantiles.csv", dataset=dataset, gpu_bucket=bucket)[0]
    points, worst = [], 0.0
    for key, text in row.items():
        if key.startswith("q0"):
            t = max(float(text), 1.0)
            points.append((max(t, worst), float(key[1:]) * share_below))
            worst = points[-1][0]
    end = 172800.0
    points.append((end, share_below))
    above = 1 - tail.below(end)
    for t, p in tail.points:
        if t > end:
            points.append((t, share_below + (1 - share_below) * (p - tail.below(end)) / above))
    return Curve(points)


def helios_sizes(name):
    cluster = name.capitalize()
    got = rows("helios_mean_duration_by_gpus.csv", cluster=cluster)
    gpu_time = None
    sizes = []
    for r in got:
        upper, share = int(r["gpu_bin_upper"]), float(r["job_share"])
        if gpu_time is None:
            gpu_time = share * float(r["mean_duration_s_if_all_at_upper"]) / float(r["gputime_share"])
        if upper <= 64:
            sizes.append({"name": str(upper), "gpus": [(upper, share)], "share": share,
                          "mean": float(r["mean_duration_s_if_all_at_upper"]), "width": upper * share})
        else:
            tail = [(g, s * share) for g, s in HELIOS_TAIL[name]]
            width = sum(g * s for g, s in tail)
            sizes.append({"name": ">64", "gpus": tail, "share": share, "width": width,
                          "mean": float(r["gputime_share"]) * gpu_time / width})
    return sizes


def merge(sizes):
    """Rare sizes above 32 share a bucket; GPU time is their sum."""
    out = []
    for s in sizes:
        if s["name"] in ("12", "40", "48", "56") or (s["name"] == "24" and s["share"] < 0.0015):
            target = out[-1] if s["name"] == "12" else next((o for o in out if o["name"] == "33-64"), None)
            if s["name"] == "12":
                target = None
            if target is None:
                s = dict(s)
                s["name"] = "9-15" if s["name"] == "12" else "33-64"
                out.append(s)
            else:
                join(target, s)
        elif s["name"] == "64":
            join(next(o for o in out if o["name"] == "33-64"), s)
        else:
            out.append(dict(s))
    small = next(o for o in out if o["name"] == "9-15")
    sixteen = next(o for o in out if o["name"] == "16")
    join(sixteen, small)
    sixteen["gpus"].sort()
    out.remove(small)
    return out


def join(target, s):
    target["mean"] = (target["mean"] * target["width"] + s["mean"] * s["width"]) / (target["width"] + s["width"])
    target["share"] += s["share"]
    target["width"] += s["width"]
    target["gpus"] = target["gpus"] + s["gpus"]


def helios_states():
    """Mixes of outcomes by cluster and size, from those by size over all clusters and by cluster over
    all sizes."""
    published = {r["gpus"]: [float(r["completed"]), float(r["canceled"]), float(r["failed"])]
                 for r in rows("helios_state_by_gpus.csv")}
    overall = {"venus": [.526, .272, .202], "earth": [.735, .136, .129], "saturn": [.582, .272, .145],
               "uranus": [.607, .201, .192]}
    cells = {}
    for name in HELIOS_JOBS:
        for s in merge(helios_sizes(name)):
            key = {"24": "32", "33-64": "32", ">64": ">=64"}.get(s["name"], s["name"])
            cells[name, s["name"]] = [HELIOS_JOBS[name] * s["share"] * v for v in published[key]]
    counts = {key: sum(v) for key, v in cells.items()}
    for _ in range(500):
        for key in published:
            members = [c for c in cells if c[1] == key or (key == ">=64" and c[1] == ">64")]
            found = [sum(cells[c][o] for c in members) for o in range(3)]
            total = sum(found)
            for c in members:
                cells[c] = [v * published[key][o] * total / found[o] for o, v in enumerate(cells[c])]
        for name, mix in overall.items():
            members = [c for c in cells if c[0] == name]
            found = [sum(cells[c][o] for c in members) for o in range(3)]
            total = sum(found)
            for c in members:
                cells[c] = [v * mix[o] * total / found[o] / sum(mix) for o, v in enumerate(cells[c])]
        for c, row in cells.items():
            cells[c] = [v * counts[c] / sum(row) for v in row]
    return {c: [v / sum(row) for v in row] for c, row in cells.items()}


def helios(name, venus_copula, states):
    cluster = name.capitalize()
    summary = rows("../traces/helios_cluster_summary.csv", id=cluster)[0]
    sizes = merge(helios_sizes(name))
    grid = grid_of("HeliosArtifact/job_cdf_jobtime.pdf", cluster)
    marginal = with_median(grid, HELIOS_MEDIAN[name])
    mean = float(summary["avg_run_time_gpu"])
    shares = [s["share"] for s in sizes]
    if name == "venus":
        prior = {b: quantile_curve("helios_venus_lt48h", b, 1 - over, marginal) for b, over in BEYOND_48H.items()}
        edges = {t for c in prior.values() for t, _ in c.points}
        of = [group_of(s["name"]) for s in sizes]

        def shape(fit):
            return mix_of(shares, [fit.masses(prior[g]) for g in of])

        fit = Fit(marginal, edges | {172800.0}, mean - 0.5, shape, 172800)
        masses = {b: fit.masses(c) for b, c in prior.items()}
        guesses = [masses[g] for g in of]
        groups = [([i for i, g in enumerate(of) if g == b], masses[b]) for b in masses]
    else:
        fit = Fit(marginal, set(), mean - 0.5)
        ranks = [0.0]
        for m in fit.marginal:
            ranks.append(ranks[-1] + m)
        guesses = [[venus_copula(s["name"], b) - venus_copula(s["name"], a) for a, b in zip(ranks, ranks[1:])]
                   for s in sizes]
        groups = []
    guesses = [rarely_long(fit, s, g) for s, g in zip(sizes, guesses)]
    joint = fit.solve(shares, guesses, [s["mean"] - 0.5 for s in sizes], groups)
    curves = [fit.curve(m) for m in joint]
    gpu = [float(summary[k]) for k in ("complete_gpu_time", "cancel_gpu_time", "fail_gpu_time")]
    mixes, time = fates(curves, [s["width"] for s in sizes], [states[name, s["name"]] for s in sizes],
                        [g / sum(gpu) for g in gpu])
    tell(name, fit, sizes, joint, time)
    buckets = [{"name": s["name"], "gpus": s["gpus"], "curve": c, "states": m,
                "batch_max": next(most for gpus, most in HELIOS_BATCH_MAX if s["gpus"][0][0] <= gpus)}
               for s, c, m in zip(sizes, curves, mixes)]
    hours = [r["mean_gpu_jobs_submitted_per_hour"] for r in rows("helios_diurnal.csv", cluster=cluster)]
    per_day = HELIOS_JOBS[name] / HELIOS_DAYS
    arrivals = ['"first": "2020-04-01",', '"jobs_per_day": %s,' % number(per_day),
                '"weekdays": [%s],' % ", ".join(map(str, VENUS_WEEK))]
    arrivals += wrap('"hours": [', hours, "],")
    arrivals += HELIOS_ARRIVALS
    write(name, helios_comments(name, cluster), arrivals, buckets, HELIOS_USERS[name], helios_vcs(name), None)
    return sizes, joint, fit


def mix_of(shares, masses):
    return [sum(s * m[k] for s, m in zip(shares, masses)) for k in range(len(masses[0]))]


def rarely_long(fit, size, guess):
    """The longest run times of gangs of 16 and more GPUs are not published: beyond two days the guess
    decays with a constant of five."""
    if max(g for g, _ in size["gpus"]) < 16:
        return guess
    return [m * math.exp(-max(0, t - 172800) / 432000) for m, t in zip(guess, fit.middles)]


def group_of(name):
    return {"1": "1", "2": "2-4", "4": "2-4", "8": "5-8", "16": "9-16", "24": "17-32", "32": "17-32"}.get(name, ">32")


def helios_vcs(name):
    path = os.path.join(OUT, "..", "clusters", name + ".json")
    text = "".join(line for line in open(path, encoding="utf-8") if not line.startswith("//"))
    if '"vcs"' not in text:
        return None
    body = text[text.index('"vcs"'):]
    body = body[body.index("{") + 1:body.index("}")]
    out = []
    for item in body.split(","):
        vc, gpus = item.replace('"', "").split(":")
        out.append('{"name": "%s", "share": %s, "gpus_max": %s}' % (vc.strip(), gpus.strip(), gpus.strip()))
    return out


def helios_comments(name, cluster):
    lines = ["GPU jobs of SenseTime Helios, cluster %s, April to September 2020 (Hu et al., SC'21; data" % cluster,
             "CC BY 4.0), made by scripts/make-workloads.py. Sizes, durations, GPU time by size, fates and",
             "hours of the day: points of the paper's figures and cluster_summary.csv of its artifact. Fates by",
             "size are published over all clusters, and fitted to those of this one."]
    if name == "venus":
        lines += ["Durations by size below 48 h: quantiles of Venus' jobs. Weekdays, modulation and batches: as its",
                  "submissions have them. Sizes above 64 GPUs: our choice, with the published mean."]
    else:
        lines += ["Durations by size: what a size ranks in Venus, fitted to the mean durations published of this",
                  "cluster. Weekdays, modulation and batches: Venus'. Sizes above 64 GPUs: our choice, with the",
                  "published mean."]
    if name in ("venus", "earth"):
        lines += ["VCs: by their GPUs on 2020-09-01; how jobs are spread over them is not published."]
    else:
        lines += ["No VCs: their sizes are not known here."]
    return lines


def tell(name, fit, sizes, joint, time):
    print("%s: power %.3f; GPU time by fate %s" % (name, fit.power, " ".join("%.3f" % t for t in time)), file=sys.stderr)
    total, below = sum(s["width"] * s["mean"] for s in sizes), 0.0
    for s, row in zip(sizes, joint):
        below += s["width"] * fit.mean(row)
        print("  %-6s share %.5f mean %8.0f wanted %8.0f; GPU time so far %.3f" %
              (s["name"], s["share"], fit.mean(row), s["mean"], below / total), file=sys.stderr)


def copula_of(sizes, joint, fit):
    """Of a size in Venus: share of its jobs whose duration ranks, among all, up to u."""
    ranks, at = [0.0], 0.0
    for m in fit.marginal:
        at += m
        ranks.append(at)
    sums = {}
    for s, row in zip(sizes, joint):
        acc, total = [0.0], 0.0
        for m in row:
            total += m
            acc.append(total)
        sums[s["name"]] = acc

    def below(name, u):
        acc = sums[name if name in sums else "32"]
        for i in range(len(ranks) - 1):
            if u <= ranks[i + 1]:
                part = (u - ranks[i]) / (ranks[i + 1] - ranks[i]) if ranks[i + 1] > ranks[i] else 1
                return acc[i] + (acc[i + 1] - acc[i]) * part
        return 1.0
    return below


# ---- Philly ----

PHILLY_SIZES = [
    {"name": "1", "gpus": [(1, .8603)], "time": .164255},
    {"name": "2", "gpus": [(2, .0225)], "time": .193959 - .164255},
    {"name": "3-4", "gpus": [(3, .0004), (4, .0487)], "time": .381653 - .193959},
    # Longer than the GPU time by size, which is of attempts: the notebook's jobs take 129,000 s.
    {"name": "5-8", "gpus": [(5, .0002), (6, .0003), (7, .0001), (8, .0595)], "time": .880277 - .381653, "longer": 1.08},
    {"name": "9-16", "gpus": [(12, .0001), (16, .0056)], "time": .971955 - .880277},
    {"name": ">16", "gpus": [(24, .0001), (32, .0018), (64, .0003), (128, .0001)], "time": 1 - .971955},
]
# As for Helios, of passed jobs: within one VC.
PHILLY_BATCH_MAX = {"1": None, "2-4": None, "5-8": 7, ">8": 3}
PHILLY_GROUP = {"1": "1", "2": "2-4", "3-4": "2-4", "5-8": "5-8", "9-16": ">8", ">16": ">8"}
PHILLY_FAILED = {"1": .13, "2-4": .37, "5-8": .42, ">8": .47}
PHILLY_PASSED = {"1": .80, "2-4": .45, "5-8": .23, ">8": .29}
PHILLY_RETRIES = {"1": .33, "2-4": .98, "5-8": 1.09, ">8": 1.11}
PHILLY_WEEK = [777, 966, 1027, 1220, 1320, 622, 503]
# Times to failure: reason, trials, median and 95 % in minutes (table 7).
PHILLY_REASONS = [(12076, 13.5, 34), (9690, 1.9, 2096), (2943, 2.7, 1437), (2912, .85, 432),
                  (1995, 182, 8196), (478, 1389, 18091)]
# VC, GPUs that it may hold, passed jobs October to December 2017, of them by size 1, 2-4, 5-8, > 8.
PHILLY_VCS = [
    ("6214e9", 512, 41226, (.9954, .0019, .0027, 0)),
    ("11cb48", 128, 16091, (.9042, .0950, .0004, .0004)),
    ("6c71a0", 256, 9953, (.9491, .0327, .0178, .0004)),
    ("b436b2", 512, 7423, (.9859, .0067, .0043, .0031)),
    ("103959", 64, 1934, (.8158, .1842, 0, 0)),
    ("ee9e8c", 512, 1511, (.3671, .2780, .3042, .0507)),
    ("0e4a51", 256, 1435, (.7245, .2755, 0, 0)),
    ("ed69ec", 64, 1137, (1, 0, 0, 0)),
    ("7f04ca", 256, 723, (.2263, .5132, .2605, 0)),
    ("2869ce", 128, 422, (.1156, .0402, .7437, .1005)),
    ("e13805", 128, 374, (.5574, .2787, .0656, .0983)),
]


def notebook_curve(bucket, tail):
    points = [(1.0, 0.0)]
    for r in rows("philly_notebook_fig2_cdf.csv", gpu_bucket=bucket):
        t, p = max(1.0, float(r["runtime_min"]) * 60), float(r["cdf_pixel"])
        if t > points[-1][0] and p > points[-1][1] and p < 0.97:
            points.append((t, p))
    end, share = points[-1]
    above = 1 - tail.below(end)
    for t, p in tail.points:
        if t > end * 1.01:
            points.append((t, share + (1 - share) * (p - tail.below(end)) / above))
    return Curve(points)


def normal_below(z):
    return 0.5 * math.erfc(-z / math.sqrt(2))


def failure_times():
    """Mixture of the reasons, each log-normal through median and 95 % and cut there."""
    trials = sum(n for n, _, _ in PHILLY_REASONS)
    ranks = [.01, .02, .05] + [i / 20 for i in range(2, 20)] + [.97, .98, .99, .995, .999]

    def below(t):
        total = 0.0
        for n, median, p95 in PHILLY_REASONS:
            sigma = math.log(p95 / median) / 1.6448536269514722
            total += n * (1.0 if t >= p95 * 60 else normal_below(math.log(t / (median * 60)) / sigma))
        return total / trials

    points = ["[0, 1]"]
    for p in ranks:
        low, high = math.log(.01), math.log(18091 * 60)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if below(math.exp(middle)) < p else (low, middle)
        points.append("[%s, %s]" % (number(p), seconds(max(1.0, math.exp(high)))))
    return points + ["[1, %d]" % (18091 * 60)]


def fit_mixes(shares, guess, fixed, column, overall):
    """Outcomes by bucket: one column given, the others nearest to a guess with the given sums."""
    mix = [list(g) for g in guess]
    for _ in range(500):
        found = [sum(s * m[o] for s, m in zip(shares, mix)) for o in range(3)]
        mix = [[v * overall[o] / found[o] for o, v in enumerate(m)] for m in mix]
        for m, f in zip(mix, fixed):
            rest = sum(v for o, v in enumerate(m) if o != column)
            for o in range(3):
                m[o] = f if o == column else m[o] * (1 - f) / rest
    return mix


def philly():
    grid = [(x, p) for x, p in grid_of("HeliosArtifact/compare_philly.pdf", "Philly_OctDec2017_retries_merged")]
    grid = grid + [(5184000.0, 1.0)]
    sizes = PHILLY_SIZES
    for s in sizes:
        s["share"] = sum(p for _, p in s["gpus"])
        s["width"] = sum(g * p for g, p in s["gpus"])
    per_job = 28329 / sum(s["share"] * s["time"] / s["width"] for s in sizes)
    for s in sizes:
        s["mean"] = s["time"] * per_job / s["width"] * s.get("longer", 1)
    shares = [s["share"] for s in sizes]
    curves = {b: notebook_curve(b, Curve(grid)) for b in PHILLY_FAILED}
    # The notebook has the whole trace, the curve of all jobs its last three months: half a per cent towards
    # the notebook is a compromise.
    all_sizes = [(x, sum(s * curves[PHILLY_GROUP[z["name"]]].below(x) for s, z in zip(shares, sizes))) for x, _ in grid]
    marginal = Curve([(x, p + max(-.005, min(.005, q - p))) for (x, p), (_, q) in zip(grid, all_sizes)])

    def shape(fit):
        return mix_of(shares, [fit.masses(curves[PHILLY_GROUP[s["name"]]]) for s in sizes])

    fit = Fit(marginal, {t for t, _ in curves["1"].points}, 28329 - 0.5, shape)
    fit.lever = [(t / 1e6) ** 0.7 for t in fit.middles]  # the notebook has no tail: it is adjusted
    prior = {b: fit.masses(c) for b, c in curves.items()}
    for b, m in prior.items():
        print("  notebook %-4s mean %.0f" % (b, fit.mean(m)), file=sys.stderr)
    groups = [([i for i, s in enumerate(sizes) if PHILLY_GROUP[s["name"]] == b], m) for b, m in prior.items() if b != "1"]
    joint = fit.solve(shares, [prior[PHILLY_GROUP[s["name"]]] for s in sizes], [s["mean"] - 0.5 for s in sizes], groups)
    curves = [fit.curve(m) for m in joint]
    failed = [PHILLY_FAILED[PHILLY_GROUP[s["name"]]] for s in sizes]
    failed[0] += (.172 - sum(s["share"] * f for s, f in zip(sizes, failed))) / sizes[0]["share"]
    passed = [PHILLY_PASSED[PHILLY_GROUP[s["name"]]] for s in sizes]
    guess = [[p, max(.05, 1 - p - f), f] for p, f in zip(passed, failed)]
    mix = fit_mixes(shares, guess, failed, 2, [.693, .135, .172])
    mixes, time = fates(curves, [s["width"] for s in sizes], mix, [.313, .326, .361])
    tell("philly", fit, sizes, joint, time)
    buckets = [{"name": s["name"], "gpus": s["gpus"], "curve": c, "states": m,
                "retries": PHILLY_RETRIES[PHILLY_GROUP[s["name"]]],
                "batch_max": PHILLY_BATCH_MAX[PHILLY_GROUP[s["name"]]]} for s, c, m in zip(sizes, curves, mixes)]
    arrivals = ['"first": "2017-10-01",', '"jobs_per_day": %s,' % number(103467 / 92),
                '"weekdays": [%s],' % ", ".join(map(str, PHILLY_WEEK)),
                '"modulation": {"cv": 1.85, "hours": 0.9, "slow_hours": 120, "slow_share": 0.4},',
                '"outages": {"per_day": 0.05, "hours": [[0, 10], [1, 40]]},',
                '"batches": {"jobs": [[0, 1], [0.55, 1], [0.72, 2], [0.88, 4], [0.95, 8], [0.99, 30], [1, 370]],',
                '            "gap_s": [[0, 0], [0.05, 0], [0.5, 5], [0.85, 20], [1, 60]],',
                '            "same_size": 0.98, "duration_correlation": 0.5}']
    columns = {"1": 0, "2-4": 1, "5-8": 2, ">8": 3}
    vcs = []
    for vc, gpus, jobs, mix in PHILLY_VCS:
        weights = [jobs * mix[columns[PHILLY_GROUP[s["name"]]]] for s in sizes]
        vcs.append('{"name": "%s", "shares": [%s], "gpus_max": %d}' % (vc, ", ".join(number(w, 4) for w in weights), gpus))
    write("philly", [
        "Jobs of Microsoft Philly, October to December 2017, attempts of a job as one (Jeon et al., ATC'19;",
        "data CC BY 4.0), made by scripts/make-workloads.py. Durations and their mean, GPU time by fate: Hu et",
        "al., SC'21. Sizes: samples of the public trace that agree. Durations by size: figure 2 of the trace's",
        "notebook. GPU time by size: Hu et al., NSDI'24, whose jobs are attempts. Fates, retries and times to",
        "failure: ATC'19, tables 6 and 7, figure 9. Weekdays, batches, modulation and VCs: passed jobs. The hour",
        "of the day shows no cycle in the trace. Users (\"hundreds\"): 300 of them, as unequal as Helios' are.",
    ], arrivals, buckets, (300, 1.8), vcs, failure_times())


# ---- PAI ----

def pai():
    grid = [(float(r["x"]), float(r["cdf"])) for r in
            rows("acme_published_cdf.csv", series="PAI", what="gpu_job_duration")]
    fit = Fit(with_median(grid[:21], 480.667), set(), 4787.109 - 0.5)
    jobs = {float(r["x"]): float(r["cdf"]) for r in rows("acme_published_cdf.csv", series="PAI", what="gpu_num_by_jobs")}
    time = {float(r["x"]): float(r["cdf"]) for r in rows("acme_published_cdf.csv", series="PAI", what="gpu_num_by_gputime")}
    sizes = [
        # Of shares only their mean and median are published (with one GPU .683 and .5): our choice.
        {"name": "<=1", "gpus": [(.25, .35), (.5, .2764), (1, .344336)], "time": time[1]},
        {"name": "2", "gpus": [(2, jobs[2] - jobs[1])], "time": time[2] - time[1]},
        {"name": "3", "gpus": [(3, jobs[3] - jobs[2])], "time": time[3] - time[2]},
        {"name": "4", "gpus": [(4, jobs[4] - jobs[3])], "time": time[4] - time[3]},
        {"name": "5-7", "gpus": [(5, jobs[5] - jobs[4]), (6, .00008), (7, jobs[7] - jobs[5] - .00008)],
         "time": time[7] - time[4]},
        {"name": "8", "gpus": [(8, 1 - jobs[7])], "time": 1 - time[7]},
    ]
    for s in sizes:
        s["share"] = sum(p for _, p in s["gpus"])
        s["width"] = sum(g * p for g, p in s["gpus"])
    per_job = 4787.109 / sum(s["share"] * s["time"] / s["width"] for s in sizes)
    for s in sizes:
        s["mean"] = s["time"] * per_job / s["width"]
    shares = [s["share"] for s in sizes]
    joint = fit.solve(shares, [fit.marginal] * len(sizes), [s["mean"] - 0.5 for s in sizes], [])
    tell("pai", fit, sizes, joint, [0, 0, 0])
    done = 885073 / (885073 + 256762)
    buckets = [{"name": s["name"], "gpus": s["gpus"], "curve": fit.curve(m)} for s, m in zip(sizes, joint)]
    for b in buckets:
        b["states"] = [[done, 0, 1 - done]]
    arrivals = ['"first": "2020-07-01",', '"jobs_per_day": %s,' % number(1037085 / 62),
                '"modulation": {"cv": 0.4, "hours": 3, "slow_hours": 48, "slow_share": 0.3},',
                '"batches": {"jobs": [[0, 1], [0.7, 1], [0.9, 3], [0.99, 20], [1, 200]],',
                '            "gap_s": [[0, 0], [0.6, 1], [1, 10]],',
                '            "same_size": 0.98, "duration_correlation": 0.5}']
    write("pai", [
        "GPU tasks of Alibaba PAI, July and August 2020 (Weng et al., NSDI'22; data CC BY 4.0), made by",
        "scripts/make-workloads.py. Durations and sizes: the curves of Hu et al., NSDI'24. Shares of one GPU: our",
        "choice, with the published mean (.683) and median (.5). Fates: the task table. Users: 1,300, of whom 5 %",
        "submit 77 %. Arrivals but for their number: our choice, of a production cluster that is never quiet.",
    ], arrivals, buckets, (1300, 2.75), None, None)


def main(names):
    states = helios_states()
    sizes, joint, fit = helios("venus", None, states)
    copula = copula_of(sizes, joint, fit)
    for name in ("earth", "saturn", "uranus"):
        if not names or name in names:
            helios(name, copula, states)
    if not names or "philly" in names:
        philly()
    if not names or "pai" in names:
        pai()


if __name__ == "__main__":
    main(sys.argv[1:])
