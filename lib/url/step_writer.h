// SPDX-License-Identifier: Apache-2.0
// What the steps of a profile make of one URL, part by part: the part of canonicalisation that looks at no parser.
// normalize.h drives it.
#ifndef SPINNERET_URL_STEP_WRITER_H_
#define SPINNERET_URL_STEP_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "url/parse.h"
#include "url/steps.h"
#include "url/surt.h"

namespace spinneret {

struct NormalizeRules {
  std::uint32_t steps = 0;                    // of enum Step
  std::vector<std::string> drop_params = {};  // globs over decoded names; with kStepParams
  std::vector<std::string> keep_params = {};  // where there are any, all others go
  CdxForm cdx = {};                           // with kStepCdx
  std::vector<std::string> index_names = {"index.html", "index.php", "default.asp", "default.aspx"};
};

// Takes "www." away in front of a host name, as often as it leaves one. Whether it did.
bool strip_www(std::string_view& host);
// Takes directory indexes and slashes at the end of a path away, as the steps have it, by turns: either may uncover the
// other. Returns which of the steps did.
std::uint32_t shorten_path_end(const NormalizeRules& rules, std::string_view& path);

// Reuse it: no allocation once warm, but for rare steps.
class StepWriter {
 public:
  explicit StepWriter(NormalizeRules rules);
  const NormalizeRules& rules() const { return rules_; }

  // What is known of a URL.
  struct Known {
    // It is one of http(s), its host a name of plain bytes (host.h) without port or user: it needs no parser when labels
    // in front of it go.
    bool plain_host = false;
    int path = -1, query = -1;  // what stands in them, of PlainLink::PlainClass
  };
  // Writes `url` with all steps done, but those whose results the parser would undo (kStepPort, kStepSurt, kStepCdx).
  void write(const Url& url, const Known& known);

  std::string& text() { return text_; }
  // Whether text() is a URL as the parser would write it, the one that offsets() tell of, and no step would change it
  // again. Else it is to be parsed, and once more written.
  //
  // One pass does, since the steps come in the order in which one can make work for another: escapes are undone before
  // session ids are looked for, these go before slashes fold, and directory indexes and slashes at the end go by turns;
  // parameters are decoded, dropped, and then sorted. What is left to the parser: an authority that changed (the port is
  // the other scheme's, a name becomes an address), and a path whose session ids went, for they may hide dot segments
  // ("/a/..;sid=1"). Nothing else makes any: an escaped dot is a dot to the parser, which has removed its segment, and
  // no step but that takes bytes out of a segment. A parsed path without session ids has none again, so that the
  // second pass is the last.
  bool settled() const { return settled_; }
  const UrlOffsets& offsets() const { return at_; }

  // The steps that changed something, of enum Step, since begin().
  void begin() { changed_ = 0; }
  std::uint32_t changed() const { return changed_; }
  void note(Step step, bool happened = true) {
    changed_ |= happened ? static_cast<std::uint32_t>(step) : 0;
  }

 private:
  bool on(std::uint32_t step) const { return (rules_.steps & step) != 0; }
  void write_authority(const Url& url, bool plain_host);
  bool strip_host(std::string_view& host, bool plain_host);
  void write_path(const Url& url, int seen);
  void change_path(const Url& url, std::string_view path);
  void write_query(const Url& url, int seen);
  void write_fragment(const Url& url);
  enum class Part { kPath, kFilePath, kQuery, kSpecialQuery, kFragment };
  void write_escapes(std::string_view text, Part part);
  bool change_params();
  bool drops_param(std::string_view name, std::string_view param);

  NormalizeRules rules_;
  UrlOffsets at_;
  bool settled_ = false;
  std::uint32_t changed_ = 0;
  std::string text_;
  std::string part_;
  std::string scratch_;
  std::string lower_name_;
};

}  // namespace spinneret

#endif  // SPINNERET_URL_STEP_WRITER_H_
