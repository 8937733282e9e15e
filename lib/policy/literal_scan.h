// SPDX-License-Identifier: Apache-2.0
// Finds which of many literals occur in a text, in one pass over it (Aho-Corasick, as a complete
// automaton over byte classes). ASCII case is ignored: this is a prefilter, and its hits are verified.
//
//   LiteralScan scan;
//   scan.add("/ads/", 0);
//   scan.add("sid=", 1);
//   scan.compile();
//   scan.find("http://h/?sid=1", [](std::uint32_t value) { ... });   // 1
//
// Cost: about 1 ns a byte of text while the states in use fit the cache, whatever the number of literals.
// Memory: states x classes x 4 bytes; the URLs' alphabet makes at most some 60 classes.
// Immutable and thread-safe once compiled.
#ifndef SPINNERET_POLICY_LITERAL_SCAN_H_
#define SPINNERET_POLICY_LITERAL_SCAN_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spinneret::policy {

class LiteralScan {
 public:
  // `literal` is not empty; the same literal may be added with several values.
  void add(std::string_view literal, std::uint32_t value);
  void compile();
  bool empty() const { return transitions_.empty(); }
  std::size_t states() const { return transitions_.size() / (classes_ == 0 ? 1 : classes_); }

  // Calls `hit(value)` for each occurrence, in order of their ends: a literal that occurs twice is
  // reported twice.
  template <typename Hit>
  void find(std::string_view text, Hit&& hit) const {
    if (transitions_.empty()) return;
    const std::uint32_t* const table = transitions_.data();
    std::uint32_t state = 0;
    for (const char byte : text) {
      state = table[(state & ~kHasOutput) + class_of_[static_cast<unsigned char>(byte)]];
      if ((state & kHasOutput) != 0) report((state & ~kHasOutput) / classes_, hit);
    }
  }

 private:
  // A state is the index of its row in `transitions_`; the top bit says that some literal ends there.
  static constexpr std::uint32_t kHasOutput = 0x80000000U;

  template <typename Hit>
  void report(std::uint32_t row, Hit&& hit) const {
    for (std::uint32_t at = row; at != kNone; at = next_output_[at]) {
      for (std::uint32_t i = output_begin_[at]; i < output_begin_[at + 1]; ++i) hit(outputs_[i]);
    }
  }
  void assign_classes();
  void build_trie();
  void link_failures();

  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::pair<std::string, std::uint32_t>> literals_;
  std::array<std::uint8_t, 256> class_of_{};  // 0: a byte that no literal has
  std::uint32_t classes_ = 0;
  std::vector<std::uint32_t> transitions_;    // [row x classes_ + class]
  std::vector<std::uint32_t> output_begin_;   // by row, into outputs_
  std::vector<std::uint32_t> outputs_;
  std::vector<std::uint32_t> next_output_;    // by row: the next shorter suffix that has outputs
};

}  // namespace spinneret::policy

#endif  // SPINNERET_POLICY_LITERAL_SCAN_H_
