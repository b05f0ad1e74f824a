#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutation testing: the small faults in src/engine, src/model and src/policies that no test detects.

    scripts/mutate.py [N [SEED [WORD]]]      300 mutants, seed 1, of files whose path contains WORD
    scripts/mutate.py 201-300 24             continues after the first 200 of seed 24

A mutant is the tree with one operator, constant, condition or call changed, drawn uniformly from all
places. It is made in a copy of the tree (build/mutate), so that the tree itself is not changed, and tested: first
by tests of the same subject by name, then by golden timelines, tests of the same folder, conformance of the
policies and 300 random scenarios of each reference, from cheap to expensive, last by cases of the command line
that name the file's subject. The first test that fails or takes five times as much processor time kills it.
A mutant that compiles to the same code has no effect.

Prints how many were killed, survived, have no effect or did not compile, and the survivors as
FILE:LINE: MUTATION: each is a missing test, or a change without effect. About 10 s each on one core, as all
tests share one library, which alone is linked anew; some minutes for a first run without a mutation.
"""
import filecmp, json, os, random, re, resource, shutil, signal, subprocess, sys

FIRST, NUMBER = (int(n) for n in ("1-" + sys.argv[1] if len(sys.argv) > 1 else "1-300").split("-")[-2:])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
WORD = sys.argv[3] if len(sys.argv) > 3 else ""
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = os.path.join(TOP, "build/mutate")
PROGRAM = "build/mutate/horus"
COMMON = {"engine", "model", "policies", "lib", "simple", "src", "job", "plan", "build", "c"}
MAKE = ["make", "-k", "-s", "OPT=-O1", "BUILD=build/mutate", "STAMP_commit=mutant",
        "CFLAGS=-fPIC -fno-semantic-interposition", f"LDFLAGS=-Wl,-rpath,{TREE}/build/mutate"]
DEAREST_S = 3 # of processor time: more expensive tests are left out
CASES_MAX = 30 # of the command line, per mutant
MASK = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|//.*|/\*.*?(?:\*/|$)')
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
         "+=": "-=", "-=": "+=", "&&": "||", "||": "&&"}
BINARY = re.compile(r"(?<= )(<=?|>=?|==|!=|\+=?|-=?|&&|\|\|)(?= )")
CONSTANT = re.compile(r"(?<![\w.])(?<! : )\d+(?![\w.])") # no width of a bit field
CONDITION = re.compile(r"^(\s*(?:\} else |else )?(?:if|while) \()(.*)(\)(?: \{)?)$")
CALL = re.compile(r"^\s+(?:\(void\))?[a-z]\w*\(.*\);$|^\s+HS_TRY\(.*\);$")


def mutations(line):
    """(new line, what it is) of each; strings and comments are left alone."""
    code = MASK.sub(lambda m: "\0" * len(m.group()), line)
    if code.lstrip().startswith(("#", "*", "HS_PARAM", ".", "{0}", "assert(")) or "\\" in code[-1:]:
        return
    for m in BINARY.finditer(code):
        new = SWAPS[m.group()]
        yield line[:m.start()] + new + line[m.end():], f"{m.group()} -> {new}"
    for m in CONSTANT.finditer(code):
        new = str(int(m.group()) + 1)
        yield line[:m.start()] + new + line[m.end():], f"{m.group()} -> {new}"
    m = CONDITION.match(code.rstrip("\0 "))
    if m and m.group(2).count("(") == m.group(2).count(")"):
        a, b = m.span(2)
        yield f"{line[:a]}!({line[a:b]}){line[b:]}", "condition negated"
    if CALL.match(code) and line.count("(") == line.count(")"):
        yield ";", "call deleted"


def sites():
    for folder in ("engine", "model", "policies"):
        for at, _, files in sorted(os.walk(os.path.join(TREE, "src", folder))):
            for path in sorted(os.path.join(at, f) for f in files if f.endswith(".c")):
                if WORD not in os.path.relpath(path, TREE):
                    continue
                is_comment = False
                with open(path, encoding="utf-8") as file:
                    for number, line in enumerate(file.read().split("\n")):
                        is_comment = is_comment or line.lstrip().startswith("/*")
                        if not is_comment:
                            yield from ((path, number, new, what) for new, what in mutations(line))
                        is_comment = is_comment and "*/" not in line


def run(command, limit_s=3600):
    """Its exit code and the processor time it took: at most limit_s, while others use the machine too."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(command, cwd=TREE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env={**os.environ, "HORUS": PROGRAM, "HORUS_SCENARIOS": "300"},
                             start_new_session=True, preexec_fn=limit)
    try:
        code = child.wait(10 + 20 * limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        code = child.wait() or -1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def subjects(path, common):
    return {w for w in re.split(r"\W|_", os.path.relpath(path, TREE)) if len(w) > 2} - common


def cases(path, passing):
    """Of the command line: those with a word of the path in name or commands, then those of runs."""
    words, named, runs = subjects(path, COMMON | {"horus"}), [], []
    for file in sorted(os.listdir(os.path.join(TREE, "tests/cli"))):
        with open(os.path.join(TREE, "tests/cli", file), encoding="utf-8") as text:
            for case in re.split(r"^# ", text.read(), flags=re.M)[1:] if file.endswith(".t") else []:
                said = re.findall(r"^\S+|^  [$>].*", case, re.M)
                if words & set(re.split(r"[^a-z0-9]+", " ".join([file, *said]).lower())):
                    named.append(said[0])
                elif file.startswith("run"):
                    runs.append(said[0])
    return [case for case in named + runs if case in passing][:CASES_MAX]


def of_interest(path, tests):
    """Tests of the same subject, then quick ones of the whole and the policies' conformance, from cheap to expensive."""
    words = subjects(path, COMMON)
    folder = os.path.relpath(path, TREE).split("/")[1]
    near = {t for t in tests if words & set(os.path.basename(t).split("_"))}
    wide = {t for t in tests if "/golden/" in t or "/conformance/" in t or t.endswith("_random") or
            ("/unit/" in t and {"support/scenario.h", folder} & set(tests[t][1]))}
    return sorted(near | wide, key=lambda t: (t not in near, tests[t][0]))


def link():
    """Makes one library of all objects; the archive that make links with names it."""
    sources = [os.path.relpath(os.path.join(at, f), TREE) for at, _, files in os.walk(os.path.join(TREE, "src"))
               for f in files if f.endswith(".c") and f != "main.c"]
    run(["cc", "-shared", "-o", "build/mutate/libhorus.so", *(f"build/mutate/{f[:-2]}.o" for f in sorted(sources))])


def build():
    code = run([*MAKE, "objects"])[0]
    link()
    with open(os.path.join(TREE, "build/mutate/libhorus.a"), "w", encoding="utf-8") as file:
        file.write(f"INPUT({TREE}/build/mutate/libhorus.so)\n")
    if code != 0 or run([*MAKE, "tests"])[0] != 0:
        sys.exit(f"mutate: the tree without a mutation does not build in {TREE}")


def baseline():
    """Tests that pass without a mutation, with processor time and includes; cases of the command line that pass."""
    tests = {}
    for kind in "golden", "conformance", "unit", "oracle":
        for name in sorted(os.listdir(os.path.join(TREE, "build/mutate/tests", kind))):
            test = f"build/mutate/tests/{kind}/{name}"
            if "." in name:
                continue
            with open(os.path.join(TREE, test + ".d"), encoding="utf-8") as file:
                words = set(re.findall(r"support/scenario\.h|(?<=src/)(?:engine|model|policies)(?=/)", file.read()))
            code, took_s = run([test], DEAREST_S) if words or kind != "unit" else (1, 0)
            if code == 0:
                tests[test] = (took_s, sorted(words))
    said = subprocess.run(["tests/cli/run.sh"], cwd=TREE, env={**os.environ, "HORUS": PROGRAM}, stdout=subprocess.PIPE)
    return tests, re.findall(r"^ok - cli/(\S+)", said.stdout.decode(), re.M)


def code_of(made):
    """The object file's bytes; empty if it does not compile."""
    if run([*MAKE, made])[0] != 0:
        return b""
    with open(os.path.join(TREE, made), "rb") as file:
        return file.read()


def fate(path, tests, passing):
    link()
    near = of_interest(path, tests)
    run([*MAKE, "-o", "build/mutate/libhorus.a", *near]) # tests that include this file, or the one before
    for test in near:
        if run([test], 2 + int(5 * tests[test][0]))[0] != 0:
            return "killed", test
    chosen = cases(path, passing)
    return ("killed", "cli") if chosen and run(["tests/cli/run.sh", *chosen], 60)[0] != 0 else ("survived", "")


def main():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, stdout=subprocess.PIPE, check=True)
    names = list(filter(None, listed.stdout.decode().split("\0")))
    for at, _, files in os.walk(TREE):
        for gone in {os.path.relpath(os.path.join(at, f), TREE) for f in files} - set(names):
            if not gone.startswith("build/"):
                os.remove(os.path.join(TREE, gone))
    for name in names:
        here, there = os.path.join(TOP, name), os.path.join(TREE, name)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        if not os.path.exists(there) or not filecmp.cmp(here, there, shallow=False):
            shutil.copyfile(here, there) # with a new time: the output of a killed run is built again
            shutil.copymode(here, there)
    build()
    known = os.path.join(TREE, "build/baseline.json")
    if FIRST == 1 or not os.path.exists(known):
        with open(known, "w", encoding="utf-8") as file:
            json.dump(baseline(), file)
    with open(known, encoding="utf-8") as file:
        tests, passing = json.load(file)
    places, count, survivors = list(sites()), {}, []
    random.Random(SEED).shuffle(places)
    for done, (path, number, new, what) in list(enumerate(places[:NUMBER], 1))[FIRST - 1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        place = f"{os.path.relpath(path, TREE)}:{number + 1}: {what}: {lines[number].strip()}"
        made = f"build/mutate/{os.path.relpath(path, TREE)[:-2]}.o"
        before = code_of(made)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*lines[:number], new, *lines[number + 1:]]))
        after = code_of(made)
        end, by = ("uncompilable", "") if not after else ("same code", "")
        if after and after != before:
            end, by = fate(path, tests, passing)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(TREE, made), "wb") as file: # newer than its source again
            file.write(before)
        count[end] = count.get(end, 0) + 1
        survivors += [place] if end == "survived" else []
        print(f"{done}/{NUMBER} {end:12} {place} {os.path.basename(by)}", file=sys.stderr, flush=True)
    killed, survived = count.get("killed", 0), count.get("survived", 0)
    print(f"{len(places)} places; {killed} killed, {survived} survived, {count.get('same code', 0)} the same code, "
          f"{count.get('uncompilable', 0)} uncompilable: {100 * killed / max(1, killed + survived):.1f} % killed, "
          f"{len(tests)} tests and {len(passing)} cases, seed {SEED}")
    print("\n".join(survivors))


main()
