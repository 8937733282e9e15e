// SPDX-License-Identifier: Apache-2.0
// Pages of any type, through the one class that all readers of links use. Beyond "no crash": a
// reader that was used before gives the same as a new one; a link's place lies in the document, and
// its line is that of a count from the beginning; a list of names contains exactly the names.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "fuzz/turn.h"
#include "io/record.h"
#include "page/line_counter.h"
#include "page/reader.h"
#include "url/parse.h"

namespace {

using namespace spinneret;
using namespace spinneret::page;

void require(bool holds) {
  if (!holds) std::abort();
}

// Writes down as text what a page gives.
class Listing final : public PageTaker {
 public:
  void document(std::string_view bytes, std::size_t skipped) override {
    document_ = bytes;
    lines_.begin(bytes, skipped);
    text_ += "document " + std::to_string(bytes.size()) + "\n";
  }
  void take(const PageLink& link, const Url& base, const QueryEncoder* encoder) override {
    ++links_;
    if (link.has_offset) {
      require(link.offset <= document_.size());
      check_place(link.offset);
    }
    for (const std::string_view each :
         {link.value, link.element, link.attribute, link.rel, link.hreflang, link.type, link.text,
          link.lastmod, link.purpose, link.nested, link.anchor}) {
      require(each.size() <= 1 << 20);
      text_.append(each).push_back('\t');
    }
    text_.append(base.href()).append(encoder == nullptr ? "\n" : " encoded\n");
  }
  void trouble(std::string_view reason) override {
    require(!reason.empty());
    text_.append("trouble ").append(reason).push_back('\n');
  }
  void facts(const PageFacts& facts) {
    text_.append(facts.canonical)
        .append("\t")
        .append(facts.title)
        .append("\t")
        .append(facts.lang)
        .append("\t");
    text_.append(facts.description)
        .append("\t")
        .append(facts.unread)
        .append("\t")
        .append(facts.ids);
    require(facts.ids.empty() || facts.ids.back() == '\0');
    const std::string list = id_list(facts.ids);
    std::string_view rest = list;
    std::string_view ids = facts.ids;
    std::string id;
    while (!ids.empty()) require(next_id(rest, id) && id == cut(ids, '\0'));
    require(!next_id(rest, id));
  }
  const std::string& text() const { return text_; }
  std::size_t links() const { return links_; }

 private:
  void check_place(std::size_t offset) {
    lines_.move_to(offset);
    const std::string_view before = document_.substr(0, offset);
    require(lines_.line() ==
            1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')));
  }

  std::string_view document_;
  LineCounter lines_;
  std::string text_;
  std::size_t links_ = 0;
};

PageOptions options(bool all) {
  PageOptions out;
  out.agent = "examplebot";
  out.about = all;
  out.requisites = all;
  out.extract.ids = all;
  out.extract.comments = out.extract.scripts = out.extract.plain_text = all;
  if (all) require(out.extract.selection.add_only("all"));
  out.ignore_nofollow = all;
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr std::string_view kTypes[] = {"text/html",
                                         "application/xhtml+xml",
                                         "image/svg+xml",
                                         "text/css",
                                         "text/javascript",
                                         "application/json",
                                         "application/xml",
                                         "text/plain",
                                         "application/feed+json",
                                         "application/manifest+json",
                                         "application/rss+xml",
                                         "",
                                         "application/gzip",
                                         "application/ld+json",
                                         "text/vtt",
                                         "application/pdf"};
  constexpr std::string_view kCharsets[] = {"", "utf-8", "utf-16le", "shift_jis"};
  static PageReader used[] = {PageReader(options(false)), PageReader(options(true))};
  static const Url page = [] {
    Url url;
    require(parse("http://h.example/a/b?c", url));
    return url;
  }();
  const bool all = (data[0] & 1) != 0;
  const std::string_view type = kTypes[data[0] / 2 % std::size(kTypes)];
  const std::string_view charset = kCharsets[data[0] / 64];
  std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto read = [&](PageReader& reader, Listing& listing) {
    if (data[1] % 4 != 0) {
      listing.facts(reader.read_document(page, body, type, charset, data[1] % 4 == 1, listing));
      return;
    }
    // The first line holds the record's fields.
    std::string_view rest = body;
    Record record;
    std::string line("http://h.example/a/b?c\toutcome=ok\ttype=");
    line.append(type).append("\t").append(cut(rest, '\n'));
    record.parse(line);
    listing.facts(reader.read(record, page, rest, listing));
  };
  Listing listing;
  read(used[all], listing);
  require(listing.links() <= 2 * size + 8);
  // A new reader fills 128 KB, which would otherwise take nearly all of an input's time.
  if (!Turn(body).is_one_in(64)) return 0;
  PageReader fresh(options(all));
  Listing again;
  read(fresh, again);
  require(listing.text() == again.text());
  return 0;
}
