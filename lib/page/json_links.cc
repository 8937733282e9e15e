// SPDX-License-Identifier: Apache-2.0
#include "page/json_links.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "html/guess.h"

namespace spinneret::page {
namespace {

using feed::FeedLinkKind;

struct Rule {
  JsonShape shape;
  // The member whose value the object is or is an element of; "" for the document.
  std::string_view owner;
  std::string_view key;
  FeedLinkKind kind;
};

// A manifest's scope and id are addresses without a document; a protocol handler's url is a
// template.
constexpr Rule kRules[] = {
    {JsonShape::kFeed, "", "home_page_url", FeedLinkKind::kPage},
    {JsonShape::kFeed, "", "feed_url", FeedLinkKind::kFeed},
    {JsonShape::kFeed, "", "next_url", FeedLinkKind::kFeed},
    {JsonShape::kFeed, "", "icon", FeedLinkKind::kResource},
    {JsonShape::kFeed, "", "favicon", FeedLinkKind::kResource},
    {JsonShape::kFeed, "items", "url", FeedLinkKind::kPage},
    {JsonShape::kFeed, "items", "external_url", FeedLinkKind::kPage},
    {JsonShape::kFeed, "items", "image", FeedLinkKind::kResource},
    {JsonShape::kFeed, "items", "banner_image", FeedLinkKind::kResource},
    {JsonShape::kFeed, "items", "content_html", FeedLinkKind::kContent},
    {JsonShape::kFeed, "attachments", "url", FeedLinkKind::kResource},
    {JsonShape::kFeed, "authors", "url", FeedLinkKind::kPage},
    {JsonShape::kFeed, "author", "url", FeedLinkKind::kPage},
    {JsonShape::kFeed, "authors", "avatar", FeedLinkKind::kResource},
    {JsonShape::kFeed, "author", "avatar", FeedLinkKind::kResource},
    {JsonShape::kFeed, "hubs", "url", FeedLinkKind::kMeta},
    {JsonShape::kManifest, "", "start_url", FeedLinkKind::kPage},
    {JsonShape::kManifest, "shortcuts", "url", FeedLinkKind::kPage},
    {JsonShape::kManifest, "icons", "src", FeedLinkKind::kResource},
    {JsonShape::kManifest, "screenshots", "src", FeedLinkKind::kResource},
    {JsonShape::kManifest, "share_target", "action", FeedLinkKind::kMeta},
    {JsonShape::kManifest, "file_handlers", "action", FeedLinkKind::kMeta},
    {JsonShape::kManifest, "related_applications", "url", FeedLinkKind::kMeta},
};

constexpr std::size_t kMaxValue = std::size_t{64} << 10;
constexpr std::size_t kMaxNote = 64;
constexpr std::size_t kMaxTitle = 256;

// Walks over the document's strings, each with the member whose value it is and the object around
// that.
class Walker {
 public:
  Walker(std::string_view document, JsonShape shape, feed::FeedPage& page, feed::FeedTaker* taker)
      : document_(document),
        strings_(document, html::QuotedStrings::Language::kJson),
        shape_(shape),
        page_(page),
        taker_(taker) {}

  void read() {
    std::string text;
    std::size_t behind = 0;
    while (strings_.next_string(text)) {
      brackets(document_.substr(behind, strings_.offset() - behind));
      behind = strings_.end();
      if (is_key(behind)) {
        key_ = text;
      } else {
        value(text);
      }
    }
    brackets(document_.substr(behind));
    end_entry();
    if (taker_ != nullptr) give();
  }

 private:
  static constexpr std::size_t kMaxDepth = 16;

  bool is_key(std::size_t at) const {
    const std::size_t next = document_.find_first_not_of(" \t\r\n", at);
    return next != std::string_view::npos && document_[next] == ':';
  }

  // Reads what stands between two strings, where objects and arrays begin and end. An element of an
  // array has the owner of the array, and whatever is inside an extension ("_name": JSON Feed 1.1,
  // "Extensions") has the extension as owner, because only that gives its members their meaning.
  void brackets(std::string_view between) {
    for (const char c : between) {
      if (c == '{' || c == '[') {
        const bool element =
            !arrays_.empty() && (arrays_.back() || owners_.back().starts_with('_'));
        if (owners_.size() < kMaxDepth)
          owners_.push_back(element ? owners_.back() : key_.substr(0, kMaxNote));
        ++depth_;
        arrays_.resize(owners_.size());
        if (depth_ == owners_.size()) arrays_.back() = c == '[';
        if (c == '{' && depth_ == 3 && owner() == "items") begin_entry();
        key_.clear();
      } else if (c == '}' || c == ']') {
        if (depth_ == 0) continue;
        if (c == '}' && depth_ == 3 && owner() == "items") end_entry();
        if (depth_-- == owners_.size()) {
          owners_.pop_back();
          arrays_.pop_back();
        }
        key_.clear();
      }
    }
  }

