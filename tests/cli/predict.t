SPDX-License-Identifier: GPL-3.0-or-later

`horus predict`. The catalogue and the model files are made up, so that their figures are short and
fitting again changes nothing here.

  $ M=tests/support/models
  $ predict() {
  >     horus predict --profiles $M/profiles.csv \
  >         --models $M/interference.json,$M/predictor.json,$M/speed.json,$M/utilization.json "$@"
  > }

# predict-alone
Only the job alone is measured. A policy's prediction is the value of predictor.json, with an error of 10 %
on the other rows.

  $ predict --job Alpha:32 --gpu V100
  Alpha/Set/32/fp32 alone on V100
                             value         error      source
    utilization               50.0 %           -      measured on V100
      a policy sees           60.0 %        10.0 %    regress
    GPU memory                4000 MiB         -      measured on V100
      a policy sees           4000 MiB         0 MiB  oracle
    time of a step          100.00 ms          -      measured on V100
    speed on P100            0.500 x           -      measured
    fits one V100 of 16384 MiB: yes

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-extrapolated-json
On a P100 nothing of the pair was measured: 1 + 0.5 x 0.9 from V100's form; predicted 1 + 0.5 x 0.6 x 0.8^2.

  $ predict --job Alpha:32 --with Beta --gpu P100 --json
  {
    "gpu": "P100",
    "predictor": "regress",
    "run_predictor": "noisy, RMSLE 0.154",
    "jobs": [
      {
        "asked": "Alpha:32",
        "profile": "Alpha/Set/32/fp32",
        "run_profile": "Alpha/Set/32/fp32",
        "util": {
          "value": 0.5,
          "rmse": null,
          "source": "measured on V100",
          "extrapolated": true
        },
        "util_told": {
          "value": 0.6,
          "rmse": null,
          "source": "regress",
          "extrapolated": true
        },
        "memory_mib": {
          "value": 4000,
          "rmse": null,
          "source": "measured on V100",
          "extrapolated": true
        },
        "memory_told_mib": {
          "value": 4000,
          "rmse": 0,
          "source": "oracle"
        },
        "step_ms": {
          "value": 200,
          "mean_absolute_error": null,
          "source": "measured on V100, speed: measured"
        },
        "speed": {
          "P100": {
            "value": 1,
            "mean_absolute_error": null,
            "source": "reference"
          },
          "V100": {
            "value": 2,
            "mean_absolute_error": null,
            "source": "measured"
          }
        },
        "slowdown": {
          "value": 1.45,
          "speed_rmse": null,
          "source": "general",
          "extrapolated": true
        },
        "slowdown_told": {
          "value": 1.192,
          "speed_rmse": null,
          "source": "general",
          "extrapolated": true
        }
      },
      {
        "asked": "Beta",
        "profile": "Beta/Text/16/amp",
        "run_profile": "Beta/Text/16/amp",
        "util": {
          "value": 0.9,
          "rmse": null,
          "source": "measured on V100",
          "extrapolated": true
        },
        "util_told": {
          "value": 0.8,
          "rmse": null,
          "source": "regress",
          "extrapolated": true
        },
        "memory_mib": {
          "value": 9000,
          "rmse": null,
          "source": "measured on V100",
          "extrapolated": true
        },
        "memory_told_mib": {
          "value": 9000,
          "rmse": 0,
          "source": "oracle"
        },
        "step_ms": {
          "value": 500,
          "mean_absolute_error": 62.5,
          "source": "measured on V100, speed: family"
        },
        "speed": {
          "P100": {
            "value": 1,
            "mean_absolute_error": null,
            "source": "reference"
          },
          "V100": {
            "value": 2.5,
            "mean_absolute_error": 0.3125,
            "source": "family"
          }
        },
        "slowdown": {
          "value": 1.45,
          "speed_rmse": null,
          "source": "general",
          "extrapolated": true
        },
        "slowdown_told": {
          "value": 1.144,
          "speed_rmse": null,
          "source": "general",
          "extrapolated": true
        }
      }
    ],
    "together": {
      "util": {
        "value": 0.965517,
        "rmse": null,
        "source": "sum of u x speed",
        "extrapolated": true
      },
      "memory_mib": {
        "value": 13000,
        "mean_absolute_error": null,
        "source": "sum",
        "extrapolated": true
      },
      "reserve_mib": 1000,
      "capacity_mib": 16384,
      "fits": true
    }
  }

