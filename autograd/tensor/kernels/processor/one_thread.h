// One thread for what this thread asks of OpenMP, from which the distribution's oneDNN takes its
// threads, as long as it lives.

#pragma once

// Of the OpenMP run-time that oneDNN is linked to; clang brings no <omp.h>.
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace twingrad::processor {

class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_;
};

}  // namespace twingrad::processor
