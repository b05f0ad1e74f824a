# SPDX-License-Identifier: GPL-3.0-or-later
#
# Best fit, written from its rules alone: openb's pods come one after the other and none leaves. A
# share goes to the GPU with shares that has the least sufficient room, otherwise to an idle GPU as a
# job of one GPU would; whole GPUs to the node with the fewest idle ones that are enough; always the
# lowest number among equals, and only where the node has the CPUs and the memory. Pods of 0 GPUs
# take nothing. A pod without a place waits for ever; others pass it.
#   awk -f openb-fill.awk openb_node_list_gpu_node.csv openb_pod_list_default.csv
# A line a pod: thousandths of GPUs allocated, GPUs held, pods waiting.
BEGIN {
    FS = ","
    nodes = opened = 0
}
FNR == 1 { next }
FNR == NR {
    cpu[nodes] = $2
    memory[nodes] = $3
    idle[nodes] = $4
    nodes++
    next
}
{
    gpus = $4
    each_cpu = gpus > 0 ? up($2 / gpus) : 0
    each_memory = gpus > 0 ? up($3 / gpus) : 0
    if (gpus == 0) placed = 1
    else if ($5 < 1000) placed = divide($5)
    else placed = take(gpus) >= 0
    if (placed) allocated += gpus * $5
    else waiting++
    print allocated + 0, held + 0, waiting + 0
}

function up(x) { return x == int(x) ? x : int(x) + 1 }

function fits(node, gpus) { return cpu[node] >= gpus * each_cpu && memory[node] >= gpus * each_memory }

function book(node, gpus) {
    cpu[node] -= gpus * each_cpu
    memory[node] -= gpus * each_memory
}

function take(gpus, node, best) {
    best = -1
    for (node = 0; node < nodes; node++)
        if (idle[node] >= gpus && fits(node, gpus) && (best < 0 || idle[node] < idle[best])) best = node
    if (best < 0) return -1
    idle[best] -= gpus
    held += gpus
    book(best, gpus)
    return best
}

# GPUs with shares: of a node in the order in which they were opened, which is that of their numbers.
function divide(milli, i, best, node) {
    best = -1
    for (i = 0; i < opened; i++)
        if (room[i] >= milli && fits(of_node[i], 1) && (best < 0 || before(i, best))) best = i
    if (best >= 0) {
        room[best] -= milli
        book(of_node[best], 1)
        return 1
    }
    node = take(1)
    if (node < 0) return 0
    of_node[opened] = node
    room[opened++] = 1000 - milli
    return 1
}

# Less room; else the lower number: that of the node, else the GPU that was opened first.
function before(i, j) {
    if (room[i] != room[j]) return room[i] < room[j]
    return of_node[i] != of_node[j] ? of_node[i] < of_node[j] : i < j
}
