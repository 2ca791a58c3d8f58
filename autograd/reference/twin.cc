#include "autograd/reference/twin.h"

#include <cstdint>
#include <utility>

#include "autograd/reference/arena.h"
#include "autograd/reference/interpreter.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

TwinResult RunTwin(const program::Program& program, const DialectRules& rules, bool any_order) {
  return RunTwinWithFreed(program, {}, rules, any_order);
}

TwinResult RunTwinWithFreed(const program::Program& program, std::vector<int32_t> freed_calls,
                            const DialectRules& rules, bool any_order) {
  TwinResult result;
  result.freed_calls = std::move(freed_calls);
  try {
    Interpreter(program, rules, any_order, result).Run();
  } catch (const Skipped& skipped) {
    result.skipped = skipped.reason;
  } catch (const UnknownInteger&) {
    result.skipped = "an integer that rounding decides is an exponent or an index";
  } catch (const UnknownDomain&) {
    result.skipped = "rounding decides whether an operand is in the domain of its op";
  } catch (const OutOfArena&) {
    result.skipped = "the Program is too large for the twin";
  }
  return result;
}

}  // namespace twingrad::reference
