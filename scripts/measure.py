#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the sources: size, functions, calls. `make lint` gates these figures.

    scripts/measure.py [TREE]           a table by folder, then the whole
    scripts/measure.py --once FOLDER    static functions that are called once, in FOLDER
    scripts/measure.py --single FOLDER  exported functions with at most one user outside their file
    scripts/measure.py --gate           breaches of the limits in scripts/layers.txt, a line each
    scripts/measure.py --citations      files named by comments and pages that are not in the tree

Functions and their complexity are those of pmccabe. A static function is called once when its file names
it once beside its definition: in a call, or as an entry of a table. An outside user of an exported function is another file of src/
or include/ that names it, its declaration apart; tests do not count.
"""
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

# Longest alternatives first: comments, strings and characters are blanked, line ends stay.
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def blanked(text):
    return NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))] if values else 0


class Tree:
    def __init__(self):
        self.files = sorted(
            os.path.join(folder, name)
            for top in ("include", "src")
            for folder, _, names in os.walk(top)
            for name in names
            if name.endswith((".c", ".h", ".def", ".in"))
        )
        self.text = {path: read(path) for path in self.files}
        self.code = {path: blanked(text) for path, text in self.text.items()}
        self.words = {path: Counter(re.findall(r"\w+", code)) for path, code in self.code.items()}
        self.functions = []  # (path, line, name, complexity, lines, is_static)
        sources = [path for path in self.files if path.endswith(".c")]
        for row in subprocess.run(["pmccabe", *sources], capture_output=True, text=True,
                                  check=True).stdout.splitlines():
            complexity, _, _, _, lines, where, name = row.split("\t")[:6] + [row.split()[-1]]
            path, line = re.match(r"(.*)\((\d+)\)", where).groups()
            head = " ".join(self.code[path].split("\n")[max(0, int(line) - 3):int(line) + 2])
            head = head[:head.find(name + "(")]
            head = re.split(r"[;}]", head)[-1]
            is_static = bool(re.search(r"\b(static|HS_INLINE)\b", head))
            self.functions.append((path, int(line), name, int(complexity), int(lines), is_static))

    def called_once(self):
        for path, line, name, _, _, is_static in self.functions:
            if is_static:
                prototypes = len(re.findall(r"^static[^={}]*?\b%s\([^{}]*?\);" % name, self.code[path], re.M))
                if self.words[path][name] - 1 - prototypes == 1:
                    yield path, line, name

    def users(self, path, name):
        count = 0
        for other in self.files:
            if other != path and self.words[other][name] > 0:
                is_declared_only = other.endswith(".h") and self.words[other][name] == 1 and re.search(
                    r"^[\w *]+\b%s\([^;{}]*?\)[^;{}()]*(\([^;{}]*\))?;" % name, self.code[other], re.M)
                count += 0 if is_declared_only else 1
        return count

    def single_user(self):
        for path, line, name, _, _, is_static in self.functions:
            if not is_static and name != "main" and self.users(path, name) <= 1:
                yield path, line, name


def folder_of(path, depth=3):
    return "/".join(path.split("/")[:-1][:depth])


def table(tree):
    once = Counter(folder_of(path) for path, _, _ in tree.called_once())
    single = Counter(folder_of(path) for path, _, _ in tree.single_user())
    folders = sorted({folder_of(path) for path in tree.files})
    print("%-26s %6s %6s %6s %5s %5s %5s %5s %5s %5s %5s %5s %5s %6s %6s" % (
        "folder", "lines", "code", "comm.", "files", "p50", "p90", "fn", "p50", "p90", "cc90",
        "exp.", "stat.", "once%", "single%"))

    def row(name, is_in):
        files = [path for path in tree.files if is_in(folder_of(path))]
        lines = {path: tree.text[path].count("\n") for path in files}
        code = sum(sum(1 for line in tree.code[path].split("\n") if line.strip()) for path in files)
        blank = sum(sum(1 for line in tree.text[path].split("\n")[:-1] if not line.strip()) for path in files)
        functions = [f for f in tree.functions if is_in(folder_of(f[0]))]
        static = sum(1 for f in functions if f[5])
        print("%-26s %6d %6d %6d %5d %5d %5d %5d %5d %5d %5d %5d %5d %6.1f %6.1f" % (
            name, sum(lines.values()), code, sum(lines.values()) - code - blank, len(files),
            quantile(lines.values(), 0.5), quantile(lines.values(), 0.9), len(functions),
            quantile([f[4] for f in functions], 0.5), quantile([f[4] for f in functions], 0.9),
            quantile([f[3] for f in functions], 0.9), len(functions) - static, static,
            percent(sum(n for f, n in once.items() if is_in(f)), static),
            percent(sum(n for f, n in single.items() if is_in(f)), len(functions) - static)))

    for folder in folders:
        row(folder, lambda f, folder=folder: f == folder)
    row("all", lambda f: True)


def gate(tree):
    limits, budgets = {}, {}
    for line in read("scripts/layers.txt").splitlines():
        word = line.split()
        if word[:1] == ["limit"]:
            limits[word[1]] = float(word[2])
        elif word[:1] == ["budget"]:
            budgets[word[1]] = int(word[2])
    lines = {path: tree.text[path].count("\n") for path in tree.files}
    for folder, budget in budgets.items():
        total = sum(read(os.path.join(inside, name)).count("\n")
                    for inside, _, names in os.walk(folder) for name in names)
        if total > budget:
            print("%s:1: budget: %d lines, at most %d (scripts/layers.txt)" % (folder, total, budget))
    if len(lines) > limits["files"]:
        print("src:1: budget: %d files, at most %d" % (len(lines), limits["files"]))
    for folder, count in Counter(os.path.dirname(path) for path in tree.files).items():
        if count > limits["folder_files"]:
            print("%s:1: folder: %d files, at most %d" % (folder, count, limits["folder_files"]))
    static = sum(1 for f in tree.functions if f[5])
    once = percent(len(list(tree.called_once())), static)
    single = percent(len(list(tree.single_user())), len(tree.functions) - static)
    if once > limits["called_once_percent"]:
        print("src:1: %.1f %% of static functions are called once, at most %g %% "
              "(scripts/measure.py --once src)" % (once, limits["called_once_percent"]))
    if single > limits["single_user_percent"]:
        print("src:1: %.1f %% of exported functions have at most one user, at most %g %% "
              "(scripts/measure.py --single src)" % (single, limits["single_user_percent"]))
    tags, headers = defaultdict(set), defaultdict(list)
    for path, code in tree.code.items():
        for tag in re.findall(r"\bstruct\s+(\w+)\s*\{", code):
            tags[tag].add(path)
        if path.endswith(".h"):
            headers[os.path.basename(path)].append(path)
    for tag, paths in tags.items():
        if len(paths) > 1:
            print("%s:1: name: struct %s is defined here and in %s" % (
                min(paths), tag, ", ".join(sorted(paths)[1:])))
    for name, paths in headers.items():
        if len(paths) > 1:
            print("%s:1: name: another header is called so: %s" % (paths[1], paths[0]))


# A path below a top folder or, as in an #include, below src/ or include/; or the name of a page.
CITED = re.compile(
    r"(?<![\w/.$*<>{}@-])((?:\./)?(?:src|include|tests|scripts|configs|traces|base|data|workload|model|engine|calibrate|"
    r"report|policies|cli|horus)/[\w./-]*\w\.(?:c|h|def|in|sh|py|awk|jq|gp)|[\w./-]*\w\.md)(?![\w/*])")


def citations():
    present = {os.path.normpath(os.path.join(folder, name))
               for folder, folders, names in os.walk(".")
               if not folder.startswith(("./build", "./.git/"))
               for name in names}
    names = {os.path.basename(path) for path in present}
    for path in sorted(present):
        if not path.endswith((".c", ".h", ".md", ".sh")) or path.startswith("build/"):
            continue
        for number, line in enumerate(read(path).split("\n"), 1):
            if path.endswith(".sh") and not line.lstrip().startswith("#"):
                continue
            if path.endswith((".c", ".h")) and line.startswith("#include"):
                continue
            for cited in CITED.findall(line):
                if re.search(r"(^|/)[A-Z]{3,}[/.-]", cited) and not cited.startswith(("README", "src/MODEL")):
                    continue  # a made-up name: policies/FAMILY/NAME.c
                places = [os.path.normpath(os.path.join(root, cited))
                          for root in (".", "src", "include", os.path.dirname(path))]
                if not present.intersection(places) and not ("/" not in cited and cited in names):
                    print("%s:%d: citation: there is no %s in the tree" % (path, number, cited))


def main():
    arguments = sys.argv[1:]
    option = arguments.pop(0) if arguments and arguments[0].startswith("--") else None
    if option not in (None, "--gate", "--citations", "--once", "--single"):
        sys.exit(__doc__)
    if option is None and arguments:
        os.chdir(arguments[0])
    if option == "--citations":
        return citations()
    tree = Tree()
    if option == "--gate":
        gate(tree)
    elif option:
        under = arguments[0] if arguments else "src"
        for path, line, name in tree.called_once() if option == "--once" else tree.single_user():
            if path.startswith(under):
                print("%s:%d: %s" % (path, line, name))
    else:
        table(tree)


main()
