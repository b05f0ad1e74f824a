# SPDX-License-Identifier: GPL-3.0-or-later
#
# Pods of Kubernetes as a native CSV:
#     kubectl get pods --all-namespaces -o json | jq -rf configs/mappings/kubernetes-pods.jq >jobs.csv
# A pod is a job of its own: the workers of one training are no gang. It is submitted at its creation and
# runs from the first start to the last end of its containers; one with restarts, of which only the last
# start is known, from that. Its namespace is the virtual cluster. Its GPUs are those of its containers, or
# of an init container that wants more, their type that of the node selector nvidia.com/gpu.product. Pods
# without GPUs, and those that have not ended, are left out by horus, and counted. Parts of GPUs (MIG slices,
# shared GPUs, GPU memory) are no number of GPUs: such a pod gets their names, a fault that horus reports,
# or passes over and counts (--skip-bad-rows). The fields are those of the
# API, v1/Pod.

def seconds: if . == null then "" else sub("\\.[0-9]+Z$"; "Z") | fromdateiso8601 end;
def cores: if . == null then 0 elif endswith("m") then (.[:-1] | tonumber) / 1000 else tonumber end;
def mib:
    {"Ki": 0.0009765625, "Mi": 1, "Gi": 1024, "Ti": 1048576,
     "m": 9.5367431640625e-10, "k": 0.00095367431640625, "M": 0.95367431640625, "G": 953.67431640625, "T": 953674.31640625} as $units
    | if . == null then 0
      else capture("^(?<n>[0-9.]+([eE][0-9]+)?)(?<unit>[A-Za-z]*)$") | (.n | tonumber) * ($units[.unit] // 9.5367431640625e-7)
      end;
def sum_of(f): map(f) | add // 0;
def wants: .resources | (.limits // .requests // {}) | with_entries(select(.key | test("gpu|mig-|vcuda")));
def gpus: wants | (."nvidia.com/gpu" // ."amd.com/gpu" // "0") | tonumber;
def parts: wants | del(."nvidia.com/gpu", ."amd.com/gpu") | to_entries[] | "\(.value) \(.key)";

["job_id", "submit_time", "gpus", "start_time", "end_time", "vc", "gpu_type", "cpus", "mem_mib", "priority", "status"],
(.items[]
    | .spec.containers as $containers
    | (.spec.initContainers // []) as $inits
    | [$containers[], $inits[] | parts] as $parts
    | [.status.containerStatuses[]?] as $told
    | ($told | map(.state.terminated)) as $ended
    | (($ended | length) > 0 and ($ended | all(. != null and .startedAt != null))) as $has_ended
    | [.metadata.namespace + "/" + .metadata.name,
       (.metadata.creationTimestamp | seconds),
       (if $parts != [] then $parts | join(", ") else [($containers | sum_of(gpus)), ($inits[] | gpus)] | max end),
       (if $has_ended and ($told | all((.restartCount // 0) == 0)) then $ended | map(.startedAt) | min
        else .status.startTime end | seconds),
       (if $has_ended then $ended | map(.finishedAt | seconds) | max else "" end),
       .metadata.namespace,
       (.spec.nodeSelector["nvidia.com/gpu.product"]? // ""),
       ($containers | sum_of(.resources.requests.cpu | cores)),
       ($containers | sum_of(.resources.requests.memory | mib) | ceil),
       (.spec.priority // 0),
       ({"Succeeded": "completed", "Failed": "failed", "Pending": "pending"}[.status.phase // ""] // "running")])
| @csv
