#include "model/formats/schedule_text.h"

#include <utility>

#include "model/formats/meta_step_text.h"
#include "model/formats/steps_text.h"
#include "model/formats/torch_csv.h"
#include "model/formats/torch_fit.h"

namespace steptwin {
namespace {

ScheduleText torch_text(const Schedule& schedule, TorchLevel level) {
  TorchFit fit = fit_to_torch(schedule, level);
  return {torch_csv(fit.schedule), std::move(fit.losses)};
}

}  // namespace

ScheduleText schedule_text(const Schedule& schedule, ScheduleForm form) {
  switch (form) {
    case ScheduleForm::steps:
      return {steps_text(schedule), {}};
    case ScheduleForm::metastep:
      return {meta_step_text(schedule), {}};
    case ScheduleForm::torch:
      return torch_text(schedule, TorchLevel::compute_only);
    case ScheduleForm::torch_comms:
      return torch_text(schedule, TorchLevel::compute_comms);
  }
  return {};
}

}  // namespace steptwin
