#include "tests/fake_gpu/include/nccl.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/fake_gpu/machine.h"
#include "tests/fake_gpu/streams.h"
#include "tests/fake_gpu/world.h"

using steptwin::fake_gpu::Machine;
using steptwin::fake_gpu::Operation;
using steptwin::fake_gpu::OperationType;
using steptwin::fake_gpu::World;

// A handle. What is begun settles the second time that somebody asks: not at once, and then what
// was called goes to its stream.
struct ncclComm {
  std::shared_ptr<World::Member> member = std::make_shared<World::Member>();
  std::mutex mutex;               // for what follows
  std::function<bool()> settles;  // null: settled
  int asked = 0;

  bool begin(std::function<bool()> settle) {
    const std::lock_guard lock(mutex);
    if (settles) return false;
    settles = std::move(settle);
    asked = 0;
    return true;
  }
};

namespace {

struct Worlds {
  std::mutex mutex;
  std::uint64_t ids = 0;
  std::map<std::uint64_t, std::weak_ptr<World>> by_id;
};

Worlds& worlds() {
  static Worlds all;
  return all;
}

std::shared_ptr<World> world_of(const ncclUniqueId& id, int ranks) {
  std::uint64_t number = 0;
  std::memcpy(&number, id.internal, sizeof(number));
  Worlds& all = worlds();
  const std::lock_guard lock(all.mutex);
  std::shared_ptr<World> world = all.by_id[number].lock();
  if (!world) all.by_id[number] = world = std::make_shared<World>(ranks);
  return world;
}

struct Called {
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  Operation operation;
};

// Of the thread, as NCCL's groups are.
struct OpenGroup {
  int depth = 0;
  std::vector<Called> calls;
};
thread_local OpenGroup group;
thread_local const char* last_error = "";

template <typename Perform>
ncclResult_t answer(const char* function, Perform perform) {
  if (const auto status = Machine::get().fault(function)) {
    last_error = "it was to fail";
    return static_cast<ncclResult_t>(*status);
  }
  return perform();
}

ncclResult_t refuse(ncclResult_t result, const char* why) {
  last_error = why;
  return result;
}

// A send to itself needs its receive in the same group.
bool pairs_with_itself(const ncclComm& communicator, const std::vector<Called>& calls) {
  int open = 0;
  for (const Called& call : calls) {
    if (call.operation.peer != communicator.member->rank) continue;
    open += call.operation.type == OperationType::send ? 1 : -1;
  }
  return open == 0;
}

ncclResult_t run_group(std::vector<Called> calls) {
  if (calls.empty()) return ncclSuccess;
  ncclComm& communicator = *calls.front().communicator;
  const cudaStream_t stream = calls.front().stream;
  std::vector<Operation> operations;
  for (const Called& call : calls) {
    if (call.communicator != &communicator || call.stream != stream) {
      return refuse(ncclInvalidUsage, "a group of several communicators or streams");
    }
    operations.push_back(call.operation);
  }
  if (!pairs_with_itself(communicator, calls)) {
    return refuse(ncclInvalidUsage, "Trying to send to self without a matching recv");
  }
  const bool begun = communicator.begin(
      [member = communicator.member, stream, operations = std::move(operations)] {
        stream->put([member, operations] { member->world->run(*member, operations); });
        return true;
      });
  if (!begun) {
    return refuse(ncclInvalidArgument,
                  "Attempt to use communicator before the previous operation returned ncclSuccess");
  }
  return ncclInProgress;
}

ncclResult_t call(ncclComm_t communicator, cudaStream_t stream, Operation operation) {
  group.calls.push_back({communicator, stream, operation});
  if (group.depth > 0) return ncclSuccess;
  return run_group(std::exchange(group.calls, {}));
}

const std::uint64_t* words(const void* memory) {
  return static_cast<const std::uint64_t*>(memory);
}

std::uint64_t* words(void* memory) {
  return static_cast<std::uint64_t*>(memory);
}

}  // namespace

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
  if (result == ncclInvalidArgument) return "invalid argument";
  if (result == ncclInvalidUsage) return "invalid usage";
  if (result == ncclRemoteError) return "remote process exited or there was a network error";
  if (result == ncclSystemError) return "unhandled system error";
  return "unknown result code";
}

