// SPDX-License-Identifier: Apache-2.0
// The work of url-normalize on lines, for one thread.
#ifndef SPINNERET_TOOLS_NORMALIZE_WORK_H_
#define SPINNERET_TOOLS_NORMALIZE_WORK_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/runs.h"
#include "io/record.h"
#include "normalize_settings.h"
#include "url/canonical_scan.h"
#include "url/normalize.h"
#include "url/parse.h"
#include "url/parse_notes.h"
#include "url/plain_steps.h"

namespace spinneret {

// Whether the operand is a line instead of a file, where --default-scheme is given.
bool is_line_or_bare_host(std::string_view operand);

class NormalizeWork {
 public:
  explicit NormalizeWork(const NormalizePlan& plan);

  // Works on a run, as cli::RunWork.
  void operator()(std::string_view run, cli::RunResult& result);

 private:
  void forget();
  void line(std::string_view line, cli::RunResult& result);
  void one(std::string_view line, cli::RunResult& result);
  void strip_listed(std::string_view given, std::string_view& url);
  std::string_view whole_url(std::string_view given);
  bool edit(std::string_view given, const Url* base, UrlError& error);
  const Url* base_of(std::string_view line);
  void add_offset(UrlError& error) const;
  void pass(std::string_view line, cli::RunResult& result);
  void write(cli::RunResult& result);
  void write_parts(std::string_view url, std::string_view rest, std::string& out);
  void add_fields(std::string_view url);
  void add_faults();
  void refuse(std::string_view line, std::string_view reason, std::string_view bytes,
              cli::RunResult& result);

  const NormalizePlan& plan_;
  Normalizer normalizer_;
  CanonicalScan scan_;
  PlainSteps plain_;
  bool takes_plain_;   // lines come out as plain_ writes them
  bool bare_ = false;  // the present line has no columns
  std::string whole_;  // a URL that was made from the line's parts, key or bare host
  struct {
    Url url;
    std::vector<std::size_t> chosen;  // for each --iterate the index of its present value
    bool is_no_url = false;           // the present line is none, whatever the values
  } edited_;
  Url linted_;
  ParseNotes notes_;  // for --lint
  struct {
    std::string raw;  // the field that `url` was parsed from
    Url url;
    bool valid = false;
  } page_;
  Record record_;
  std::string text_;
  std::string listed_;  // for --params
  std::string steps_;   // for --explain
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_NORMALIZE_WORK_H_
