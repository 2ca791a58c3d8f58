// The canonical text of a Program: the inverse of Parse.
//
// Pure functions. Malformed Programs are printed too, with `?` for what has no text, so that their
// faults can be shown; Validate tells whether a Program is well-formed.

#pragma once

#include <string>

#include "autograd/program/program.h"

namespace twingrad::program {

// The header line and one line per statement, each ended by a newline.
std::string Print(const Program& program);

// One statement without a newline, e.g. `%y = mul %a %b`.
std::string PrintStatement(const Program& program, int statement);

// Appends the statement's line (without newline) to `out`.
void AppendStatement(const Program& program, const Statement& statement, std::string& out);

}  // namespace twingrad::program