# predict-fit
Without measured pairs: 1 + 0.5 x 0.4 and 1 + 1 x 1; gamma 2 squares both, with an unknown error.

  $ predict --job Alpha:32 --with Beta --gpu V100 --interference fit --gamma 2
  Alpha/Set/32/fp32 alone on V100
                             value         error      source
    utilization               50.0 %           -      measured on V100
      a policy sees           60.0 %        10.0 %    regress
    GPU memory                4000 MiB         -      measured on V100
      a policy sees           4000 MiB         0 MiB  oracle
    time of a step          100.00 ms          -      measured on V100
    speed on P100            0.500 x           -      measured

  Beta/Text/16/amp alone on V100
                             value         error      source
    utilization               90.0 %           -      measured on V100
      a policy sees           80.0 %        10.0 %    regress
    GPU memory                9000 MiB         -      measured on V100
      a policy sees           9000 MiB         0 MiB  oracle
    time of a step          200.00 ms          -      measured on V100
    speed on P100            0.400 x       0.040 x    family

  2 jobs on one V100
                          slowdown   speed   error  source     predicted   error  source
    Alpha/Set/32/fp32        1.440   0.694       -  fitted^2       1.192   0.100  general
    Beta/Text/16/amp         4.000   0.250       -  fitted^2       1.144   0.100  general
    utilization               57.2 %           -      sum of u x speed
    GPU memory               13000 MiB       300 MiB  sum
    with the reserve         14000 MiB
    fits one V100 of 16384 MiB: yes

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.
  ^2: slowdowns of pairs to this power (--gamma), which were not measured: no error.

# predict-gamma-json
1.25^2 and (1 + 1)^2; a slowdown raised by gamma is neither measured nor fitted, so that its error
is not known.

  $ predict --job Alpha:32 --with Beta --gpu V100 --gamma 2 --json
  {
    "gpu": "V100",
    "predictor": "regress",
    "run_predictor": "noisy, RMSLE 0.154",
    "jobs": [
      {
        "asked": "Alpha:32",
        "profile": "Alpha/Set/32/fp32",
        "run_profile": "Alpha/Set/32/fp32",
        "util": {
          "value": 0.5,
          "rmse": null,
          "source": "measured on V100"
        },
        "util_told": {
          "value": 0.6,
          "rmse": 0.1,
          "source": "regress"
        },
        "memory_mib": {
          "value": 4000,
          "rmse": null,
          "source": "measured on V100"
        },
        "memory_told_mib": {
          "value": 4000,
          "rmse": 0,
          "source": "oracle"
        },
        "step_ms": {
          "value": 100,
          "mean_absolute_error": null,
          "source": "measured on V100"
        },
        "speed": {
          "V100": {
            "value": 1,
            "mean_absolute_error": null,
            "source": "reference"
          },
          "P100": {
            "value": 0.5,
            "mean_absolute_error": null,
            "source": "measured"
          }
        },
        "slowdown": {
          "value": 1.5625,
          "speed_rmse": null,
          "source": "measured",
          "gamma": 2
        },
        "slowdown_told": {
          "value": 1.192,
          "speed_rmse": 0.1,
          "source": "general"
        }
      },
      {
        "asked": "Beta",
        "profile": "Beta/Text/16/amp",
        "run_profile": "Beta/Text/16/amp",
        "util": {
          "value": 0.9,
          "rmse": null,
          "source": "measured on V100"
        },
        "util_told": {
          "value": 0.8,
          "rmse": 0.1,
          "source": "regress"
        },
        "memory_mib": {
          "value": 9000,
          "rmse": null,
          "source": "measured on V100"
        },
        "memory_told_mib": {
          "value": 9000,
          "rmse": 0,
          "source": "oracle"
        },
        "step_ms": {
          "value": 200,
          "mean_absolute_error": null,
          "source": "measured on V100"
        },
        "speed": {
          "V100": {
            "value": 1,
            "mean_absolute_error": null,
            "source": "reference"
          },
          "P100": {
            "value": 0.4,
            "mean_absolute_error": 0.04,
            "source": "family"
          }
        },
        "slowdown": {
          "value": 4,
          "speed_rmse": null,
          "source": "fitted",
          "gamma": 2
        },
        "slowdown_told": {
          "value": 1.144,
          "speed_rmse": 0.1,
          "source": "general"
        }
      }
    ],
    "together": {
      "util": {
        "value": 0.545,
        "rmse": null,
        "source": "sum of u x speed"
      },
      "memory_mib": {
        "value": 13000,
        "mean_absolute_error": 300,
        "source": "sum"
      },
      "reserve_mib": 1000,
      "capacity_mib": 16384,
      "fits": true
    }
  }

