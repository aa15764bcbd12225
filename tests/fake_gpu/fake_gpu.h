#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace steptwin::fake_gpu {

// A stand-in for GPUs, their runtime, cuBLAS and NCCL, on threads of this machine. It keeps the
// rules that the cuda backend lives by: streams run what is on them in order and beside each
// other; a wait for an event that was never recorded is no wait; a non-blocking communicator puts
// nothing on its stream before its call has settled, and takes no other call until then; a
// communication kernel ends when all its parts have met their other ends, in order.
//
// One machine for the process. Set up between two jobs only.

inline constexpr int kNoDriver = -1;

// As new: this many devices, no faults. Asserts that nothing of the last job is left.
void reset(int devices);

// What was made and not freed: streams, events, allocations, handles, communicators.
std::int64_t live();
// Calls of the function so far.
std::int64_t calls(const std::string& function);

// The nth call of the function from now on, 1 for the next, answers with this and does nothing.
void fail_call(const std::string& function, std::int64_t nth, int status);
// The nth communication kernel of the device from now on makes its communicator fail when it runs,
// asynchronously.
void fail_communication(int device, std::int64_t nth);
// From its nth communication kernel on the device never gets to its peers.
void lose_device(int device, std::int64_t nth);
// The nth message that the device receives, also from itself, has a wrong bit in the word given.
void spoil_receive(int device, std::int64_t nth, std::int64_t word);
// Every copy between device and host takes so much longer.
void slow_copies(std::chrono::nanoseconds delay);

}  // namespace steptwin::fake_gpu
