// SPDX-License-Identifier: Apache-2.0
// link-check: the verdict on every link of a stream of records, or of a folder of files. What a verdict means is
// lib/check/book; see man link-check.
#include <unistd.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "check/book.h"
#include "check/folder.h"
#include "check/format.h"
#include "check/ignore.h"
#include "cli/tool.h"
#include "link_check_input.h"
#include "terminal.h"

namespace {

using namespace spinneret;
using links::Finding;
using links::Verdict;

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "all of URL is here: what lacks is dead; DIR's URL"},
    {0, "pretty-urls", nullptr, "x.html of a folder is found at x, too"},
    {0, "fail-on", "LIST", "verdicts of status 1 (dead,dead-fragment)"},
    {0, "show", "LIST", "verdicts to print, or all; not: ok, not-checkable"},
    {0, "format", "FORM", "text, records, junit, sarif, github, gitlab"},
    {0, "ignore", "FILE", "targets to say nothing of (.linkignore)"},
    {0, "baseline", "FILE", "findings of an earlier run, as records: not again"},
    {0, "now", "DATE", "today, for until= of --ignore: 2026-11-23"},
};
constexpr cli::ToolSpec kTool{
    "link-check", "find the dead links of a site or a folder", "[OPTION]... [DIR|RECORDS]...",
    kOptions,
    "  link-check public\n"
    "  fetch https://example.org/ | extract-links --ids --positions | link-check\n"};

using Verdicts = std::array<bool, links::kVerdictCount>;

Verdicts verdicts_of(const cli::Options& options, const char* name, Verdicts otherwise) {
  if (!options.has(name)) return otherwise;
  Verdicts out{};
  const std::string list = options.get(name);
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view word = cut(rest, ',');
    const auto at = std::find(links::kVerdicts.begin(), links::kVerdicts.end(), word);
    if (word == "all") {
      out.fill(true);
    } else if (word == "none") {
      out.fill(false);
    } else if (at == links::kVerdicts.end()) {
      std::string known;
      for (const std::string_view each : links::kVerdicts) known.append(each).append(", ");
      options.usage_error("--" + std::string(name) + " takes " + known + "all or none, not " +
                          excerpt(word));
    } else {
      out[static_cast<std::size_t>(at - links::kVerdicts.begin())] = true;
    }
  }
  return out;
}

Verdicts all_but(std::initializer_list<Verdict> left_out) {
  Verdicts out;
  out.fill(true);
  for (const Verdict each : left_out) out[static_cast<std::size_t>(each)] = false;
  return out;
}

// The verdicts, once all is read: what is shown, what fails.
class Judgement {
 public:
  explicit Judgement(cli::Tool& tool);
  void read(const links::LinkBook& book);
  void print(const links::LinkBook& book);

 private:
  bool fails(Verdict verdict) const { return fail_on_[static_cast<std::size_t>(verdict)]; }
  void print_text(const links::LinkBook& book);
  void print_summary(const links::LinkBook& book);
  void print_records(const links::LinkBook& book);
  void print_report(const links::LinkBook& book, links::ReportFormat& format);
  void read_rules();
  std::string today() const;

  enum Form { kText, kRecords, kJunit, kSarif, kGithub, kGitlab };
  cli::Tool& tool_;
  Form form_;
  Verdicts fail_on_;
  Verdicts show_;
  links::IgnoreRules ignore_;
  links::Baseline baseline_;
  std::array<std::uint64_t, links::kVerdictCount> counts_{};
  std::uint64_t ignored_ = 0;
  std::uint64_t known_ = 0;
  std::uint64_t failures_ = 0;
  std::vector<std::uint32_t> shown_;
  std::size_t place_width_ = 0;
};

Judgement::Judgement(cli::Tool& tool)
    : tool_(tool),
      fail_on_(verdicts_of(tool.options(), "fail-on",
                           [] {
                             Verdicts out{};
                             out[static_cast<std::size_t>(Verdict::kDead)] = true;
                             out[static_cast<std::size_t>(Verdict::kDeadFragment)] = true;
                             return out;
                           }())),
      show_(verdicts_of(tool.options(), "show", all_but({Verdict::kOk, Verdict::kNotCheckable}))) {
  static constexpr std::string_view kForms[] = {"text",  "records", "junit",
                                                "sarif", "github",  "gitlab"};
  const cli::Options& options = tool.options();
  const bool columns = options.has("json") || options.has("fields") || options.has("null");
  const bool person = !columns && is_terminal(STDOUT_FILENO);
  form_ = static_cast<Form>(options.choice("format", kForms, person ? kText : kRecords));
  if (columns && form_ != kRecords)
    options.usage_error("--json, --fields and --null are forms of --format=records");
  read_rules();
}

