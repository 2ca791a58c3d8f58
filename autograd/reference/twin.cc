#include "autograd/reference/twin.h"

#include "autograd/reference/arena.h"
#include "autograd/reference/interpreter.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

TwinResult RunTwin(const program::Program& program, Dialect dialect, bool any_order) {
  TwinResult result;
  try {
    Interpreter(program, dialect, any_order, result).Run();
  } catch (const Skipped& skipped) {
    result.skipped = skipped.reason;
  } catch (const UnknownInteger&) {
    result.skipped = "an integer that rounding decides is an exponent or an index";
  } catch (const OutOfArena&) {
    result.skipped = "the Program is too large for the twin";
  }
  return result;
}

}  // namespace twingrad::reference
