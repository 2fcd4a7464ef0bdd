# What the build takes from its surroundings: folders, tools, and the MPI that MPICC names.

ROOT := $(CURDIR)
B ?= build
BUILD := $(abspath $(B))
LIB := $(BUILD)/lib
BIN := $(BUILD)/bin
OBJ := $(BUILD)/obj
# wraps.txt stands at the root; that of a second build (B=build/openmpi) in its own folder.
WRAPS_DIR := $(if $(filter $(ROOT)/build,$(BUILD)),$(ROOT),$(BUILD))
WRAPS := $(WRAPS_DIR)/wraps.txt
WRAPS_SERIAL := $(WRAPS_DIR)/wraps-serial.txt
# Builds below build/ share what cargo made of the parts that know no MPI.
CARGO_DIR ?= $(if $(filter $(ROOT)/build/%,$(BUILD)/),$(ROOT)/build,$(BUILD))/cargo
WHEELS := $(ROOT)/build/pip
IOTA_CACHE ?= $(ROOT)/build/cache
PREFIX ?= /usr/local
DESTDIR ?=

# On a Cray cc is the MPI compiler; what is serial must not be linked with an MPI.
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
export CC AR LD OBJCOPY NM CARGO IOTA_CACHE

# The surroundings as found, in one file: make includes it, the tests read it. Every line is KEY=VALUE, unquoted.
#   IOTA_LIB, IOTA_BIN          folders with the libraries, with the iota command
#   IOTA_WRAPS, IOTA_WRAPS_SERIAL   the flags for the link line
#   CC                          the C compiler
#   MPI                         mpich, openmpi, intel, mvapich, mpi, or none (then REASON says why, and no line follows)
#   MPI_VERSION, MPI_ID         the version; a name that is this installation's own
#   MPI_LINKS                   the ways in which it links a program: shared, static
#   MPICC, MPICXX, MPIFC        compiler wrappers; C++ and Fortran may be empty: not there
#   MPIEXEC, MPIEXEC_FLAGS      the launcher (before -n) and what it needs to start ranks here
#   LIBCLANG_PATH, BINDGEN_EXTRA_CLANG_ARGS   for bindgen
BUILD_ENV := $(BUILD)/build.env
GIVEN = MPICC='$(MPICC)' MPICXX='$(MPICXX)' MPIFC='$(MPIFC)' MPIEXEC='$(MPIEXEC)' MPIEXEC_FLAGS='$(MPIEXEC_FLAGS)' CC='$(CC)'

ifeq ($(filter clean distclean help dist,$(MAKECMDGOALS)),)
MPICC_GIVEN := $(filter-out undefined,$(origin MPICC))
$(shell mkdir -p $(LIB) $(BIN) $(OBJ); { \
  printf '%s\n' IOTA_LIB=$(LIB) IOTA_BIN=$(BIN) IOTA_WRAPS=$(WRAPS) IOTA_WRAPS_SERIAL=$(WRAPS_SERIAL); \
  $(GIVEN) $(ROOT)/scripts/mpi-env.sh $(WHEELS) $(OBJ); } | $(ROOT)/scripts/put.sh $(BUILD_ENV))
include $(BUILD_ENV)
endif

# An MPI that was asked for by name and does not work is an error; none at all leaves the serial half.
ifeq ($(MPI),none)
ifneq ($(MPICC_GIVEN),)
ifneq ($(MPICC),none)
$(error $(REASON))
endif
endif
endif
