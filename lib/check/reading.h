// SPDX-License-Identifier: Apache-2.0
// The content of a file that matters here: its links, resolved, and its ids.
//
//   FileReader reader(remap);
//   FileReading reading;
//   reader.read({.url = "http://h/a.html", .path = "public/a.html", .type = "text/html"}, reading);
//   for (const FileReading::Link& link : reading.links) reading.key(link) ...
//
// It reads HTML, style sheets, sitemaps, feeds, Markdown, reStructuredText, AsciiDoc and plain
// text. A reader belongs to one thread; a reading is a value.
#ifndef SPINNERET_CHECK_READING_H_
#define SPINNERET_CHECK_READING_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/ignore.h"
#include "check/source.h"
#include "page/line_counter.h"
#include "page/reader.h"

namespace spinneret::check {

// Maps URLs by prefix: from where a site will be published to where it is now.
class Remap {
 public:
  // Adds a rule "FROM=TO", of two http or https URLs.
  Status add(std::string_view rule);
  bool empty() const { return rules_.empty(); }
  // Applies the first rule that fits, and changes the URL. Returns false if none fits.
  bool apply(Url& url, Url& scratch) const;

 private:
  struct Rule {
    std::string from;
    std::string to;
  };
  std::vector<Rule> rules_;
};

// Whether a file with that name is searched for links.
bool is_document(std::string_view name);
// The same for a file in a folder, which nobody named by itself: plain text is not searched there,
// since it may be anything.
bool is_read_in_folder(std::string_view type);

struct FileReading {
  struct Link {
    std::uint64_t hash;  // hash64() of the key
    std::uint32_t at;    // offset of the key in text; the fragment follows it
    // Size of the key, which LinkBook::key_of() made; a link that is not a URL is kept as written.
    std::uint32_t key_size;
    std::uint32_t fragment_size;  // or the size of the reason why it is not a URL
    std::uint32_t tag_at;
    std::uint32_t tag_size;
    std::uint32_t line;
    std::uint32_t column;
    bool is_ignored;
    bool is_broken;
  };
  struct Trouble {
    std::string what;
    bool failed;  // whether the file could not be read
  };
  std::string_view key(const Link& link) const { return slice(link.at, link.key_size); }
  std::string_view fragment(const Link& link) const {
    return slice(link.at + link.key_size, link.fragment_size);
  }
  std::string_view tag(const Link& link) const { return slice(link.tag_at, link.tag_size); }
  std::string_view slice(std::size_t at, std::size_t size) const {
    return std::string_view(text).substr(at, size);
  }
  void clear_links();
  void clear();

  std::string text;
  std::vector<Link> links;
  std::string ids;  // in the form of the record's field
  std::vector<Trouble> troubles;
  bool is_read = false;
  bool has_ids = false;
  bool is_source = false;
};

struct FileToRead {
  std::string_view url;
  std::string_view path;
  std::string_view type;    // media type
  bool names_only = false;  // whether only its ids are wanted, not its links
};

class FileReader final : private page::PageTaker {
 public:
  // Takes the links found so far, so that memory need not hold all those of a large file twice.
  using TakeLinks = std::function<void(FileReading& reading)>;

  explicit FileReader(const Remap& remap);
  // Replaces the content of `out`. Without `take_links` it has all links in the end.
  void read(const FileToRead& file, FileReading& out, const TakeLinks& take_links = {});

 private:
  bool open(const FileToRead& file, std::string_view& bytes);
  void read_source_text(SourceKind kind, std::string_view bytes);
  void add(std::string_view value, std::string_view tag, std::size_t offset, const Url& base,
           const QueryEncoder* encoder);
  void push(std::string_view key, std::string_view fragment, std::string_view tag,
            std::size_t offset, bool is_broken);
  void tell_remarks();
  void document(std::string_view bytes, std::size_t skipped) override;
  void take(const page::PageLink& link, const Url& base, const QueryEncoder* encoder) override;
  void trouble(std::string_view reason) override;

  const Remap& remap_;
  page::PageReader reader_;
  SourceText source_;
  InlineIgnore ignore_;
  page::LineCounter lines_;
  std::string buffer_;  // bytes of the file
  Url target_;
  std::string key_;
  // The reading of the current file, its options, path and URL.
  FileReading* out_ = nullptr;
  const TakeLinks* take_links_ = nullptr;
  std::string path_;
  Url url_;
  bool names_only_ = false;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_READING_H_
