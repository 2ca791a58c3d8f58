// The handler of threads that have none. See warning.h.

#include "autograd/graph/warning.h"

#include <cstdint>
#include <cstdio>
#include <set>
#include <string_view>
#include <tuple>

#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/once.h"

namespace twingrad {
namespace {

// Prints the first warning of each place.
class PrintedWarnings {
 public:
  void Print(const Warning& warning) AG_EXCLUDES(mutex_) {
    {
      sync::MutexLock lock(mutex_);
      const Site site(warning.site.file_name(), warning.site.line(), warning.site.column());
      if (!sites_.Mutable().insert(site).second) return;
    }
    std::fprintf(stderr, "%s:%u: warning: %s\n", warning.site.file_name(),
                 static_cast<unsigned>(warning.site.line()), warning.message.c_str());
  }

 private:
  using Site = std::tuple<std::string_view, uint32_t, uint32_t>;

  sync::Mutex mutex_{"printed_warnings"};
  sync::Cell<std::set<Site>> sites_ AG_GUARDED_BY(mutex_);
};

constinit sync::Lazy<PrintedWarnings> printed_warnings;

}  // namespace

void Warn(const Warning& warning) {
  WarningHandler* const handler = CurrentThread().modes.warning_handler;
  if (handler != nullptr) {
    handler->Handle(warning);
  } else {
    printed_warnings->Print(warning);
  }
}

void Warn(std::string message, std::source_location site) {
  Warn(Warning{std::move(message), site});
}

std::vector<std::string> CollectedWarnings::Messages() const {
  std::vector<std::string> messages;
  for (const Warning& warning : warnings_) messages.push_back(warning.message);
  return messages;
}

}  // namespace twingrad
