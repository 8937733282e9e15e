// SPDX-License-Identifier: Apache-2.0
#include "dedupe/line_batch.h"

#include <cstring>
#include <utility>

namespace spinneret::dedupe {

LineBatch::LineBatch(LineKey key, char terminator, Exempt exempt, std::size_t lines)
    : key_(std::move(key)), terminator_(terminator), exempt_(exempt), most_lines_(lines) {
  joined_.resize(key_.kind() == LineKey::Kind::kFields ? lines : 1);
}

void LineBatch::take(std::string_view& run) {
  lines_.clear();
  keys_.clear();
  while (!run.empty() && lines_.size() < most_lines_) {
    const void* const found = std::memchr(run.data(), terminator_, run.size());
    const std::size_t size =
        found == nullptr ? run.size()
                         : static_cast<std::size_t>(static_cast<const char*>(found) - run.data());
    Line line;
    line.text = run.substr(0, size);
    line.terminated = found != nullptr;
    run.remove_prefix(found == nullptr ? size : size + 1);
    if (terminator_ == '\n' && !line.text.empty() && line.text.back() == '\r') {
      // A CR belongs to the line's end, even where the last line lacks its LF. It stands between
      // the text and the terminator.
      line.text.remove_suffix(1);
      line.terminated = false;
    }
    add_key(line);
    lines_.push_back(line);
  }
}

void LineBatch::add_key(Line& line) {
  std::string_view key = line.text;
  if (key_.kind() == LineKey::Kind::kUrl) {
    const void* const tab = std::memchr(key.data(), '\t', key.size());
    if (tab != nullptr) {
      line.exempt = exempt_ != nullptr && exempt_(line.text);
      if (line.exempt) return;
      key = key.substr(0, static_cast<std::size_t>(static_cast<const char*>(tab) - key.data()));
    }
  } else {
    line.exempt = exempt_ != nullptr && exempt_(line.text);
    if (line.exempt) return;
    if (!key_.of(line.text, joined_[joined_.size() == 1 ? 0 : keys_.size()], key)) return;
  }
  line.key = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back(key);
}

}  // namespace spinneret::dedupe
