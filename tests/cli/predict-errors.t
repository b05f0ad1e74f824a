SPDX-License-Identifier: GPL-3.0-or-later

`horus predict`: what it refuses. The catalogue and the model files are made up, so their figures are short
and fitting again changes nothing here.

  $ M=tests/support/models
  $ predict() {
  >     horus predict --profiles $M/profiles.csv \
  >         --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json "$@"
  > }

# predict-bad-batch
A batch is a number.

  $ predict --job Alpha:big --gpu V100
  ! error: predict: the batch of 'Alpha:big' is not a positive number
  !       = hint: samples per step, for example ResNet18:64
  [2]

# predict-bad-gpu
A comma would separate two GPU types.

  $ predict --job Alpha --gpu V100,P100
  ! error: predict: 'V100,P100' is not the name of a GPU type
  !       = hint: for example V100
  [2]

# predict-bad-key
A key has four parts.

  $ predict --job Alpha/Set/64/fp32/more --gpu V100
  ! error: predict: a job is MODEL[:BATCH[:PRECISION[:DATASET]]] or MODEL/DATASET/BATCH/PRECISION, not 'Alpha/Set/64/fp32/more'
  !       = hint: for example ResNet18:64:amp or ResNet18/CIFAR-10/64/amp
  [2]

# predict-no-gpu
Slowdowns are of a GPU type.

  $ predict --job Alpha:64
  ! error: predict: --gpu is missing: the GPU type
  !       = hint: for example --gpu V100
  [2]

# predict-no-job
No --job.

  $ predict --gpu V100
  ! error: predict: --job is missing: MODEL[:BATCH[:PRECISION[:DATASET]]]
  !       = hint: for example --job ResNet18:64:amp; --list lists the catalogue
  [2]

# predict-slip-gpu
An unknown GPU type is a warning, not an error.

  $ predict --job Gamma --gpu W100
  Gamma/Game//fp32 alone on W100
                             value         error      source
    utilization               20.0 %           -      measured on P100, taken as such
      a policy sees              -             -      not known
    GPU memory                1000 MiB         -      measured on P100, taken as such
      a policy sees           1000 MiB         0 MiB  oracle
    time of a step               -             -      not known
    speed on V100                -             -      not known
    speed on P100                -             -      not known
    fits one W100: the memory of this GPU type is not known

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.
  ! warning: there are no measurements on W100: all values are extrapolated; measured: V100, P100

# predict-too-many-parts
A job has at most four parts.

  $ predict --job Alpha:64:fp32:Set:more --gpu V100
  ! error: predict: a job is MODEL[:BATCH[:PRECISION[:DATASET]]] or MODEL/DATASET/BATCH/PRECISION, not 'Alpha:64:fp32:Set:more'
  !       = hint: for example ResNet18:64:amp or ResNet18/CIFAR-10/64/amp
  [2]

# predict-unknown-dataset
A dataset that is unknown for the model is an error, not a guess.

  $ predict --job Alpha:64:fp32:ImageNet --gpu V100
  ! error: predict: the catalogue has no model 'Alpha' with the dataset 'ImageNet'
  !       = hint: it has the model with 'Set'
  [2]

# predict-unknown-model
A misspelt model.

  $ predict --job Alhpa:32 --gpu V100
  ! error: predict: the catalogue has no model 'Alhpa'
  !       = hint: did you mean 'Alpha'? 'horus predict --list' lists all
  [2]

# predict-unknown-precision
A precision that is unknown for the model is an error, not a guess.

  $ predict --job Alpha:64:bf16 --gpu V100
  ! error: predict: the catalogue has no model 'Alpha' with the precision 'bf16'
  !       = hint: unmeasured configurations are predicted for fp32 and amp
  [2]

# predict-other-precision
A measured model in another precision, and one without any prediction.

  $ horus predict --job ResNet18///amp --gpu V100 | head -n 1
  ResNet18/CIFAR-10/32/amp alone on V100
  $ horus predict --job ResNet18///FP32 --gpu V100 | head -n 1
  ResNet18/CIFAR-10/32/fp32 alone on V100
  $ horus predict --job ResNet18///int8 --gpu V100
  ! error: predict: the catalogue has no model 'ResNet18' with the precision 'int8'
  !       = hint: unmeasured configurations are predicted for fp32 and amp
  [2]
