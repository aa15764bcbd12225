#include "cli/transport_table_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/deadlock_text.h"
#include "deadlocks/way_out.h"
#include "model/formats/scenario_words.h"
#include "reports/paint.h"

namespace steptwin::cli {
namespace {

namespace json = reports::json;

using deadlocks::Ending;
using deadlocks::Queues;
using deadlocks::TransportCell;

std::string_view word_of(Ending ending) {
  switch (ending) {
    case Ending::runs:
      return "runs";
    case Ending::hangs:
      return "hangs";
    case Ending::refused:
      return "n/a";
    case Ending::not_tried:
      break;
  }
  return "not tried";
}

std::string_view word_of(Queues queues) {
  switch (queues) {
    case Queues::per_rank:
      return "rank";
    case Queues::per_pair:
      return "pair";
    case Queues::per_direction:
      return "direction";
    case Queues::as_given:
      break;
  }
  return "as given";
}

std::string key_of(Queues queues) {
  return queues == Queues::as_given ? "as_given" : fmt::format("per_{}", word_of(queues));
}

std::string way_out_of(const TransportCell& cell) {
  deadlocks::WayOut way_out;
  way_out.exchange = cell.exchange;
  way_out.was_cut_short = cell.exchange_cut_short;
  return deadlocks::way_out_text(way_out);
}

std::string_view transport_of(const TransportCell& cell) {
  return text_for(kP2pModes, cell.transport);
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string grid(const deadlocks::TransportTable& table) {
  std::string head = "                ";
  for (const Queues queues : table.queues) head += fmt::format("{:<12}", word_of(queues));
  std::string text = "Does it hang?   with one queue per\n" + without_trailing_blanks(head);
  for (std::size_t at = 0; at < table.cells.size(); at += table.queues.size()) {
    std::string line = fmt::format("  {:<14}", transport_of(table.cells[at]));
    for (std::size_t column = 0; column < table.queues.size(); ++column) {
      const TransportCell& cell = table.cells[at + column];
      line +=
          fmt::format("{:<12}", fmt::format("{}{}", word_of(cell.ending), cell.is_own ? " *" : ""));
    }
    text += without_trailing_blanks(line);
  }
  return text + "  * as it stands\n";
}

void write_cell(json::Writer& writer, const TransportCell& cell) {
  const bool hangs = cell.ending == Ending::hangs;
  writer.StartObject();
  json::text(writer, "transport", transport_of(cell));
  json::text(writer, "queues", key_of(cell.queues));
  json::truth(writer, "own", cell.is_own);
  json::text(writer, "result", word_of(cell.ending));
  json::text_or_nothing(writer, "why", cell.why);
  json::text_or_nothing(writer, "cycle_text", cell.cycle_text);
  json::text_or_nothing(writer, "way_out", hangs ? way_out_of(cell) : "");
  json::key(writer, "exchange");
  if (cell.exchange.found) {
    write_exchange(writer, *cell.exchange.found);
  } else {
    writer.Null();
  }
  writer.EndObject();
}

}  // namespace

std::string transport_table_text(const deadlocks::TransportTable& table, std::size_t width) {
  std::string text = grid(table);
  std::vector<std::string> reasons;
  for (const TransportCell& cell : table.cells) {
    if (cell.ending == Ending::refused) {
      std::string reason = fmt::format("{} n/a: {}", transport_of(cell), cell.why);
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
        reasons.push_back(std::move(reason));
      }
    }
    if (cell.ending != Ending::hangs || cell.is_own) continue;
    text +=
        "\n" +
        reports::wrapped(fmt::format("{}, {}{}: {} {}", transport_of(cell),
                                     cell.queues == Queues::as_given ? "queues " : "one queue per ",
                                     word_of(cell.queues), cell.cycle_text, way_out_of(cell)),
                         width, 2) +
        "\n";
  }
  const auto is_left_over = [](const TransportCell& cell) {
    return cell.ending == Ending::not_tried;
  };
  if (std::any_of(table.cells.begin(), table.cells.end(), is_left_over)) {
    reasons.emplace_back("not tried: all of them together would have taken too long");
  }
  if (!reasons.empty()) text += "\n";
  for (const std::string& reason : reasons) text += reports::wrapped(reason, width, 2) + "\n";
  return text;
}

void write_transport_table(json::Writer& writer, const deadlocks::TransportTable& table) {
  writer.StartArray();
  for (const TransportCell& cell : table.cells) write_cell(writer, cell);
  writer.EndArray();
}

}  // namespace steptwin::cli
