#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/formats/words.h"
#include "model/schedule.h"

namespace steptwin {

// The forms a schedule is written in.
enum class ScheduleForm : std::uint8_t { steps, metastep, torch, torch_comms };

inline constexpr Words<ScheduleForm, 4> kScheduleForms = {
    {{"steps", ScheduleForm::steps},                // steps_text.h
     {"metastep", ScheduleForm::metastep},          // meta_step_text.h
     {"torch", ScheduleForm::torch},                // torch_csv.h, compute_only
     {"torch-comms", ScheduleForm::torch_comms}}};  // torch_csv.h, compute_comms

struct ScheduleText {
  std::string text;
  std::vector<std::string> losses;  // what the form cannot express, a sentence each (torch_fit.h)
};

// The schedule as it is: nothing is added to it.
ScheduleText schedule_text(const Schedule& schedule, ScheduleForm form);

}  // namespace steptwin