# predict-general
No table has both: 1 + u v with 0.8 and 0.9. 15000 MiB and the reserve are within 16384.

  $ predict --job Alpha:64 --with Beta --gpu V100
  Alpha/Set/64/fp32 alone on V100
                             value         error      source
    utilization               80.0 %           -      measured on V100
      a policy sees           70.0 %        10.0 %    regress
    GPU memory                6000 MiB         -      measured on V100
      a policy sees           6000 MiB         0 MiB  oracle
    time of a step          160.00 ms          -      measured on V100
    speed on P100            0.500 x           -      nearest batch

  Beta/Text/16/amp alone on V100
                             value         error      source
    utilization               90.0 %           -      measured on V100
      a policy sees           80.0 %        10.0 %    regress
    GPU memory                9000 MiB         -      measured on V100
      a policy sees           9000 MiB         0 MiB  oracle
    time of a step          200.00 ms          -      measured on V100
    speed on P100            0.400 x       0.040 x    family

  2 jobs on one V100
                          slowdown   speed   error  source     predicted   error  source
    Alpha/Set/64/fp32        1.720   0.581   0.080  general        1.224   0.100  general
    Beta/Text/16/amp         1.720   0.581   0.080  general        1.196   0.100  general
    utilization               98.8 %           -      sum of u x speed
    GPU memory               15000 MiB       300 MiB  sum
    with the reserve         16000 MiB
    fits one V100 of 16384 MiB: yes

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-key
Keys as printed, also one without a batch; the names of both forms are folded alike.

  $ predict --job Alpha/Set/32/fp32 --with gamma/game//FP32 --gpu V100
  Alpha/Set/32/fp32 alone on V100
                             value         error      source
    utilization               50.0 %           -      measured on V100
      a policy sees           60.0 %        10.0 %    regress
    GPU memory                4000 MiB         -      measured on V100
      a policy sees           4000 MiB         0 MiB  oracle
    time of a step          100.00 ms          -      measured on V100
    speed on P100            0.500 x           -      measured

  Gamma/Game//fp32 alone on V100
                             value         error      source
    utilization               20.0 %           -      measured on P100, taken as such
      a policy sees              -             -      not known
    GPU memory                1000 MiB         -      measured on P100, taken as such
      a policy sees           1000 MiB         0 MiB  oracle
    time of a step            6.25 ms       0.63 ms   measured on P100, speed: family
    speed on P100            0.625 x       0.063 x    family

  2 jobs on one V100
                          slowdown   speed   error  source                predicted   error  source
    Alpha/Set/32/fp32        1.100   0.909       -  general, extrapolated         -       -  not known
    Gamma/Game//fp32         1.100   0.909       -  general, extrapolated         -       -  not known
    utilization               63.6 %           -      sum of u x speed, extrapolated
    GPU memory                5000 MiB         -      sum, extrapolated
    with the reserve          6000 MiB
    fits one V100 of 16384 MiB: yes

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-list
The jobs of the catalogue, in its order.

  $ horus predict --list --profiles tests/support/models/profiles.csv
  model              dataset        measured on        precision: batches
  Alpha              Set            V100               fp32: 32 64
  Beta               Text           V100               amp: 16
  Gamma              Game           P100               fp32: -
  Delta              Set            V100               fp32: 8

# predict-list-json
predict-list as JSON.

  $ horus predict --list --json --profiles tests/support/models/profiles.csv
  [
    {
      "model": "Alpha",
      "dataset": "Set",
      "gpus": ["V100"],
      "batches": {
        "fp32": ["32", "64"]
      }
    },
    {
      "model": "Beta",
      "dataset": "Text",
      "gpus": ["V100"],
      "batches": {
        "amp": ["16"]
      }
    },
    {
      "model": "Gamma",
      "dataset": "Game",
      "gpus": ["P100"],
      "batches": {
        "fp32": []
      }
    },
    {
      "model": "Delta",
      "dataset": "Set",
      "gpus": ["V100"],
      "batches": {
        "fp32": ["8"]
      }
    }
  ]