std::string Judgement::today() const {
  if (tool_.options().has("now")) {
    if (!links::is_date(tool_.options().get("now")))
      tool_.options().usage_error("--now takes a date such as 2026-11-23");
    return tool_.options().get("now");
  }
  const auto now = static_cast<std::time_t>(system_clock().unix_ms() / 1000);
  std::tm parts{};
  std::array<char, 16> text{};
  ::gmtime_r(&now, &parts);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

void Judgement::read_rules() {
  const cli::Options& options = tool_.options();
  const std::string file = options.get("ignore", ".linkignore");
  const std::string day = today();
  const auto rules = read_file(file);
  if (!rules.ok() && (options.has("ignore") || ::access(file.c_str(), F_OK) == 0))
    options.usage_error("--ignore: " + rules.message());
  if (rules.ok()) {
    if (const Status status = ignore_.add_text(*rules, file, day); !status.ok())
      options.usage_error("--ignore: " + status.message());
  }
  if (!options.has("baseline")) return;
  const auto known = read_file(options.get("baseline"));
  if (!known.ok()) options.usage_error("--baseline: " + known.message());
  for (std::string_view rest = *known; !rest.empty();) baseline_.add_record(cut(rest, '\n'));
}

void Judgement::read(const links::LinkBook& book) {
  book.judge([this](const Finding& finding) {
    const auto verdict = static_cast<std::size_t>(finding.verdict);
    const bool fails = fail_on_[verdict];
    const bool told = fails || show_[verdict];
    if (told && ignore_.ignores(finding.target)) {
      ++ignored_;
    } else if (told && baseline_.has(finding)) {
      ++known_;
    } else {
      ++counts_[verdict];
      if (fails) ++failures_;
      if (!told) return;
      shown_.push_back(finding.number);
      if (form_ == kText) place_width_ = std::max(place_width_, finding.place().size());
    }
  });
  for (const std::string& remark : ignore_.remarks()) tool_.notice(remark);
  if (failures_ != 0) tool_.note_refusal();
}

void Judgement::print_text(const links::LinkBook& book) {
  constexpr std::size_t kVerdictWidth = 17;  // blocked-by-robots
  const std::size_t width = std::min<std::size_t>(place_width_, 60);
  const auto pad = [](std::string& out, std::size_t used, std::size_t wanted) {
    out.append(used < wanted ? wanted - used : 0, ' ').append("  ");
  };
  for (const std::uint32_t number : shown_) {
    book.judge_one(number, [&](const Finding& finding) {
      const std::string place = finding.place();
      std::string line = place;
      pad(line, place.size(), width);
      const std::string_view verdict = to_string(finding.verdict);
      line += coloured(verdict, fails(finding.verdict) ? Colour::kRed : Colour::kYellow);
      pad(line, verdict.size(), kVerdictWidth);
      line += finding.target;
      if (!finding.reason.empty()) line.append(": ").append(finding.reason);
      if (!finding.location.empty()) line.append(", now at ").append(finding.location);
      tool_.out().write(line);
      tool_.out().put('\n');
    });
  }
  print_summary(book);
}

void Judgement::print_summary(const links::LinkBook& book) {
  std::string line;
  append_unsigned(line, book.link_count());
  line += " links on ";
  append_unsigned(line, book.page_count());
  line += " pages";
  const char* before = ": ";
  const auto count = [&](std::string_view name, std::uint64_t number) {
    if (number == 0) return;
    line.append(before).append(name).append(" ");
    append_unsigned(line, number);
    before = ", ";
  };
  for (std::size_t i = 0; i != counts_.size(); ++i) count(links::kVerdicts[i], counts_[i]);
  count("ignored", ignored_);
  count("in the baseline", known_);
  tool_.out().write(line);
  tool_.out().put('\n');
}

void Judgement::print_records(const links::LinkBook& book) {
  Record record;
  for (const std::uint32_t number : shown_) {
    book.judge_one(number, [&](const Finding& finding) {
      links::fill_record(record, finding);
      tool_.writer().write(record);
    });
  }
}

void Judgement::print_report(const links::LinkBook& book, links::ReportFormat& format) {
  std::string out;
  format.begin(out, shown_.size(), failures_);
  for (const std::uint32_t number : shown_) {
    book.judge_one(
        number, [&](const Finding& finding) { format.add(out, finding, fails(finding.verdict)); });
    tool_.out().write(out);
    out.clear();
  }
  format.end(out);
  tool_.out().write(out);
}

void Judgement::print(const links::LinkBook& book) {
  switch (form_) {
    case kText: return print_text(book);
    case kRecords: return print_records(book);
    case kJunit: return print_report(book, *links::ReportFormat::junit());
    case kSarif: return print_report(book, *links::ReportFormat::sarif(SPINNERET_VERSION));
    case kGithub: return print_report(book, *links::ReportFormat::github());
    case kGitlab: return print_report(book, *links::ReportFormat::gitlab());
  }
}

int run(cli::Tool& tool) {
  Judgement judgement(tool);
  links::LinkBook book;
  LinkCheckInput input(tool, book);
  input.read();
  judgement.read(book);
  judgement.print(book);
  return tool.status();
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
