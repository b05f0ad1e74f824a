# SPDX-License-Identifier: GPL-3.0-or-later
#
# Graph features of the models in scripts/graphs.txt, as the columns of configs/profiles.csv:
# walks each list of layers with the shape of one sample (channels x height x width) and counts
# the forward pass. See scripts/graphs.txt for the language and what each operator counts as.
#   awk -f scripts/graph-features.awk scripts/graphs.txt
# Prints CSV, one row a graph. Exit 1 with file:line when a graph disagrees with a published count
# (`check`), names an unknown operator or shapes do not fit.

function fail(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
    failed = 1
}

# An operand: a number, *N for N times the channels, /N for a part of them, = for all of them.
function value(text) {
    if (text == "=")
        return channels
    if (text ~ /^\*[0-9]+$/)
        return channels * substr(text, 2)
    if (text ~ /^\/[0-9]+$/)
        return int(channels / substr(text, 2))
    if (text !~ /^[0-9]+$/)
        fail("not a number: '" text "'")
    return text + 0
}

function shape(c, h, w) {
    if (c < 1 || h < 1 || w < 1)
        fail("an empty shape: " c " x " h " x " w)
    channels = c
    height = h
    width = w
}

function elements() {
    return channels * height * width
}

# A parameter tensor of its own: weights, biases and tables are separate ones.
function tensor(size) {
    if (size > largest)
        largest = size
}

# A layer with weights: what it multiplies for one sample, and its output.
function layer(mults, weights) {
    macs += mults * copies
    params += weights
    layers += 1
    outputs += elements() * copies
}

function convolve(out, kh, kw, sh, sw, pad, groups, bias, h, w, weights) {
    if (pad == "same") {
        h = int((height + sh - 1) / sh)
        w = int((width + sw - 1) / sw)
    } else {
        # Padding is along each axis that the kernel spans: a 1-d kernel pads only its own.
        h = int((height + (kh > 1 ? 2 * pad : 0) - kh) / sh) + 1
        w = int((width + (kw > 1 ? 2 * pad : 0) - kw) / sw) + 1
    }
    if (groups == 0 || channels % groups != 0)
        fail("groups do not divide " channels " channels")
    weights = out * kh * kw * channels / groups
    tensor(weights)
    shape(out, h, w)
    convs += copies
    layer(weights * h * w, weights + (bias ? out : 0))
}

# conv OUT K[xK] [S[xS]] [P|same] [gN] [bias]
function do_conv(n, i, out, kernel, stride, sides, pad, groups, bias) {
    out = value(arg[2])
    split_pair(arg[3], kernel)
    split_pair("1", stride)
    pad = 0
    groups = 1
    bias = 0
    sides = 0
    for (i = 4; i <= n; i++) {
        if (arg[i] == "bias")
            bias = 1
        else if (arg[i] ~ /^g/)
            groups = value(substr(arg[i], 2))
        else if (arg[i] == "same" || sides == 1)
            pad = arg[i] == "same" ? "same" : value(arg[i])
        else {
            split_pair(arg[i], stride)
            sides = 1
        }
    }
    convolve(out, kernel[1], kernel[2], stride[1], stride[2], pad, groups, bias)
}

function split_pair(text, pair, parts) {
    if (split(text, parts, "x") == 2) {
        pair[1] = value(parts[1])
        pair[2] = value(parts[2])
    } else
        pair[1] = pair[2] = value(text)
}

# deconv OUT K S H [bias]: a transposed convolution; H is the side of its output.
function do_deconv(n, out, k, side, weights) {
    out = value(arg[2])
    k = value(arg[3])
    side = value(arg[5])
    weights = channels * out * k * k
    tensor(weights)
    convs += copies
    mults = weights * height * width
    shape(out, side, side)
    layer(mults, weights + (n >= 6 && arg[6] == "bias" ? out : 0))
}

# pool K [S] [P] [ceil], pool K same: max or mean over windows; gpool: over the whole plane
function do_pool(n, k, s, p, up) {
    k = value(arg[2])
    s = n >= 3 && arg[3] != "same" ? value(arg[3]) : k
    p = n >= 4 && arg[4] != "ceil" ? value(arg[4]) : 0
    up = arg[n] == "ceil" ? s - 1 : 0
    shape(channels, height > 1 ? int((height + 2 * p - k + up) / s) + 1 : 1, \
        width > 1 ? int((width + 2 * p - k + up) / s) + 1 : 1)
    others += copies
}

# linear OUT [nobias] [tied]: on the channels, at each position; tied = the weights are a table's
function do_linear(n, i, out, mults, weights) {
    out = value(arg[2])
    mults = channels * out
    weights = mults + out
    for (i = 3; i <= n; i++)
        weights -= arg[i] == "nobias" ? out : arg[i] == "tied" ? mults : 0
    tensor(weights < mults ? weights : mults)
    linears += copies
    shape(out, height, width)
    layer(mults * height * width, weights)
}

# embed ROWS DIM [frozen]: a table read at each position; no arithmetic
function do_embed(n) {
    linears += copies
    shape(value(arg[3]), height, width)
    if (!(n >= 4 && arg[4] == "frozen")) {
        params += value(arg[2]) * channels
        tensor(value(arg[2]) * channels)
    }
    outputs += elements() * copies
}

# attend HEADS KEYS [WIDTH]: both products of attention over KEYS positions, softmax and dropout
function do_attend(n, heads, keys, d) {
    heads = value(arg[2])
    keys = value(arg[3])
    d = n >= 4 ? value(arg[4]) : channels
    macs += 2 * d * height * keys * copies
    linears += 2 * copies
    activations += copies
    others += copies
    outputs += (heads * height * keys + d * height) * copies
}

