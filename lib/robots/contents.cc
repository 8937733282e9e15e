// SPDX-License-Identifier: Apache-2.0
#include "robots/contents.h"

namespace spinneret::robots {
namespace {

class ContentsReader {
 public:
  RobotsContents read(std::string_view text, RobotsMode mode) {
    RobotsParser parser(text, mode);
    RobotsLine line;
    while (parser.next(line)) take(line, mode);
    close_group();
    return std::move(out_);
  }

 private:
  void take(const RobotsLine& line, RobotsMode mode) {
    if (line.key == RobotsKey::kUserAgent) {
      take_agent(line);
    } else if (is_rule(line.key) || is_group_extension(line.key)) {
      take_record(line);
    } else if (line.key == RobotsKey::kBlank && mode == RobotsMode::k1994) {
      close_group();
    } else if (line.key < RobotsKey::kBlank) {
      out_.others.push_back(record_of(line));
    }
  }

  void take_agent(const RobotsLine& line) {
    if (has_rule_) close_group();
    if (extension_came_) first_agent_ = static_cast<std::uint32_t>(group_.agents.size());
    extension_came_ = false;
    group_.agents.push_back({line.number, line.value, first_agent_});
  }

  void take_record(const RobotsLine& line) {
    RobotsRecord record = record_of(line);
    if (group_.agents.empty()) return out_.ungrouped.push_back(record);
    record.first_agent = is_rule(line.key) ? 0 : first_agent_;
    record.last_agent = static_cast<std::uint32_t>(group_.agents.size());
    has_rule_ = has_rule_ || is_rule(line.key);
    extension_came_ = true;
    group_.records.push_back(record);
  }

  static RobotsRecord record_of(const RobotsLine& line) {
    return {line.number, line.key, line.key_text, line.value, 0, 0};
  }

  void close_group() {
    if (!group_.agents.empty()) out_.groups.push_back(std::move(group_));
    group_ = {};
    first_agent_ = 0;
    has_rule_ = extension_came_ = false;
  }

  RobotsContents out_;
  RobotsGroup group_;
  std::uint32_t first_agent_ = 0;
  bool has_rule_ = false;
  bool extension_came_ = false;
};

}  // namespace

RobotsContents read_contents(std::string_view text, RobotsMode mode) {
  return ContentsReader().read(text, mode);
}

}  // namespace spinneret::robots