# predict-other-gpu
Measured on V100, where it is twice as fast: a step takes 200 ms on a P100, also when written p-100.

  $ predict --job Alpha:32 --gpu p-100
  Alpha/Set/32/fp32 alone on P100
                             value         error      source
    utilization               50.0 %           -      measured on V100, taken as such
      a policy sees           60.0 %           -      regress, extrapolated
    GPU memory                4000 MiB         -      measured on V100, taken as such
      a policy sees           4000 MiB         0 MiB  oracle
    time of a step          200.00 ms          -      measured on V100, speed: measured
    speed on V100            2.000 x           -      measured
    fits one P100 of 16384 MiB: yes

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-own-gpu
A user's model file has a type that the catalogue lacks: no warning, and its pairs are not extrapolated
(predict-pair). Utilizations and the form behind the policies' predictions are a V100's.

  $ sed 's/V100/L40S/' $M/interference.json >mine.json
  $ horus predict --profiles $M/profiles.csv \
  >     --models mine.json,$M/predictor.json,$M/speed.json,$M/utilization.json \
  >     --job Alpha:32 --with Beta --gpu L40S | sed -n '/^2 jobs/,$p'
  2 jobs on one L40S
                          slowdown   speed   error  source     predicted   error  source
    Alpha/Set/32/fp32        1.250   0.800       -  measured       1.192       -  general, extrapolated
    Beta/Text/16/amp         2.000   0.500   0.060  fitted         1.144       -  general, extrapolated
    utilization               85.0 %           -      sum of u x speed, extrapolated
    GPU memory               13000 MiB         -      sum, extrapolated
    with the reserve         14000 MiB
    fits one L40S of 49152 MiB: yes

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-pair
Alpha beside Beta is measured, Beta beside Alpha fitted: 1 + 1 x 1. Predicted: 1 + 0.5 x 0.6 x 0.8^2 and 1 +
0.5 x 0.8 x 0.6^2. Joint: 1 - 0.5 x 0.1.

  $ predict --job Alpha:32 --with beta --gpu V100
  Alpha/Set/32/fp32 alone on V100
                             value         error      source
    utilization               50.0 %           -      measured on V100
      a policy sees           60.0 %        10.0 %    regress
    GPU memory                4000 MiB         -      measured on V100
      a policy sees           4000 MiB         0 MiB  oracle
    time of a step          100.00 ms          -      measured on V100
    speed on P100            0.500 x           -      measured

  Beta/Text/16/amp alone on V100
                             value         error      source
    utilization               90.0 %           -      measured on V100
      a policy sees           80.0 %        10.0 %    regress
    GPU memory                9000 MiB         -      measured on V100
      a policy sees           9000 MiB         0 MiB  oracle
    time of a step          200.00 ms          -      measured on V100
    speed on P100            0.400 x       0.040 x    family

  2 jobs on one V100
                          slowdown   speed   error  source     predicted   error  source
    Alpha/Set/32/fp32        1.250   0.800       -  measured       1.192   0.100  general
    Beta/Text/16/amp         2.000   0.500   0.060  fitted         1.144   0.100  general
    utilization               85.0 %           -      sum of u x speed
    GPU memory               13000 MiB       300 MiB  sum
    with the reserve         14000 MiB
    fits one V100 of 16384 MiB: yes

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-pair-json
predict-pair as JSON.

  $ predict --job Alpha:32 --with beta --gpu V100 --json
  {
    "gpu": "V100",
    "predictor": "regress",
    "run_predictor": "noisy, RMSLE 0.154",
    "jobs": [
      {
        "asked": "Alpha:32",
        "profile": "Alpha/Set/32/fp32",
        "run_profile": "Alpha/Set/32/fp32",
        "util": {
          "value": 0.5,
          "rmse": null,
          "source": "measured on V100"
        },
        "util_told": {
          "value": 0.6,
          "rmse": 0.1,
          "source": "regress"
        },
        "memory_mib": {
          "value": 4000,
          "rmse": null,
          "source": "measured on V100"
        },
        "memory_told_mib": {
          "value": 4000,
          "rmse": 0,
          "source": "oracle"
        },
        "step_ms": {
          "value": 100,
          "mean_absolute_error": null,
          "source": "measured on V100"
        },
        "speed": {
          "V100": {
            "value": 1,
            "mean_absolute_error": null,
            "source": "reference"
          },
          "P100": {
            "value": 0.5,
            "mean_absolute_error": null,
            "source": "measured"
          }
        },
        "slowdown": {
          "value": 1.25,
          "speed_rmse": null,
          "source": "measured"
        },
        "slowdown_told": {
          "value": 1.192,
          "speed_rmse": 0.1,
          "source": "general"
        }
      },
      {
        "asked": "beta",
        "profile": "Beta/Text/16/amp",
        "run_profile": "Beta/Text/16/amp",
        "util": {
          "value": 0.9,
          "rmse": null,
          "source": "measured on V100"
        },
        "util_told": {
          "value": 0.8,
          "rmse": 0.1,
          "source": "regress"
        },
        "memory_mib": {
          "value": 9000,
          "rmse": null,
          "source": "measured on V100"
        },
        "memory_told_mib": {
          "value": 9000,
          "rmse": 0,
          "source": "oracle"
        },
        "step_ms": {
          "value": 200,
          "mean_absolute_error": null,
          "source": "measured on V100"
        },
        "speed": {
          "V100": {
            "value": 1,
            "mean_absolute_error": null,
            "source": "reference"
          },
          "P100": {
            "value": 0.4,
            "mean_absolute_error": 0.04,
            "source": "family"
          }
        },
        "slowdown": {
          "value": 2,
          "speed_rmse": 0.06,
          "source": "fitted"
        },
        "slowdown_told": {
          "value": 1.144,
          "speed_rmse": 0.1,
          "source": "general"
        }
      }
    ],
    "together": {
      "util": {
        "value": 0.85,
        "rmse": null,
        "source": "sum of u x speed"
      },
      "memory_mib": {
        "value": 13000,
        "mean_absolute_error": 300,
        "source": "sum"
      },
      "reserve_mib": 1000,
      "capacity_mib": 16384,
      "fits": true
    }
  }

