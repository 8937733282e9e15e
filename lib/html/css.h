// SPDX-License-Identifier: Apache-2.0
// The URLs of a style sheet, or of the declarations of a style attribute (CSS Syntax Module 3,
// section 4).
//
//   CssUrls urls(sheet);
//   std::string url;
//   CssUrls::Kind kind;
//   while (urls.next(url, kind)) use(url);
//
// Gives url(...) with and without quotes, image-set() with strings, and @import with either. URLs
// in comments and plain strings, @namespace and @charset are left out. Escapes are undone. Takes
// linear time. Only `url`, and names that contain escapes, are allocated.
#ifndef SPINNERET_HTML_CSS_H_
#define SPINNERET_HTML_CSS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::html {

class CssUrls {
 public:
  enum class Kind : std::uint8_t { kUrl, kImport };

  // `sheet` must outlive this object. With `short_ways` false every byte is looked at singly: the
  // slow twin, for tests.
  explicit CssUrls(std::string_view sheet, bool short_ways = true)
      : sheet_(sheet), short_ways_(short_ways) {}
  // Returns false at the end of the sheet.
  bool next(std::string& url, Kind& kind);
  // The offset in the sheet at which the last URL begins.
  std::size_t offset() const { return offset_; }

 private:
  enum class Rule : std::uint8_t { kOther, kImport, kMute };

  bool take(std::string& url, Kind& kind);
  void skip_idle();
  template <typename Find>
  void take_run(std::string* out, Find find);
  void skip_comment();
  void at_keyword();
  bool word(std::string& url);
  bool url_function(std::string& url);
  bool bare_url(std::string& url);
  void skip_bad_url();
  bool string(char quote, std::string* out);
  bool at_escape() const;
  void escape(std::string* out);
  std::string_view identifier();
  void skip_space();
  bool done() const { return at_ >= sheet_.size(); }

  std::string_view sheet_;
  bool short_ways_;
  std::string name_;  // the present name, if it contains escapes
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
  Rule rule_ = Rule::kOther;
  unsigned depth_ = 0;      // open parentheses
  unsigned image_set_ = 0;  // the depth inside image-set(); 0: outside
};

}  // namespace spinneret::html

#endif  // SPINNERET_HTML_CSS_H_
