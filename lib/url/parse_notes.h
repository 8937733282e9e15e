// SPDX-License-Identifier: Apache-2.0
// What the basic URL parser did to an input: the changes that it made, and the validation errors of
// the URL Standard (section 1.1), by name and byte.
//
//   ParseNotes notes;
//   const bool valid = parse_noted("http://u@h/a b", nullptr, url, notes);
//   notes.changes();   // 1 << kChangeEscaped
//   notes.faults();    // {"invalid-credentials", 8}, {"invalid-URL-unit", 12}
//
// The parser that takes notes is compiled from the same source as the one that does not, so that
// parse() pays nothing.
#ifndef SPINNERET_URL_PARSE_NOTES_H_
#define SPINNERET_URL_PARSE_NOTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "url/parse.h"

namespace spinneret {

// The changes, in the order in which changes() lists them.
enum ParseChange : std::uint8_t {
  kChangeSpace,
  kChangeSchemeCase,
  kChangeBackslash,
  kChangeSlashes,
  kChangeUserinfo,
  kChangeHostCase,
  kChangeAddress,
  kChangeIdna,
  kChangeHost,
  kChangePort,
  kChangeEmptyPath,
  kChangeDotSegments,
  kChangeDriveLetter,
  kChangeEscaped,
};
// "space", "scheme-case", ...
std::string_view change_name(ParseChange change);
inline constexpr int kParseChanges = kChangeEscaped + 1;

struct ParseFault {
  std::string_view name;   // the Standard's name
  std::size_t offset = 0;  // 0-based byte of the input
};

// The notes of one run. At most kMaxFaults faults are kept, since a line may have one for each
// byte.
class ParseNotes {
 public:
  static constexpr bool kOn = true;
  static constexpr std::size_t kMaxFaults = 64;

  void clear() {
    first_escape_ = SIZE_MAX;
    dot_first_ = false;
    changes_ = 0;
    faults_.clear();
  }
  void change(ParseChange change, bool happened = true) {
    changes_ |= happened ? 1U << change : 0U;
  }
  void fault(std::string_view name, std::size_t offset) {
    if (faults_.size() < kMaxFaults) faults_.push_back({name, offset});
  }
  // Notes invalid-URL-unit for each byte or code point of `text` (which begins at `offset`) that no
  // URL may contain, and for each '%' that does not begin an escape. `passed` is a byte that is
  // allowed all the same.
  void units(std::string_view text, std::size_t offset, char passed = '\0');
  // Notes how `text` became `host`, in the form of Url::host(); the bits are those of
  // HostError::notes.
  void host(std::string_view text, std::size_t offset, std::string_view host, bool special,
            int notes);

  // The following are called along a path: path_begin() with the offset of its first byte in the
  // input, segment() for each segment with its kind (dots_of_segment), path_escape() with the place
  // of an escape in the href, path_cut() with the size that a double dot left, and path_end().
  // `rootless` says that "/." in front of "//" is written again.
  void path_begin(std::size_t offset) { path_offset_ = offset; }
  void segment(std::string_view text, std::size_t offset, int dots, bool rootless);
  void path_escape(std::size_t at) { first_escape_ = first_escape_ < at ? first_escape_ : at; }
  void path_cut(std::size_t size) {
    if (first_escape_ > size) first_escape_ = SIZE_MAX;
  }
  void path_end(std::string_view href, std::size_t path_begin);

  // Notes that the parser read `read` bytes of `input`. The other bytes are invalid units, which
  // faults() gives in the order of the input.
  void stripped(std::string_view input, std::size_t read);

  std::uint32_t changes() const { return changes_; }
  bool changed(ParseChange change) const { return (changes_ >> change & 1U) != 0; }
  const std::vector<ParseFault>& faults() const { return faults_; }
  std::vector<ParseFault>& faults() { return faults_; }

 private:
  std::size_t path_offset_ = 0;
  std::size_t first_escape_ = SIZE_MAX;
  bool dot_first_ = false;
  std::uint32_t changes_ = 0;
  std::vector<ParseFault> faults_;
};

// Takes no notes; every call compiles to nothing.
struct NoParseNotes {
  static constexpr bool kOn = false;
  static void change(ParseChange, bool = true) {}
  static void fault(std::string_view, std::size_t) {}
  static void units(std::string_view, std::size_t, char = '\0') {}
  static void host(std::string_view, std::size_t, std::string_view, bool, int) {}
  static void path_begin(std::size_t) {}
  static void segment(std::string_view, std::size_t, int, bool) {}
  static void path_escape(std::size_t) {}
  static void path_cut(std::size_t) {}
  static void path_end(std::string_view, std::size_t) {}
};

// Does what parse() or resolve() does, and takes notes in the order of the input. Where the input
// is not a URL, the last fault is the reason, except for an input over the length limit, which is
// not read and has no faults.
bool parse_noted(std::string_view input, const Url* base, Url& out, ParseNotes& notes,
                 UrlError* why = nullptr);

}  // namespace spinneret

#endif  // SPINNERET_URL_PARSE_NOTES_H_
