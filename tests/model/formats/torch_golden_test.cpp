#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/check.h"
#include "model/error.h"
#include "model/formats/schedule_text.h"
#include "model/formats/steps_text.h"
#include "model/formats/torch_csv.h"
#include "model/passes/merge_backward.h"
#include "model/passes/torch_comms.h"
#include "tests/external_data.h"
#include "tests/golden_torch.h"

namespace steptwin {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The names of the golden files with this ending, without it.
std::vector<std::string> golden_names(const std::string& ending) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(test_data("golden/torch"))) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  return names;
}

std::string golden(const std::string& name) {
  return text_of(test_data("golden/torch/" + name));
}

std::string without_cr(std::string text) {
  std::erase(text, '\r');
  return text;
}

TEST_CASE("every golden file is written as it was read") {
  int files = 0;
  for (const std::string ending : {".compute_only.csv", ".compute_comms.csv", ".sendrecv_only.csv",
                                   ".torch_pipeline_order_with_reduce_grad.csv"}) {
    for (const std::string& name : golden_names(ending)) {
      CAPTURE(name + ending);
      const std::string text = golden(name + ending);
      const Schedule schedule = read_torch_csv(text, name);
      CHECK(torch_csv(schedule) == text);
      const bool comms = ending != ".compute_only.csv";
      CHECK(schedule_text(schedule, comms ? ScheduleForm::torch_comms : ScheduleForm::torch)
                .losses.empty());
      ++files;
    }
  }
  CHECK(files == 55);
}

TEST_CASE("every golden compute order lowers to the golden transfers, byte for byte") {
  const std::vector<std::string> names = golden_names(".compute_comms.csv");
  CHECK(names.size() == 16);
  for (const std::string& name : names) {
    CAPTURE(name);
    const Schedule order = read_torch_csv(golden(name + ".compute_only.csv"), name);
    CHECK(torch_csv(add_torch_comms(order)) == golden(name + ".compute_comms.csv"));
    CHECK(torch_csv(add_torch_comms(order, false)) == golden(name + ".sendrecv_only.csv"));
  }
}

TEST_CASE("what is lowered passes every check") {
  for (const std::string& name : golden_names(".compute_comms.csv")) {
    CAPTURE(name);
    const Schedule schedule = read_torch_csv(golden(name + ".compute_comms.csv"), name);
    CHECK(check_schedule(schedule).empty());
  }
}

TEST_CASE("the order in which the last rank leaves micro-batch 0 out is read, and is found wrong") {
  const Schedule schedule =
      read_torch_csv(golden("1F1B_torchIR_lastrank_bug_pp2_mb4.compute_only.csv"), "f");
  CHECK(schedule.micro_batches == 5);
  CHECK(steps_text(schedule.ranks[1]) ==
        "- FWD(s1,m1) BWD(s1,m0) FWD(s1,m2) BWD(s1,m1) FWD(s1,m3) BWD(s1,m2) FWD(s1,m4) "
        "BWD(s1,m3)");
  CHECK_THROWS_AS(add_torch_comms(schedule), Error);
}

TEST_CASE("a lowering that PyTorch's runtime printed") {
  const auto text =
      external_data("golden/torch/issue172668_Interleaved1F1B_vpp2_pp2_mb2.compute_comms.csv");
  if (!text) return;
  const Schedule lowered = read_torch_csv(*text, "printed");
  CHECK(torch_csv(lowered) == *text);
  const Schedule order = read_torch_csv(schedule_text(lowered, ScheduleForm::torch).text, "order");
  CHECK(torch_csv(add_torch_comms(order)) == *text);
}

TEST_CASE("the files PyTorch tests itself with") {
  const auto dual_pipe = external_data("golden/torch/artifact_dualpipev_4rank_10mb.csv");
  const auto order = external_data("golden/torch/artifact_zb1p_2rank_2stagep_compute.csv");
  const auto lowered = external_data("golden/torch/artifact_zb1p_2rank_2stagep_comms.csv");
  if (!dual_pipe || !order || !lowered) return;
  for (const std::string& text : {*dual_pipe, *order, *lowered}) {
    CHECK(without_cr(torch_csv(read_torch_csv(text, "f"))) == text);
  }
  // The stored order is lowered after the halves of its backwards are put together.
  const Schedule merged = merge_backward(read_torch_csv(*order, "f"));
  CHECK(without_cr(torch_csv(add_torch_comms(merged, false))) == *lowered);
}

TEST_CASE("DeepSeek's own order of DualPipeV is PyTorch's") {
  for (const std::string shape : {"pp2_mb4", "pp4_mb8"}) {
    const auto text = external_data("golden/torch/deepseek_DualPipeV_" + shape + ".csv");
    if (!text) return;
    CHECK(without_cr(torch_csv(read_torch_csv(*text, "f"))) ==
          without_cr(golden("DualPipeV_" + shape + ".compute_only.csv")));
  }
}

}  // namespace
}  // namespace steptwin
