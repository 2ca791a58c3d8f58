// SharedLibrary: a library of CUDA that a program does without where the machine lacks it.
//
//   SharedLibrary library("cuBLAS", "libcublas.so.13");
//   library.Take("cublasCreate_v2", create);            // sets the pointer to that entry
//   if (!library.why_not().empty()) ...                 // no library, or an entry that it lacks
//
// It stays loaded as long as the process. One thread.
#pragma once

#include <dlfcn.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace twingrad::cuda {

class SharedLibrary {
 public:
  SharedLibrary(const char* name, const std::string& file)
      : name_(name), library_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) why_not_ = absl::StrCat("no ", name, ": ", dlerror());
  }

  template <class Entry>
  void Take(const std::string& symbol, Entry& entry) {
    if (library_ == nullptr) return;
    entry = reinterpret_cast<Entry>(dlsym(library_, symbol.c_str()));
    if (entry == nullptr) why_not_ = absl::StrCat("no ", name_, ": it has no ", symbol);
  }

  // In words for a person ("" where all of it is there).
  const std::string& why_not() const { return why_not_; }

 private:
  const char* const name_;
  void* const library_;
  std::string why_not_;
};

}  // namespace twingrad::cuda
