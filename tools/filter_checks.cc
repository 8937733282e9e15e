// SPDX-License-Identifier: Apache-2.0
// url-filter --to-check: turns links that are not followed into links to be checked, for
// link-check.
#include "base/ascii.h"
#include "base/file.h"
#include "base/hash.h"
#include "filter_stream.h"

namespace spinneret {

void FilterStream::read_checked() {
  const cli::Options& options = tool_.options();
  if (!to_check_) options.usage_error("--checked goes with --to-check");
  const auto list = read_file(options.get("checked"));
  if (!list.ok()) options.usage_error("--checked: " + list.message());
  for (std::string_view rest = *list; !rest.empty();) {
    if (parse(record_url(cut(rest, '\n')), url_))
      checked_.insert(hash64(url_.href_without_fragment()));
  }
}

bool FilterStream::need_not_be_checked(const Url& url) const {
  return !checked_.empty() && checked_.contains(hash64(url.href_without_fragment()));
}

// Most links to be checked lead to hosts outside the scope, which a single judgement can tell. A
// link that it refuses is judged again in full, to get the reason. Where the scope depends on more
// than hosts, links are judged as usual.
bool FilterStream::takes_far_to_be_checked(std::string_view line) {
  const policy::Scope& scope = policy_.scope;
  const bool by_host = scope.has_seeds() && scope.kind() != policy::ScopeKind::kUnder &&
                       !policy_.needs_via && policy_.sections.size() < 2;
  if (!by_host || !url_.is_http() || scope.contains(url_)) return false;
  policy::Facts facts = facts_of(line);
  if (facts.purpose != policy::Purpose::kPage || (adopted_ && is_adopted(line))) return false;
  facts.purpose = policy::Purpose::kOther;
  if (!judge_.judge(url_, facts).accepted) return false;
  write_to_be_checked(line);
  return true;
}

// Whether, by the last verdict, the line is refused only by rules that choose links to follow
// (scope, depth, allow rules), or was to be checked from the start.
bool FilterStream::takes_to_be_checked(std::string_view line) {
  if (judge_.verdict().accepted) {
    const bool is_check = !checked_.empty() && find_raw_field(line, "purpose") == "check";
    return is_check && need_not_be_checked(judge_.verdict().rewritten ? judge_.rewritten() : url_);
  }
  if (!url_.is_http()) return false;
  const policy::Reason reason = judge_.verdict().reason;
  const std::string_view why = judge_.refusal_class();
  if (reason != policy::Reason::kNotAllowed && reason != policy::Reason::kDefault &&
      why != "scope" && why != "depth")
    return false;
  policy::Facts facts = facts_of(line);
  facts.purpose = policy::Purpose::kOther;
  if (!judge_.judge(url_, facts).accepted) return false;
  write_to_be_checked(line);
  return true;
}

// Writes the link as one to be checked: only its existence matters, unless the names in the page
// are wanted too.
void FilterStream::write_to_be_checked(std::string_view line) {
  const bool rewritten = judge_.verdict().rewritten;
  const Url& url = rewritten ? judge_.rewritten() : url_;
  record_.parse(line);
  const bool wants_ids = record_.raw("wants") == "ids";
  if (!wants_ids && need_not_be_checked(url)) return;
  if (rewritten) record_.set_url(url.href());
  record_.set("purpose", wants_ids ? "ids" : "check");
  tool_.writer().write(record_);
}

}  // namespace spinneret
