#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <vector>

#include "model/formats/schedule_text.h"

namespace steptwin::cli {

// The forms of a schedule as words of the command line: what --help says of them, their names, and
// the form of a name, which must be one of them.
inline constexpr const char* kScheduleFormsHelp =
    "steps: compact text; metastep: as the Python class prints itself; torch: PyTorch's CSV, "
    "computing alone; torch-comms: the same with transfers and FSDP steps.";

inline std::vector<std::string> schedule_form_names() {
  const std::vector<std::string_view> texts = texts_of(kScheduleForms);
  return {texts.begin(), texts.end()};
}

inline ScheduleForm schedule_form_named(const std::string& name) {
  for (const Word<ScheduleForm>& word : kScheduleForms) {
    if (word.text == name) return word.value;
  }
  assert(false && "the command line takes no other");
  return {};
}

}  // namespace steptwin::cli
