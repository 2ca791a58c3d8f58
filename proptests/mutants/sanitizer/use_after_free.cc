// Planted use after free: a saved value is read after its owner released it. ASan must report it.
#include <memory>

int main() {
  auto saved = std::make_unique<double>(2);
  const volatile double* value = saved.get();
  saved.reset();
  return *value == 2 ? 0 : 1;
}
