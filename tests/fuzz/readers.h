#pragma once

#include <array>
#include <string_view>

namespace steptwin::fuzz {

// What each reader does with bytes from outside: it throws Error, at a place in them, or makes a
// value that is written and read again without a difference. Anything else ends the program, with
// what went wrong on standard error.
struct Reader {
  std::string_view name;  // also of its folder in tests/fuzz/corpus
  void (*read)(std::string_view bytes);
};

void read_as_scenario(std::string_view bytes);
void read_as_steps(std::string_view bytes);
void read_as_meta_steps(std::string_view bytes);
void read_as_torch_csv(std::string_view bytes);
void read_as_stage_costs(std::string_view bytes);
void read_as_trace_csv(std::string_view bytes);
void read_as_machine(std::string_view bytes);
void read_as_pp_rank(std::string_view bytes);

inline constexpr std::array<Reader, 8> kReaders = {{{"scenario", read_as_scenario},
                                                    {"steps", read_as_steps},
                                                    {"metastep", read_as_meta_steps},
                                                    {"torch", read_as_torch_csv},
                                                    {"costs", read_as_stage_costs},
                                                    {"trace", read_as_trace_csv},
                                                    {"machine", read_as_machine},
                                                    {"dump", read_as_pp_rank}}};

}  // namespace steptwin::fuzz
