// SPDX-License-Identifier: Apache-2.0
// Canonical forms: a URL is parsed by the standard, then changed by the steps of a profile
// (steps.h).
//
//   Normalizer normalizer({.steps = profile.steps});
//   std::string_view out;
//   if (!normalizer.normalize("HTTP://h/%7Ea#f", nullptr, out, &why)) report(why);
//   // out: "http://h/~a"
//
// Every combination of steps is idempotent: normalize(out) gives out. A query is never re-encoded,
// and %2F %23 %25 %26 %3D %2B are never undone.
#ifndef SPINNERET_URL_NORMALIZE_H_
#define SPINNERET_URL_NORMALIZE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "url/parse.h"
#include "url/step_writer.h"
#include "url/steps.h"

namespace spinneret {

// Reuse the object: once warm, it allocates only for rare steps. It is not thread-safe; use one for
// each thread.
class Normalizer {
 public:
  explicit Normalizer(NormalizeRules rules);

  // Gives the canonical form of `input`, resolved against `base` if there is one. `out` lives until
  // the next call and is never a view of `input`. Returns false where the input is not a URL.
  bool normalize(std::string_view input, const Url* base, std::string_view& out,
                 UrlError* why = nullptr);

  // After normalize(): the canonical URL before kStepPort, kStepSurt and kStepCdx, because the
  // parser would undo what these steps write.
  const Url& url() const { return url_; }
  // Returns the steps, of enum Step, that changed something.
  std::uint32_t changed() const { return writer_.changed(); }
  // Returns whether the input was a sort key and not a URL (with kStepSurt or kStepCdx).
  bool was_key() const { return was_key_; }
  // Keeps the parser's result before any step, for explanations. This is off by default.
  void keep_parsed(bool keep) { keep_parsed_ = keep; }
  std::string_view parsed_href() const { return rules().steps == 0 ? url_.href() : parsed_; }
  // Turns on the slow twin, for tests: every URL is parsed, written and parsed again until nothing
  // changes.
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
  std::string key_;  // the input, where it was a sort key
};

// Gives `url` its safe form, with its fragment: the steps hex-case and unreserved, whose results
// RFC 3986 (6.2.2) calls equivalent. Rules and lists are compared with this form.
void make_safe(Url& url);

}  // namespace spinneret

#endif  // SPINNERET_URL_NORMALIZE_H_
