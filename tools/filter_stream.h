// SPDX-License-Identifier: Apache-2.0
// url-filter's stream: judges each line by a policy, and writes what becomes of it. url-filter.cc
// reads and inspects policies.
#ifndef SPINNERET_TOOLS_FILTER_STREAM_H_
#define SPINNERET_TOOLS_FILTER_STREAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "adopted_seeds.h"
#include "cli/tool.h"
#include "io/line_file.h"
#include "io/record.h"
#include "policy/judge.h"
#include "policy/policy.h"
#include "sitemap_hosts.h"
#include "url/parse.h"

namespace spinneret {

enum class RefusedAction : std::uint8_t { kByRule, kReject, kMark };

class FilterStream {
 public:
  // Borrows both. Reads the tool's options: a wrong value ends the program with a usage error.
  FilterStream(cli::Tool& tool, const policy::Policy& policy, std::int64_t now_ms);

  // Judges the line and writes what becomes of it.
  void filter_line(std::string_view line);
  // After the last line: says on standard error where no line gave the scope anything to measure
  // by, and calls close().
  void finish();
  // Closes the files of --booked and --adopt, and reports what could not be kept.
  void close();

  // Finds the next line to be judged; its URL is in url(). Settled records and robots.txt are
  // skipped, and with --results counted. Bad rows of a table are reported, and with --diff the
  // table's header is written. Returns false at the end.
  bool next_candidate(std::string_view& line);
  const policy::Verdict& judge(const Url& url, std::string_view line);
  const Url& url() const { return url_; }
  policy::Judge& state() { return judge_; }
  // Says on standard error what the last verdict refused, where that was asked for.
  void notice_refusal(std::string_view line) {
    notice_refusal(line, tool_.inputs().name(), tool_.inputs().line_number());
  }
  void notice_refusal(std::string_view line, std::string_view file, std::uint64_t number);
  // Writes the line with the last verdict in fields of its own.
  void write_explained(std::string_view line);

 private:
  policy::Facts facts_of(std::string_view line);
  void open_scope();
  void read_checked();
  void open_booked();
  bool refresh_booked(bool surely);
  void book_again(std::string_view line);
  const policy::Verdict& judge_with_others(std::string_view line);
  void keep_booked(std::string_view line);
  bool is_adopted(std::string_view line);
  bool takes_sitemap(std::string_view line);
  bool takes_far_to_be_checked(std::string_view line);
  bool takes_to_be_checked(std::string_view line);
  bool need_not_be_checked(const Url& url) const;
  bool take_url(std::string_view line);
  void tell_row(std::string_view line);
  bool accepts_result(std::string_view line);
  void set_verdict();
  void write_accepted(std::string_view line);
  void write_to_be_checked(std::string_view line);
  void write_refused(std::string_view line);
  void write_settled(std::string_view outcome);

  cli::Tool& tool_;
  const policy::Policy& policy_;
  bool before_fetch_;
  bool invert_;
  bool explain_;
  bool verbose_;
  bool adopted_only_;
  bool results_;
  bool to_check_;
  std::unordered_set<std::uint64_t> checked_;  // hashes of the URLs of --checked
  RefusedAction action_;
  policy::Judge judge_;
  std::optional<AdoptedSeeds> adopted_;   // with --adopt
  std::optional<SitemapHosts> sitemaps_;  // with a scope by seeds
  bool keeps_booked_;
  std::optional<LineFile> booked_;  // with --booked, from the first line on
  std::string booked_path_;
  std::uint64_t booked_read_ = 0;  // bytes of the file that were read
  std::uint64_t booked_line_ = 0;
  bool shares_booked_ = false;  // the policy has rules that other processes may meanwhile book by
  Url booked_url_;
  Url url_;
  UrlError why_;
  Record record_;
  std::string text_;         // text of a link, unescaped; or a line of --booked
  bool unmeasured_ = false;  // a scope without seeds had nothing to measure a line by
  bool measured_ = false;    // it had something to measure another line by
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FILTER_STREAM_H_
