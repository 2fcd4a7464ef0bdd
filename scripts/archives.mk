# The libraries, the flags that link them, and a test program linked with each. Cargo knows when its part is stale, so
# it is asked each time; what follows is rebuilt only when cargo's file or the list of exports is newer.

GUEST_DIR := $(CARGO_DIR)/guest/$(TARGET)/release
TOOLS_DIR := $(CARGO_DIR)/$(TARGET)/tools
GEN_WRAPS := $(TOOLS_DIR)/gen-wraps
ASSEMBLE := scripts/assemble.sh
PUT := scripts/put.sh


.PHONY: cargo
cargo:

# What is made here runs with older C libraries, too.
FLOOR := $(BASE)/floor
$(FLOOR)/cc: scripts/floor.sh $(wildcard c-shim/floor/*) $(BUILD)/toolchain.ok
	@scripts/floor.sh $(FLOOR)

# Tools: what writes probes for links and the documents, and the iota command. What cargo runs meanwhile is linked as ever if
# the build is for another processor.
TOOLS_CARGO = IOTA_LUSTREAPI='$(LUSTRE)' CARGO_TARGET_DIR=$(CARGO_DIR) $(CARGO) build --profile tools $(LOCKED) \
  --config 'target.$(if $(TARGET),$(TARGET),"cfg(all())").linker="$(FLOOR)/cc"'
$(GEN_WRAPS): cargo $(BUILD)/toolchain.ok $(FLOOR)/cc
	+@$(TOOLS_CARGO) -p gen-wraps
$(TOOLS_DIR)/iota: cargo $(BUILD)/toolchain.ok $(FLOOR)/cc
	+@$(TOOLS_CARGO) -p iota-cli
$(BIN)/iota: $(TOOLS_DIR)/iota
	@install -m 755 $< $@

$(BUILD)/toolchain.ok: scripts/toolchain.sh Cargo.toml
	@scripts/toolchain.sh && touch $@

# The hooks, once for both libraries, and what build.rs leaves besides: cargo says where
GUEST := $(GUEST_DIR)/libiota.a
PARTS := $(GUEST_DIR)/parts
$(GUEST): cargo $(BUILD)/toolchain.ok
	+@CARGO_TARGET_DIR=$(CARGO_DIR)/guest $(CARGO) build --release $(LOCKED) -p iota \
	  $(if $(TARGET),--config 'target.$(TARGET).linker="$(CC)"') \
	  --message-format=json-render-diagnostics >$(OBJ)/cargo.json
	@ln -sfn "$$(sed -n 's|.*"out_dir":"\([^"]*/build/iota-[^"]*\)".*|\1|p' $(OBJ)/cargo.json)" $(PARTS)

# A shared object is named by its absolute path, so that a program finds it without rpath or LD_LIBRARY_PATH.
shared = LINKER='$(CC)' FLOOR=$(FLOOR) $(ASSEMBLE) shared $(1) $(GUEST) $(PARTS)/preload $(OBJ)/preload.exports
$(OBJ)/iota.o: $(GUEST) $(OBJ)/wrap.exports $(ASSEMBLE)
	@$(ASSEMBLE) object $@ $(GUEST) $(PARTS)/wrap $(OBJ)/wrap.exports

# Entries of libraries above MPI-IO: a member for each, which a link takes if the program calls the function, and one for
# each library with what the tracer asks it
ABOVE := $(patsubst c-shim/above/members/%.c,%,$(wildcard c-shim/above/members/*.c))
$(OBJ)/members-%.c: $(GUEST)
	@$(PUT) $@ <$(PARTS)/members-$*.c
$(OBJ)/members.ok: $(ABOVE:%=$(OBJ)/members-%.c) $(wildcard c-shim/above/members/*) scripts/members.sh
	@rm -rf $(OBJ)/members
	@for library in $(ABOVE); do \
	  CC='$(CC)' scripts/members.sh $(OBJ)/members-$$library.c $(OBJ)/members && \
	  $(CC) -O2 -fPIC -fno-builtin -fno-stack-protector -fasynchronous-unwind-tables -Wall -Wextra -c \
	    c-shim/above/members/$$library.c -o $(OBJ)/members/$$library.o || exit 1; done && touch $@
# Entries of functions that the oldest C library lacks, a member for each
$(OBJ)/newer.ok: $(GUEST) scripts/members.sh
	@rm -rf $(OBJ)/newer && CC='$(CC)' scripts/members.sh $(PARTS)/members-libc.c $(OBJ)/newer && touch $@
$(LIB)/libiota.a: $(OBJ)/iota.o $(OBJ)/newer.ok
	@rm -f $@ && $(AR) rcs $@ $< $(OBJ)/newer/*.o
$(LIB)/libiota-above.a: $(OBJ)/members.ok
	@rm -f $@ && $(AR) rcs $@ $(OBJ)/members/*.o
$(LIB)/libiota.so: $(GUEST) $(OBJ)/preload.exports $(ASSEMBLE) $(FLOOR)/cc
	@$(call shared,$@)
$(LIB)/link/libiota.so: $(LIB)/libiota.so $(OBJ)/members.ok scripts/stub.sh
	@CC='$(CC)' scripts/stub.sh $< $(OBJ)/members $@

# The load generator over ranks is itself a program of one MPI. mpi-sys reads the headers of that MPI, and does not notice
# when it is another one than before.
LAST_MPI := $(CARGO_DIR)/mpi-of-load.txt
MPI_CARGO = MPICC='$(MPICC)' LIBCLANG_PATH='$(LIBCLANG_PATH)' \
  BINDGEN_EXTRA_CLANG_ARGS='$(BINDGEN_EXTRA_CLANG_ARGS)' \
  $(TOOLS_CARGO)
$(MPI_BIN)/iota-load-mpi: cargo $(BUILD)/toolchain.ok | $(TOOLS_DIR)/iota
	+@echo '$(MPI_ID)' | cmp -s - $(LAST_MPI) || CARGO_TARGET_DIR=$(CARGO_DIR) $(CARGO) clean -q --profile tools -p mpi-sys
	+@echo '$(MPI_ID)' >$(LAST_MPI) && $(MPI_CARGO) -p iota-load-mpi
	@cmp -s $(TOOLS_DIR)/iota-load-mpi $@ || install -m 755 $(TOOLS_DIR)/iota-load-mpi $@

# What a library shows: the table's symbols for this C library, MPI's from names.txt, iota_start, which the link
# flags name so that a static link takes the archive, what an object of `gen-wraps --probe` calls, and regions; in the shared
# object Fortran's spellings, those of c-shim/mpi/fortran.c, and what AddressSanitizer asks it.
MPI_NAMES := c-shim/mpi/names.txt
wrap_names = sed 's/^/__wrap_/' $(MPI_NAMES)
fortran_names = tr a-z A-Z <$(MPI_NAMES) && tr A-Z a-z <$(MPI_NAMES) | sed 'p; s/$$/_/p; s/$$/_/p; s/__$$/_f08/p; s/$$/_/'
$(OBJ)/wrap.exports: EXTRA = $(wrap_names)
$(OBJ)/preload.exports: EXTRA = echo __asan_default_options && $(wrap_names) && cat $(MPI_NAMES) && $(fortran_names)
$(OBJ)/wrap.exports $(OBJ)/preload.exports: $(OBJ)/%.exports: $(GUEST) $(MPI_NAMES) scripts/archives.mk
	@{ cat $(PARTS)/$*/exports && printf '%s\n' iota_start iota_probe_call iota_probe_register \
		iota_region_begin iota_region_end && $(EXTRA); } | $(PUT) $@

# What a program gets besides, of whichever flavour; libiota.rsp names it. It runs before there is a thread's variable.
$(LIB)/libiota-program.a: c-shim/link/program.c
	@$(CC) -O2 -fPIC -fno-stack-protector -Wall -Wextra -c $< -o $(OBJ)/program.o
	@rm -f $@ && $(AR) rcs $@ $(OBJ)/program.o

$(LIB)/libiota.rsp: $(LIB)/libiota-program.a $(LIB)/link/libiota.so $(GUEST) $(MPI_NAMES) c-shim/mpi/needs.h $(LIBS) scripts/wraps.sh
	@scripts/wraps.sh flags $(PARTS) $(LIBS) | $(PUT) $@
$(OBJ)/newer-rsp.ok: $(GUEST) scripts/wraps.sh
	@scripts/wraps.sh newer $(PARTS) $(LIB) && touch $@
$(LIB)/libiota-above.rsp: $(LIB)/libiota-above.a $(GUEST)
	@$(PUT) $@ <$(PARTS)/above.rsp
$(LIB)/libiota.wraps: $(GUEST)
	@$(PUT) $@ <$(PARTS)/wraps.txt
$(WRAPS): $(LIB)/libiota.wraps $(GUEST) $(LIB)/libiota.rsp $(OBJ)/newer-rsp.ok $(LIB)/libiota-above.rsp scripts/wraps.sh
	@scripts/wraps.sh line $(PARTS) $(LIB) | $(PUT) $@

# A test program linked with each library
$(BIN)/hello-serial: scripts/hello/hello.c $(WRAPS) $(LIB)/libiota.so
	@$(CC) -O1 $< $$(cat $(WRAPS)) -o $@
$(BIN)/hello-serial-static: scripts/hello/hello.c $(WRAPS) $(LIB)/libiota.a
	@$(CC) -O1 $< $$(cat $(WRAPS)) -static -o $@
$(MPI_BIN)/hello-mpi: scripts/hello/hello-mpi.c $(WRAPS) $(LIBS)
	@$(MPICC) -O1 $< $$(cat $(WRAPS)) -o $@
