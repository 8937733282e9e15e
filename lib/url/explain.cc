// SPDX-License-Identifier: Apache-2.0
#include "url/explain.h"

#include <cstddef>
#include <string>

#include "url/parse_notes.h"

namespace spinneret {
namespace {

class Explanation {
 public:
  explicit Explanation(std::string& out) : out_(out), begin_(out.size()) {}
  void name(std::string_view name, bool happened) {
    if (!happened) return;
    if (out_.size() != begin_) out_ += ',';
    out_ += name;
  }

 private:
  std::string& out_;
  std::size_t begin_;
};

// `href` is what the parser made of `input`.
void explain_parse(Explanation& out, std::string_view input, std::string_view href, bool is_key) {
  Url alone;
  ParseNotes notes;
  const bool resolved = !parse_noted(input, nullptr, alone, notes) || alone.href() != href;
  out.name(change_name(kChangeSpace), notes.changed(kChangeSpace));
  if (is_key) return;
  if (resolved) return out.name("resolved", true);
  for (int i = kChangeSpace + 1; i < kParseChanges; ++i) {
    const auto change = static_cast<ParseChange>(i);
    out.name(change_name(change), notes.changed(change));
  }
}

}  // namespace

void append_explanation(std::string& out, std::string_view input, const Normalizer& normalizer) {
  Explanation names(out);
  const std::string_view href = normalizer.parsed_href();
  if (href != input) explain_parse(names, input, href, normalizer.was_key());
  for (const StepInfo& step : all_steps()) {
    names.name(step.name, (normalizer.changed() & step.step) != 0);
  }
  names.name("params", (normalizer.changed() & kStepParams) != 0);
}

}  // namespace spinneret
