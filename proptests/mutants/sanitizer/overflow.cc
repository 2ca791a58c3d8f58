// Planted overflow: an element count computed with no check. UBSan must report it.
#include <cstdint>

int main() {
  volatile int64_t rows = int64_t{1} << 40;
  const int64_t elements = rows * rows;
  return elements == 0 ? 0 : 1;
}
