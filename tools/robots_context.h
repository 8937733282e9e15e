// SPDX-License-Identifier: Apache-2.0
// What the modes of robots-check share: options in their final form, buffers that are reused, fetching.
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
  // Parses a line's URL into `url`; also a path, as that of some host. False: `why` says why.
  bool read_url(std::string_view text, bool may_be_path);
  // The comparable path of the line that read_url has read. Lives until the next call.
  std::string_view path_of(std::string_view line_url);
  // ".examplebot": what the fields of one agent of several end in; empty for the only one.
  std::string suffix(std::size_t agent) const;

  // Whether the reason of rules that forbid all is a status of --deny-status, and no failure.
  bool is_denial(std::string_view reason) const;

  // Sets `prefix`-rule and `prefix`-line of what decided, if a rule did.
  void add_rule(const std::string& prefix, const std::string& suffix, const robots::HostRules& host,
                std::size_t agent, const robots::HostRules::Answer& answer);

  struct Request {
    std::string url;                            // of a robots.txt
    const robots::RobotsEntry* last = nullptr;  // what was known before
  };
  // Fetches every robots.txt at the same time, following up to five redirects, and judges the answers. The result is
  // in the order of the requests. `report` says whether failures are reported as trouble.
  std::vector<robots::RobotsEntry> fetch_robots(const std::vector<Request>& requests,
                                                bool report = true);
  // GET of files and pages, all at one time: see robots_fetch.h. Nothing is reported.
  std::vector<http::FetchResult> fetch_all(const std::vector<std::string>& urls, int hops,
                                           std::uint64_t max_size) const;
  // The bytes of a FILE, of standard input ("-") or of a robots.txt at a URL, unpacked. What went wrong is reported.
  std::optional<std::string> read_source(const std::string& source);
  // The URL of the host's robots.txt, where `url` names the host alone: who asks what a site's robots.txt holds means
  // no home page.
  static std::string robots_source(const std::string& url);
  // Resolves a URL in a robots.txt against the robots.txt's own URL; it stays as it is where `source` is a file.
  static std::string resolved(const std::string& source, std::string_view url);
  // The operand, or, of a folder, the files in it and below it, by name; symbolic links are not followed.
  std::vector<std::string> files_of(const std::string& operand) const;
  // Reads these operands as lines; those that begin with a slash, and name no file, are lines themselves.
  void take_paths_as_lines(std::vector<std::string> operands);
  // Says why there was no answer, which is trouble.
  void tell_unreached(std::string_view source, const http::FetchResult& result);

  cli::Tool& tool;
  robots::HostRules::Options rules;
  robots::RobotsPolicy policy;
  std::string cache;
  bool explain = false;
  bool rows = false;   // --agents: a record for each agent instead of a field
  bool quiet = false;  // the exit status alone
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
// Whether the file states anything of the use of what is fetched, and what it states of a path, as fields of its record.
bool states_preferences(const robots::HostRules& rules);
void add_preferences(Record& record, const robots::HostRules& rules, std::string_view path);

// Whether the operand can only be meant as the name of a host, with or without a port.
bool is_host_operand(std::string_view operand);

// A robots.txt that was packed, and is served so without a word of it, holds rules all the same. `buffer` holds what it says.
std::string_view unpacked_robots(std::string_view body, std::string& buffer);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_CONTEXT_H_
