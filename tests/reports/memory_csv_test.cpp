#include "reports/memory_csv.h"

#include <doctest/doctest.h>
#include <sstream>
#include <string>

#include "model/error.h"
#include "tests/scratch_folder.h"

namespace steptwin::reports {
namespace {

TEST_CASE("memory.csv has a line for each change") {
  Trace trace;
  trace.ranks.resize(2);
  trace.memory = {{0, 0, MemoryClass::parameters, 1024}, {1, 12, MemoryClass::p2p_buffers, -7}};
  std::ostringstream out;
  write_memory_csv(trace, out);
  CHECK(out.str() == "rank,at_ns,class,bytes\n0,0,parameters,1024\n1,12,p2p_buffers,-7\n");
}

// A file of its own for one test.
struct MemoryFile {
  explicit MemoryFile(const std::string& text) : file(folder.write("memory.csv", text)) {}
  const std::string& path() const { return file; }

  ScratchFolder folder;
  std::string file;
};

TEST_CASE("memory.csv reads back") {
  const MemoryFile file("rank,at_ns,class,bytes\n0,0,parameters,1024\n1,12,p2p_buffers,-7\n");
  CHECK(read_memory_csv(file.path(), 2) ==
        std::vector<MemoryRecord>{{0, 0, MemoryClass::parameters, 1024},
                                  {1, 12, MemoryClass::p2p_buffers, -7}});
}

TEST_CASE("what is wrong in memory.csv is told at its place") {
  const auto complaint = [](const std::string& rows) -> std::string {
    const MemoryFile file("rank,at_ns,class,bytes\n" + rows);
    try {
      read_memory_csv(file.path(), 2);
    } catch (const Error& error) {
      return std::string(error.what()).substr(file.path().size());
    }
    return "";
  };
  CHECK(complaint("0,0,parameters,1\n") == "");
  CHECK(complaint("2,0,parameters,1\n") ==
        ":2:1: error: rank is \"2\"; expected a whole number from 0 to 1");
  CHECK(complaint("0,0,paint,1\n") ==
        ":2:5: error: class \"paint\" is unknown; expected one like \"parameters\"");
  CHECK(complaint("0,5,parameters,1\n0,4,parameters,1\n") ==
        ":3:3: error: the change comes after a later one; expected ascending times");
  CHECK(complaint("1,5,parameters,1\n0,9,parameters,1\n") ==
        ":3:3: error: the change comes after a later one; expected ascending times");
}

}  // namespace
}  // namespace steptwin::reports
