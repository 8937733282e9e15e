// SPDX-License-Identifier: Apache-2.0
// What the modes of robots-check share: options in their final form, buffers that are reused, fetching.
#ifndef SPINNERET_TOOLS_ROBOTS_CONTEXT_H_
#define SPINNERET_TOOLS_ROBOTS_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

  // GET of a robots.txt, with up to five redirects, judged; `last` is what was known before. A failure is
  // reported as trouble.
  RobotsEntry fetch_robots(const std::string& robots_url, const RobotsEntry* last);
  // GET of a page. What went wrong is reported; nothing then.
  std::optional<FetchResult> fetch_page(const std::string& page_url);
  // The bytes of a FILE, of standard input ("-") or of a robots.txt at a URL. What went wrong is reported.
  std::optional<std::string> read_source(const std::string& source);

  cli::Tool& tool;
  HostRules::Options rules;
  RobotsPolicy policy;
  std::string cache;
  bool explain = false;
  Url url;
  UrlError why;
  Record record;

 private:
  Result<FetchResult> fetch(const std::string& from, bool robots, int follow);
  void read_statuses();
  void check_suffixes();

  std::string storage_;
  std::string path_url_;
  std::optional<std::int64_t> fixed_now_;
};

// The modes; each returns the exit status.
int check_urls(RobotsContext& context);  // robots_verdict.cc
int diff_robots(RobotsContext& context);
int gate_records(RobotsContext& context);  // robots_loop.cc
int learn_records(RobotsContext& context);
int list_robots(RobotsContext& context, std::size_t what);  // robots_report.cc
int lint_files(RobotsContext& context);
int canonical_files(RobotsContext& context);
int check_pages(RobotsContext& context);  // robots_page.cc

// What --list takes.
inline constexpr std::string_view kRobotsLists[] = {"sitemaps", "agents", "rules", "delays",
                                                    "extensions"};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_CONTEXT_H_
