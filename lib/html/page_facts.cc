// SPDX-License-Identifier: Apache-2.0
#include "html/page_facts.h"

#include <string>
#include <utility>
#include <vector>

#include "html/anchor.h"

namespace spinneret::html {

void PageFacts::begin_page() {
  page_.metas.clear();
  page_.has_base = page_.has_canonical = false;
  page_.base = page_.canonical = page_.title = page_.lang = {};
  restart_ = body_dropped_ = drop_is_ahead_ = false;
  if (adopted_ != nullptr) take(*adopted_);
}

void PageFacts::adopt(const PageFacts& other) {
  known_ = true;
  adopted_ = &other;
  restart_ = other.page_.charset.encoding != page_.charset.encoding;
  take(other);
}

void PageFacts::take(const PageFacts& other) {
  std::vector<Link> links = std::move(page_.links);
  page_ = other.page_;
  page_.links = std::move(links);
  drop_is_ahead_ = other.body_dropped_ && !body_dropped_;
}

void PageFacts::set_base(std::string_view href) {
  if (page_.has_base) return;
  page_.has_base = true;
  page_.base = href;
}

void PageFacts::set_canonical(std::string_view href) {
  if (page_.has_canonical) return;
  page_.has_canonical = true;
  page_.canonical = href;
}

void PageFacts::set_title(std::string_view text) {
  std::string title;
  AnchorText::append_folded(title, text);
  page_.title = values_.keep(title);
}

void PageFacts::add_meta(std::string_view name, std::string_view content, bool is_header) {
  if (!known_ && page_.metas.size() < kMaxMetas) page_.metas.push_back({name, content, is_header});
}

void PageFacts::declare_charset(const Encoding& declared) {
  restart_ =
      &declared != page_.charset.encoding && (values_.saw_high() || !declared.ascii_compatible());
  page_.charset.encoding = &declared;
  page_.charset.source = Charset::Source::kMeta;
}

}  // namespace spinneret::html
