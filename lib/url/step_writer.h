// SPDX-License-Identifier: Apache-2.0
// Applies the steps of a profile to one URL, part by part: the half of canonicalisation that needs
// no parser. normalize.h drives it.
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
  std::vector<std::string> keep_params = {};  // if not empty, all other parameters are dropped
  CdxForm cdx = {};                           // with kStepCdx
  std::vector<std::string> index_names = {"index.html", "index.php", "default.asp", "default.aspx"};
};

// Removes "www." from the front of a host name repeatedly, as long as a name is left. Returns
// whether it removed any.
bool strip_www(std::string_view& host);
// Removes directory indexes and slashes at the end of a path, as the steps say. It alternates
// between the two, since removing either may uncover the other. Returns which of the steps changed
// something.
std::uint32_t shorten_path_end(const NormalizeRules& rules, std::string_view& path);

// Reuse the object: once warm, it allocates only for rare steps.
class StepWriter {
 public:
  explicit StepWriter(NormalizeRules rules);
  const NormalizeRules& rules() const { return rules_; }

  // What the caller already knows about a URL.
  struct Known {
    // The URL is http(s) without port and user, and its host is a name of plain bytes (host.h).
    // Labels may be cut from the front of such a host without parsing the URL again.
    bool plain_host = false;
    int path = -1, query = -1;  // the classes (PlainLink::PlainClass) in them; -1: not known
  };
  // Writes `url` with all steps applied, except those whose results the parser would undo
  // (kStepPort, kStepSurt, kStepCdx).
  void write(const Url& url, const Known& known);

  std::string& text() { return text_; }
  // Returns whether text() is a URL as the parser would write it, with offsets() that fit, which no
  // step would change again. Otherwise it must be parsed and written once more.
  //
  // Mostly one pass is enough, since the steps are ordered so that each comes after those that can
  // make work for it. Escapes are undone before session ids are looked for; session ids are removed
  // before slashes are folded; directory indexes and slashes at the end alternate; parameters are
  // decoded, dropped, and then sorted. Two cases need the parser:
  // - an authority that changed (the port is the default of the new scheme, or a name has become an
  //   address);
  // - a path that lost session ids, which may have hidden dot segments ("/a/..;sid=1").
  //
  // Nothing else makes dot segments: the parser treats an escaped dot as a dot and has removed its
  // segment, and no other step takes bytes out of a segment. A parsed path without session ids gets
  // no new ones, so the second pass is the last.
  bool settled() const { return settled_; }
  const UrlOffsets& offsets() const { return at_; }

  // The steps (of enum Step) that have changed something since begin().
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
