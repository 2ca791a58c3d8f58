#include "autograd/program/print.h"

#include <gtest/gtest.h>

#include <string>

#include "autograd/program/builder.h"
#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

// Every kind of statement and argument once, in canonical form.
constexpr char kCanonical[] = R"(twingrad 1
%x = leaf type=f64[2,3] data=1,-2,0x1.8p+0,-0,inf,nan grad=1 device=dev:0
%e = leaf type=f32[] seed=-9223372036854775808 grad=1
%i = leaf type=i64[2] data=-9223372036854775808,9223372036854775807
%b = leaf type=bool[2,1] data=1,0 device=dev:0
%f = leaf type=f64[0] fill=-0
%y = mul %x %x
%w = where %b %x %y
%s = sum %w dims=0,1 keepdim=1
%v = view %x shape=3,2
%t = transpose %v dims=1,0
%p = permute %e
%r = reshape %e shape=scalar
%d = slice %x dim=1 stop=2 step=2
%c = cast %x to=i64
%o = to %x device=cpu
add_ %y %x
hook %y id=h1 do=scale by=0x1p-1
hook %w id=h2 do=remove target=h1
hook %w do=backward target=%y
remove_hook id=h2
%q,%z = custom %x %y do=wrong_count
begin kind=saved_tensor_hooks do=scale by=2
end
begin kind=thread
backward %s seeds=_ inputs=%x,%x retain_graph=0 create_graph=1
end
%ga,%gb = grad %s %y seeds=_,%x inputs=%x,%e retain_graph=1 allow_unused=1
grad %s inputs=none
stream id=s1 device=dev:0
record_event id=e1 device=dev:0
wait_event id=e1 device=dev:1
expect %x kind=grad data=1,2,3,4,5,6
expect %i kind=value type=i64[2] data=1,-1
expect %y kind=dependencies count=2 at=26
expect kind=error error=freed at=7
)";

TEST(Print, IsTheInverseOfParse) {
  const auto program = Parse(kCanonical);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(Print(*program), kCanonical);
}

TEST(Print, PutsAttributesInOrderAndDropsDefaultsCommentsAndBlankLines) {
  const auto program = Parse(
      "# leaves\n"
      "\n"
      "twingrad 1\n"
      "%x = leaf device=cpu grad=0 fill=0 type=f64[02]\n"
      "# and a sum\n"
      "%s = sum %x keepdim=0\n"
      "%d = slice %x step=1 start=0 stop=2 dim=0\n"
      "backward %s create_graph=0 seeds=none");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(Print(*program),
            "twingrad 1\n"
            "%x = leaf type=f64[2]\n"
            "%s = sum %x\n"
            "%d = slice %x dim=0 stop=2\n"
            "backward %s\n");
}

TEST(Print, OneStatement) {
  const auto program = Parse(kCanonical);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(PrintStatement(*program, 5), "%y = mul %x %x");
}

TEST(Print, TakesMalformedPrograms) {
  Program program;
  program.statements.push_back({Opcode::kAdd, {7}, {-5, 3}, {{Key::kTo, DType::kF32}}});
  program.statements.push_back({Opcode::kLeaf, {0}, {}, {{Key::kType, true}}});
  EXPECT_EQ(Print(program), "twingrad 1\n%? = add %? %?\n%? = leaf type=?\n");
}

TEST(Hash, IsFnv1a) {
  // The published test vectors.
  EXPECT_EQ(Fnv1a(""), 0xcbf29ce484222325);
  EXPECT_EQ(Fnv1a("a"), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171f73967e8);
}

TEST(Hash, IsOfTheCanonicalText) {
  const auto program = Parse("twingrad 1\n# a comment\n%x = leaf grad=1 type=f64[]\n");
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(Hash(*program), Fnv1a("twingrad 1\n%x = leaf type=f64[] grad=1\n"));
}

}  // namespace
}  // namespace twingrad::program
