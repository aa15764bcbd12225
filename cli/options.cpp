#include "cli/options.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hw/mpi/processes.h"

namespace steptwin::cli {

bool use_color(const Options& options) {
  if (options.color == "always") return true;
  if (options.color == "never") return false;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  // mpirun gives its processes a terminal wherever their output goes.
  return isatty(STDOUT_FILENO) == 1 && !hw::are_started_by_mpirun();
}

int terminal_width() {
  constexpr int kWithoutTerminal = 100;
  constexpr int kMostColumns = 10000;
  const char* variable = std::getenv("COLUMNS");
  const std::string_view columns = variable == nullptr ? "" : variable;
  int width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  const bool is_number = error == std::errc() && end == columns.data() + columns.size();
  if (is_number && width > 0 && width <= kMostColumns) return width;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kWithoutTerminal;
}

}  // namespace steptwin::cli
