# SPDX-License-Identifier: GPL-3.0-or-later
#
# horus: one makefile, no recursion into folders. `make help` lists the targets.
#   VARIANT=release|release-lto|release-pgo|debug|asan|cov|fuzz   what to build, into build/VARIANT
#   CC, OPT, CFLAGS, LDFLAGS, BUILD  override compiler, optimisation, extra flags, output folder
#   V=1                              print commands
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

VARIANT ?= release
PREFIX  ?= /usr/local
BUILD   ?= build/$(VARIANT)
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
ifeq ($(origin CC),default)
CC := gcc
endif

# Link-time optimisation makes runs 10 to 20 % faster and each link 30 s of CPU longer: it is for what is
# installed or measured, not for the edit loop. Fat objects let plain ar and ranlib handle them.
OPT_release     := -O2 -g
OPT_release-lto := -O2 -g $(if $(findstring gcc,$(CC)),-flto=auto -ffat-lto-objects)
# By the profile of `make pgo`, whose training runs write the .gcda files; functions they do not reach are optimised
# as without one. Its warnings are guesses of the inliner; release has them all.
OPT_release-pgo := $(OPT_release-lto) $(if $(TRAINING),-fprofile-generate,-fprofile-use -fprofile-partial-training \
                   -w)
OPT_debug       := -O0 -g3
OPT_asan        := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
OPT_cov         := -O0 -g --coverage
# Of clang, for libFuzzer and AFL++: edges only, as tracing of comparisons takes more than half of the time; files
# in pieces that are smaller than an input.
OPT_fuzz        := $(OPT_asan) -O2 -DINPUT_PIECE=1024u -DARENA_DOUBLING=65536u \
                   $(if $(findstring afl,$(CC)),,-fsanitize-coverage=inline-8bit-counters,pc-table)
ifeq ($(origin OPT_$(VARIANT)),undefined)
$(error VARIANT=$(VARIANT) is unknown: use release, release-lto, release-pgo, debug, asan, cov or fuzz)
endif
OPT ?= $(OPT_$(VARIANT))

# What is released checks the sizes of buffers (this needs an optimiser), the stacks of functions with character
# arrays, and has its tables read-only: 0.8 % of instructions together; -fstack-protector-strong costs 2.0 %.
HARDENED := $(if $(findstring release,$(VARIANT)),$(if $(findstring -O0,$(OPT)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) \
            -fstack-protector)
comma    := ,
HARDLINK := -no-pie $(if $(HARDENED),-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)

# -ffp-contract=off: no fused multiply-add, hence the same bits from every compiler and -O level.
# -fno-pie: a checkpoint holds addresses of functions and constants, which must be those of the next process.
DIALECT  := -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fno-common -fno-pie
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wwrite-strings -Wcast-qual -Wformat=2 -Wundef -Wvla
PC_LIBS  := gsl libcjson zlib libzstd libxxhash
PC_FLAGS := $(shell pkg-config --cflags $(PC_LIBS) 2>/dev/null)
LIBS     := -lcsv -lglpk $(shell pkg-config --libs $(PC_LIBS) 2>/dev/null)
ALL_CFLAGS = $(DIALECT) $(OPT) $(HARDENED) $(WARNINGS) -ffile-prefix-map=$(CURDIR)/= -Iinclude -Isrc \
             $(PC_FLAGS) $(CFLAGS)

SOURCES  := $(sort $(wildcard src/*/*.c src/*/*/*.c))
LIB_SRC  := $(filter-out src/cli/main.c,$(SOURCES))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
MAIN_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/cli/main.c))
HELP_SRC := $(sort $(filter-out tests/support/faults.c,$(wildcard tests/support/*.c tests/ref/*.c)) \
                   $(wildcard tests/fuzz/targets.c tests/fuzz/fuzz_run.c))
HELP_OBJ := $(HELP_SRC:%.c=$(BUILD)/%.o)
TEST_SRC := $(sort $(wildcard tests/*/test_*.c))
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)
SCRIPTED := $(sort $(wildcard tests/cli/run.sh tests/scripts/test-*.sh))
# What tests/report/calibrate-report.sh runs.
REPORTED := $(addprefix $(BUILD)/tests/,unit/test_interference_laws unit/test_interference \
            unit/test_joint unit/test_predictor_profile unit/test_allocation unit/test_campaign \
            oracle/test_calibration_data oracle/test_calibration_gavel oracle/test_scaling_fit \
            bench/bench_interference bench/bench_calibrate)
