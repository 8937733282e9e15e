// SPDX-License-Identifier: Apache-2.0
#include "normalize_edits.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"

namespace spinneret {
namespace {

constexpr const char* kParts =
    "scheme, user, password, host, hostname, port, path, query or fragment";

UrlEdit read_edit(const cli::Options& options, const std::string& option, const std::string& text) {
  std::optional<UrlEdit> edit = parse_edit(text);
  if (!edit) {
    options.usage_error("--" + option + " takes PART=VALUE, PART being " + kParts + ", not " +
                        excerpt(text));
  }
  return std::move(*edit);
}

// Reads "PART=VALUES", whose values are separated by spaces.
UrlEdits::Iteration read_iteration(const cli::Options& options, const std::string& text) {
  const UrlEdit edit = read_edit(options, "iterate", text);
  UrlEdits::Iteration iteration{edit.part, {}};
  std::string_view rest = edit.value;
  while (!rest.empty()) {
    const std::string_view value = cut(rest, ' ');
    if (!value.empty()) iteration.values.emplace_back(value);
  }
  if (iteration.values.empty()) options.usage_error("--iterate takes PART=VALUES, between spaces");
  return iteration;
}

}  // namespace

bool UrlEdits::choose_next(std::vector<std::size_t>& chosen) const {
  for (std::size_t i = chosen.size(); i-- > 0;) {
    if (++chosen[i] < iterations[i].values.size()) return true;
    chosen[i] = 0;
  }
  return false;
}

bool UrlEdits::make(Url& url, const std::vector<std::size_t>& chosen, std::string& why) const {
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const std::string& value = iterations[i].values[chosen[i]];
    if (set_part(url, iterations[i].part, value)) continue;
    why = "it takes no --iterate value " + excerpt(value);
    return false;
  }
  for (const Edit& change : edits) {
    if (apply(change.edit, url)) continue;
    why = "it takes no " + excerpt(change.text);
    return false;
  }
  return true;
}

UrlEdits read_url_edits(const cli::Options& options) {
  using How = UrlEdit::How;
  UrlEdits all;
  for (const std::string& text : options.all("set")) {
    all.edits.push_back({read_edit(options, "set", text), "--set=" + text});
  }
  for (const std::string& text : options.all("replace")) {
    if (text.empty() || text.starts_with('='))
      options.usage_error("--replace takes NAME=VALUE, not " + excerpt(text));
    all.edits.push_back({{UrlPart::kQuery, text, How::kReplace}, "--replace=" + text});
  }
  for (const std::string& text : options.all("append")) {
    UrlEdit edit = read_edit(options, "append", text);
    if (edit.part != UrlPart::kPath && edit.part != UrlPart::kQuery)
      options.usage_error("--append takes path=SEGMENT or query=NAME=VALUE, not " + excerpt(text));
    edit.how = How::kAppend;
    all.edits.push_back({std::move(edit), "--append=" + text});
  }
  for (const std::string& text : options.all("iterate")) {
    all.iterations.push_back(read_iteration(options, text));
  }
  return all;
}

}  // namespace spinneret
