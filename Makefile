# iota: `make` builds the libraries, the iota command and the link flags; `make help` names the rest.
# Tools, folders and the MPI in use: scripts/settings.mk. How a library comes about: scripts/archives.mk.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
include scripts/settings.mk

LIBS := $(if $(SHARED),,$(LIB)/libiota.a) $(LIB)/libiota.so
include scripts/archives.mk

.PHONY: all tracer programs notes demo test test-all test-user lint miri test-static soak bench figures real install release wheel dist check-dist clean distclean help
all: notes tracer $(BIN)/iota programs

tracer: $(LIBS) $(WRAPS)

# Cargo links the load generator, which it cannot do with static libraries whose own needs only a wrapper knows.
programs: $(BIN)/hello-serial $(if $(SHARED),,$(BIN)/hello-serial-static) \
  $(if $(filter none,$(MPI)),,$(MPI_BIN)/hello-mpi $(if $(LIBCLANG_PATH),$(if $(filter shared,$(MPI_LINKS)),$(MPI_BIN)/iota-load-mpi)))

notes:
	@:
	$(if $(filter none,$(MPI)),@echo 'make: no iota-load-mpi because $(REASON)')
	$(if $(LIBCLANG_PATH),,$(if $(filter none,$(MPI)),,@echo 'make: no iota-load-mpi because there is no libclang to read mpi.h'))

# Each of these first gets the MPI and the tools that it needs, then starts make afresh, which finds them. The libraries,
# whose link takes one core for long, are built beside the command.
ON_ALL_CORES = $(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
demo:
	@scripts/deps.sh demo $(WHEELS)
	+@$(ON_ALL_CORES) notes tracer $(BIN)/iota
	+@scripts/demo.sh $(BUILD)

test:
	@scripts/deps.sh test $(WHEELS)
	+@$(ON_ALL_CORES) all
	+@scripts/test.sh $(BUILD) first

test-all:
	@scripts/deps.sh test-all $(WHEELS)
	+@$(ON_ALL_CORES) all
	+@scripts/test.sh $(BUILD) all

test-user:
	+@scripts/test.sh $(BUILD) user
	@scripts/debians.sh
	@scripts/aarch64.sh
	@scripts/login-node.sh

lint:
	@scripts/lint.sh $(BUILD)

miri:
	@scripts/miri.sh

# Fully static programs: an MPICH of static libraries alone, made once
test-static:
	@scripts/deps.sh test $(WHEELS)
	+@$(MAKE) --no-print-directory B=$(BUILD)/static MPICC=$$(tests/real/mpich-static.sh)/bin/mpicc \
	  MPICXX= MPIFC= MPIEXEC= MPIEXEC_FLAGS= all
	+@scripts/test.sh $(BUILD)/static static

# Long runs: memory, kills, the test suites of HDF5 and SQLite
soak:
	@scripts/deps.sh soak $(WHEELS)
	+@$(MAKE) --no-print-directory all
	+@scripts/test.sh $(BUILD) soak

bench: all
	+@scripts/test.sh $(BUILD) bench

# The pictures of docs/LAYERS.md, from runs of FLASH-IO
figures: real
	@scripts/figures.sh $(BUILD)

# The real programs of tests/real, linked with this build
real: all
	+@tests/real/build.sh $(BUILD)

install: all $(INSTALLED)
	@DESTDIR='$(DESTDIR)' scripts/install.sh $(BUILD) '$(PREFIX)' $(GEN_WRAPS) $(PARTS)
	@SONAME='$(PREFIX)/lib/libiota.so' $(call shared,$(DESTDIR)$(PREFIX)/lib/libiota.so)
	@CC='$(CC)' scripts/stub.sh $(DESTDIR)$(PREFIX)/lib/libiota.so $(OBJ)/members $(DESTDIR)$(PREFIX)/lib/link/libiota.so

# What is unpacked and run, without a compiler
release: all $(INSTALLED) $(GEN_WRAPS)
	@scripts/release.sh $(BASE) $(GEN_WRAPS) $(PARTS)

wheel: release
	@scripts/wheel.sh $(shell $(CC) -dumpmachine | cut -d- -f1)

dist:
	@scripts/dist.sh

check-dist: dist
	+@scripts/dist.sh check

# What took long to fetch and to build from elsewhere stays: the real programs, the local MPI.
clean:
	rm -rf $(filter-out build/cache build/pip,$(wildcard build/*)) wraps.txt

distclean:
	rm -rf build wraps.txt

help:
	@sed -n 's/^#: //p' Makefile
#: make                    libraries, wraps.txt, iota; with an MPI iota-load-mpi (MPICC=... names it, MPICC=none: without)
#: make SHARED=1           without the archive: only the shared object
#: make LUSTRE=/path       with the liblustreapi below it, for layouts newer than iota's own (docs/LUSTRE.md)
#: make B=build/other ...  puts the programs of an MPI into another folder, for a second MPI beside the first
#: make demo               links a C and a Fortran program, runs them on two ranks, and shows what iota recorded
#: make test               the tests of five minutes, on the machine's MPIs; installs what it needs (root: apt, otherwise PyPI)
#: make test-all           all tests, on every MPI that is here, also those from PyPI
#: make test-user          as root, after make test-all: the tests of rights and surroundings, as another user; the release
#:                         in other Debians (scripts/debians.sh); aarch64 under qemu (scripts/aarch64.sh); make test as the user of a login node (scripts/login-node.sh)
#: make lint               formatting and clippy
#: make miri               unit tests under Miri, which finds undefined behaviour (MIRI_TOOLCHAIN=nightly)
#: make test-static        fully static MPI programs, on an MPICH built for it once (about ten minutes)
#: make soak               long runs: 10^8 calls, 10^6 files, 1000 threads, 1000 kills, 80 minutes of fuzzing, HDF5's and SQLite's tests
#: make bench              measures what tracing and reading cost
#: make figures            the pictures of docs/LAYERS.md, from runs of FLASH-IO (make real)
#: make real               the real programs that the tests drive
#: make install PREFIX=/p  libraries, iota, link flags, modulefile, pkg-config files (DESTDIR=... before it)
#: make wheel              the same as a wheel for pip, with the Python module iota (docs/PYTHON.md)
#: make release            an archive of all that is built, which runs where it is unpacked, with glibc 2.28 and later
#: make TARGET=... ...      the same for another processor (aarch64-unknown-linux-gnu), into build/TARGET
#: make dist               a source archive that builds without a network; make check-dist builds it so
#: make clean              removes what was built here; make distclean also what was fetched for the tests
#: Tools: MPICC MPICXX MPIFC MPIEXEC MPIEXEC_FLAGS CC AR LD OBJCOPY CARGO, from the environment or the command line