  std::string_view owner() const {
    return depth_ == 0 || depth_ > owners_.size() ? std::string_view("?")
                                                  : std::string_view(owners_.back());
  }

  void value(const std::string& text) {
    if (shape_ == JsonShape::kFeed) note(text);
    const std::string_view at = owner();
    for (const Rule& rule : kRules) {
      if (rule.shape != shape_ || rule.owner != at || rule.key != key_) continue;
      if (!text.empty()) add(rule, text);
      return;
    }
  }

  void note(const std::string& text) {
    const bool item = owner() == "items";
    if (key_ == "title" && item) title_.assign(text, 0, kMaxTitle);
    if (key_ == "title" && owner().empty()) page_.title.assign(text, 0, kMaxTitle);
    if (item && (key_ == "date_modified" || (key_ == "date_published" && date_.empty())))
      date_.assign(text, 0, kMaxNote);
  }

  void add(const Rule& rule, const std::string& text) {
    const bool content = rule.kind == FeedLinkKind::kContent;
    const std::size_t most = content ? feed::kFeedBatchContent : kMaxValue;
    if (text.size() > most || (content && text.find('<') == std::string::npos)) return;
    content_ += content ? text.size() : 0;
    feed::FeedLink& link = page_.links.emplace_back();
    link.value = text;
    link.tag = rule.owner.empty()      ? shape_ == JsonShape::kFeed ? "feed" : "manifest"
               : rule.owner == "items" ? "item"
                                       : std::string(rule.owner);
    link.tag += '@';
    link.tag += content ? std::string_view("content") : rule.key;
    link.kind = rule.kind;
    link.offset = strings_.offset();
    if (page_.links.size() >= 2 * feed::kFeedBatch || content_ >= 4 * feed::kFeedBatchContent)
      give();
  }

  void begin_entry() {
    end_entry();
    entry_ = page_.links.size();
  }

  // Gives the item's title and date to its links.
  void end_entry() {
    for (std::size_t i = entry_; i < page_.links.size() && entry_ != kNone; ++i) {
      if (page_.links[i].kind != FeedLinkKind::kPage) continue;
      page_.links[i].text = title_;
      page_.links[i].lastmod = date_;
    }
    entry_ = kNone;
    title_.clear();
    date_.clear();
    if (page_.links.size() >= feed::kFeedBatch || content_ >= feed::kFeedBatchContent) give();
  }

  void give() {
    if (taker_ == nullptr) return;
    taker_->take(page_);
    page_.links.clear();
    content_ = 0;
    if (entry_ != kNone) entry_ = 0;
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::string_view document_;
  html::QuotedStrings strings_;
  JsonShape shape_;
  feed::FeedPage& page_;
  feed::FeedTaker* taker_;
  std::string key_;
  std::vector<std::string> owners_;
  std::vector<bool> arrays_;
  std::size_t depth_ = 0;
  std::size_t entry_ = kNone;  // number of links before the present item
  std::size_t content_ = 0;    // bytes of content that are held
  std::string title_;
  std::string date_;
};

}  // namespace

JsonShape json_shape(std::string_view type, std::string_view path, std::string_view document) {
  constexpr std::size_t kHead = 1024;
  if (type == "application/feed+json") return JsonShape::kFeed;
  if (type == "application/manifest+json" || path.ends_with(".webmanifest") ||
      path.ends_with("/manifest.json")) {
    return JsonShape::kManifest;
  }
  const std::string_view head = document.substr(0, kHead);
  for (const std::string_view version :
       {"//jsonfeed.org/version/", "\\/\\/jsonfeed.org\\/version\\/"})
    if (head.find(version) != std::string_view::npos) return JsonShape::kFeed;
  return JsonShape::kOther;
}

void read_json(std::string_view document, JsonShape shape, feed::FeedPage& page,
               feed::FeedTaker* taker) {
  page.type = feed::FeedType::kNone;
  page.title.clear();
  page.links.clear();
  Walker(document, shape, page, taker).read();
}

}  // namespace spinneret::page
