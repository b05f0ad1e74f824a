# SPDX-License-Identifier: GPL-3.0-or-later
#
# Nodes of Kubernetes as a cluster:
#     kubectl get nodes -o json | jq -f configs/mappings/kubernetes-nodes.jq >cluster.json
# GPUs, CPUs and memory are those that a node can allocate, the GPU type is its label nvidia.com/gpu.product
# (GPU feature discovery). Nodes without GPUs are left out; one with parts of GPUs (MIG slices, shared GPUs) has their
# names in place of a number of GPUs, which horus refuses. The fields are those of the API, v1/Node.

def cores: if endswith("m") then (.[:-1] | tonumber) / 1000 | floor else tonumber end;
def mib:
    {"Ki": 0.0009765625, "Mi": 1, "Gi": 1024, "Ti": 1048576,
     "m": 9.5367431640625e-10, "k": 0.00095367431640625, "M": 0.95367431640625, "G": 953.67431640625,
     "T": 953674.31640625} as $units
    | capture("^(?<n>[0-9.]+([eE][0-9]+)?)(?<unit>[A-Za-z]*)$")
    | (.n | tonumber) * ($units[.unit] // 9.5367431640625e-7) | floor;

{nodes: [.items[]
    | (.status.allocatable | with_entries(select((.key | test("gpu|mig-|vcuda")) and .value != "0"))) as $gpus
    | select($gpus != {})
    | {name: .metadata.name,
       gpus: (if ($gpus | keys) - ["nvidia.com/gpu", "amd.com/gpu"] == [] then $gpus[] | tonumber
              else $gpus | to_entries | map("\(.value) \(.key)") | join(", ") end),
       cpus: (.status.allocatable.cpu | cores), mem_mib: (.status.allocatable.memory | mib)}
      + (if .metadata.labels["nvidia.com/gpu.product"]
         then {type: .metadata.labels["nvidia.com/gpu.product"]} else {} end)]}
