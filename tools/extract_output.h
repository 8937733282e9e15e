// SPDX-License-Identifier: Apache-2.0
// Writes links: resolved, judged by scheme, with their fields, one record each.
#ifndef SPINNERET_TOOLS_EXTRACT_OUTPUT_H_
#define SPINNERET_TOOLS_EXTRACT_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "cli/tool.h"
#include "extract_edges.h"
#include "extract_settings.h"
#include "page/line_counter.h"
#include "page/link.h"
#include "url/parse.h"

namespace spinneret {

// The values that a page has given so far, as hashes of 64 bits: only the first kMost, so that no
// page takes more than a megabyte.
class SeenOnPage {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  void clear();
  bool contains(std::uint64_t hash) const { return slots_[slot_of(hash)] != 0; }
  // Returns whether the hash is new, or cannot be remembered because there are kMost already.
  bool insert(std::uint64_t hash);

 private:
  // Returns the slot that holds the hash, or would.
  std::size_t slot_of(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);  // 0: free
  std::size_t count_ = 0;
};

class LinkWriter final : public page::PageTaker {
 public:
  // Both are borrowed.
  LinkWriter(cli::Tool& tool, const ExtractSettings& settings)
      : tool_(tool), settings_(settings), direct_(tool.writer().plain() || settings.urls_alone) {}

  // Also appends every link that is written to this file; borrowed.
  void set_edges(EdgeFile* edges) { edges_ = edges; }
  // Also writes every link that may be checked to this file.
  void set_checks(CheckFile* checks) { checks_ = checks; }

  // Begins a page. `via` is the URL where its links were found, as the record has it, and `depth`
  // their depth (empty: unknown). Offsets count in `bytes`.
  void begin_page(std::string_view via, std::string_view depth, std::string_view bytes);
  void document(std::string_view bytes, std::size_t skipped) override;
  void take(const page::PageLink& link, const Url& base, const QueryEncoder* encoder) override;
  // Names the file that the document is in: trouble is then reported by its line. Otherwise it is
  // reported for the record's line.
  void set_file(std::string name) { file_ = std::move(name); }
  void trouble(std::string_view reason) override { refuse(reason, page_url_); }

  std::uint64_t bad_links() const { return bad_links_; }

 private:
  void refuse(std::string_view reason, std::string_view bytes);
  void find_position(std::size_t offset);
  bool is_repeated(std::uint64_t value, const Url& base);
  bool is_printed(const page::PageLink& link);
  std::size_t room_for(const page::PageLink& link) const;
  char* put_text(char* out, std::string_view value);
  char* put_field(char* out, std::string_view key, std::string_view value);
  char* put_tail(char* out, const page::PageLink& link);
  char* fill(char* out, const page::PageLink& link);

  cli::Tool& tool_;
  const ExtractSettings& settings_;
  EdgeFile* edges_ = nullptr;
  CheckFile* checks_ = nullptr;
  bool direct_;              // a line goes out as it is filled: straight into the sink
  std::string page_fields_;  // what all links of a page have: depth, via, and the key of tag
  // The same with the tag of the previous link, which is usually that of the next one, too.
  std::string tail_;
  std::string tail_element_;
  std::string tail_attribute_;
  std::string page_url_;
  std::string file_;  // the file of a document without a record
  page::LineCounter lines_;
  std::uint64_t bad_links_ = 0;
  // --once: URLs that were printed, and values that were already resolved against values_base_.
  SeenOnPage printed_;
  SeenOnPage values_;
  std::uint64_t seed_ = random_seed();  // of the hashes: no page may choose links that collide
  std::string values_base_;
  Url url_;
  UrlError why_;
  std::string position_;  // the position fields of the present link; empty where none are asked for
  std::string line_;
  std::string rel_;
  std::string words_;  // a value that had to be changed
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_EXTRACT_OUTPUT_H_