# predict-rtx3090
The built-in files: the pair and both jobs were measured on an RTX3090 of 24 GiB (NVIDIA's data
sheet). 20162 MiB and 3884 MiB with the reserve of 1026 MiB are more than 24576 MiB; the first of
them alone is not.

  $ horus predict --job BERT:32 --with LSTM:64 --gpu rtx-3090 | grep fits
    fits one RTX3090 of 24576 MiB: no
  $ horus predict --job BERT:32 --gpu RTX3090 | grep fits
    fits one RTX3090 of 24576 MiB: yes

# predict-three
Excesses are added up: 0.72 + 1, 0.72 + 0.4, 0.25 + 0.4; predicted 0.196 + 0.144, 0.224 + 0.126, 0.192 +
0.147. Joint: 1 - 0.1 x 0.2 x 0.5. 19000 MiB do not fit.

  $ predict --job Beta --with Alpha:64 --with Alpha:32 --gpu V100
  Beta/Text/16/amp alone on V100
                             value         error      source
    utilization               90.0 %           -      measured on V100
      a policy sees           80.0 %        10.0 %    regress
    GPU memory                9000 MiB         -      measured on V100
      a policy sees           9000 MiB         0 MiB  oracle
    time of a step          200.00 ms          -      measured on V100
    speed on P100            0.400 x       0.040 x    family

  Alpha/Set/64/fp32 alone on V100
                             value         error      source
    utilization               80.0 %           -      measured on V100
      a policy sees           70.0 %        10.0 %    regress
    GPU memory                6000 MiB         -      measured on V100
      a policy sees           6000 MiB         0 MiB  oracle
    time of a step          160.00 ms          -      measured on V100
    speed on P100            0.500 x           -      nearest batch

  Alpha/Set/32/fp32 alone on V100
                             value         error      source
    utilization               50.0 %           -      measured on V100
      a policy sees           60.0 %        10.0 %    regress
    GPU memory                4000 MiB         -      measured on V100
      a policy sees           4000 MiB         0 MiB  oracle
    time of a step          100.00 ms          -      measured on V100
    speed on P100            0.500 x           -      measured

  3 jobs on one V100
                          slowdown   speed   error  source     predicted   error  source
    Beta/Text/16/amp         2.720   0.368       -  modelled       1.340       -  modelled
    Alpha/Set/64/fp32        2.185   0.458       -  GPU time       1.350       -  modelled
    Alpha/Set/32/fp32        1.650   0.606       -  modelled       1.339       -  modelled
    utilization              100.0 %           -      sum of u x speed
    GPU memory               19000 MiB         -      sum
    with the reserve         20000 MiB
    fits one V100 of 16384 MiB: no

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-told
The mean of the other row of Alpha; 4 (32 + 33) x 2^20 bytes by the formula. Off by ln(260/4000)
on the own row, by ln(516/6000) = -2.453 on the other, which is left for the error.

  $ predict --job Alpha:32 --gpu V100 --predictor table --memory-predictor formula
  Alpha/Set/32/fp32 alone on V100
                             value         error      source
    utilization               50.0 %           -      measured on V100
      a policy sees           80.0 %        30.0 %    table
    GPU memory                4000 MiB         -      measured on V100
      a policy sees            260 MiB       638 MiB  formula
    time of a step          100.00 ms          -      measured on V100
    speed on P100            0.500 x           -      measured
    fits one V100 of 16384 MiB: yes

  predicted: by table; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-unknowns
