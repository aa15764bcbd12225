// Headers that nearly every test includes, compiled once for each suite. It only saves time: every
// file includes what it uses (b_pch=false builds the same).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
