# make demo        install what the package needs, build, install, and show what it does
# make test        install what the tests need, then all tests: the C++ core without R, and the R package
# make check       R CMD check --as-cran
# make sanitize    the same tests under AddressSanitizer and UndefinedBehaviorSanitizer
# make fuzz        2,000 random calls compared with plain R (CALLS=, SEED=); make interrupts: 200 interrupts at random moments
# make bench       quick versions of the benchmarks, every ratio beside its goal
# make site        the web pages, in .build/site: reference, vignettes, benchmarks, news; nothing is fetched
# make reverse     a package that links to this one, made by the instructions of the notes, builds and agrees
# make paper       all experiments of the paper (long); make docs, make spell, make lint, make clean
RSCRIPT := Rscript --vanilla
HEADERS := $(shell find inst/include -name '*.hpp')
SOURCES := DESCRIPTION NAMESPACE $(wildcard R/*.R src/*.cpp src/*.h src/Makevars)

.PHONY: demo test check bench paper site spell reverse docs sanitize sanitize-cpp sanitize-r fuzz interrupts lint clean setup install cpp-tests

demo: .build/vignettes
	@$(RSCRIPT) tools/demo.R

test: .build/setup-test install cpp-tests
	@$(RSCRIPT) tools/test.R

setup: .build/setup-all
install: .build/installed

# What the package itself needs (demo), what its tests need (test), and all that is suggested, some of which takes long to compile.
.build/setup-%: tools/setup.R DESCRIPTION
	@mkdir -p .build
	@$(RSCRIPT) tools/setup.R $*
	@touch $@
.build/setup-test: .build/setup-demo
.build/setup-all: .build/setup-test

.build/installed: .build/setup-demo $(SOURCES) $(HEADERS)
	@$(RSCRIPT) tools/install.R .build/install.log
	@touch $@

.build/vignettes: $(wildcard vignettes/*) | .build/installed
	@$(RSCRIPT) tools/vignettes.R
	@$(RSCRIPT) tools/install.R .build/install.log
	@touch $@

# ---- the C++ core, without R; Eigen and Catch come with the packages RcppEigen and testthat ------------------------
CPP_TESTS := $(wildcard tests/cpp/*.cpp)
CPP_INCLUDES = -Iinst/include $(shell $(RSCRIPT) tools/cpp_includes.R)
CXX17 := $(shell R CMD config CXX17 2>/dev/null)
OPENMP := $(shell sed -n 's/^SHLIB_OPENMP_CXXFLAGS *= *//p' "$$(R RHOME)/etc$$R_ARCH/Makeconf")
CPP_FLAGS := -std=c++17 -MMD -MP $(OPENMP) -DACFW_BODIES_ELSEWHERE -DEIGEN_DONT_PARALLELIZE -Wall -Wextra \
  -DCATCH_CONFIG_NO_POSIX_SIGNALS
# gcc 12 warns about uninitialised alternatives of a variant when sanitizers are on; there are none.
ASAN_FLAGS := -O1 -g1 -Wno-maybe-uninitialized -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
# What Windows gets: the tests of the kernels alone, since that is where the two differ.
NARROW_TESTS := main bodies test_dispatch test_losses test_completion test_worlds

cpp-tests: .build/cpp/run .build/narrow/run
sanitize: sanitize-cpp sanitize-r

sanitize-cpp: .build/asan/run
	@echo "C++ core under AddressSanitizer and UndefinedBehaviorSanitizer"
	@./.build/asan/run

sanitize-r: .build/sanitize/installed
	@echo "R tests with the package under AddressSanitizer and UndefinedBehaviorSanitizer"
	@$(RSCRIPT) tools/sanitize.R test

.build/sanitize/installed: .build/setup-test $(SOURCES) $(HEADERS) tools/sanitize.R
	@echo "  compiling the package with sanitizers"
	@$(RSCRIPT) tools/sanitize.R install
	@touch $@

.build/cpp/run: $(CPP_TESTS:tests/cpp/%.cpp=.build/cpp/%.o)
	@$(CXX17) $(OPENMP) $^ -o $@
.build/asan/run: $(CPP_TESTS:tests/cpp/%.cpp=.build/asan/%.o)
	@$(CXX17) $(OPENMP) $(ASAN_FLAGS) $^ -o $@
.build/narrow/run: $(NARROW_TESTS:%=.build/narrow/%.o)
	@! objdump -d $^ | grep -q '%[yz]mm' || { echo "ACFW_NARROW, and yet there are wide registers"; exit 1; }
	@$(CXX17) $(OPENMP) $^ -o $@
.build/cpp/%.o: tests/cpp/%.cpp Makefile | .build/setup-test
	@mkdir -p $(@D) && echo "  compiling $<" && $(CXX17) $(CPP_FLAGS) -O1 $(CPP_INCLUDES) -c $< -o $@
.build/asan/%.o: tests/cpp/%.cpp Makefile | .build/setup-test
	@mkdir -p $(@D) && echo "  compiling $< with sanitizers" && $(CXX17) $(CPP_FLAGS) $(ASAN_FLAGS) $(CPP_INCLUDES) -c $< -o $@
.build/narrow/%.o: tests/cpp/%.cpp Makefile | .build/setup-test
	@mkdir -p $(@D) && echo "  compiling $< for narrow registers" && \
	  $(CXX17) $(CPP_FLAGS) -O1 -DACFW_NARROW $(CPP_INCLUDES) -c $< -o $@

-include $(wildcard .build/cpp/*.d .build/asan/*.d .build/narrow/*.d)  # what includes what

# ---- campaigns of random calls and of interrupts, whatever is found repeated by its number; see tests/fuzz/fuzz.R -----
CALLS ?= 2000
SIGNALS ?= 200
SEED ?= 1

fuzz: install
	@$(RSCRIPT) tests/fuzz/fuzz.R $(CALLS) $(SEED)

interrupts: install
	@$(RSCRIPT) tests/fuzz/interrupts.R $(SIGNALS) $(SEED)

# ---- the rest -----------------------------------------------------------------------------------------------------
check: .build/setup-all
	@$(RSCRIPT) tools/check.R

docs: install
	@$(RSCRIPT) -e 'Rcpp::compileAttributes("."); roxygen2::roxygenise(".", load_code = "installed")'

site: .build/vignettes
	@$(RSCRIPT) tools/site.R

spell:
	@$(RSCRIPT) -e 'wrong <- spelling::spell_check_package(); print(wrong); quit(status = nrow(wrong) > 0)'

reverse: install
	@$(RSCRIPT) tools/reverse.R

bench: install
	@$(RSCRIPT) inst/bench/quick.R

paper: install
	@$(RSCRIPT) inst/bench/paper.R

lint:
	@cppcheck --std=c++17 --language=c++ --enable=warning,performance --inline-suppr --error-exitcode=1 -q \
	  --suppress=missingIncludeSystem -Iinst/include inst/include/acfw

clean:
	@rm -rf .build inst/doc src/*.o src/*.so acfw.Rcheck acfw_*.tar.gz
