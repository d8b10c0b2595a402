# make demo        install what is missing, build, install, and show what the package does
# make test        the same, then all tests: the C++ core without R, and the R package
# make check       R CMD check --as-cran
# make sanitize    the same tests under AddressSanitizer and UndefinedBehaviorSanitizer
# make fuzz        2,000 random calls compared with plain R (CALLS=, SEED=); make interrupts: 200 interrupts at random moments
# make bench       quick versions of the benchmarks, every ratio beside its goal
# make paper       all experiments of the paper (long); make docs, make lint, make clean
RSCRIPT := Rscript --vanilla
HEADERS := $(shell find inst/include -name '*.hpp')
SOURCES := DESCRIPTION NAMESPACE $(wildcard R/*.R src/*.cpp src/*.h src/Makevars)

.PHONY: demo test check bench paper docs sanitize sanitize-cpp sanitize-r fuzz interrupts lint clean setup install cpp-tests

demo: install
	@$(RSCRIPT) tools/demo.R

test: install cpp-tests
	@$(RSCRIPT) tools/test.R

setup: .build/setup
install: .build/installed

.build/setup: tools/setup.R DESCRIPTION
	@mkdir -p .build
	@$(RSCRIPT) tools/setup.R
	@touch $@

# R's own make does not see changes of headers, so objects older than one are removed.
.build/objects: $(HEADERS) $(wildcard src/*.h) src/Makevars
	@mkdir -p .build
	@rm -f src/*.o src/*.so
	@touch $@

.build/installed: .build/setup .build/objects $(SOURCES) $(HEADERS)
	@echo "Building and installing acfw (about a minute the first time) ..."
	@$(RSCRIPT) tools/install.R .build/install.log
	@touch $@

# ---- the C++ core, without R; Eigen and Catch come with the packages RcppEigen and testthat ------------------------
CPP_TESTS := $(wildcard tests/cpp/*.cpp)
CPP_HEADERS := $(HEADERS) $(wildcard tests/cpp/*.hpp)
CPP_INCLUDES = -Iinst/include $(shell $(RSCRIPT) tools/cpp-includes.R)
CXX17 := $(shell R CMD config CXX17 2>/dev/null)
OPENMP := $(shell sed -n 's/^SHLIB_OPENMP_CXXFLAGS *= *//p' "$$(R RHOME)/etc$$R_ARCH/Makeconf")
CPP_FLAGS := -std=c++17 $(OPENMP) -DACFW_DECOMPOSITIONS_ELSEWHERE -DEIGEN_DONT_PARALLELIZE -Wall -Wextra \
  -DCATCH_CONFIG_NO_POSIX_SIGNALS
# gcc 12 warns about uninitialised alternatives of a variant when sanitizers are on; there are none.
ASAN_FLAGS := -O1 -g1 -Wno-maybe-uninitialized -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
# What Windows gets: the tests of the kernels alone, since that is where the two differ.
NARROW_TESTS := main decompositions test_dispatch test_losses test_completion test_worlds

cpp-tests: .build/cpp/run .build/narrow/run
sanitize: sanitize-cpp sanitize-r

sanitize-cpp: .build/asan/run
	@echo "C++ core under AddressSanitizer and UndefinedBehaviorSanitizer"
	@./.build/asan/run

sanitize-r: .build/sanitize/installed
	@echo "R tests with the package under AddressSanitizer and UndefinedBehaviorSanitizer"
	@$(RSCRIPT) tools/sanitize.R test

.build/sanitize/installed: .build/setup $(SOURCES) $(HEADERS) tools/sanitize.R
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
.build/cpp/%.o: tests/cpp/%.cpp $(CPP_HEADERS) | .build/setup
	@mkdir -p $(@D) && echo "  compiling $<" && $(CXX17) $(CPP_FLAGS) -O1 $(CPP_INCLUDES) -c $< -o $@
.build/asan/%.o: tests/cpp/%.cpp $(CPP_HEADERS) | .build/setup
	@mkdir -p $(@D) && echo "  compiling $< with sanitizers" && $(CXX17) $(CPP_FLAGS) $(ASAN_FLAGS) $(CPP_INCLUDES) -c $< -o $@
.build/narrow/%.o: tests/cpp/%.cpp $(CPP_HEADERS) | .build/setup
	@mkdir -p $(@D) && echo "  compiling $< for narrow registers" && \
	  $(CXX17) $(CPP_FLAGS) -O1 -DACFW_NARROW $(CPP_INCLUDES) -c $< -o $@

# ---- campaigns of random calls and of interrupts, whatever is found repeated by its number; see tests/fuzz/fuzz.R -----
CALLS ?= 2000
SIGNALS ?= 200
SEED ?= 1

fuzz: install
	@$(RSCRIPT) tests/fuzz/fuzz.R $(CALLS) $(SEED)

interrupts: install
	@$(RSCRIPT) tests/fuzz/interrupts.R $(SIGNALS) $(SEED)

# ---- the rest -----------------------------------------------------------------------------------------------------
check: .build/setup
	@$(RSCRIPT) tools/check.R

docs: install
	@$(RSCRIPT) -e 'Rcpp::compileAttributes("."); roxygen2::roxygenise(".", load_code = "installed")'

bench: install
	@$(RSCRIPT) inst/bench/quick.R

paper: install
	@$(RSCRIPT) inst/bench/paper.R

lint:
	@cppcheck --std=c++17 --language=c++ --enable=warning,performance --inline-suppr --error-exitcode=1 -q \
	  --suppress=missingIncludeSystem -Iinst/include inst/include/acfw

clean:
	@rm -rf .build src/*.o src/*.so acfw.Rcheck acfw_*.tar.gz
