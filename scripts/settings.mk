# What the build takes from its surroundings: folders, tools, and the MPI that MPICC names.

ROOT := $(CURDIR)
# TARGET=aarch64-unknown-linux-gnu builds for that processor, with the compiler and the binutils of the same name and Rust's
# library for it, into a folder of its own. What has to run meanwhile runs by EMULATOR.
TARGET ?=
GNU_TARGET := $(subst -unknown,,$(TARGET))
B ?= $(if $(TARGET),build/$(TARGET),build)
BUILD := $(abspath $(B))
# A build below build/, for a second MPI (B=build/openmpi), has its programs alone: the libraries are for every MPI.
BASE := $(if $(TARGET),$(BUILD),$(if $(filter $(ROOT)/build/%,$(BUILD)/),$(ROOT)/build,$(BUILD)))
LIB := $(BASE)/lib
BIN := $(BASE)/bin
OBJ := $(BASE)/obj
MPI_BIN := $(BUILD)/bin
# wraps.txt stands at the root; that of a build elsewhere in its own folder.
WRAPS_DIR := $(if $(filter $(ROOT)/build,$(BASE)),$(ROOT),$(BASE))
WRAPS := $(WRAPS_DIR)/wraps.txt
CARGO_DIR ?= $(BASE)/cargo
WHEELS := $(ROOT)/build/pip
IOTA_CACHE ?= $(ROOT)/build/cache
PREFIX ?= /usr/local
DESTDIR ?=

ifneq ($(TARGET),)
CC := $(GNU_TARGET)-gcc
AR := $(GNU_TARGET)-ar
LD := $(GNU_TARGET)-ld
OBJCOPY := $(GNU_TARGET)-objcopy
NM := $(GNU_TARGET)-nm
MPICC := none
EMULATOR ?= qemu-$(firstword $(subst -, ,$(TARGET))) -L /usr/$(GNU_TARGET)
export CARGO_BUILD_TARGET = $(TARGET)
export HOST_CC ?= cc
endif
# On a Cray cc is the MPI compiler; what is for programs without MPI must not be linked with one.
ifeq ($(origin CC),default)
CC := $(if $(filter cc,$(MPICC))$(CRAYPE_VERSION),gcc,cc)
endif
ifeq ($(origin AR),default)
AR := ar
endif
ifeq ($(origin LD),default)
LD := ld
endif
OBJCOPY ?= objcopy
NM ?= nm
CARGO ?= cargo
LOCKED ?= --locked
export CC AR LD OBJCOPY NM CARGO IOTA_CACHE EMULATOR

# The surroundings as found, in one file: make includes it, the tests read it. Every line is KEY=VALUE, unquoted.
#   IOTA_LIB, IOTA_BIN          folders with the libraries, with the iota command
#   IOTA_MPI_BIN                the folder with iota-load-mpi
#   IOTA_WRAPS                  the flags for the link line
#   CC                          the C compiler
#   MPI                         mpich, openmpi, intel, mvapich, abi (the standard's), mpi, or none (then REASON says why, and no line follows)
#   MPI_VERSION, MPI_ID         the version; a name that is this installation's own
#   MPI_LINKS                   the ways in which it links a program: shared, static
#   MPICC, MPICXX, MPIFC        compiler wrappers; C++ and Fortran may be empty: not there
#   MPIEXEC, MPIEXEC_FLAGS      the launcher (before -n) and what it needs to start ranks here
#   LIBCLANG_PATH, BINDGEN_EXTRA_CLANG_ARGS   for bindgen, which reads mpi.h for the load generator; empty: not there
BUILD_ENV := $(BUILD)/build.env
GIVEN = MPICC='$(MPICC)' MPICXX='$(MPICXX)' MPIFC='$(MPIFC)' MPIEXEC='$(MPIEXEC)' MPIEXEC_FLAGS='$(MPIEXEC_FLAGS)' CC='$(CC)'

ifeq ($(filter clean distclean help dist,$(MAKECMDGOALS)),)
MPICC_GIVEN := $(filter-out undefined,$(origin MPICC))
$(shell mkdir -p $(LIB) $(BIN) $(MPI_BIN) $(OBJ); { \
  printf '%s\n' IOTA_LIB=$(LIB) IOTA_BIN=$(BIN) IOTA_MPI_BIN=$(MPI_BIN) IOTA_WRAPS=$(WRAPS); \
  $(GIVEN) $(ROOT)/scripts/mpi-env.sh $(WHEELS) $(OBJ); } | $(ROOT)/scripts/put.sh $(BUILD_ENV))
include $(BUILD_ENV)
endif

# An MPI that was asked for by name and does not work is an error; without any, what is itself a program of one is not made.
ifeq ($(MPI),none)
ifneq ($(MPICC_GIVEN),)
ifneq ($(MPICC),none)
$(error $(REASON))
endif
endif
endif
