#include "cli/options.h"

#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace steptwin::cli {

bool use_color(const Options& options) {
  if (options.color == "always") return true;
  if (options.color == "never") return false;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return isatty(STDOUT_FILENO) == 1;
}

int terminal_width() {
  constexpr int kWithoutTerminal = 100;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWithoutTerminal;
  return size.ws_col;
}

}  // namespace steptwin::cli
