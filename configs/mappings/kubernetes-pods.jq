# SPDX-License-Identifier: GPL-3.0-or-later
#
# Pods of Kubernetes as a native CSV:
#     kubectl get pods --all-namespaces -o json | jq -rf configs/mappings/kubernetes-pods.jq >jobs.csv
# A pod is submitted at its creation and runs from the first start to the last end of its containers.
# Its namespace is the virtual cluster. GPUs are those of the resource nvidia.com/gpu, their type that of
# the node selector nvidia.com/gpu.product. A pod that has not ended is marked as running: it is left out, and
# counted, as is one without GPUs. The fields are those of the API, v1/Pod.

def seconds: sub("\\.[0-9]+Z$"; "Z") | fromdateiso8601;
def cores: if . == null then 0 elif endswith("m") then (.[:-1] | tonumber) / 1000 else tonumber end;
def mib:
    {"Ki": 0.0009765625, "Mi": 1, "Gi": 1024, "Ti": 1048576,
     "k": 0.00095367431640625, "M": 0.95367431640625, "G": 953.67431640625, "T": 953674.31640625} as $units
    | if . == null then 0
      else capture("^(?<n>[0-9.]+)(?<unit>[A-Za-z]*)$") | (.n | tonumber) * ($units[.unit] // 9.5367431640625e-7)
      end;
def sum_of(f): map(f) | add // 0;

["job_id", "submit_time", "gpus", "duration", "vc", "gpu_type", "cpus", "mem_mib", "priority", "status"],
(.items[]
    | .spec.containers as $containers
    | [.status.containerStatuses[]?.state.terminated] as $ended
    | (($ended | length) > 0 and ($ended | all(. != null and .startedAt != null))) as $has_ended
    | [.metadata.namespace + "/" + .metadata.name,
       (.metadata.creationTimestamp | seconds),
       ($containers | sum_of(.resources | (.limits // .requests // {})["nvidia.com/gpu"] // "0" | tonumber)),
       (if $has_ended then ($ended | map(.finishedAt | seconds) | max) - ($ended | map(.startedAt | seconds) | min)
        else 0 end),
       .metadata.namespace,
       (.spec.nodeSelector["nvidia.com/gpu.product"]? // ""),
       ($containers | sum_of(.resources.requests.cpu | cores)),
       ($containers | sum_of(.resources.requests.memory | mib) | ceil),
       (.spec.priority // 0),
       (if $has_ended | not then "running" elif .status.phase == "Succeeded" then "completed" else "failed" end)])
| @csv
