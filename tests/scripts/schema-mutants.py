#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two validators over the same files: horus itself (--print-config, sweep --list) and python3-jsonschema
# with what `horus schema` prints. The files are made, the same ones every time, from the tables
# that `horus help --form=json` and `horus policies --json` print: good values of every key and
# parameter, and mutants (wrong type, out of range, unknown key, bad choice, ...). Both must take
# the good ones and refuse the mutants. What a schema cannot say is listed by name below, and each
# of these differences is checked to be there.
#   schema-mutants.py HORUS FOLDER
import json
import os
import subprocess
import sys

import jsonschema

HORUS, FOLDER = sys.argv[1], sys.argv[2]
ENV = dict(os.environ, LC_ALL="C")
STRIDE = 1 if os.environ.get("HORUS_LONG") else 3  # through values of policies, which are many
failed = False


def verdict(name, faults):
    global failed
    print(("FAIL" if faults else "ok") + " - schema: " + name)
    for fault in faults[:10]:
        print("  " + fault)
    failed = failed or bool(faults)


def horus(*words):
    return subprocess.run([HORUS, *words], env=ENV, capture_output=True, text=True)


def tables(*words):
    return json.loads(horus(*words).stdout)


def takes(command, document):
    """True if horus accepts it. Exit codes other than 0 and 3 (bad input) are a fault of their own."""
    path = os.path.join(FOLDER, "mutant.json")
    with open(path, "w") as file:
        json.dump(document, file)
    if command == "sweep":
        words = ["sweep", path, "--list"]
    elif command == "cluster":
        words = ["run", "t.csv", "-c", path, "--dry-run"]
    elif command == "workload":
        words = ["generate", "--workload", path, "-n", "1", "-q", "--format", "csv", "-o", "/dev/null"]
    elif command == "trace":
        words = ["trace", "info", "t.csv", "--config", path, "--print-config"]
    else:
        words = [command, "--config", path, "--print-config"]
    done = horus(*words)
    if done.returncode not in (0, 3):
        verdict(f"{command} {json.dumps(document)}", [f"exit {done.returncode}: {done.stderr}"])
    return done.returncode == 0


# ---- values, good and bad, from the row of a table ----

WRONG_TYPES = [None, {}, {"a": 1}]


def of_range(row, unit=1):
    good, bad = [], []
    if row.get("min") is not None:
        good += [row["min"], row["max"]]
        bad += [row["min"] - unit, row["max"] + unit]
    return good, bad


def of_kind(row):
    """(good, bad) values of a row: of its type alone."""
    kind = row["type"]
    if kind == "flag":
        return [True, False, "yes", "off", 0], ["maybe", 2, "", "Yes", [True, False]]
    if kind == "choice":
        first = row["values"].split("|")[0]
        return row["values"].split("|"), [first + "x", first.upper(), "", 3.5, True, [first, first]]
    if kind == "integer":
        good, bad = of_range(row)
        return good + [int(row["default"]), row["default"]], bad + [1.5, "seven", "1.5", "", True, [1, 2]]
    if kind == "real":
        good, bad = of_range(row)
        return good + [float(row["default"])], bad + ["much", "1e", "1,5", "", True, [1, 2]]
    if kind == "duration":
        good, bad = of_range(row)
        return good + [row["default"]], bad + ["next week", "1 h", "5x", "h", "", True]
    if kind == "size_mib":
        return ["1GiB", "512MiB", 300], ["1KiB", "GiB", -1, "", True]
    if kind == "durations":
        return ["7/30/60", [7, 30], ["7s", "1min"], 60], ["7//30", "7/", [], [[7]], ["soon"], True]
    return of_text(row)


