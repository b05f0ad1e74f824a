#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What an SVG of `horus plot` shows, read back from its marks alone:
#   svg-facts.py marks FIGURE CLASS           how many elements of the class
#   svg-facts.py boxes FIGURE                 Gantt chart: sum of width x height, of the whole plot 1
#   svg-facts.py overlaps FIGURE              pairs of boxes that lie over one another
#   svg-facts.py cells FIGURE                 heat map: mean of level x area, of the whole plot 1
#   svg-facts.py areas FIGURE CLASS COLOUR    mean height of the areas, of the whole plot 1
#   svg-facts.py curves FIGURE PANEL          a line a curve: mean height, of its plot 1
#   svg-facts.py points FIGURE COLOUR         a line a corner of its first curve: x and y, of the plot 1
#   svg-facts.py bars FIGURE                  a line a bar: width, of its plot 1
#   svg-facts.py touching FIGURE              texts that lie over one another, or beyond the picture
#   svg-facts.py dots FIGURE COLOUR           a line a dot: x and y, of the plot 1
import re
import sys
import xml.etree.ElementTree as tree

what, path, *rest = sys.argv[1:]
root = tree.parse(path).getroot()
tags = [(e.tag.split("}")[1], (e.get("class") or "").split(), e) for e in root.iter()]


def subpaths(element):
    """Corners of each part of a path, in units: 'M10 20h40v21l10-11z' is in tenths."""
    parts = []
    for letter, numbers in re.findall(r"([MhvlzL])([^MhvlzL]*)", element.get("d")):
        n = [float(t) for t in re.findall(r"-?[\d.]+", numbers)]
        if letter == "M":
            x, y = n
            parts.append([])
        elif letter == "h":
            x += n[0]
        elif letter == "v":
            y += n[0]
        elif letter == "l":
            x, y = x + n[0], y + n[1]
        if letter != "z":
            parts[-1].append((x / 10, y / 10))
    return parts


# The axes of each plot: down its left edge, then along its lower one.
plots = [subpaths(e)[0] for t, c, e in tags if t == "path" and c == ["axis"] and re.search(r"v\d+h\d+$", e.get("d"))]
frames = [(p[0][0], p[2][0], p[0][1], p[2][1]) for p in plots]  # left, right, top, bottom


def size(f):
    return (f[1] - f[0]) * (f[3] - f[2])


def paths(name, colour=None):
    return [e for t, c, e in tags if t == "path" and c and c[0] == name and (colour is None or colour in c)]


def rects(name):
    return [tuple(float(e.get(k)) for k in ("x", "y", "width", "height")) for t, c, e in tags if t == "rect" and c and c[0] == name]


def inside(f, x, y):
    return f[0] - 1 <= x <= f[1] + 1 and f[2] - 1 <= y <= f[3] + 1


def mean_height(corners, f):
    """Of the steps between the left and the right edge."""
    area = sum((b[0] - a[0]) * (f[3] - (a[1] + b[1]) / 2) for a, b in zip(corners, corners[1:]))
    return abs(area) / size(f)


def shoelace(corners):
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, corners[1:] + corners[:1]))) / 2


if what == "marks":
    print(sum(1 for t, c, e in tags if rest[0] in c))
elif what == "boxes":
    print(sum(w * h for x, y, w, h in rects("bar")) / size(frames[0]))
elif what == "overlaps":
    boxes = rects("bar")
    for i, (x, y, w, h) in enumerate(boxes):
        for u, v, p, q in boxes[:i]:
            if min(x + w, u + p) - max(x, u) > 0.21 and min(y + h, v + q) - max(y, v) > 0.21:
                print(x, y, w, h, "over", u, v, p, q)
elif what == "touching":
    boxes = []
    for t, c, e in tags:
        if t != "text" or not e.text or (e.get("x"), e.get("y")) == ("0", "0"):  # those along the y axis are turned
            continue
        x, y, width = float(e.get("x")), float(e.get("y")), {"name": 6.4, "job": 5, "title": 8}.get(c[0], 6) * len(e.text)
        x -= {"start": 0, "middle": width / 2, "end": width}[e.get("text-anchor")]
        if x < 0 or x + width > float(root.get("width")):
            print(e.text, "is cut")
        for text, left, right, at in boxes:
            if abs(at - y) < 9 and left < x + width and x < right:
                print(e.text, "over", text)
        boxes.append((e.text, x, x + width, y))
elif what == "cells":
    groups = [(float(e.get("fill-opacity")), e) for t, c, e in tags if c == ["cells"]]
    print(sum(o * shoelace(p) for o, g in groups for p in subpaths(g[0])) / size(frames[0]))
elif what == "areas":
    print(sum(shoelace(p) for e in paths(*rest) for p in subpaths(e)) / size(frames[0]))
elif what == "curves":
    f = frames[int(rest[0])]
    for e in paths("line"):
        corners = subpaths(e)[0]
        if len(corners) > 2 and all(inside(f, *p) for p in corners):
            print(mean_height(corners, f))
elif what in ("points", "dots"):
    f = frames[0]
    corners = [(float(e.get("cx")), float(e.get("cy"))) for t, c, e in tags if c == ["dot", rest[0]]]
    if what == "points":
        corners = next(p for e in paths("line", rest[0]) for p in subpaths(e) if len(p) > 2)
    for x, y in corners:
        if inside(f, x, y):
            print(f"{(x - f[0]) / (f[1] - f[0]):.3f} {(f[3] - y) / (f[3] - f[2]):.3f}")
elif what == "bars":
    for x, y, w, h in rects("solid"):
        for f in frames:
            if inside(f, x, y):
                print(f"{w / (f[1] - f[0]):.4f}")
