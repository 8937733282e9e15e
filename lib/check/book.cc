// SPDX-License-Identifier: Apache-2.0
#include "check/book.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/hash.h"
#include "base/number.h"
#include "check/fragment.h"
#include "page/link.h"
#include "url/percent.h"

namespace spinneret::check {
namespace {

constexpr std::uint8_t kNoOutcome = 0xFF;
constexpr int kMaxHops = 20;  // redirects followed, as browsers do
constexpr std::uint64_t kMaxColumn = (1u << 23) - 1;

// Whether Folder leaves this byte of a name unescaped.
bool is_plain_in_name(char c) { return c != '%' && c != '/' && c != '\\' && !in_set(c, kPathSet); }

// Gives one spelling to escapes that servers treat alike: %7e becomes ~, and hexadecimal digits
// become upper case.
void fold_escapes(std::string_view href, std::string& out, bool (*is_plain)(char)) {
  out.clear();
  for (std::size_t i = 0; i != href.size(); ++i) {
    if (!is_escape(href, i)) {
      out += href[i];
      continue;
    }
    const char c = escape_value(href, i);
    is_plain(c) ? out.push_back(c) : append_escape(out, c);
    i += 2;
  }
}

Verdict verdict_of(Outcome outcome, unsigned status) {
  switch (outcome) {
    case Outcome::kOk:
    case Outcome::kNotModified:
    case Outcome::kTooLarge:
    case Outcome::kUnsupportedType:
    case Outcome::kDuplicate:
    case Outcome::kNoindex:
    case Outcome::kNonCanonical: return Verdict::kOk;
    case Outcome::kChallenged: return Verdict::kChallenged;
    case Outcome::kForbidden: return Verdict::kForbidden;
    case Outcome::kRateLimited: return Verdict::kRateLimited;
    case Outcome::kPaymentRequired: return Verdict::kPaymentRequired;
    case Outcome::kBlockedByRobots: return Verdict::kBlockedByRobots;
    case Outcome::kTimeout: return Verdict::kTimeout;
    case Outcome::kAborted:
    case Outcome::kRefusedAddress:
    case Outcome::kBlockedByPolicy:
    case Outcome::kNeeds:
    case Outcome::kItem: return Verdict::kNotCheckable;
    // 999 is not a status of HTTP, but the answer of a well-known wall against crawlers.
    case Outcome::kBadResponse: return status == 999 ? Verdict::kForbidden : Verdict::kDead;
    default: return Verdict::kDead;
  }
}

bool is_pdf_parameter(std::string_view fragment) {
  constexpr std::string_view kParameters[] = {"page=", "zoom=", "view=", "nameddest=", "search="};
  return std::any_of(std::begin(kParameters), std::end(kParameters),
                     [fragment](std::string_view each) { return fragment.starts_with(each); });
}

}  // namespace

std::string Finding::place() const {
  std::string out = without_controls(file.empty() ? page : file);
  if (line == 0) return out;
  out += ':';
  append_unsigned(out, line);
  if (column == 0) return out;
  out += ':';
  append_unsigned(out, column);
  return out;
}

// --- input ---

std::string_view LinkBook::key_of(const Url& url, std::string& scratch) {
  const std::string_view href = url.href_without_fragment();
  if (href.find('%') == std::string_view::npos) return href;
  fold_escapes(href, scratch, is_unreserved);
  return scratch;
}

std::uint32_t LinkBook::target_of(const Url& url) { return strings_.intern(key_of(url, key_)); }

void LinkBook::set_site(std::string_view base) { fold_escapes(base, site_, is_unreserved); }

LinkBook::Target& LinkBook::state_of(std::uint32_t target) {
  if (target >= targets_.size()) targets_.resize(strings_.size());
  return targets_[target];
}

LinkBook::Target LinkBook::known(std::uint32_t target) const {
  return target < targets_.size() ? targets_[target] : Target();
}

std::uint32_t LinkBook::reading_of(std::string_view page) {
  if (last_reading_ != kNone && page == last_page_) return last_reading_;
  last_page_ = page;
  Url url;
  const std::uint32_t target = parse(page, url) ? target_of(url) : strings_.intern(page);
  Page& known = pages_[target];
  if (known.open == kNone) {
    known.open = static_cast<std::uint32_t>(readings_.size());
    readings_.push_back({.target = target});
  }
  return last_reading_ = known.open;
}

void LinkBook::push(std::uint32_t target, std::uint32_t fragment, std::uint32_t reading,
                    const FoundLink& link) {
  // Tags are few. A page may invent more: beyond the first 255 a link has no tag.
  auto tag = std::find(tags_.begin(), tags_.end(), link.tag);
  if (tag == tags_.end() && tags_.size() < 256) tag = tags_.insert(tag, std::string(link.tag));
  Link out{};
  out.target = target;
  out.fragment = fragment;
  out.page = reading;
  out.line = clamp32(link.line);
  out.column = static_cast<std::uint32_t>(std::min(link.column, kMaxColumn)) & kMaxColumn;
  out.is_ignored = link.is_ignored ? 1 : 0;
  out.tag = tag == tags_.end() ? 0 : static_cast<std::uint8_t>(tag - tags_.begin());
  links_.push_back(out);
}

bool LinkBook::add_link(const FoundLink& link) {
  if (!parse(link.target, url_) || !url_.is_http()) return false;
  add_link(link, url_);
  return true;
}

void LinkBook::add_link(const FoundLink& link, const Url& to) {
  const std::string_view key = key_of(to, key_);
  add_link(link, Key{key, hash64(key), to.fragment()});
}

void LinkBook::add_link(const FoundLink& link, const Key& key) {
  const std::uint32_t fragment = key.fragment.empty() ? kNone : strings_.intern(key.fragment);
  const std::uint32_t target = strings_.intern(key.text, key.hash);
  push(target, fragment, link.page.empty() ? kNone : reading_of(link.page), link);
}

void LinkBook::add_broken(const FoundLink& link, std::string_view reason) {
  const std::uint32_t target = strings_.intern(link.target);
  redirects_[target].fragment = strings_.intern(reason);
  state_of(target).is_broken = 1;
  push(target, kNone, link.page.empty() ? kNone : reading_of(link.page), link);
}

// Handles the record that ends a page's links. A record without ids, for a page without open links,
// describes the target only.
void LinkBook::close_reading(std::uint32_t target, const SettledPage& page) {
  last_reading_ = kNone;
  const auto known = pages_.find(target);
  const bool is_open = known != pages_.end() && known->second.open != kNone;
  if (!is_open && !page.has_ids && (page.file.empty() || known != pages_.end())) return;
  // A page that is read once more for its ids alone keeps the links that it had.
  if (page.is_aside && known != pages_.end() && known->second.closed != kNone) return;
  if (page.is_aside && known == pages_.end()) ++aside_;
  Page& entry = pages_[target];
  if (entry.closed != kNone) readings_[entry.closed].replaced = true;
  if (entry.open == kNone) {
    entry.open = static_cast<std::uint32_t>(readings_.size());
    readings_.push_back({.target = target});
  }
  entry.closed = std::exchange(entry.open, kNone);
  if (!page.file.empty()) readings_[entry.closed].file = strings_.intern(page.file);
  readings_[entry.closed].is_source = page.is_source;
  entry.has_ids = page.has_ids;
  entry.first_id = static_cast<std::uint32_t>(ids_.size());
  std::string id;
  for (std::string_view rest = page.ids; page::next_id(rest, id);) ids_.push_back(hash64(id));
  entry.id_count = static_cast<std::uint32_t>(ids_.size() - entry.first_id);
  std::sort(ids_.begin() + entry.first_id, ids_.end());
}

bool LinkBook::settle(const SettledPage& page) {
  if (!parse(page.url, url_) || !url_.is_http()) return false;
  if (page.outcome == Outcome::kItem || page.outcome == Outcome::kNeeds) return true;
  const std::uint32_t target = target_of(url_);
  Target& state = state_of(target);
  // An aborted repetition does not replace an earlier result.
  if (page.outcome == Outcome::kAborted && state.outcome != kNoOutcome) return true;
  state.outcome = static_cast<std::uint8_t>(page.outcome);
  state.status = static_cast<std::uint16_t>(std::min(page.status, 0xFFFFu));
  state.for_sources = page.for_sources ? 1 : 0;
  state.is_pdf = starts_with_ignore_case(page.type, "application/pdf");
  close_reading(target, page);
  if (state.is_redirect != 0) redirects_.erase(target);
  state.is_redirect = 0;
  if (page.outcome == Outcome::kAborted && !page.error.empty()) {
    redirects_[target] = {kNone, strings_.intern(page.error)};
    state_of(target).is_redirect = 1;
  }
  Url to;
  if (page.location.empty() || !resolve(page.location, url_, to)) return true;
  const std::uint32_t fragment = to.fragment().empty() ? kNone : strings_.intern(to.fragment());
  redirects_[target] = {target_of(to), fragment};
  state_of(target).is_redirect = 1;
  return true;
}

void LinkBook::set_outside(std::string_view folder) {
  std::string folded;
  fold_escapes(folder, folded, is_unreserved);
  longest_outside_ = std::max(longest_outside_, folded.size());
  outside_.insert(std::move(folded));
}

bool LinkBook::recall(std::string_view url) {
  if (!parse(url, url_) || !url_.is_http()) return false;
  std::string folded;
  fold_escapes(url_.href_without_fragment(), folded, is_unreserved);
  const std::uint32_t target = strings_.find(folded);
  if (target == kNone || known(target).outcome != kNoOutcome) return false;
  state_of(target).outcome = static_cast<std::uint8_t>(Outcome::kOk);
  return true;
}

void LinkBook::each_unanswered(bool on_site, const TakeUrl& take) const {
  std::vector<bool> seen;
  const auto look = [&](std::uint32_t target) {
    if (target >= seen.size()) seen.resize(strings_.size());
    if (seen[target]) return;
    seen[target] = true;
    const Target state = known(as_file(target));
    if (state.outcome != kNoOutcome || state.is_broken != 0 || is_outside(target) ||
        is_ours(target) != on_site)
      return;
    take(std::string(strings_.view(target)));
  };
  for (std::uint32_t i = 0; i != links_.size(); ++i) {
    std::uint32_t target = as_file(links_[i].target);
    look(target);
    for (int hop = 0; hop != kMaxHops; ++hop) {
      const auto redirect = redirects_.find(target);
      if (redirect == redirects_.end() || redirect->second.target == kNone) break;
      look(target = as_file(redirect->second.target));
    }
  }
}

// --- verdicts ---

struct LinkBook::Answer {
  Verdict verdict = Verdict::kOk;
  std::string reason;
  Redirect location;  // none: the target itself

