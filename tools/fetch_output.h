// SPDX-License-Identifier: Apache-2.0
// What fetch prints for a result: the input line with the result's fields, and the body where it belongs.
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

// Where a record's bytes go: straight to standard output, or, where it is not yet its turn, aside.
class FetchOutput {
 public:
  FetchOutput(cli::Tool& tool, const FetchSettings& settings) : tool_(tool), settings_(settings) {}
  Status open();
  // To be called at the end: completes what was archived.
  Status close();

  // A place in the output for a line that is being taken. Only --ordered makes use of it.
  std::uint64_t reserve() { return next_ticket_++; }
  // The record of the request's line (its cargo) is ready. A result whose body cannot be kept becomes kAborted. What is no
  // page to keep, but asked for on the way (robots.txt, Want::kIds), has its body inline, wherever those of pages go.
  void write_result(const http::FetchRequest& request, http::FetchResult& result);
  // A response that is followed to another.
  void write_hop(std::string_view url, const http::FetchResult& result) { archive(url, result); }
  // Passes a line on as it is.
  void pass(std::uint64_t ticket, std::string_view line);
  // The ticket will not be used.
  void skip(std::uint64_t ticket);
  // The ticket that others wait for, where any do.
  std::uint64_t first_ticket() const { return first_; }
  // What the records that wait for their turn take of memory.
  std::size_t held_bytes() const { return held_bytes_; }
  // A body could not be stored or archived: nothing more should be fetched.
  bool failed() const { return !failure_.empty(); }

 private:
  struct Body {
    std::string_view key;  // "body", "body-file", ...; empty: none
    std::string_view bytes;
    std::optional<std::uint64_t> offset;  // in that file
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
  // --ordered: the lines from ticket first_ on; nothing where one is not ready.
  std::uint64_t next_ticket_ = 0;
  std::uint64_t first_ = 0;
  std::deque<std::optional<std::string>> held_;
  std::size_t held_bytes_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_OUTPUT_H_