def of_text(row):
    if row["type"] == "file":
        return ["estimates.csv"], [None, "a,b", "a\nb"]
    good, bad = ["text"], [True, {}]
    unit, words = row["unit"], row.get("words")
    forms = {
        "TIME|auto|exact": (["auto", "exact", "60s", 30], ["sometimes", "60 s", -1]),
        "TIME|young-daly|none|auto": (["auto", "young-daly", "none", "1h", 60], ["often", "60 s", -1]),
        "SIZE|auto": (["auto", "1GiB", 500], ["2KB", "much", -1]),
        "N|all": (["all", "100", 100], ["some", 1.5, -1]),
        "YYYY-MM-DD": (["2020-04-01"], ["soon", "2020-4-1", 2020]),
        "SEEDS": (["1..3", "1,3,7", 4], ["a..b", "1..", "1;2", -1, 1.5]),
        "MODEL": (["none", "fit", "measured+fit", "const:0.2"], ["no", "const:", "const:x", 1]),
        "PREDICTOR": (["table", "oracle", "noisy:0.2"], ["tables", "noisy", "noisy:x", 1]),
        "CAPACITY": (["none", "auto", "1.4", 0.9], ["much", "-1", ""]),
        "WORKLOAD": (["mine", 2024], ["a/b"]),
        "RATES": (["mtbf=30d,repair=4h"], ["mtbf=30d", "often", 1]),
        "FROM..TO": (["10d..20d", "..12h", "2017-10-01..2017-12-01", "2020-04-01 12:00:00.."],
                     ["10d", "soon..", "1d,2d", "2017-10-1..", 5]),
    }
    if words and unit == "LIST":
        good, more = [words[0], ",".join(words[:2])], ["nosuch", words[0] + ",", words[0] + ";"]
    elif words:
        good, more = words, ["nosuch", words[0] + "x", 1]
    else:
        good, more = forms.get(unit, (good, []))
    bad += more
    if row["default"] is not None:
        bad += [None, ""]
    else:
        good = good + [None, ""]
    if row["may_be_repeated"]:
        good, bad = good + [[v for v in good if v]], bad + [["", good[0]], [[]]]
    else:
        bad += [[good[0], good[0]]]
    return good, bad


def text_of(value):
    """As written in "policy:key=value"; None for a value without such a form."""
    if isinstance(value, bool) or value is None or isinstance(value, (dict, list)):
        return None
    text = repr(value) if isinstance(value, float) else str(value)
    return None if "," in text or ":" in text or "\n" in text else text


def of_policies(policies):
    """(good, bad) values of the key policy: every parameter that differs from those already seen."""
    good, bad = ["fifo:"], ["nosuch", 5, True, {}, {"scan": "fit"}, {"name": 5}, {"name": "nosuch"}]
    seen = set()
    for policy in policies:
        name = policy["name"]
        good += [name, {"name": name}]
        bad += [name + ":nosuch=1", name.upper(), {"name": name, "nosuch": 1}]
        for row in policy["parameters"]:
            same = (row["key"], row["type"], row["values"], row.get("min"), row.get("max"))
            if same in seen:
                continue
            seen.add(same)
            bad += [f"{name}:{row['key']}", {"name": name, row["key"] + "x": 1}]
            for values, out in zip(of_kind(row), (good, bad)):
                for value in values:
                    is_text = row["type"] in ("text", "file")
                    out.append({"name": name, row["key"]: value})
                    text = text_of(value)
                    if text is None or (text == "" and is_text) or is_too_much(row, value):
                        continue
                    out.append(f"{name}:{row['key']}={text}")
            bad += [{"name": name, row["key"]: wrong} for wrong in WRONG_TYPES]
    return good[::STRIDE], bad[::STRIDE]


def is_too_much(row, value):
    """Beyond the range, and written as text: the first of the named differences."""
    return row.get("max") is not None and isinstance(value, (int, float)) and not (
        row["min"] <= value <= row["max"]) and not (row["min"] >= 0 and value < 0)


# ---- what a schema cannot say ----

