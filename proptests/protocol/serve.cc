#include "proptests/protocol/serve.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <unistd.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "autograd/program/limits.h"
#include "autograd/program/parse.h"
#include "proptests/protocol/frame.h"
#include "proptests/protocol/reply.h"

namespace twingrad::protocol {
namespace {

// Reads a line without its newline; false at the end of the input.
bool ReadLine(std::FILE* in, std::string* line) {
  line->clear();
  for (int c = std::fgetc(in); c != EOF; c = std::fgetc(in)) {
    if (c == '\n') return true;
    line->push_back(static_cast<char>(c));
  }
  return false;
}

std::string Answer(uint64_t id, const std::string& text, const RunProgram& run) {
  const auto program = twingrad::program::Parse(text);
  if (!program.ok()) return PrintFault(id, program.status().message());
  const auto observation = run(*program);
  if (observation.ok()) return PrintOk(id, PrintReply(*program, *observation));
  if (absl::IsUnimplemented(observation.status())) {
    return PrintSkip(id, observation.status().message());
  }
  return PrintFault(id, observation.status().message());
}

}  // namespace

int Serve(const Hello& hello, const RunProgram& run) {
  std::FILE* out = fdopen(dup(1), "w");
  if (out == nullptr || dup2(2, 1) < 0) return 1;
  const auto send = [out](const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
  };
  std::string line;
  while (ReadLine(stdin, &line)) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    uint64_t id = 0;
    uint64_t bytes = 0;
    if (words[0] == "bye") return 0;
    if (words[0] == "hello") {
      if (!send(PrintHello(hello) + "\n")) return 1;
      continue;
    }
    if (words.size() != 3 || words[0] != "case" || !absl::SimpleAtoi(words[1], &id) ||
        !absl::SimpleAtoi(words[2], &bytes) || bytes > twingrad::program::kMaxTextBytes) {
      std::fprintf(stderr, "[adapter] cannot read `%s`; allowed are hello, case and bye\n",
                   line.c_str());
      return 1;
    }
    std::string text(bytes, '\0');
    if (std::fread(text.data(), 1, bytes, stdin) != bytes) return 1;
    if (!send(Answer(id, text, run))) return 1;
  }
  return 0;
}

}  // namespace twingrad::protocol
