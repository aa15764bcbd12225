#pragma once

namespace steptwin {

// What a process here may take without being killed for it: four fifths of the machine's memory, or
// of what the control group of a container allows.
double usable_memory_bytes();

}  // namespace steptwin