DIFFERENCES = {
    # name: (command, document, accepted by horus, accepted by the schema)
    "a number beyond its range, written as text": ("run", {"seed": "9000000000000001"}, False, True),
    "a duration beyond its range, written with a unit": ("run", {"oom_delay": "2d"}, False, True),
    "a list that must rise": ("run", {"policy": "tiresias:queue_limits=9/8"}, False, True),
    "a parameter given twice in a text": ("run", {"policy": "fifo:scan=fit,scan=fit"}, False, True),
    "a range of seeds that runs downwards": ("compare", {"seeds": "5..1"}, False, True),
    "a list of one in the place of a parameter": (
        "run", {"policy": {"name": "philly", "max_level": [2]}}, True, False),
    "a key with '-' for '_'": ("run", {"tie-jitter": 1}, True, False),
    "a GPU type that is not declared": ("cluster", {"nodes": [{"gpus": 1, "type": "X"}]}, False, True),
    "virtual clusters larger than the cluster": (
        "cluster", {"nodes": [{"gpus": 1, "vc": "w"}], "vcs": {"v": 1}}, False, True),
    "a limit of a virtual cluster in no cohort": (
        "cluster", {"nodes": [{"gpus": 1}], "vcs": {"v": {"gpus": 1, "lending_limit": 1}}}, False, True),
    "a cohort that is not declared": (
        "cluster", {"nodes": [{"gpus": 1}], "vcs": {"v": {"gpus": 1, "cohort": "c"}}, "cohorts": {"d": 1}},
        False, True),
    "lists of zip of different lengths": (
        "sweep", {"config": {"trace": "t.csv"}, "zip": {"seed": [1, 2], "load": [1]}}, False, True),
    "a key that is swept and set": (
        "sweep", {"config": {"trace": "t.csv", "load": 1}, "grid": {"load": [1, 2]}}, False, True),
}


# ---- experiments ----

def of_experiments():
    base = {"trace": "t.csv"}
    good = [
        {"config": base, "grid": {"policy": ["fifo", "sjf"], "seed": "1..3"}},
        {"config": base, "grid": {"load": [0.6, 0.8]}, "zip": {"seed": [1, 2], "gamma": [1, 1.4]}},
        {"name": "mine", "config": base, "list": [{"load": 1}, {"load": 2, "seed": 3}]},
        {"$schema": "sweep.schema.json", "config": base, "grid": {"policy": [{"name": "horus", "tick": "1m"}, "fifo"]}},
        {"config": base, "grid": {"policy.scan": ["strict", "fit"]}},
    ]
    bad = [
        [], {}, {"config": base}, {"config": base, "gird": {"load": [1]}},
        {"config": base, "grid": []}, {"config": base, "grid": {"load": []}},
        {"config": base, "grid": {"load": 1}}, {"config": base, "grid": {"load": [-1]}},
        {"config": base, "grid": {"lode": [1]}}, {"config": base, "grid": {"seed": "1.."}},
        {"config": base, "grid": {"load": "1..3"}}, {"config": base, "grid": {"policy": ["nosuch"]}},
        {"config": base, "grid": {"policy": [{"name": "fifo", "scan": "nosuch"}]}},
        {"config": base, "grid": {"output": ["a"]}}, {"config": base, "grid": {"check": [True]}},
        {"config": {"trace": "t.csv", "lode": 1}, "grid": {"load": [1]}},
        {"config": [], "grid": {"load": [1]}}, {"config": base, "zip": []},
        {"config": base, "zip": {"seed": "1..3"}}, {"config": base, "zip": {"seed": []}},
        {"config": base, "list": {}}, {"config": base, "list": []}, {"config": base, "list": [1]},
        {"config": base, "list": [{"lode": 1}]}, {"config": base, "list": [{"load": "x"}]},
        {"name": "a/b", "config": base, "grid": {"load": [1]}},
        {"name": "", "config": base, "grid": {"load": [1]}},
        {"name": 5, "config": base, "grid": {"load": [1]}},
    ]
    return good, bad


# ---- clusters ----

