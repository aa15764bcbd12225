#include <algorithm>
#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

#include "model/check.h"
#include "model/error.h"
#include "model/formats/meta_step_text.h"
#include "model/formats/steps_text.h"

namespace steptwin {
namespace {

constexpr std::uint64_t kSeed = 20240917;
using Random = std::mt19937_64;

std::int32_t below(Random& random, std::int32_t bound) {
  return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(bound));
}

constexpr std::array kP2p = {StepType::fwd_recv, StepType::fwd_send, StepType::bwd_recv,
                             StepType::bwd_send};

// Random steps of one rank: any of the 21 types, of the stages it holds.
struct StepMaker {
  Random& random;
  std::vector<std::int32_t> stages;
  std::int32_t micro_batches;

  std::int32_t stage() {
    return stages[static_cast<std::size_t>(
        below(random, static_cast<std::int32_t>(stages.size())))];
  }
  Step leaf(StepType type) {
    return shape_of(type) == StepShape::stage_only
               ? make_stage_step(type, stage())
               : make_step(type, stage(), below(random, micro_batches));
  }
  std::vector<Step> p2p_steps(std::int32_t count) {
    std::vector<Step> steps;
    for (std::int32_t index = 0; index < count; ++index) {
      steps.push_back(leaf(kP2p[static_cast<std::size_t>(below(random, 4))]));
    }
    return steps;
  }
  Step step() {
    const StepType type = static_cast<StepType>(below(random, kStepTypeCount));
    if (type == StepType::batch_send_recv) return make_batch(p2p_steps(1 + below(random, 5)));
    if (!is_overlap(type)) return leaf(type);
    const Step forward = leaf(StepType::fwd);
    const Step backward = leaf(below(random, 2) == 0 ? StepType::bwd : StepType::bwd_input);
    if (type == StepType::overlap_f_b) return make_overlap(type, forward, backward);
    return make_overlap(type, backward, forward, p2p_steps(below(random, 4)));
  }
};

// Up to 5 ranks and 7 stages in any map, ranks without a stage among them.
Schedule random_schedule(Random& random) {
  Schedule schedule;
  schedule.stages.ranks = 1 + below(random, 5);
  schedule.micro_batches = 1 + below(random, 12);
  const std::int32_t stages = 1 + below(random, 7);
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    schedule.stages.rank_of_stage.push_back(below(random, schedule.stages.ranks));
  }
  for (std::int32_t rank = 0; rank < schedule.stages.ranks; ++rank) {
    StepMaker maker{random, schedule.stages.stages_of(rank), schedule.micro_batches};
    StepList list;
    for (const std::int32_t stage : maker.stages) {
      list.push_back(make_step(StepType::fwd, stage, schedule.micro_batches - 1));
    }
    for (std::int32_t count = below(random, 30); count > 0; --count) {
      const bool bubble = maker.stages.empty() || below(random, 4) == 0;
      list.push_back(bubble ? Slot{} : Slot{maker.step()});
    }
    std::shuffle(list.begin(), list.end(), random);
    schedule.ranks.push_back(list);
  }
  return schedule;
}

// Equality of steps leaves boundary_p2p out; here it counts.
bool same(const Slot& left, const Slot& right) {
  if (!left || !right) return left.has_value() == right.has_value();
  return *left == *right && left->boundary_p2p() == right->boundary_p2p();
}

bool same(const std::vector<StepList>& left, const std::vector<StepList>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const StepList& one, const StepList& other) {
                      return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                                        [](const Slot& a, const Slot& b) { return same(a, b); });
                    });
}

bool same(const Schedule& left, const Schedule& right) {
  return left.stages == right.stages && left.micro_batches == right.micro_batches &&
         same(left.ranks, right.ranks);
}

std::string replaced(std::string text, const std::string& old_text, const std::string& new_text) {
  for (std::size_t at = text.find(old_text); at != std::string::npos;
       at = text.find(old_text, at + new_text.size())) {
    text.replace(at, old_text.size(), new_text);
  }
  return text;
}

