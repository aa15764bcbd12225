#pragma once

#include <span>
#include <vector>

#include "model/machine.h"

namespace steptwin::hw {

// A kernel or transfer of an amount of bytes or operations, and what it took.
struct Sample {
  double amount = 0;
  double seconds = 0;
};

// seconds = latency + amount / rate, by least squares of the relative error: rows are divided by
// what was measured, so that small and large amounts count alike. Outliers, such as runs that were
// interrupted, count less: iteratively reweighted, with Huber's weights min(1, k s / |r|), where s
// = 1.4826 times the median of |r| and k = 1.345 (Huber 1964; Holland and Welsch 1977). Neither
// the latency nor the seconds per amount come out below 0. At least two different amounts.
MachineFit fit_line(std::span<const Sample> samples);

// The median, and the median of the distances from it. At least one sample, in seconds.
MachineFigure figure_of(std::vector<double> seconds);

}  // namespace steptwin::hw