def of_clusters():
    group = {"count": 2, "gpus": 4, "type": "V100", "cpus": 8, "mem_mib": 1000, "name": "a"}
    types = {"X": {"mem_mib": 16384, "speed": 0.5}}
    good = [
        {"nodes": [{"gpus": 1}]}, {"nodes": [group]}, {"racks": [{"nodes": [group]}]},
        {"$schema": "cluster.schema.json", "name": "c", "nodes": [{"gpus": 8, "count": 2}], "vcs": {"v": 16}},
        {"gpu_types": types, "nodes": [{"gpus": 1, "type": "X"}]},
        {"nodes": [{"gpus": 1024}]}, {"nodes": [{"gpus": 2, "vc": "v"}], "vcs": {"v": 2}},
        {"nodes": [group], "vcs": {"v": {"gpus": 8, "cohort": "c", "borrowing_limit": 0, "lending_limit": 8}, "w": 1}},
        {"nodes": [group], "vcs": {"v": {"gpus": 8, "cohort": "c"}}, "cohorts": {"c": {"cohort": "d"}, "d": 2}},
    ]
    bad = [
        [], {}, None, "c", {"nodes": []}, {"racks": []}, {"nodes": {}}, {"racks": [{}]},
        {"racks": [{"nodes": [group], "name": "r"}]}, {"nodes": [group], "racks": [{"nodes": [group]}]},
        {"nodes": [{}]}, {"nodes": [{"count": 1}]}, {"nodes": [8]}, {"nodes": [group], "nods": 1},
        {"nodes": [group], "name": 5}, {"nodes": [group], "name": ""}, {"nodes": [group], "name": "x" * 256},
        {"nodes": [group], "vcs": {}}, {"nodes": [group], "vcs": []}, {"nodes": [group], "vcs": {"v": -1}},
        {"nodes": [group], "vcs": {"v": 1.5}}, {"nodes": [group], "vcs": {"": 1}},
        {"nodes": [group], "vcs": {"v": "many"}}, {"gpu_types": {}, "nodes": [group]},
        {"gpu_types": {"X": 5}, "nodes": [{"gpus": 1, "type": "X"}]},
        {"gpu_types": {"": {}}, "nodes": [{"gpus": 1, "type": "X"}]},
        {"nodes": [group], "vcs": {"v": {}}}, {"nodes": [group], "vcs": {"v": {"gpus": -1}}},
        {"nodes": [group], "vcs": {"v": {"gpus": 8, "cohort": ""}}},
        {"nodes": [group], "vcs": {"v": {"gpus": 8, "cohort": "c", "lend": 1}}},
        {"nodes": [group], "vcs": {"v": 8}, "cohorts": {}}, {"nodes": [group], "vcs": {"v": 8}, "cohorts": {"c": "8"}},
    ]
    for key, values in {"mem_mib": [0, -1, 1.5, "1GiB", 2**30 + 1, None], "memory": [1],
                        "speed": [0, -1, 1001, "fast", None]}.items():
        bad += [{"gpu_types": {"X": {key: value}}, "nodes": [{"gpus": 1, "type": "X"}]} for value in values]
    for key, values in {"count": [0, -1, 1.5, "2", None, 1000001], "gpus": [0, -1, 1.5, "2", None, 1025],
                        "cpus": [0, 65537, "8"], "mem_mib": [0, 2**30 + 1], "type": [5, "", None],
                        "name": [5, "", None], "vc": [5, ""], "gpu": [1], "count ": [1]}.items():
        bad += [{"nodes": [{**group, key: value}]} for value in values]
    return good, bad


# ---- workloads ----

