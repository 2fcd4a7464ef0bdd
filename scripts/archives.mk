# The libraries, the flags that link them, and a test program linked with each. Cargo knows when its part is stale, so
# it is asked each time; what follows is rebuilt only when cargo's file or the list of exports is newer.

SERIAL_DIR := $(CARGO_DIR)/serial/release
TOOLS_DIR := $(CARGO_DIR)/tools
# The bindings of mpi-sys differ from MPI to MPI: each has its own target directory.
MPI_DIR := $(CARGO_DIR)/$(MPI_ID)/release
GEN_WRAPS := $(TOOLS_DIR)/gen-wraps
ASSEMBLE := scripts/assemble.sh
PUT := scripts/put.sh
CARGO_BUILD := $(CARGO) build --release $(LOCKED)

CARGO_HERE = CARGO_TARGET_DIR=$(@D:/release=) $(CARGO_BUILD)
# Builds for several MPIs share it: it must not see which one is meant.
SERIAL_CARGO = env -u MPICC $(CARGO_HERE)
MPI_CARGO = MPICC='$(MPICC)' LIBCLANG_PATH='$(LIBCLANG_PATH)' \
  BINDGEN_EXTRA_CLANG_ARGS='$(BINDGEN_EXTRA_CLANG_ARGS)' \
  $(CARGO_HERE)

.PHONY: cargo
cargo:

# Tools: the renderer of the table, and the iota command
TOOLS_CARGO = IOTA_LUSTREAPI='$(LUSTRE)' CARGO_TARGET_DIR=$(CARGO_DIR) $(CARGO) build --profile tools $(LOCKED)
$(GEN_WRAPS): cargo $(BUILD)/toolchain.ok
	+@$(TOOLS_CARGO) -p gen-wraps
$(TOOLS_DIR)/iota: cargo $(BUILD)/toolchain.ok
	+@$(TOOLS_CARGO) -p iota-cli
$(BIN)/iota: $(TOOLS_DIR)/iota
	@install -m 755 $< $@

$(BUILD)/toolchain.ok: scripts/toolchain.sh Cargo.toml
	@scripts/toolchain.sh && touch $@

# A shared object is named by its absolute path, so that a program finds it without rpath or LD_LIBRARY_PATH.
shared = $(if $(filter %/libiota-mpi.so,$(1)),LINKER='$(MPICC)' $(ASSEMBLE) shared $(1) $(MPI_DIR)/libiota_preload.a \
  $(OBJ)/preload-mpi.exports,LINKER='$(CC)' $(ASSEMBLE) shared $(1) $(SERIAL_DIR)/libiota_preload.a $(OBJ)/preload.exports)

# Serial
$(SERIAL_DIR)/libiota.a: cargo $(BUILD)/toolchain.ok
	+@$(SERIAL_CARGO) -p iota
$(SERIAL_DIR)/libiota_preload.a: cargo $(BUILD)/toolchain.ok
	+@$(SERIAL_CARGO) -p iota-preload
$(OBJ)/iota.o: $(SERIAL_DIR)/libiota.a $(OBJ)/wrap.exports $(ASSEMBLE)
	@$(ASSEMBLE) object $@ $(SERIAL_DIR)/libiota.a $(OBJ)/wrap.exports
$(LIB)/libiota.a: $(OBJ)/iota.o
$(LIB)/libiota.so: $(SERIAL_DIR)/libiota_preload.a $(OBJ)/preload.exports $(ASSEMBLE)
	@$(call shared,$@)

# MPI: one cargo call for each flavour, because iota-mpi is built differently for them.
$(MPI_DIR)/libiota.a: cargo $(BUILD)/toolchain.ok
	+@$(MPI_CARGO) -p iota --features mpi
$(MPI_DIR)/libiota_preload.a: cargo $(BUILD)/toolchain.ok
	+@$(MPI_CARGO) -p iota-preload --features mpi
$(MPI_DIR)/iota-load-mpi: cargo $(BUILD)/toolchain.ok
	+@$(MPI_CARGO) -p iota-load-mpi
$(BIN)/iota-load-mpi: $(MPI_DIR)/iota-load-mpi
	@install -m 755 $< $@
$(OBJ)/iota-mpi.o: $(MPI_DIR)/libiota.a $(OBJ)/wrap-mpi.exports $(ASSEMBLE)
	@$(ASSEMBLE) object $@ $(MPI_DIR)/libiota.a $(OBJ)/wrap-mpi.exports
$(LIB)/libiota-mpi.a: $(OBJ)/iota-mpi.o
$(LIB)/libiota-mpi.so: $(MPI_DIR)/libiota_preload.a $(OBJ)/preload-mpi.exports $(ASSEMBLE)
	@$(call shared,$@)

$(LIB)/%.a:
	@rm -f $@ && $(AR) rcs $@ $^

# What a library shows: the table's symbols for this C library, MPI's from names.txt, and iota_start, which the link
# flags name so that a static link takes the archive; in the shared object what AddressSanitizer asks it. Fortran's spellings are those of c-shim/mpi/fortran.c.
MPI_NAMES := c-shim/mpi/names.txt
$(OBJ)/preload.exports: TO_OTHERS := __asan_default_options
$(OBJ)/wrap.exports $(OBJ)/preload.exports: $(OBJ)/%.exports: $(GEN_WRAPS) scripts/archives.mk
	@{ $(GEN_WRAPS) exports --flavour $* && printf '%s\n' iota_start $(TO_OTHERS); } | $(PUT) $@
$(OBJ)/wrap-mpi.exports: $(OBJ)/wrap.exports $(MPI_NAMES)
	@{ cat $< && sed 's/^/__wrap_/' $(MPI_NAMES); } | $(PUT) $@
$(OBJ)/preload-mpi.exports: $(OBJ)/preload.exports $(MPI_NAMES)
	@{ cat $< $(MPI_NAMES) && sed 's/^/__wrap_/' $(MPI_NAMES) && tr a-z A-Z <$(MPI_NAMES) && \
	  tr A-Z a-z <$(MPI_NAMES) | sed 'p; s/$$/_/p; s/$$/_/p; s/__$$/_f08/p; s/$$/_/'; } | $(PUT) $@

$(WRAPS_SERIAL): $(GEN_WRAPS) $(SERIAL_LIBS) scripts/wraps.sh
	@scripts/wraps.sh serial $(GEN_WRAPS) $(SERIAL_LIBS) | $(PUT) $@
$(WRAPS): $(GEN_WRAPS) $(MPI_NAMES) $(MPI_LIBS) scripts/wraps.sh
	@scripts/wraps.sh mpi $(GEN_WRAPS) $(MPI_LIBS) | $(PUT) $@

# A test program linked with each library
$(BIN)/hello-serial: scripts/hello/hello.c $(WRAPS_SERIAL) $(LIB)/libiota.so
	@$(CC) -O1 $< $$(cat $(WRAPS_SERIAL)) -o $@
$(BIN)/hello-serial-static: scripts/hello/hello.c $(WRAPS_SERIAL) $(LIB)/libiota.a
	@$(CC) -O1 $< $$(cat $(WRAPS_SERIAL)) -static -o $@
$(BIN)/hello-mpi: scripts/hello/hello-mpi.c $(WRAPS) $(MPI_LIBS)
	@$(MPICC) -O1 $< $$(cat $(WRAPS)) -o $@
