#include "cli/usage.h"

#include <fmt/format.h>
#include <string_view>

#include "model/formats/quoted_text.h"
#include "model/nearest_word.h"

namespace steptwin::cli {

UsageError no_command(const std::vector<std::string>& words,
                      const std::vector<std::string>& commands) {
  std::string names;
  for (const std::string& name : commands) names += (names.empty() ? "" : ", ") + name;
  const std::string expected = "expected one of " + names;
  if (words.empty()) return UsageError("error: no command; " + expected);
  const std::string& word = words.front();
  const std::string text =
      fmt::format("error: there is no {} {}; {}", word.starts_with('-') ? "option" : "command",
                  quoted_text(word), expected);
  const std::string_view nearest = nearest_word(word, {commands.begin(), commands.end()});
  return UsageError(nearest.empty() ? text : fmt::format("{}; did you mean {}?", text, nearest));
}

UsageError wrong_use(const std::string& command, const std::string& wrong,
                     const std::vector<std::string>& surplus) {
  std::string what = wrong;
  if (!surplus.empty()) {
    const std::string& word = surplus.front();
    what = word.starts_with('-') ? fmt::format("{} has no option {}", command, quoted_text(word))
                                 : fmt::format("{} is one argument too many", quoted_text(word));
  }
  return UsageError(fmt::format("error: {}; see steptwin {} --help", what, command));
}

}  // namespace steptwin::cli
