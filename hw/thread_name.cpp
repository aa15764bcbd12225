#include "hw/thread_name.h"

#include <pthread.h>

namespace steptwin::hw {

void name_this_thread(const std::string& name) {
  constexpr std::size_t kMost = 15;
  pthread_setname_np(pthread_self(), name.substr(0, kMost).c_str());
}

}  // namespace steptwin::hw
