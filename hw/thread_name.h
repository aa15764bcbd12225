#pragma once

#include <string>

namespace steptwin::hw {

// What debuggers and `top -H` call the calling thread; its first 15 characters are kept.
void name_this_thread(const std::string& name);

}  // namespace steptwin::hw
