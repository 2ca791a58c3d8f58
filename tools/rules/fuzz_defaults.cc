// What a fuzz target sets unless a user says otherwise: options of AddressSanitizer, which
// ASAN_OPTIONS overrides, and flags of libFuzzer, which the command line overrides.
//
// ag_fuzz_target gives both, with a colon before each.

#include <iterator>
#include <vector>

#if !defined(TWINGRAD_ASAN_OPTIONS) || !defined(TWINGRAD_FUZZ_FLAGS)
#error "[fuzz] no defaults; ag_fuzz_target defines them; compile this file by its rule"
#endif

// Runs are short and many. Of an allocation a few callers say enough, and what a run has freed need
// not be kept for long after it. An exception has all of a fake stack searched for frames that it
// has left: parsers throw often, and do with a small one.
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=5:quarantine_size_mb=8"
         ":max_uar_stack_size_log=16" TWINGRAD_ASAN_OPTIONS;
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  static char flags[] = TWINGRAD_FUZZ_FLAGS;
  static std::vector<char*> all;  // libFuzzer reads it when this has returned
  all.assign(*argv, *argv + *argc);
  auto next = std::next(all.begin());
  for (char& character : flags) {
    if (character != ':') continue;
    character = '\0';
    next = std::next(all.insert(next, &character + 1));
  }
  *argc = static_cast<int>(all.size());
  all.push_back(nullptr);
  *argv = all.data();
  return 0;
}
