#pragma once

#include <string>

#include "standstill/standstill.h"

namespace steptwin {

// The streams that stop at a kernel which has all that it waits for, and the threads that wait for
// nobody, in words: "rank 0 stream comm stops at FWD_SEND(s0,m0) to rank 1, for which nothing is
// missing; rank 1 thread main could go on; ...". "" if there are none, as in every deadlock.
// Otherwise the Program could go on, and what it runs on does not.
std::string overdue_text(const Standstill& standstill);

}  // namespace steptwin