BENCHES  := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/bench/*.c)))
REPORTS  := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/report/*.c)))
EMBEDDED := $(sort $(wildcard configs/completion.* configs/report.css configs/report.js configs/profiles.csv configs/restart.csv configs/memory-limits.csv \
                    configs/clusters/*.json configs/models/*.json configs/schemas/*.json configs/workloads/*.json results/README.md))
LIBRARY  := $(BUILD)/libhorus.a
PROGRAM  := $(BUILD)/$(if $(MAIN_OBJ),horus,libhorus.a)

Q := $(if $(V),,@)
say = $(if $(V)$(findstring s,$(filter-out -% %=%,$(firstword $(MAKEFLAGS)))),@:,@printf '  %-5s %s\n' $(1) $@)
# What is installed or measured; a variant that is asked for by name stays.
FAST := VARIANT=$(if $(filter release,$(VARIANT)),release-lto,$(VARIANT))
# Sub-make of this file after a set-up step (pkg-config is asked when the file is read).
AGAIN = +$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: all pgo demo check check-all check-docs asan cov bench bench-all bench-instr same fuzz mutate lint format determinism calibrate calibrate-report \
        reproduce-horus reproduce-tiresias reproduce-gandiva reproduce-salus \
        reproduce-antman reproduce-lucid reproduce-chronus reproduce-optimus reproduce-synergy reproduce-openb reproduce-gavel \
        reproduce-muri reproduce-faults reproduce-validation reproduce-held-out workload-report plot-compare man report-pictures new-policy \
        install clean help \
        run-check run-fuzz run-fuzzafl run-report run-bench run-bench-instr run-install install-headers tests objects FORCE

PGO := build/release-pgo

all: $(PROGRAM) ## build the program (default): build/release/horus

pgo: ## build/release-pgo/horus, by a profile of training runs; make install VARIANT=release-pgo (four minutes)
	$(Q)scripts/install-deps.sh build
	$(AGAIN) $(PGO)/horus VARIANT=release-pgo TRAINING=yes
	$(Q)$(PGO)/horus generate --like venus -n 20000 --load 0.95 -c 128x8:V100 -q -f -o $(PGO)/training.csv
	$(Q)for policy in fifo sjf qssf srtf tiresias pack horus gandiva; do \
	    $(PGO)/horus run $(PGO)/training.csv -c 128x8:V100 -p $$policy -q -o $(PGO)/training --force >/dev/null && \
	    $(PGO)/horus verify $(PGO)/training >/dev/null || exit 1; done
	$(AGAIN) $(PGO)/horus VARIANT=release-pgo

demo: ## install what is missing, build, replay the sample trace under three policies
	$(Q)scripts/install-deps.sh build
	$(AGAIN) all
	$(Q)scripts/demo.sh $(BUILD)/horus

check: ## install what is missing, build, run every test (five to eight minutes on 2 cores)
	$(Q)scripts/install-deps.sh build check --or-skip plot sweep
	$(AGAIN) run-check

check-all: ## check, then the long forms: sanitizers, full determinism matrix, longer loops
	$(Q)scripts/install-deps.sh build check lint --or-skip plot sweep
	$(AGAIN) run-check HORUS_LONG=1
	$(AGAIN) asan
	$(AGAIN) determinism

asan: ## every test under the address and undefined-behaviour sanitizers
	$(AGAIN) run-check VARIANT=asan

cov: ## every test with coverage; prints the line coverage of src/, fails under 95 %
	$(Q)scripts/install-deps.sh build check cov
	$(Q)if [ -d build/cov ]; then find build/cov -name '*.gcda' -delete; fi
	$(AGAIN) run-check VARIANT=cov; tests=$$?; \
	gcovr --root . --filter src/ --object-directory build/cov --fail-under-line 95 build/cov && \
	    exit $$tests

check-docs: ## every command of the documentation, executed
	$(Q)scripts/install-deps.sh build check plot
	$(AGAIN) all
	$(Q)HORUS=$(CURDIR)/$(BUILD)/horus tests/scripts/test-docs.sh

bench: ## what runs cost beside a bare parse, in jobs, GPUs, load; memory (a quarter of an hour)
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) run-bench $(FAST)

bench-all: ## the same for every combination of jobs, GPUs and load: hours
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) run-bench $(FAST) BENCH=--all

bench-instr: ## instructions of fixed runs against a committed list, 3 % allowed; BLESS=1 writes it
	$(Q)scripts/install-deps.sh build bench
	$(AGAIN) run-bench-instr $(FAST)

same: ## does this tree give the bytes of another commit? make same BASE=COMMIT (ten minutes)
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/same-results.sh '$(BASE)' $(BUILD)/horus

fuzz: ## hostile bytes by libFuzzer, which clang has: make fuzz T=TARGET SEC=60 (without T: which there are; ENGINE=afl)
	$(Q)scripts/install-deps.sh build check lint $(ENGINE)
	$(AGAIN) run-fuzz$(ENGINE) VARIANT=fuzz $(if $(ENGINE),CC=afl-clang-fast BUILD=build/fuzz-afl,CC=clang)

mutate: ## which small faults in engine, model and policies does no test notice? N=300 SEED=1 (an hour and more)
	$(Q)scripts/install-deps.sh build check
	$(Q)scripts/mutate.py $(or $(N),300) $(or $(SEED),1)

lint: ## every static gate: warnings, format, includes between layers, sizes, banned calls
	$(Q)scripts/install-deps.sh build check lint
	$(Q)scripts/lint.sh

format: ## rewrite the sources as clang-format wants them
	$(Q)find src include tests -name '*.[ch]' -exec clang-format -i {} +

determinism: ## same bytes from gcc/clang x -O x sanitizers x TZ x locale x input form
	$(Q)scripts/install-deps.sh build check lint
	$(AGAIN) all
	$(Q)HORUS_LONG=1 tests/scripts/test-determinism.sh

calibrate: ## fit configs/models/*.json again from the public measurements
	$(Q)scripts/install-deps.sh build
	$(AGAIN) all
	$(Q)scripts/calibrate.sh $(BUILD)/horus $(BUILD)/models
	$(Q)cp $(BUILD)/models/*.json configs/models/ && ls $(BUILD)/models/*.txt

calibrate-report: ## hold the fits against what was asked of them, A1 to A19
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) run-report

workload-report: ## results/workloads.md: generated workloads beside what is published of the clusters
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) $(BUILD)/tests/report/report_workloads
	$(Q)tests/report/workload-report.sh $(BUILD)

reproduce-horus: ## results/horus.md: the experiments of the Horus papers, claims held against them
	$(Q)scripts/install-deps.sh build
	$(AGAIN) all
	$(Q)scripts/reproduce-horus.sh $(BUILD)

reproduce-tiresias: ## results/tiresias.md: published ratios of Tiresias, Helios, Philly, Lucid, Muri
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-tiresias.sh $(BUILD)

reproduce-gandiva: ## results/gandiva.md: the experiments of Gandiva, built again, beside its figures
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-gandiva.sh $(BUILD)

reproduce-salus: ## results/salus.md: the 100 jobs and the alike ones of Salus under its policies
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-salus.sh $(BUILD)

reproduce-antman: ## results/antman.md: the experiments of AntMan, built again, beside its figures
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-antman.sh $(BUILD)

reproduce-gavel: ## results/gavel.md: the objectives of Gavel on three GPU types, beside the published figures (ten minutes)
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-gavel.sh $(BUILD)

reproduce-lucid: ## results/lucid.md: Lucid and the policies of its paper on the months of Venus
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-lucid.sh $(BUILD)

reproduce-faults: ## results/faults.md: failures of nodes beside closed forms and published figures
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-faults.sh $(BUILD)

reproduce-chronus: ## results/chronus.md: Chronus and other policies on the trace of its authors
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-chronus.sh $(BUILD)

reproduce-optimus: ## results/optimus.md: Optimus beside other policies, and held against the released simulator
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(AGAIN) $(BUILD)/tests/oracle/test_published_optimus
	$(Q)scripts/reproduce-optimus.sh $(BUILD)

reproduce-synergy: ## results/synergy.md: Synergy beside its released simulator, job by job, and its artifact's figures
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-synergy.sh $(BUILD)

reproduce-muri: ## results/muri.md: Muri beside its released simulator, job by job, and the figures of its authors (some minutes)
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-muri.sh $(BUILD)

reproduce-validation: ## results/validation.md: measured runs of real clusters beside their simulation
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-validation.sh $(BUILD)

reproduce-held-out: ## results/held-out.md: generated jobs beside the later part of real traces, and their users
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(Q)scripts/reproduce-held-out.sh $(BUILD)

reproduce-openb: ## results/openb.md: 8,152 pods on the 1,213 nodes of openb, GPUs allocated and fragments, beside the published ones
	$(Q)scripts/install-deps.sh build check
	$(AGAIN) all
	$(AGAIN) $(BUILD)/tests/oracle/test_published_fgd
	$(Q)scripts/reproduce-openb.sh $(BUILD)

plot-compare: ## draw a comparison with its runs: make plot-compare DIR=directory, DIR/compare.svg
	$(AGAIN) all
	$(Q)$(BUILD)/horus plot cdf '$(DIR)' -o '$(DIR)/compare.svg' --force

man: ## build the manual pages: build/man/horus.1 and its kin
	$(Q)scripts/install-deps.sh build man
	$(AGAIN) all
	$(Q)scripts/man.sh $(BUILD)/horus build/man

report-pictures: ## pictures of the pages of horus report, by headless Chromium, into results/
	$(Q)scripts/install-deps.sh build browser
	$(AGAIN) all
	$(Q)scripts/report-pictures.sh $(BUILD) results

new-policy: ## start a policy: make new-policy NAME=foo [FAMILY=simple]
	$(Q)scripts/new-policy.sh '$(NAME)' $(FAMILY)

install: ## copy program, headers of policies, manual pages and completions below $(DESTDIR)$(PREFIX)
	$(AGAIN) run-install $(FAST)

run-install: all install-headers
	install -D -m 755 $(BUILD)/horus '$(DESTDIR)$(PREFIX)/bin/horus'
	$(Q)scripts/install-docs.sh $(BUILD)/horus '$(DESTDIR)$(PREFIX)/share'

# What a policy outside the tree is built with.
install-headers:
	$(Q)install -d '$(DESTDIR)$(PREFIX)/include/horus/horus' '$(DESTDIR)$(PREFIX)/include/horus/policies/lib' \
	    '$(DESTDIR)$(PREFIX)/lib/pkgconfig'
	$(Q)install -m 644 include/horus/*.h '$(DESTDIR)$(PREFIX)/include/horus/horus'
	$(Q)install -m 644 src/policies/lib/*.h '$(DESTDIR)$(PREFIX)/include/horus/policies/lib'
	$(Q)printf '%s\n' 'Name: horus' 'Description: policies for the horus simulator' \
	    'Version: $(shell sed -n 's/.*HS_VERSION "\(.*\)"/\1/p' include/horus/version.h)' \
	    'Cflags: -I$(PREFIX)/include/horus' >'$(DESTDIR)$(PREFIX)/lib/pkgconfig/horus.pc'

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | awk -F'\t' '{printf "  %-17s %s\n", $$1, $$2}'

# ---- build -------------------------------------------------------------------------------------
$(BUILD)/horus: $(MAIN_OBJ) $(LIBRARY)
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDLINK) $(LDFLAGS) -Wl,--dynamic-list=src/policies/exported.list -o $@ $^ $(LIBS)

$(LIBRARY): $(LIB_OBJ) $(BUILD)/sources
	$(call say,AR)
	$(Q)rm -f $@ && ar rcsD $@ $(LIB_OBJ)

$(BUILD)/libtests.a: $(HELP_OBJ) $(BUILD)/sources
	$(call say,AR)
	$(Q)rm -f $@ && ar rcsD $@ $(HELP_OBJ)

$(BUILD)/%.o: %.c $(BUILD)/flags | $(BUILD)/libraries
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(EXTRA) -MMD -MP -c -o $@ $<

# The files of configs/ that the program carries with it.
$(BUILD)/builtin_files.def: $(EMBEDDED) scripts/embed.sh $(BUILD)/sources
	$(Q)scripts/embed.sh configs $(EMBEDDED) > $@
$(BUILD)/src/base/io.o: $(BUILD)/builtin_files.def
$(BUILD)/src/base/io.o: EXTRA = -I$(BUILD)

# The tests see the sources' headers and tests/ itself: #include "support/scenario.h".
$(BUILD)/tests/%.o: EXTRA = -Itests

# What `horus version` prints; only this object depends on the commit.
$(BUILD)/src/base/status.o: $(BUILD)/commit
$(BUILD)/src/base/status.o: EXTRA = -DHS_COMMIT='"$(shell cat $(BUILD)/commit)"' \
                                    -DHS_COMPILER_FLAGS='"$(strip $(DIALECT) $(OPT) $(HARDENED) $(CFLAGS))"'

$(BENCHES): %: %.o $(BUILD)/libtests.a $(LIBRARY)
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDLINK) $(LDFLAGS) -o $@ $^ $(LIBS)

# Lets calls of the system fail: tests/scripts/test-faults.sh.
$(BUILD)/faults.so: tests/support/faults.c $(BUILD)/flags
	$(call say,LINK)
	$(Q)$(CC) $(DIALECT) -O1 $(WARNINGS) -shared -fPIC -o $@ $< -ldl

$(BUILD)/tests/fuzz/fuzz: %: %.o $(BUILD)/libtests.a $(LIBRARY)
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDLINK) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS) -lcmocka -lm

$(TESTS) $(REPORTS): %: %.o $(BUILD)/libtests.a $(LIBRARY)
	$(call say,LINK)
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDLINK) $(LDFLAGS) -o $@ $^ $(LIBS) -lcmocka -lm

tests: $(PROGRAM) $(TESTS) $(REPORTS) $(BUILD)/faults.so

objects: $(LIB_OBJ) $(MAIN_OBJ) $(HELP_OBJ) $(TESTS:%=%.o) $(BENCHES:%=%.o) $(REPORTS:%=%.o) \
    $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/fuzz/fuzz.c))

run-check: tests $(addprefix $(BUILD)/tests/bench/,bench_cost bench_parse)
	$(Q)HORUS=$(CURDIR)/$(BUILD)/horus HORUS_LONG=$(HORUS_LONG) \
	    scripts/run-tests.sh -j 2 $(TESTS) $(SCRIPTED)

# New inputs and a crash stay in $(BUILD)/corpus/T: `make fuzz` goes on where the last one ended. A whole run draws
# less than 512 bytes.
SEEDS = $$(FUZZ_TARGET= $< 2>&1 | awk -v t='$(T)' '$$1 == t { print $$NF }')
run-fuzz: $(BUILD)/tests/fuzz/fuzz
	$(Q)mkdir -p '$(BUILD)/corpus/$(T)'
	$(Q)FUZZ_TARGET='$(T)' $< -entropic=0 -reload=0 -max_total_time=$(or $(SEC),60) -timeout=10 -rss_limit_mb=2048 \
	    -max_len=$(or $(LEN),$(if $(filter run verified,$(T)),512,4096)) \
	    -artifact_prefix='$(BUILD)/corpus/$(T)-' '$(BUILD)/corpus/$(T)' $(SEEDS)

run-fuzzafl: $(BUILD)/tests/fuzz/fuzz
	$(Q)mkdir -p '$(BUILD)/corpus'
	$(Q)FUZZ_TARGET='$(T)' AFL_AUTORESUME=1 AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
	    afl-fuzz -V $(or $(SEC),60) -t 10000 -m none -i $(SEEDS) -o '$(BUILD)/corpus/$(T)' -- $<

run-bench: all $(BENCHES)
	$(Q)tests/bench/bench.sh $(BUILD) $(BENCH)

run-bench-instr: all
	$(Q)tests/bench/bench-instr.sh $(if $(BLESS),--bless) $(BUILD)

run-report: all $(REPORTED)
	$(Q)tests/report/calibrate-report.sh $(BUILD)

# Stamps: files that are written only when their content changes.
STAMP_flags   = $(CC) $(shell $(CC) -dumpfullversion -dumpversion 2>/dev/null) $(ALL_CFLAGS) $(HARDLINK) $(LDFLAGS) $(LIBS)
STAMP_sources = $(SOURCES) $(HELP_SRC) $(EMBEDDED)
STAMP_commit  = $(or $(shell git describe --always --dirty --tags 2>/dev/null),unknown)
$(BUILD)/flags $(BUILD)/sources $(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(STAMP_$(@F))' | cmp -s - $@ || printf '%s\n' '$(STAMP_$(@F))' > $@

# Are the libraries here? libcsv and GLPK have no .pc files, hence the link probe.
$(BUILD)/libraries: $(BUILD)/flags
	@pkg-config --exists $(PC_LIBS) && \
	    printf '#include <csv.h>\n#include <glpk.h>\nint main(void) { return csv_init(0, 0) == glp_term_out(0); }\n' | \
	    $(CC) -x c - -o $@.probe -lcsv -lglpk 2>/dev/null && rm -f $@.probe && touch $@ || \
	    { echo 'horus needs: gcc pkg-config gsl libcjson zlib libzstd libxxhash libcsv glpk'; \
	      scripts/install-deps.sh --print build; exit 1; }

FORCE:

-include $(patsubst %.o,%.d,$(LIB_OBJ) $(MAIN_OBJ) $(HELP_OBJ) $(TESTS:%=%.o) $(BENCHES:%=%.o) \
           $(REPORTS:%=%.o) $(BUILD)/tests/fuzz/fuzz.o)
