#include "tools/oracle/explain.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "proptests/findings/rendering.h"
#include "proptests/workers/files.h"

namespace twingrad::oracle {

using findings::RenderSvg;
using workers::ResolvePath;
using workers::ShellWord;
using workers::WriteFile;

absl::StatusOr<int> Explain(const Arguments& arguments,
                            const subjects::SubjectFactory& make_subject) {
  const absl::StatusOr<std::unique_ptr<subjects::Subject>> made =
      ConfiguredSubject(arguments, make_subject);
  if (!made.ok()) return made.status();
  subjects::Subject& subject = **made;
  if (absl::Status status = LoadOperand(arguments, subject); !status.ok()) return status;
  if (absl::Status status = Start(subject); !status.ok()) return status;
  std::string picture = subject.drawer().Draw({}, /*run_engine=*/true);
  std::optional<std::string> out = arguments.Path("out");
  if (out) out = ResolvePath(*out);
  if (absl::StatusOr<std::string> svg = RenderSvg(picture); svg.ok()) {
    picture = *std::move(svg);
  } else {
    absl::FPrintF(stderr, "%s\n", svg.status().message());
    if (out) {
      const std::string name(absl::StripSuffix(*out, ".svg"));
      out = name + ".dot";
      absl::FPrintF(stderr, "[oracle] its source is in %s; `dot -Tsvg %s -o %s` draws it\n", *out,
                    ShellWord(*out), ShellWord(name + ".svg"));
    } else {
      absl::FPrintF(stderr,
                    "[oracle] its source follows in place of the picture; `dot -Tsvg` draws it\n");
    }
  }
  if (!out) {
    absl::PrintF("%s", picture);
  } else if (absl::Status status = WriteFile(*out, picture); !status.ok()) {
    return status;
  }
  return kNothingFound;
}

}  // namespace twingrad::oracle