TEST_CASE("value to text to value, and text to value to text, in both forms") {
  CAPTURE(kSeed);
  Random random(kSeed);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const Schedule schedule = random_schedule(random);

    const std::string compact = steps_text(schedule);
    const Schedule from_compact = read_steps(compact, "compact");
    REQUIRE(same(from_compact, schedule));
    REQUIRE(steps_text(from_compact) == compact);

    const std::string long_text = meta_step_text(schedule);
    const Schedule from_long = read_meta_steps(long_text, "long");
    REQUIRE(same(from_long, schedule));
    REQUIRE(meta_step_text(from_long) == long_text);
  }
}

TEST_CASE("white space, line ends, and lists or tuples make no difference") {
  CAPTURE(kSeed);
  Random random(kSeed + 1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const Schedule schedule = random_schedule(random);

    std::string compact = replaced(steps_text(schedule), ",", " ,\t");
    compact = replaced(replaced(compact, "(", " ( "), "|", " | ");
    REQUIRE(
        same(read_steps("\xef\xbb\xbf" + replaced(compact, "\n", "  \r\n\r\n"), "c"), schedule));

    std::string long_text = replaced(meta_step_text(schedule), ", ", "\r\n\t, # and so on\n");
    long_text = replaced(replaced(long_text, "[", "( "), "]", " )");
    REQUIRE(same(read_meta_steps("\xef\xbb\xbf" + replaced(long_text, "=", " = "), "l"), schedule));
  }
}

// Breaks the text in one place: a byte changed, added, removed or doubled.
std::string corrupted(Random& random, std::string text) {
  const auto at = static_cast<std::size_t>(below(random, static_cast<std::int32_t>(text.size())));
  const char any = static_cast<char>(below(random, 256));
  const char own = text[random() % text.size()];
  switch (below(random, 5)) {
    case 0:
      text[at] = any;
      break;
    case 1:
      text[at] = own;
      break;
    case 2:
      text.erase(at, 1);
      break;
    case 3:
      text.insert(at, 1, own);
      break;
    default:
      text.resize(at);
      break;
  }
  return text;
}

bool is_inside(const SourcePosition& position, const std::string& text) {
  std::size_t begin = 0;
  for (int line = 1; line < position.line; ++line) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return false;
    ++begin;
  }
  // One past the last byte of the line is where something is missing.
  const std::size_t length = std::min(text.find('\n', begin), text.size()) - begin;
  return position.line >= 1 && position.column >= 1 &&
         static_cast<std::size_t>(position.column) <= length + 1;
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) >= 0x20 && byte != '\x7f';
  });
}

template <typename Read, typename Write>
void check_corruptions(Random& random, Read&& read, Write&& write) {
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::string valid = write(random_schedule(random));
    for (int attempt = 0; attempt < 20; ++attempt) {
      const std::string text = corrupted(random, valid);
      CAPTURE(text);
      try {
        const Schedule schedule = read(text, "some.file");
        REQUIRE(same(read(write(schedule), "again"), schedule));
      } catch (const Error& error) {
        ++refused;
        CAPTURE(error.what());
        REQUIRE(error.position().file == "some.file");
        REQUIRE(is_inside(error.position(), text));
        REQUIRE(is_printable(error.what()));
        REQUIRE(error.expected() != "");
      }
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("a corrupted text is read or refused at a place inside it") {
  CAPTURE(kSeed);
  Random random(kSeed + 2);
  const auto read = [](const std::string& text, const std::string& file) {
    return read_steps(text, file);
  };
  check_corruptions(random, read, [](const Schedule& value) { return steps_text(value); });
  const auto read_meta = [](const std::string& text, const std::string& file) {
    return read_meta_steps(text, file);
  };
  check_corruptions(random, read_meta, [](const Schedule& value) { return meta_step_text(value); });
  // With misplaced steps kept, what is read can be checked.
  const auto read_kept = [](const std::string& text, const std::string& file) {
    Schedule schedule = read_steps(text, file, Misplaced::kept);
    const bool is_small = std::int64_t{schedule.micro_batches} * schedule.stages.stages() < 100'000;
    if (is_small) check_schedule(schedule);
    return schedule;
  };
  check_corruptions(random, read_kept, [](const Schedule& value) { return steps_text(value); });
}

}  // namespace
}  // namespace steptwin