  void clear() {
    verdict = Verdict::kOk;
    reason.clear();
    location = {};
  }
};

// Returns, for a target that is not settled, the target of the same file: on a site of files a
// query makes no difference, and any byte of a name may be escaped.
std::uint32_t LinkBook::as_file(std::uint32_t target) const {
  if (site_.empty() || known(target).outcome != kNoOutcome) return target;
  const std::string_view url = strings_.view(target);
  if (!url.starts_with(site_)) return target;
  const std::string_view plain = url.substr(0, url.find('?'));
  std::string name;
  if (plain.size() >= site_.size())
    fold_escapes(plain.substr(site_.size()), name, is_plain_in_name);
  for (const std::string& each : {std::string(plain), site_ + name}) {
    const std::uint32_t found = strings_.find(each);
    if (found != kNone && known(found).outcome != kNoOutcome) return found;
  }
  return target;
}

void LinkBook::answer_at_end(std::uint32_t target, std::uint32_t fragment, Answer& out) const {
  const Target state = known(target);
  const auto outcome = static_cast<Outcome>(state.outcome);
  const Verdict verdict = verdict_of(outcome, state.status);
  if (verdict != Verdict::kOk) {
    out.verdict = verdict;
    if (const auto why = redirects_.find(target);
        state.is_redirect != 0 && outcome == Outcome::kAborted && why != redirects_.end()) {
      out.reason = strings_.view(why->second.fragment);
      return;
    }
    if (state.status != 0) append_unsigned(out.reason, state.status);
    out.reason.append(out.reason.empty() ? "" : " ").append(spinneret::to_string(outcome));
    return;
  }
  if (fragment == kNone) return;
  const auto page = pages_.find(target);
  const std::string_view wanted = strings_.view(fragment);
  if (page == pages_.end() || !page->second.has_ids) {
    // The ids of the document are not known: it is not HTML, or was not read.
    if (state.is_pdf && !is_pdf_parameter(wanted)) out.reason = "fragment of a PDF: not checked";
    return;
  }
  const Page& found = page->second;
  const Indicated part =
      indicated_part(wanted, [this, &found](std::string_view id) { return has_id(found, id); });
  if (part == Indicated::kNothing) {
    out.verdict = Verdict::kDeadFragment;
    out.reason = "the page has no such id";
  } else if (part == Indicated::kUnknown) {
    out.verdict = Verdict::kNotCheckable;
    out.reason = "a fragment for scripts";
  }
}

bool LinkBook::has_id(const Page& page, std::string_view id) const {
  const auto first = ids_.begin() + page.first_id;
  return std::binary_search(first, first + page.id_count, hash64(id));
}

bool LinkBook::is_ours(std::uint32_t target) const {
  return !site_.empty() && strings_.view(target).starts_with(site_);
}

bool LinkBook::is_outside(std::uint32_t target) const {
  const std::string_view url = strings_.view(target).substr(0, longest_outside_);
  for (std::size_t slash = url.find('/', site_.size()); slash != std::string_view::npos;
       slash = url.find('/', slash + 1))
    if (outside_.count(std::string(url.substr(0, slash + 1))) != 0) return true;
  return false;
}

void LinkBook::answer(const Link& link, Answer& out) const {
  std::uint32_t target = as_file(link.target);
  std::uint32_t fragment = link.fragment;
  bool moved = false;
  bool for_good = true;  // whether all redirects so far are permanent
  for (int hop = 0;; ++hop) {
    const Target state = known(target);
    if (state.is_broken != 0) {
      out.verdict = Verdict::kDead;
      out.reason = strings_.view(redirects_.at(target).fragment);
      return;
    }
    const bool is_hidden =
        state.for_sources != 0 && (link.page == kNone || !readings_[link.page].is_source);
    if (state.outcome == kNoOutcome || is_hidden) {
      const bool outside = is_outside(target);
      const bool lacks = is_ours(target) && !outside;
      out.verdict = lacks ? Verdict::kDead : Verdict::kNotCheckable;
      out.reason = lacks ? "not found" : outside ? "out of the folder" : "not asked for";
      if (hop != 0) out.reason = "leads to what was " + out.reason;
      return;
    }
    const auto outcome = static_cast<Outcome>(state.outcome);
    if (!is_redirect(outcome)) break;
    if (state.is_redirect == 0 || hop == kMaxHops) {
      out.verdict = Verdict::kDead;
      out.reason = hop == kMaxHops ? "redirects without end" : "a redirect to nowhere";
      return;
    }
    if (hop == 0) moved = outcome == Outcome::kMoved;
    for_good = for_good && outcome == Outcome::kMoved;
    const Redirect& next = redirects_.at(target);
    if (for_good || !moved) out.location = next;
    if (next.fragment != kNone) fragment = next.fragment;
    target = as_file(next.target);
  }
  answer_at_end(target, fragment, out);
  if (out.verdict != Verdict::kOk || !moved) return;
  out.verdict = Verdict::kMoved;
}

// A reading that was replaced does not count, nor does one that was cut off before its page's
// record.
bool LinkBook::counts(const Link& link) const {
  if (link.page == kNone) return true;
  const Reading& reading = readings_[link.page];
  if (reading.replaced) return false;
  const Page& page = pages_.at(reading.target);
  return page.open != link.page || page.closed == kNone;
}

void LinkBook::tell(std::uint32_t number, const Answer& found, const Take& take) const {
  const Link& link = links_[number];
  const auto with_fragment = [this](std::uint32_t target, std::uint32_t fragment) {
    std::string out(strings_.view(target));
    if (fragment != kNone) out.append("#").append(strings_.view(fragment));
    return out;
  };
  Finding finding;
  if (link.page != kNone) {
    const Reading& reading = readings_[link.page];
    finding.page = strings_.view(reading.target);
    if (reading.file != kNone) finding.file = strings_.view(reading.file);
  }
  const std::string target = with_fragment(link.target, link.fragment);
  std::string location;
  if (found.location.target != kNone)
    location = with_fragment(found.location.target, found.location.fragment);
  finding.number = number;
  finding.verdict = found.verdict;
  finding.target = target;
  finding.is_ignored = link.is_ignored != 0;
  finding.tag = tags_[link.tag];
  finding.line = link.line;
  finding.column = link.column;
  finding.reason = found.reason;
  finding.location = location;
  take(finding);
}

void LinkBook::judge_one(std::uint32_t number, const Take& take) const {
  if (!counts(links_[number])) return;
  Answer found;
  answer(links_[number], found);
  tell(number, found, take);
}

LinkBook::Counts LinkBook::judge(const Verdicts& wanted, const Take& take) const {
  Counts others{};
  Answer found;
  std::uint32_t number = 0;
  std::uint32_t page = kNone;  // page of the previous link
  bool page_counts = true;
  for (const Link& link : links_) {
    if (link.page != page) page_counts = counts(link);
    page = link.page;
    if (page_counts) {
      found.clear();
      answer(link, found);
      const auto verdict = static_cast<std::size_t>(found.verdict);
      if (wanted[verdict])
        tell(number, found, take);
      else
        ++others[verdict];
    }
    ++number;
  }
  return others;
}

void LinkBook::judge(const Take& take) const {
  Verdicts all;
  all.fill(true);
  judge(all, take);
}

}  // namespace spinneret::check