def of_workloads():
    curve = [[0, 1], [0.5, 20], [1, 300]]
    sizes = [{"name": "1", "gpus": [[1, 3], [0.5, 1], [2, 1, 250]], "duration_s": curve,
              "states": [[0.5, 1, 0, 0], [1, 1, 1, 1]]}]
    arrivals = {"first": "2020-04-01", "jobs_per_day": 100}
    base = {"name": "w", "arrivals": arrivals, "sizes": sizes}
    modulation = {"cv": 1, "hours": 2, "slow_hours": 50, "slow_share": 0.5}
    batches = {"jobs": curve, "gap_s": curve, "same_size": 0.9, "duration_correlation": 0.5}
    good = [
        base, {**base, "$schema": "workload.schema.json"},
        {**base, "arrivals": {**arrivals, "weekdays": [1] * 7, "hours": [2] * 24, "modulation": modulation,
                              "outages": {"per_day": 0.1, "hours": [[0, 1], [1, 48]]}, "batches": batches}},
        {**base, "users": {"count": 3, "sigma": 1}, "vcs": [{"name": "a", "share": 1},
                                                           {"name": "b", "shares": [1], "gpus_max": 1}]},
        {**base, "sizes": [{**sizes[0], "retries": 0.2}], "retries": {"max": 3, "time_s": curve}},
    ]
    bad = [[], {}, None, {**base, "sise": 1}] + [
        {k: v for k, v in base.items() if k != key} for key in base]
    for key, values in {"first": ["April", 5, ""], "jobs_per_day": [0, -1, "many"], "weekdays": [[1] * 6, 5, [-1] * 7],
                        "hours": [[1] * 25, ["a"] * 24], "modulation": [{}, {"cv": 11, "hours": 1}, {"cv": 1},
                        {**modulation, "slow_share": 2}, {**modulation, "hours": 0}, {**modulation, "slow": 1}],
                        "outages": [{"per_day": 2, "hours": curve}, {"per_day": 1}, {"per_day": 1, "hours": []}],
                        "batches": [{}, {"jobs": curve}, {**batches, "same_size": 1.5}, {**batches, "gap": 1}],
                        "rate": [1]}.items():
        bad += [{**base, "arrivals": {**arrivals, key: value}} for value in values]
    for key, values in {"name": [5, ""], "gpus": [[], 5, [[1]], [[1, 2, 3, 4]], [[70000, 1]], [[-1, 1]], [[1, "a"]]],
                        "duration_s": [[], [[0, 1]], [[0, 1], [2, 5]], [[0, 1, 2], [1, 2, 3]], "short"],
                        "states": [[], [[1, 1, 1]], [[2, 1, 1, 1]], [[1, -1, 1, 1]]], "retries": [-1, 9, "two"],
                        "gpu": [1]}.items():
        bad += [{**base, "sizes": [{**sizes[0], key: value}]} for value in values]
    bad += [{**base, "sizes": value} for value in ([], {}, 5, [5], sizes * 65)]
    bad += [{**base, "users": value} for value in ({}, {"count": 3}, {"count": 0, "sigma": 1},
                                                   {"count": 3, "sigma": 11}, {"count": 1.5, "sigma": 1}, 5)]
    bad += [{**base, "vcs": value} for value in ([], {}, [{}], [{"share": 1}], [{"name": "a", "share": -1}],
                                                 [{"name": "a", "share": 1, "gpus_max": 0}],
                                                 [{"name": "a", "share": 1, "gpus": 8}])]
    bad += [{**base, "retries": value} for value in ({}, 5, {"max": 3}, {"max": 9, "time_s": curve},
                                                     {"max": 0, "time_s": curve})]
    return good, bad


# ---- --print-config ----

def printed(command, document):
    """The lines of --print-config without their origins, and the origins."""
    path = os.path.join(FOLDER, "printed.json")
    with open(path, "w") as file:
        file.write(document)
    words = ["trace", "info", "t.csv"] if command == "trace" else [command]
    done = horus(*words, "--config", path, "--print-config")
    lines = [line.split("  // from ") for line in done.stdout.splitlines()]
    return "\n".join(line[0] for line in lines), {line[1] for line in lines if len(line) > 1}


