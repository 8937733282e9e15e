// SPDX-License-Identifier: Apache-2.0
// Reads the lines of a robots.txt (RFC 9309, section 2.2) one by one. Blank and meaningless lines
// are returned, too, so that a checker can point at each.
//
//   RobotsParser parser(text, RobotsMode::kRfc);
//   RobotsLine line;
//   while (parser.next(line)) if (line.key == RobotsKey::kDisallow) use(line.number, line.value);
//
// A line ends with LF, CR or CRLF, and with nothing else. Views are into the text, which the caller
// owns. Any input is accepted. The parser makes one pass without allocation, in O(n) whatever ends
// the lines.
#ifndef SPINNERET_ROBOTS_PARSE_H_
#define SPINNERET_ROBOTS_PARSE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spinneret::robots {

enum class RobotsMode : std::uint8_t {
  kRfc,     // RFC 9309
  kGoogle,  // as google/robotstxt: misspelt keys, missing colons, no URL normalisation
  k1994,    // the first standard: the first match wins, no wildcards
};

enum class RobotsKey : std::uint8_t {
  kUserAgent,
  kAllow,
  kDisallow,
  kSitemap,
  kCrawlDelay,
  kRequestRate,
  kVisitTime,
  kHost,
  kCleanParam,
  kNoindex,
  kContentUsage,
  kContentSignal,
  kDisallowAiTraining,
  kAllowAiTraining,
  kLicense,  // RSL 1.0
  kUnknown,  // an unknown key
  kBlank,    // nothing, or white space
  kComment,  // nothing but a comment
  kNoKey,    // text without a colon, or without a key in front of it
};

struct RobotsLine {
  std::uint32_t number = 0;  // from 1
  RobotsKey key = RobotsKey::kBlank;
  bool typo = false;          // google mode: the key is misspelt, or has a tail
  bool no_colon = false;      // google mode: white space replaces the colon
  std::string_view key_text;  // trimmed
  std::string_view value;     // trimmed, without comment
  std::string_view whole;     // the line without its end
};

class RobotsParser {
 public:
  RobotsParser(std::string_view text, RobotsMode mode);
  // Returns false at the end. An empty last line does not count as a line.
  bool next(RobotsLine& line);

 private:
  void take_apart(RobotsLine& line);
  void take_apart_as_google(RobotsLine& line);

  std::string_view text_;
  std::size_t at_ = 0;         // the start of the next line
  std::size_t line_feed_ = 0;  // the first LF at or after at_, or the text's end
  RobotsMode mode_;
  std::uint32_t number_ = 0;
};

// Returns the key's usual name, "Disallow"; empty for kUnknown and the keys after it.
std::string_view to_string(RobotsKey key);

}  // namespace spinneret::robots

#endif  // SPINNERET_ROBOTS_PARSE_H_
