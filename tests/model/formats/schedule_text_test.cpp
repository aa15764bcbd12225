#include "model/formats/schedule_text.h"

#include <doctest/doctest.h>

#include "model/formats/steps_text.h"

namespace steptwin {
namespace {

TEST_CASE("one schedule in every form") {
  const std::string steps =
      "rank0: FWD(s0,m0) - FWD_SEND(s0,m0)\nrank1: FWD_RECV(s1,m0) FWD(s1,m0)\n";
  const Schedule schedule = read_steps(steps, "f");
  const auto text = [&schedule](ScheduleForm form) { return schedule_text(schedule, form); };
  const auto step = [](const char* type, int stage) {
    return "MetaStep(type=MetaStepType." + std::string(type) +
           ", micro_index=0, stage_index=" + std::to_string(stage) + ")";
  };
  CHECK(text(ScheduleForm::steps).text == steps);
  CHECK(text(ScheduleForm::steps).losses.empty());
  CHECK(text(ScheduleForm::metastep).text ==
        "rank0: [" + step("FWD", 0) + ", None, " + step("FWD_SEND", 0) + "]\nrank1: [" +
            step("FWD_RECV", 1) + ", " + step("FWD", 1) + "]\n");
  CHECK(text(ScheduleForm::metastep).losses.empty());
  CHECK(text(ScheduleForm::torch).text == "0F0,\r\n1F0\r\n");
  CHECK(text(ScheduleForm::torch).losses == std::vector<std::string>{"2 transfer steps left out"});
  CHECK(text(ScheduleForm::torch_comms).text == "0F0,0SEND_F0\r\n1RECV_F0,1F0\r\n");
  CHECK(text(ScheduleForm::torch_comms).losses == std::vector<std::string>{"1 bubble left out"});
}

TEST_CASE("the names of the forms") {
  CHECK(texts_of(kScheduleForms) ==
        std::vector<std::string_view>{"steps", "metastep", "torch", "torch-comms"});
  CHECK(text_for(kScheduleForms, ScheduleForm::torch_comms) == "torch-comms");
}

}  // namespace
}  // namespace steptwin
