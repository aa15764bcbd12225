#pragma once

#include <string>

#include "model/units.h"

namespace steptwin::reports {

// Microseconds from nanoseconds, exactly, as no double can: a nanosecond is 0.001 us.
std::string microseconds_text(TimeNs duration);   // "12.5", "0", "-0.001"
std::string microseconds_fixed(TimeNs duration);  // "12.500", for traces

// A ratio, to the sixth decimal: "0.272727", "1", "0.5".
std::string ratio_text(double ratio);

}  // namespace steptwin::reports
