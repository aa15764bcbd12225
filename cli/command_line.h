#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options.h"

namespace steptwin::cli {

// A command with --help that ends in an example.
CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& does,
                      const std::string& example);

// The options that all commands share.
void add_scenario_options(CLI::App& command, Options& options, const std::string& input_help);
void add_folder_options(CLI::App& command, Options& options);
void add_output_options(CLI::App& command, Options& options);

// A number from `least` to `most`; nan, of which no comparison tells, is none.
CLI::Validator number_between(double least, double most);

}  // namespace steptwin::cli
