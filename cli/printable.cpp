#include "cli/printable.h"

namespace steptwin::cli {

std::string printable(std::string text) {
  constexpr char kDelete = 0x7f;
  for (char& byte : text) {
    if ((byte >= 0 && byte < ' ') || byte == kDelete) byte = '?';
  }
  return text;
}

}  // namespace steptwin::cli
