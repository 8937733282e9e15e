// SPDX-License-Identifier: Apache-2.0
// Canonical forms: a URL parsed by the standard, then the steps of a profile (steps.h).
//
//   Normalizer normalizer({.steps = profile.steps});
//   std::string_view out;
//   if (!normalizer.normalize("HTTP://h/%7Ea#f", nullptr, out, &why)) report(why);
//   // out: "http://h/~a"
//
// Idempotent for every combination of steps: normalize(out) gives out. Never re-encodes a query, never
// undoes %2F %23 %25 %26 %3D %2B.
#ifndef SPINNERET_URL_NORMALIZE_H_
#define SPINNERET_URL_NORMALIZE_H_

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

// Reuse it: no allocation once warm, but for rare steps. Not thread-safe: one for each thread.
class Normalizer {
 public:
  explicit Normalizer(NormalizeRules rules);

  // The canonical form of `input`, resolved against `base` where that is given. `out` lives until the next
  // call and is no view of `input`. False: no URL.
  bool normalize(std::string_view input, const Url* base, std::string_view& out,
                 UrlError* why = nullptr);

  // After normalize: the URL in canonical form, before kStepPort, kStepSurt and kStepCdx, which give text that the
  // standard writes otherwise.
  const Url& url() const { return url_; }
  // The steps that changed something, of enum Step.
  std::uint32_t changed() const { return changed_; }
  // The input was no URL, but a sort key (with kStepSurt or kStepCdx).
  bool was_key() const { return was_key_; }
  // The standard's serialisation, before any step; kept only on request, for explanations.
  void keep_parsed(bool keep) { keep_parsed_ = keep; }
  std::string_view parsed_href() const { return rules_.steps == 0 ? url_.href() : parsed_; }

  const NormalizeRules& rules() const { return rules_; }

 private:
  bool on(std::uint32_t step) const { return (rules_.steps & step) != 0; }
  bool read_key(std::string_view text);
  bool apply_steps();
  bool apply_local_steps();
  void write_authority();
  bool strip_host(std::string& host);
  void write_path();
  void write_query();
  void write_fragment();
  enum class Part { kPath, kFilePath, kQuery, kFragment };
  void normalize_escapes(std::string_view text, Part part);
  void shorten_path_end(std::string& path);
  bool change_params();
  bool drops_param(std::string_view name, std::string_view param);
  bool is_index(std::string_view segment) const;
  void note(Step step, bool happened) {
    changed_ |= happened ? static_cast<std::uint32_t>(step) : 0;
  }
  std::string_view finish();

  NormalizeRules rules_;
  Url url_;
  Url next_;
  bool was_key_ = false;
  bool keep_parsed_ = false;
  std::string parsed_;
  std::string text_;
  std::string part_;
  std::string scratch_;
  std::string lower_name_;
  std::string key_;  // the input, where it was one
  std::uint32_t changed_ = 0;
};

// Gives `url` its safe form, fragment and all: the steps hex-case and unreserved, which RFC 3986 (6.2.2) calls
// equivalent. What rules and lists are compared with.
void make_safe(Url& url);

}  // namespace spinneret

#endif  // SPINNERET_URL_NORMALIZE_H_