const char* ncclGetLastError(ncclComm_t /*communicator*/) {
  return last_error;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return answer("ncclGetUniqueId", [&] {
    Worlds& all = worlds();
    const std::lock_guard lock(all.mutex);
    const std::uint64_t number = ++all.ids;
    std::memcpy(id->internal, &number, sizeof(number));
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  return answer("ncclCommInitRankConfig", [&] {
    if (config->blocking != 0) return refuse(ncclInvalidArgument, "blocking is not stood in for");
    auto made = std::make_unique<ncclComm>();
    made->member->world = world_of(id, ranks);
    made->member->rank = rank;
    made->member->device = steptwin::fake_gpu::current_device();
    made->begin([world = made->member->world] { return world->is_complete(); });
    made->member->world->join();
    *communicator = made.release();
    ++Machine::get().live;
    return ncclInProgress;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state) {
  return answer("ncclCommGetAsyncError", [&] {
    *state = communicator->member->failure;
    const std::lock_guard lock(communicator->mutex);
    if (*state != ncclSuccess || !communicator->settles) return ncclSuccess;
    if (++communicator->asked > 1 && communicator->settles()) {
      communicator->settles = nullptr;
    } else {
      *state = ncclInProgress;
    }
    return ncclSuccess;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  return answer("ncclCommFinalize", [&] {
    communicator->begin([world = communicator->member->world] { return world->is_over(); });
    communicator->member->world->leave();
    return ncclInProgress;
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  return answer("ncclCommDestroy", [&] {
    delete communicator;
    --Machine::get().live;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  return answer("ncclCommAbort", [&] {
    communicator->member->world->abort(*communicator->member);
    delete communicator;
    --Machine::get().live;
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupStart() {
  return answer("ncclGroupStart", [] {
    ++group.depth;
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupEnd() {
  if (--group.depth > 0) return ncclSuccess;
  std::vector<Called> calls = std::exchange(group.calls, {});
  return answer("ncclGroupEnd", [&] { return run_group(std::move(calls)); });
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t /*type*/, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  return answer("ncclSend", [&] {
    return call(communicator, stream, {OperationType::send, words(from), nullptr, count, peer});
  });
}

ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t /*type*/, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  return answer("ncclRecv", [&] {
    return call(communicator, stream, {OperationType::receive, nullptr, words(to), count, peer});
  });
}

ncclResult_t ncclAllGather(const void* brought, void* results, std::size_t count,
                           ncclDataType_t /*type*/, ncclComm_t communicator, cudaStream_t stream) {
  return answer("ncclAllGather", [&] {
    return call(communicator, stream,
                {OperationType::all_gather, words(brought), words(results), count, -1});
  });
}

ncclResult_t ncclReduceScatter(const void* brought, void* results, std::size_t count,
                               ncclDataType_t /*type*/, ncclRedOp_t /*operation*/,
                               ncclComm_t communicator, cudaStream_t stream) {
  return answer("ncclReduceScatter", [&] {
    return call(communicator, stream,
                {OperationType::reduce_scatter, words(brought), words(results), count, -1});
  });
}

ncclResult_t ncclAllReduce(const void* brought, void* results, std::size_t count,
                           ncclDataType_t /*type*/, ncclRedOp_t /*operation*/,
                           ncclComm_t communicator, cudaStream_t stream) {
  return answer("ncclAllReduce", [&] {
    return call(communicator, stream,
                {OperationType::all_reduce, words(brought), words(results), count, -1});
  });
}

}  // extern "C"
