#include "cli/transport_table_text.h"

#include <doctest/doctest.h>

namespace steptwin::cli {
namespace {

using deadlocks::Ending;
using deadlocks::Queues;

TEST_CASE("the table in words: queues as given, and what was not tried") {
  deadlocks::TransportTable table;
  table.queues = {Queues::per_rank, Queues::as_given};
  table.cells.resize(2);
  table.cells[0].ending = Ending::hangs;
  table.cells[0].cycle_text = "A waits for itself.";
  table.cells[0].exchange.tried = 2;
  table.cells[0].exchange_cut_short = true;
  table.cells[1].queues = Queues::as_given;
  table.cells[1].is_own = true;
  CHECK(
      transport_table_text(table, 200) ==
      "Does it hang?   with one queue per\n"
      "                rank        as given\n"
      "  plain         hangs       not tried *\n"
      "  * as it stands\n\n"
      "plain, one queue per rank: A waits for itself. No exchange of two neighbouring steps helps "
      "(2 tried). Not all was tried: it would have taken too long.\n\n"
      "not tried: all of them together would have taken too long\n");
}

}  // namespace
}  // namespace steptwin::cli