Delta and an H100 are unknown; the general form is fitted on other types.

  $ predict --job Alpha:32 --with Delta --gpu H100
  Alpha/Set/32/fp32 alone on H100
                             value         error      source
    utilization               50.0 %           -      measured on V100, taken as such
      a policy sees           60.0 %           -      regress, extrapolated
    GPU memory                4000 MiB         -      measured on V100, taken as such
      a policy sees           4000 MiB         0 MiB  oracle
    time of a step               -             -      not known
    speed on V100                -             -      not known
    speed on P100                -             -      not known

  Delta/Set/8/fp32 alone on H100
                             value         error      source
    utilization                  -             -      not known
      a policy sees              -             -      not known
    GPU memory                   -             -      not known
      a policy sees              -             -      not known
    time of a step               -             -      not known
    speed on V100                -             -      not known
    speed on P100                -             -      not known

  2 jobs on one H100
                          slowdown   speed   error  source                predicted   error  source
    Alpha/Set/32/fp32        1.500   0.667       -  general, extrapolated         -       -  not known
    Delta/Set/8/fp32         1.500   0.667       -  general, extrapolated         -       -  not known
    utilization                  -             -      not known
    GPU memory                   -             -      not known
    with the reserve             -
    fits one H100 of 81920 MiB: the memory that Delta/Set/8/fp32 needs is not known

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.
  ! warning: there are no measurements on H100: all values are extrapolated; measured: V100, P100

# predict-unmeasured
A run uses the row of batch 64: 1 + 0.8 x 0.2. The estimate is of loads, twice ln 2 for Alpha, so 1
- exp(-2 ln 2) and 1 + 0.75 x 0.2. Gamma's 20 % are measured on a P100, and the sum is marked so.

  $ predict --job Alpha:128:amp --with Gamma --gpu V100
  Alpha/Set/128/amp alone on V100
    not in the catalogue; a run uses Alpha/Set/64/fp32, whose values these are
                             value         error      source
    utilization               80.0 %           -      measured on V100
      a policy sees           70.0 %        10.0 %    regress
      estimated as asked      75.0 %        12.0 %    regress
    GPU memory                6000 MiB         -      measured on V100
      a policy sees           6000 MiB         0 MiB  oracle
    time of a step          160.00 ms          -      measured on V100
    speed on P100            0.500 x           -      nearest batch

  Gamma/Game//fp32 alone on V100
                             value         error      source
    utilization               20.0 %           -      measured on P100, taken as such
      a policy sees              -             -      not known
    GPU memory                1000 MiB         -      measured on P100, taken as such
      a policy sees           1000 MiB         0 MiB  oracle
    time of a step            6.25 ms       0.63 ms   measured on P100, speed: family
    speed on P100            0.625 x       0.063 x    family

  2 jobs on one V100
                          slowdown   speed   error  source                predicted   error  source
    Alpha/Set/64/fp32        1.160   0.862       -  general, extrapolated         -       -  not known
      estimated as asked     1.150   0.870       -  general, extrapolated
    Gamma/Game//fp32         1.160   0.862       -  general, extrapolated         -       -  not known
      estimated as asked     1.150   0.870       -  general, extrapolated
    utilization               86.2 %           -      sum of u x speed, extrapolated
    GPU memory                7000 MiB         -      sum, extrapolated
    with the reserve          8000 MiB
    fits one V100 of 16384 MiB: yes

  predicted: by regress; a run's default: noisy, RMSLE 0.154.
  error: root mean square on held-out rows (of the speed, beside a slowdown); mean absolute for
  speeds, times and sums of memory. '-': measured, exact, extrapolated or not known.

