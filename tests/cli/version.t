SPDX-License-Identifier: GPL-3.0-or-later

`horus version`.

# version
One line: version and commit.

  $ horus version
  horus 0.1.0 (*) (glob)

# version-verbose
Compiler, flags, libraries, built-in files.

  $ horus version --verbose
  horus 0.1.0 (*) (glob)
  compiler    * (glob)
  flags       -std=c11 * (glob)
  gsl         *.* (glob)
  libcsv      *.* (glob)
  cjson       *.* (glob)
  zlib        *.* (glob)
  zstd        *.* (glob)
  xxhash      *.* (glob)
  glpk        *.* (glob)
  models      builtin:clusters/antman-8x8-v100.json
              builtin:clusters/earth.json
              builtin:clusters/gandiva-100.json
              builtin:clusters/gandiva-45x4.json
              builtin:clusters/gavel-36-36-36.json
              builtin:clusters/horus-3x4.json
              builtin:clusters/n4g4.json
              builtin:clusters/openb.json
              builtin:clusters/pai.json
              builtin:clusters/philly-2vc.json
              builtin:clusters/philly-8gpu.json
              builtin:clusters/philly-revised.json
              builtin:clusters/philly.json
              builtin:clusters/saturn.json
              builtin:clusters/tiresias-15x4-p100.json
              builtin:clusters/uranus.json
              builtin:clusters/venus.json
              builtin:memory-limits.csv
              builtin:models/host-binary.json
              builtin:models/host.json
              builtin:models/interference.json
              builtin:models/predictor.json
              builtin:models/speed-lambda.json
              builtin:models/speed-mig.json
              builtin:models/speed.json
              builtin:models/stages.json
              builtin:models/utilization.json
              builtin:profiles.csv
              builtin:restart.csv
              builtin:workloads/earth.json
              builtin:workloads/itp01.json
              builtin:workloads/itp03.json
              builtin:workloads/itp05.json
              builtin:workloads/itp07.json
              builtin:workloads/itp09.json
              builtin:workloads/pai.json
              builtin:workloads/philly.json
              builtin:workloads/saturn.json
              builtin:workloads/uranus.json
              builtin:workloads/venus.json
  licence     GPL-3.0-or-later
