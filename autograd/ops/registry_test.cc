#include "autograd/ops/registry.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/program/signature.h"

namespace twingrad::ops {
namespace {

using program::Opcode;
using program::Statement;

TEST(Registry, HasEveryComputingStatementAndNoOther) {
  for (const program::Signature& signature : program::Signatures()) {
    const RegisteredOp* operation = Find(signature.op);
    EXPECT_EQ(operation != nullptr, program::IsComputed(signature.category)) << signature.name;
    if (operation == nullptr) continue;
    EXPECT_EQ(operation->opcode, signature.op);
    EXPECT_FALSE(operation->forward.empty() || operation->derivative.empty() ||
                 operation->domain.empty())
        << signature.name;
  }
}

TEST(Registry, DomainsFollowTheSignatures) {
  for (const RegisteredOp& operation : RegisteredOps()) {
    const program::Signature& signature = program::SignatureOf(operation.opcode);
    const std::string_view types = signature.dtypes == program::DTypeRule::kAny       ? "all"
                                   : signature.dtypes == program::DTypeRule::kNumeric ? "numbers"
                                                                                      : "floats";
    const std::string domain(operation.domain);
    EXPECT_EQ(domain.substr(0, domain.find(';')), types) << signature.name;
  }
}

Tensor Result(Opcode op, Tensor& a, const Statement& statement) {
  Tensor result;
  Find(op)->run({&a}, statement, {&result, 1});
  return result;
}

TEST(Registry, RunsWithAttributes) {
  Tensor a = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  Statement sum;
  sum.op = Opcode::kSum;
  sum.attributes = {{program::Key::kDims, std::vector<int64_t>{1}}, {program::Key::kKeepdim, true}};
  const Tensor s = Result(Opcode::kSum, a, sum);
  EXPECT_EQ(s.dim(), 2);
  EXPECT_EQ(Elements(s), (Doubles{6, 15}));
  Statement slice;
  slice.op = Opcode::kSlice;
  slice.attributes = {{program::Key::kDim, int64_t{1}}, {program::Key::kStart, int64_t{1}}};
  EXPECT_EQ(Elements(Result(Opcode::kSlice, a, slice)), (Doubles{2, 3, 5, 6}));
  Statement to;
  to.op = Opcode::kTo;
  to.attributes = {{program::Key::kDevice, int64_t{3}}};
  EXPECT_EQ(Result(Opcode::kTo, a, to).device(), DeviceOf(3));
  Statement unbind;
  unbind.op = Opcode::kUnbind;
  unbind.attributes = {{program::Key::kDim, int64_t{0}}};
  Tensor rows[2];
  Find(Opcode::kUnbind)->run({&a}, unbind, {rows, 2});
  EXPECT_EQ(Elements(rows[1]), (Doubles{4, 5, 6}));
  Find(Opcode::kNegInPlace)->run({&a}, Statement(), {});
  EXPECT_EQ(Elements(a)[0], -1);
}

TEST(Registry, WritesInPlaceAreWhatTheyPerform) {
  for (const RegisteredOp& operation : RegisteredOps()) {
    const program::Signature& signature = program::SignatureOf(operation.opcode);
    if (signature.performs == signature.op) continue;
    const RegisteredOp& performed = *Find(signature.performs);
    EXPECT_EQ(operation.forward, absl::StrCat("a ← ", performed.forward)) << signature.name;
    EXPECT_EQ(operation.derivative,
              absl::StrCat("as ", program::SignatureOf(signature.performs).name));
  }
}

}  // namespace
}  // namespace twingrad::ops
