// Fuzz target for what an adapter writes, arbitrary bytes in arbitrary pieces: they must decode to
// frames or to an error of the documented form, and bodies must be rejected or survive printing and
// reading back.
//
// The first byte determines how the rest is split.

#include <cstdint>
#include <string>
#include <string_view>

#include "autograd/program/parse.h"
#include "fuzz/require.h"
#include "proptests/protocol/frame.h"
#include "proptests/protocol/hello.h"
#include "proptests/protocol/reply.h"

namespace twingrad {
namespace {

using protocol::Frame;

constexpr std::string_view kProgram =
    "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%i = leaf type=i64[] data=1\n"
    "%y = mul %x %x\nhook %y do=record\n%s = sum %y\nbackward %s\n";

void CheckMessage(std::string_view message) {
  Require(message.substr(0, 11) == "[protocol] " && message.find("; ") != std::string_view::npos,
          "an error without `[protocol]` or `; what is allowed`", std::string(message));
}

void CheckBody(const std::string& body) {
  static const auto* const program =
      new twingrad::program::Program(*twingrad::program::Parse(kProgram));
  const auto reply = protocol::ParseReply(*program, body);
  if (!reply.ok()) return CheckMessage(reply.status().message());
  const std::string printed = protocol::PrintReply(*program, *reply);
  const auto again = protocol::ParseReply(*program, printed);
  Require(again.ok(), "the printed body is refused", printed);
  Require(protocol::PrintReply(*program, *again) == printed, "it reads as another", printed);
}

void CheckStream(std::string_view bytes, size_t piece) {
  protocol::FrameReader reader;
  for (size_t begin = 0; begin < bytes.size(); begin += piece) {
    reader.Feed(bytes.substr(begin, piece));
    while (true) {
      const auto frame = reader.Next();
      if (!frame.ok()) return CheckMessage(frame.status().message());
      if (!*frame) break;
      if ((*frame)->kind == Frame::Kind::kOk) CheckBody((*frame)->text);
      if ((*frame)->kind != Frame::Kind::kHello) continue;
      const auto hello = protocol::ParseHello((*frame)->text);
      if (!hello.ok()) CheckMessage(hello.status().message());
      if (hello.ok()) {
        Require(*protocol::ParseHello(protocol::PrintHello(*hello)) == *hello, "hello differs",
                (*frame)->text);
      }
    }
  }
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  twingrad::CheckStream(bytes, 1 + data[0] % 64);
  twingrad::CheckBody(std::string(bytes));
  return 0;
}
