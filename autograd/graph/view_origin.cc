// The messages about views that cannot be written. See view_origin.h.

#include "autograd/graph/view_origin.h"

#include "absl/strings/str_cat.h"
#include "autograd/base/check.h"
#include "autograd/base/error.h"

namespace twingrad {
namespace {

struct Text {
  const char* view;
  const char* advice;
};

// In the order of ViewOrigin.
constexpr Text kTexts[] = {
    {"a view that was made in grad mode", ""},
    {"a view that was made without grad mode",
     "views made in grad mode may be written; make the view in grad mode, or write without"},
    {"a view that was made in inference mode",
     "views made in grad mode may be written; make the view outside inference mode, or write in "
     "it"},
    {"a view that is one of several results of a node",
     "its gradient goes through that node together with its siblings'; use an operation that is "
     "not in place, or clone() the view first"},
    {"a view that a custom function returned, or an operand that it returned as it is,",
     "the gradient of the write would go past the function's own backward; clone() what the "
     "function returned first"},
};

[[noreturn]] void Refuse(ViewOrigin origin, const char* what) {
  AG_CHECK(origin != ViewOrigin::kDefault, "[view] a view of no special origin is refused");
  const Text& text = kTexts[static_cast<int>(origin)];
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[view] ", text.view, what, "; ", text.advice));
}

}  // namespace

void RefuseWrite(ViewOrigin origin) { Refuse(origin, " is written in grad mode"); }

void RefuseRenewal(ViewOrigin origin) {
  Refuse(origin, " is used after a write to its base or to another view of that");
}

}  // namespace twingrad
