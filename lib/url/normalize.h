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

#include "url/parse.h"
#include "url/step_writer.h"
#include "url/steps.h"

namespace spinneret {

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
  std::uint32_t changed() const { return writer_.changed(); }
  // The input was no URL, but a sort key (with kStepSurt or kStepCdx).
  bool was_key() const { return was_key_; }
  // The standard's serialisation, before any step; kept only on request, for explanations.
  void keep_parsed(bool keep) { keep_parsed_ = keep; }
  std::string_view parsed_href() const { return rules().steps == 0 ? url_.href() : parsed_; }
  // The slow twin of tests: every URL is parsed, written anew and parsed until nothing changes.
  void set_thorough(bool thorough) { thorough_ = thorough; }

  const NormalizeRules& rules() const { return writer_.rules(); }

 private:
  bool on(std::uint32_t step) const { return (rules().steps & step) != 0; }
  bool read(std::string_view input, const Url* base, UrlError* why);
  bool read_key(std::string_view text);
  bool apply_steps(const StepWriter::Known& known);
  std::string_view finish();

  StepWriter writer_;
  Url url_;
  Url next_;
  bool was_key_ = false;
  bool keep_parsed_ = false;
  bool thorough_ = false;
  std::string parsed_;
  std::string text_;
  std::string key_;  // the input, where it was one
};

// Gives `url` its safe form, fragment and all: the steps hex-case and unreserved, which RFC 3986 (6.2.2) calls
// equivalent. What rules and lists are compared with.
void make_safe(Url& url);

}  // namespace spinneret

#endif  // SPINNERET_URL_NORMALIZE_H_
