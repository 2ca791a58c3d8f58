// Numbers as the lines of a summary show them.

#ifndef PROPTESTS_SUBJECTS_NUMBER_TEXT_H_
#define PROPTESTS_SUBJECTS_NUMBER_TEXT_H_

#include <cstdint>
#include <string>

namespace twingrad::subjects {

// 12,345 with separators of thousands.
std::string WithSeparators(uint64_t number);

}  // namespace twingrad::subjects

#endif  // PROPTESTS_SUBJECTS_NUMBER_TEXT_H_