# predict-unmeasured-json
The value that a run uses and the estimate for batch 128 (predict-unmeasured) are separate keys.

  $ predict --job Alpha:128:amp --with Beta --gpu V100 --json
  {
    "gpu": "V100",
    "predictor": "regress",
    "run_predictor": "noisy, RMSLE 0.154",
    "jobs": [
      {
        "asked": "Alpha:128:amp",
        "profile": "Alpha/Set/128/amp",
        "run_profile": "Alpha/Set/64/fp32",
        "util": {
          "value": 0.8,
          "rmse": null,
          "source": "measured on V100"
        },
        "util_estimated": {
          "value": 0.75,
          "rmse": 0.12,
          "source": "regress"
        },
        "util_told": {
          "value": 0.7,
          "rmse": 0.1,
          "source": "regress"
        },
        "memory_mib": {
          "value": 6000,
          "rmse": null,
          "source": "measured on V100"
        },
        "memory_told_mib": {
          "value": 6000,
          "rmse": 0,
          "source": "oracle"
        },
        "step_ms": {
          "value": 160,
          "mean_absolute_error": null,
          "source": "measured on V100"
        },
        "speed": {
          "V100": {
            "value": 1,
            "mean_absolute_error": null,
            "source": "reference"
          },
          "P100": {
            "value": 0.5,
            "mean_absolute_error": null,
            "source": "nearest batch"
          }
        },
        "slowdown": {
          "value": 1.72,
          "speed_rmse": 0.08,
          "source": "general"
        },
        "slowdown_estimated": {
          "value": 1.675,
          "speed_rmse": 0.08,
          "source": "general"
        },
        "slowdown_told": {
          "value": 1.224,
          "speed_rmse": 0.1,
          "source": "general"
        }
      },
      {
        "asked": "Beta",
        "profile": "Beta/Text/16/amp",
        "run_profile": "Beta/Text/16/amp",
        "util": {
          "value": 0.9,
          "rmse": null,
          "source": "measured on V100"
        },
        "util_told": {
          "value": 0.8,
          "rmse": 0.1,
          "source": "regress"
        },
        "memory_mib": {
          "value": 9000,
          "rmse": null,
          "source": "measured on V100"
        },
        "memory_told_mib": {
          "value": 9000,
          "rmse": 0,
          "source": "oracle"
        },
        "step_ms": {
          "value": 200,
          "mean_absolute_error": null,
          "source": "measured on V100"
        },
        "speed": {
          "V100": {
            "value": 1,
            "mean_absolute_error": null,
            "source": "reference"
          },
          "P100": {
            "value": 0.4,
            "mean_absolute_error": 0.04,
            "source": "family"
          }
        },
        "slowdown": {
          "value": 1.72,
          "speed_rmse": 0.08,
          "source": "general"
        },
        "slowdown_estimated": {
          "value": 1.675,
          "speed_rmse": 0.08,
          "source": "general"
        },
        "slowdown_told": {
          "value": 1.196,
          "speed_rmse": 0.1,
          "source": "general"
        }
      }
    ],
    "together": {
      "util": {
        "value": 0.988372,
        "rmse": null,
        "source": "sum of u x speed"
      },
      "memory_mib": {
        "value": 15000,
        "mean_absolute_error": 300,
        "source": "sum"
      },
      "reserve_mib": 1000,
      "capacity_mib": 16384,
      "fits": true
    }
  }
