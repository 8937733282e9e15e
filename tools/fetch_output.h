// SPDX-License-Identifier: Apache-2.0
// Prints fetch's results: the input line with the result's fields, and the body where it belongs.
#ifndef SPINNERET_TOOLS_FETCH_OUTPUT_H_
#define SPINNERET_TOOLS_FETCH_OUTPUT_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/tool.h"
#include "fetch_settings.h"
#include "http/body_pack.h"
#include "http/body_store.h"
#include "http/fetch.h"
#include "http/warc.h"

namespace spinneret {

// Writes records to standard output, or, with --ordered, keeps them until it is their turn.
class FetchOutput {
 public:
  FetchOutput(cli::Tool& tool, const FetchSettings& settings) : tool_(tool), settings_(settings) {}
  Status open();
  // To be called at the end: completes the archive.
  Status close();

  // Reserves a place in the output for a line that is being taken. Only --ordered makes use of it.
  std::uint64_t reserve() { return next_ticket_++; }
  // Writes the record of the request's line (its cargo). A result whose body cannot be kept becomes
  // kAborted. A response that is no page to keep (robots.txt, Want::kIds) has its body inline,
  // wherever those of pages go.
  void write_result(const http::FetchRequest& request, http::FetchResult& result);
  // Archives a redirect that is followed.
  void write_hop(std::string_view url, const http::FetchResult& result) { archive(url, result); }
  // Passes a line on as it is.
  void pass(std::uint64_t ticket, std::string_view line);
  // Says that the ticket will not be used.
  void skip(std::uint64_t ticket);
  // Returns the first ticket that is still open; where any records wait, they wait for it.
  std::uint64_t first_ticket() const { return first_; }
  // Returns how much memory the records take that wait for their turn.
  std::size_t held_bytes() const { return held_bytes_; }
  // Whether a body could not be stored or archived: nothing more should be fetched.
  bool failed() const { return !failure_.empty(); }

 private:
  struct Body {
    std::string_view key;  // "body", "body-file", ...; empty: none
    std::string_view bytes;
    std::optional<std::uint64_t> offset;  // in the file that `bytes` names
  };
  bool in_turn(std::uint64_t ticket) const { return !settings_.ordered || ticket == first_; }
  Body place_body(const http::FetchRequest& request, const http::FetchResult& result);
  Result<http::BodyPlace> store_body(std::string_view line, const http::FetchResult& result);
  void archive(std::string_view url, const http::FetchResult& result);
  void write_end(http::FieldTaker& fields, const http::FetchResult& result, const Body& body);
  void fail(const std::string& why);
  void write_raw(std::uint64_t ticket, std::string_view line, http::FetchResult& result);
  void write_record(std::string_view line, const http::FetchResult& result, const Body& body);
  template <typename Target>
  void write_plain(Target& target, std::string_view line, const http::FetchResult& result,
                   const Body& body);
  void hold(std::uint64_t ticket, std::string text);
  void release();

  cli::Tool& tool_;
  const FetchSettings& settings_;
  std::optional<http::BodyPack> pack_;
  std::optional<http::BodyStore> store_;
  std::optional<http::WarcWriter> warc_;
  std::optional<http::WarcEntry> archived_;
  std::string failure_;
  http::BodyPlace body_place_;
  std::string digest_;
  Record record_;
  // --ordered: the lines from ticket first_ on; no value for one that is not ready.
  std::uint64_t next_ticket_ = 0;
  std::uint64_t first_ = 0;
  std::deque<std::optional<std::string>> held_;
  std::size_t held_bytes_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_OUTPUT_H_
