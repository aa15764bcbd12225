#pragma once

#include "model/schedule.h"

namespace steptwin {

// Puts every run of two or more P2P steps into one BATCH_SEND_RECV, in the same order. A run is a
// longest sequence of neighbouring entries that are P2P steps: anything else ends it, also a bubble
// and a DATA step. A lone step stays as it is. Taking the batches apart gives the input back.
//
//   BWD_SEND(s1,m0) FWD_RECV(s1,m2) - FWD_SEND(s1,m1)
//   BATCH_SEND_RECV[BWD_SEND(s1,m0)|FWD_RECV(s1,m2)] - FWD_SEND(s1,m1)
Schedule coalesce_p2p(const Schedule& schedule);

}  // namespace steptwin
