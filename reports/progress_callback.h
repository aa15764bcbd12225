#pragma once

#include <cstddef>
#include <functional>

namespace steptwin::reports {

// Told how much of a long piece of work is done, now and then: once for some ten thousand items, so
// that it costs nothing. May be empty. Who shows it, and where, is not the business of reports.
using ProgressCallback = std::function<void(std::size_t done, std::size_t total)>;

}  // namespace steptwin::reports
