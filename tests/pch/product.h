// Headers that much of the product includes, compiled once for each sanitizer. It only saves time:
// every file includes what it uses (b_pch=false builds the same).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
