// SPDX-License-Identifier: Apache-2.0
// What the modes of robots-check share: the options as read, reused buffers, fetching.
#ifndef SPINNERET_TOOLS_ROBOTS_CONTEXT_H_
#define SPINNERET_TOOLS_ROBOTS_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "http/fetch.h"
#include "io/record.h"
#include "robots/cache.h"
#include "robots/host_rules.h"
#include "url/parse.h"

namespace spinneret {

struct RobotsContext {
  explicit RobotsContext(cli::Tool& t) : tool(t) {}
  void read_options();

  std::int64_t now() const;  // unix seconds
  // Parses a line's URL into `url`. With `may_be_path` a path is good too, as that of some host.
  // Returns false, with the reason in `why`, where it is neither.
  bool read_url(std::string_view text, bool may_be_path);
  // Returns the comparable path of the line that read_url() has read. Valid until the next call.
  std::string_view path_of(std::string_view line_url);
  // Returns the suffix of the fields of one of several agents, such as ".examplebot"; empty where
  // there is only one.
  std::string suffix(std::size_t agent) const;

  // Whether the reason for which rules forbid everything is a status of --deny-status instead of a
  // failure.
  bool is_denial(std::string_view reason) const;

  // Sets the fields `prefix`-rule and `prefix`-line from the rule that decided, if one did.
  void add_rule(const std::string& prefix, const std::string& suffix, const robots::HostRules& host,
                std::size_t agent, const robots::HostRules::Answer& answer);

  struct Request {
    std::string url;                            // URL of a robots.txt
    const robots::RobotsEntry* last = nullptr;  // what was known before
  };
  // Fetches every robots.txt at the same time, following up to five redirects, and judges the
  // answers. The result is in the order of the requests. `report` says whether failures are
  // reported as trouble.
  std::vector<robots::RobotsEntry> fetch_robots(const std::vector<Request>& requests,
                                                bool report = true);
  // Fetches files and pages by GET, all at one time: see robots_fetch.h. Nothing is reported.
  std::vector<http::FetchResult> fetch_all(const std::vector<std::string>& urls, int hops,
                                           std::uint64_t max_size) const;
  // Returns the unpacked bytes of a file, of standard input ("-") or of a robots.txt at a URL.
  // Failures are reported.
  std::optional<std::string> read_source(const std::string& source);
  // Returns the URL of the host's robots.txt where `url` names the host alone: whoever asks what a
  // site's robots.txt holds does not mean the home page.
  static std::string robots_source(const std::string& url);
  // Resolves a URL in a robots.txt against the robots.txt's own URL. It stays as it is where
  // `source` is a file.
  static std::string resolved(const std::string& source, std::string_view url);
  // Returns the operand itself or, of a folder, the files in it and below it, by name; symbolic
  // links are not followed.
  std::vector<std::string> files_of(const std::string& operand) const;
  // Reads these operands as lines. An operand that begins with a slash and names no file is a line
  // itself.
  void take_paths_as_lines(std::vector<std::string> operands);
  // Reports as trouble why there was no answer.
  void tell_unreached(std::string_view source, const http::FetchResult& result);

  cli::Tool& tool;
  robots::HostRules::Options rules;
  robots::RobotsPolicy policy;
  std::string cache;
  bool explain = false;
  bool rows = false;   // --agents: a record for each agent instead of a field
  bool quiet = false;  // print nothing: the exit status is the answer
  Url url;
  UrlError why;
  Record record;

 private:
  robots::RobotsEntry judge(const Request& request, const http::FetchResult& result, bool report);
  void note_html(const std::string& source, std::string_view bytes);
  void read_statuses();
  void check_suffixes();

  std::string storage_;
  std::string path_url_;
  std::optional<std::int64_t> fixed_now_;
};

// The modes; each returns the exit status.
int check_urls(RobotsContext& context);  // robots_verdict.cc
int check_pairs(RobotsContext& context);
int diff_robots(RobotsContext& context);   // robots_diff.cc
int gate_records(RobotsContext& context);  // robots_loop.cc
int learn_records(RobotsContext& context);
int list_robots(RobotsContext& context, std::size_t what);  // robots_report.cc
int lint_files(RobotsContext& context);
int canonical_files(RobotsContext& context);
int check_pages(RobotsContext& context);     // robots_page.cc
int check_sitemaps(RobotsContext& context);  // robots_sitemaps.cc
int summarise(RobotsContext& context);       // robots_summary.cc
// states_preferences() says whether the file states anything about the use of pages.
// add_preferences() adds what it states about a path to the record as fields.
bool states_preferences(const robots::HostRules& rules);
void add_preferences(Record& record, const robots::HostRules& rules, std::string_view path);

// Whether the operand can only be meant as the name of a host, with or without a port.
bool is_host_operand(std::string_view operand);

// Returns the text of a robots.txt. One that was packed holds rules even where the server does not
// say that it is packed; it is unpacked into `buffer`.
std::string_view unpacked_robots(std::string_view body, std::string& buffer);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_CONTEXT_H_
