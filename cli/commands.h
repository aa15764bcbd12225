#pragma once

#include <functional>

#include "cli/options.h"

namespace CLI {
class App;
}

namespace steptwin::cli {

// What main runs once the command line is read; gives the exit status.
using Action = std::function<int()>;

// Each adds one command to the program; parsing it sets `action`.
void add_simulate_command(CLI::App& program, Action& action);
void add_schedule_command(CLI::App& program, Action& action);
void add_lower_command(CLI::App& program, Action& action);
void add_check_command(CLI::App& program, Action& action);
void add_convert_command(CLI::App& program, Action& action);
void add_calibrate_command(CLI::App& program, Action& action);
void add_validate_command(CLI::App& program, Action& action);
void add_run_command(CLI::App& program, Action& action);
void add_compare_command(CLI::App& program, Action& action);
void add_report_command(CLI::App& program, Action& action);

}  // namespace steptwin::cli
