#pragma once

#include <string_view>
#include <vector>

namespace steptwin {

// The candidate that `word` was most likely meant to be, for the "did you mean" of an error, or ""
// if none is near.
//
// Distance: the fewest insertions, deletions, substitutions and swaps of neighbouring bytes, upper
// and lower case counting as equal. Near: a distance of at most a third of the longer of the two
// words, rounded up. The first of equally near candidates wins.
//
// A word of any length is cheap: a candidate of a very different length is never compared.
std::string_view nearest_word(std::string_view word,
                              const std::vector<std::string_view>& candidates);

}  // namespace steptwin
