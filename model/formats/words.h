#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <string_view>
#include <vector>

namespace steptwin {

// The words a key of a file can have and what they stand for, for reading and for writing.
template <typename Value>
struct Word {
  std::string_view text;
  Value value;
};
template <typename Value, std::size_t kCount>
using Words = std::array<Word<Value>, kCount>;

template <typename Value, std::size_t kCount>
std::vector<std::string_view> texts_of(const Words<Value, kCount>& words) {
  std::vector<std::string_view> texts;
  for (const Word<Value>& word : words) texts.push_back(word.text);
  return texts;
}

template <typename Value, std::size_t kCount>
std::string_view text_for(const Words<Value, kCount>& words, Value value) {
  for (const Word<Value>& word : words) {
    if (word.value == value) return word.text;
  }
  assert(false && "every value has a word");
  return {};
}

}  // namespace steptwin
