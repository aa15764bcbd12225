#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "cli/schedule_forms.h"
#include "model/error.h"
#include "model/formats/recognise.h"
#include "model/formats/torch_csv.h"
#include "model/formats/torch_fit.h"
#include "model/passes/torch_comms.h"

namespace steptwin::cli {
namespace {

bool computes_only(const Schedule& schedule) {
  for (const StepList& list : schedule.ranks) {
    for (const Slot& slot : list) {
      if (slot && !is_compute(slot->type) && !is_overlap(slot->type)) return false;
    }
  }
  return true;
}

// What PyTorch would run of a schedule: where nothing is sent, PyTorch places the transfers.
ScheduleText runnable_text(const Schedule& schedule, const std::string& file) {
  TorchFit fit = fit_to_torch(schedule, TorchLevel::compute_comms);
  if (!computes_only(fit.schedule)) return {torch_csv(fit.schedule), std::move(fit.losses)};
  fit.losses.emplace_back(
      "there are no transfers in it: sends, receives and FSDP steps placed where PyTorch places "
      "them");
  try {
    return {torch_csv(add_torch_comms(fit.schedule)), std::move(fit.losses)};
  } catch (const Error& error) {
    throw Error({file, 0, 0}, error.wrong(), error.expected());
  }
}

// For the progress that is shown, where a step is as good as a kernel.
double estimated_steps(const std::string& text) {
  constexpr double kBytesPerStep = 8;
  return static_cast<double>(text.size()) / kBytesPerStep;
}

}  // namespace

int convert_command(const ConvertOptions& options) {
  const std::string text = read_file(options.input);
  std::optional<Progress> progress;
  progress.emplace(progress_options(options), estimated_steps(text),
                   std::vector{phase::kReadSchedule, phase::kWriteSchedule});
  const TorchReadOptions reading{options.lenient};
  const Schedule schedule = read_schedule(text, options.input, Misplaced::refused, reading);
  const std::vector<std::string> notes = reading_notes(text, options.input, reading);
  progress->begin(phase::kWriteSchedule);
  const ScheduleForm form = schedule_form_named(options.to);
  const ScheduleText converted = form == ScheduleForm::torch_comms
                                     ? runnable_text(schedule, options.input)
                                     : schedule_text(schedule, form);
  progress.reset();
  if (options.out.empty()) {
    print(converted.text);
  } else {
    write_file(options.out, converted.text, options.force);
  }
  print_notes(options.input, notes);
  print_notes(options.input, converted.losses);
  return kDone;
}

}  // namespace steptwin::cli