def round_trip(command, options, validator):
    """Every key with a value that is not its default: printed, read back, printed again."""
    document, faults = {}, []
    for row in options:
        if not row["is_key_of_config"]:
            continue
        good = [{"name": "srtf", "form": "replace"}] if row["key"] == "policy" else of_kind(row)[0]
        if row["type"] == "flag":
            good = [row["default"] in ("no", "off")]
        elif row.get("max") is not None:
            good = [row["max"], row["min"]]
        document[row["key"]] = next(
            v for v in good if v not in (None, "") and str(v) != str(row["default"]))
    first, origins = printed(command, json.dumps(document))
    if origins != {os.path.join(FOLDER, "printed.json")}:
        faults.append(f"not every value is from the file: {origins}")
    again, _ = printed(command, first)
    if first != again:
        faults += ["printed:", *first.splitlines(), "read and printed:", *again.splitlines()]
    values = json.loads(first)
    faults += [f"{key} is missing" for key in document if key not in values]
    faults += [error.message for error in validator.iter_errors(values)]
    defaults, _ = printed(command, "{}")
    faults += [f"{key} is its default" for key, value in json.loads(defaults).items()
               if values.get(key) == value]
    faults += [error.message for error in validator.iter_errors(json.loads(defaults))]
    verdict(f"{command} --print-config reads back and is valid, {len(document)} keys", faults)


# ---- the comparison ----

def main():
    verbs = tables("help", "--form=json")
    policies = tables("policies", "--json")
    with open(os.path.join(FOLDER, "t.csv"), "w") as file:
        file.write("job_id,submit_time,gpus,duration\na,0,1,5\n")
    os.chdir(FOLDER)
    validators = {}
    for verb in [v["name"] for v in verbs if v["takes_config"]] + ["sweep", "cluster", "workload"]:
        schema = tables("schema", verb)
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[verb] = jsonschema.Draft202012Validator(schema)

    good, bad = [], []  # (command, document)
    seen = set()
    for verb in verbs:
        if not verb["takes_config"]:
            continue
        command = verb["name"]
        bad += [(command, d) for d in ([], "text", 5, None, {"": 1})]
        good += [(command, {}), (command, {"$schema": "x.json"})]
        for row in verb["options"]:
            key = row["key"]
            if not row["is_key_of_config"]:
                bad.append((command, {key: True}))
                continue
            same = json.dumps(row, sort_keys=True)
            if same in seen:  # the same row of another command
                continue
            seen.add(same)
            bad.append((command, {key + "x": 1}))
            if key == "policy":  # of the first command all, of another a few
                values = of_policies(policies if command == verbs[0]["name"] else policies[:1])
            else:
                values = of_kind(row)
            good += [(command, {key: value}) for value in values[0]]
            bad += [(command, {key: value}) for value in values[1]]
            if key != "policy":
                bad += [(command, {key: wrong}) for wrong in WRONG_TYPES
                        if not (wrong is None and row["default"] is None)]
            elif row["may_be_repeated"]:
                good += [(command, {key: ["fifo", {"name": "sjf"}]}), (command, {key: []})]
                bad += [(command, {key: ["fifo", "nosuch"]}), (command, {key: ["fifo", ""]})]
    for command, made in (("sweep", of_experiments()), ("cluster", of_clusters()),
                          ("workload", of_workloads())):
        for documents, out in zip(made, (good, bad)):
            out += [(command, document) for document in documents]

    for name, cases, expected in (("good files", good, True), ("mutants", bad, False)):
        by_horus, by_schema = [], []
        for command, document in cases:
            words = f"{command}: {json.dumps(document)}"
            if takes(command, document) != expected:
                by_horus.append(words)
            if validators[command].is_valid(document) != expected:
                by_schema.append(words)
        does = "takes" if expected else "refuses"
        verdict(f"horus {does} {len(cases)} {name}", by_horus)
        verdict(f"the schema {does} the same {len(cases)}", by_schema)
    verdict("at least 200 of them are mutants", [] if len(bad) >= 200 else [str(len(bad))])

    for verb in verbs:
        if verb["takes_config"]:
            round_trip(verb["name"], verb["options"], validators[verb["name"]])

    for name, (command, document, by_horus, by_schema) in DIFFERENCES.items():
        faults = []
        if takes(command, document) != by_horus:
            faults.append("horus no longer " + ("takes" if by_horus else "refuses") + " it")
        if validators[command].is_valid(document) != by_schema:
            faults.append("the schema no longer " + ("takes" if by_schema else "refuses") + " it")
        verdict("a difference that is understood: " + name, faults)


main()
sys.exit(failed)