# lstm|gru HIDDEN [both|cell]: one layer over the positions, or one step of all of them; each step
# and direction is counted as the author of Horus counts it (policies/horus.md 2.1). PyTorch and
# Keras keep two bias vectors, and apart what multiplies the input and the state of a direction.
function do_recurrent(n, gates, dense, act, hidden, steps, ways, weights) {
    hidden = value(arg[2])
    ways = n >= 3 && arg[3] == "both" ? 2 : 1
    steps = n >= 3 && arg[3] == "cell" ? 1 : height * ways
    weights = gates * hidden * (channels + hidden) * ways
    tensor(gates * hidden * (channels > hidden ? channels : hidden))
    linears += dense * steps * copies
    activations += act * steps * copies
    shape(hidden * ways, height, width)
    layer(weights * height, weights + 2 * gates * hidden * ways)
}

# norm [free]: batch, layer or instance normalisation, with a scale and a shift each channel
function do_norm(n) {
    others += copies
    if (!(n >= 2 && arg[2] == "free")) {
        params += 2 * channels
        tensor(channels)
    }
}

function relative(a, b) {
    return b == 0 ? (a == 0 ? 0 : 1) : (a > b ? a - b : b - a) / b
}

# check FEATURE PUBLISHED TOLERANCE WHO...: TOLERANCE is a part of PUBLISHED
function do_check(n, is) {
    is = arg[2] == "macs" ? macs : arg[2] == "params" ? params : arg[2] == "outputs" ? outputs : \
        arg[2] == "skew" ? skew() : -1
    if (is < 0 || n < 5)
        fail("check needs macs, params, outputs or skew, a number, a tolerance and a source")
    else if (relative(is, arg[3]) > arg[4] + 0)
        fail(graph ": " arg[2] " = " sprintf(arg[2] == "skew" ? "%.1f" : "%.0f", is) \
            ", published " arg[3])
    checks++
}

# Percent of all parameters that the largest tensor has.
function skew() {
    return params > 0 ? 100 * largest / params : 0
}

function close_graph() {
    if (graph == "")
        return
    printf "%s,%.0f,%.0f,%d,%d,%d,%d,%d,%.0f,%s\n", graph, macs, params, layers, convs, linears, \
        activations, others, outputs, (params > 0 ? sprintf("%.1f", skew()) : "")
    graph = ""
}

function open_graph(name) {
    close_graph()
    if (name !~ /^[^\/]+\/[^\/]+$/)
        fail("a graph is named MODEL/DATASET")
    sub(/\//, ",", name)
    graph = name
    macs = params = layers = convs = linears = activations = others = outputs = largest = 0
    copies = 1
    channels = height = width = 0
}

# One operator with its operands; $1.. of a macro are already replaced.
function operate(text, depth, n, op, name) {
    if (depth > 8) {
        fail("macros nest too deeply")
        return
    }
    n = split(text, arg, " ")
    if (n == 0)
        return
    op = arg[1]
    if (op == "in")
        shape(value(arg[2]), n >= 3 ? value(arg[3]) : 1, n >= 4 ? value(arg[4]) : 1)
    else if (op == "conv")
        do_conv(n)
    else if (op == "deconv")
        do_deconv(n)
    else if (op == "linear")
        do_linear(n)
    else if (op == "embed")
        do_embed(n)
    else if (op == "attend")
        do_attend(n)
    else if (op == "lstm")
        do_recurrent(n, 4, 2, 5)
    else if (op == "gru")
        do_recurrent(n, 3, 6, 4)
    else if (op == "mult") {
        macs += value(arg[2]) * copies
        linears += copies
    } else if (op == "norm")
        do_norm(n)
    else if (op == "act")
        activations += copies
    else if (op == "pool")
        do_pool(n)
    else if (op == "gpool") {
        shape(channels, 1, 1)
        others += copies
    } else if (op == "other")
        others += copies
    else if (op == "copies")
        copies = value(arg[2])
    else if (op == "flat")
        shape(elements(), 1, 1)
    else if (op == "fold")
        shape(channels * width, height, 1)
    else if (op == "join")
        shape(value(arg[2]), height, width)
    else if (op == "keep")
        kept[arg[2]] = channels " " height " " width
    else if (op == "back") {
        split(kept[arg[2]], saved, " ")
        shape(saved[1], saved[2], saved[3])
    } else if (op == "check")
        do_check(n)
    else if (op == "times") {
        name = text
        sub(/^ *times +[0-9]+ +/, "", name)
        repeat(name, value(arg[2]), depth)
    } else if (op in macro)
        expand(op, n, depth)
    else
        fail("unknown operator: '" op "'")
}

function repeat(text, times, depth, i) {
    for (i = 1; i <= times; i++)
        operate(text, depth + 1)
}

function expand(name, n, depth, body, i, count, parts) {
    body = macro[name]
    for (i = n; i >= 2; i--)
        gsub("[$]" (i - 1), arg[i], body)
    if (body ~ /[$]/)
        fail("'" name "' needs more operands")
    count = split(body, parts, ";")
    for (i = 1; i <= count; i++)
        operate(parts[i], depth + 1)
}

BEGIN { print "model,dataset,macs,params,layers,convs,linears,activations,others,outputs,skew" }
{ sub(/#.*/, "") }
/^[ \t]*$/ { next }
$1 == "graph" { open_graph($2); next }
$1 == "def" {
    name = $2
    sub(/^ *def +[^ ]+ +/, "")
    macro[name] = $0
    next
}
{
    count = split($0, pieces, ";")
    for (piece = 1; piece <= count; piece++)
        operate(pieces[piece], 0)
}
END {
    close_graph()
    exit failed
}
