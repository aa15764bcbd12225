// Standard headers that nearly every file includes, compiled once per target. It only saves time:
// every file includes what it uses (b_pch=false builds the same).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
