// SPDX-License-Identifier: Apache-2.0
#include "link_check_judgement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <string_view>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "check/fix.h"
#include "link_check_report.h"
#include "report/quantity.h"
#include "terminal.h"

namespace spinneret {
namespace {

using check::Finding;
using check::Verdict;
using Verdicts = check::LinkBook::Verdicts;

Verdicts verdicts_of(const cli::Options& options, const char* name, Verdicts otherwise) {
  if (!options.has(name)) return otherwise;
  Verdicts out{};
  const std::string list = options.get(name);
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view word = cut(rest, ',');
    const auto at = std::find(check::kVerdicts.begin(), check::kVerdicts.end(), word);
    if (word == "all") {
      out.fill(true);
    } else if (word == "none") {
      out.fill(false);
    } else if (at == check::kVerdicts.end()) {
      std::string known;
      for (const std::string_view each : check::kVerdicts) known.append(each).append(", ");
      options.usage_error("--" + std::string(name) + " takes " + known + "all or none, not " +
                          excerpt(word) + did_you_mean(word, check::kVerdicts));
    } else {
      out[static_cast<std::size_t>(at - check::kVerdicts.begin())] = true;
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

// Reads a file, or a pipe such as <(...) makes. On a FIFO without a writer a blocking open(2) would
// wait for ever.
Result<std::string> read_list(const std::string& path) {
  Result<Fd> file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file.ok()) return file.error();
  auto bytes = read_descriptor(file->get(), path);
  struct stat info = {};
  const bool is_fifo = ::fstat(file->get(), &info) == 0 && S_ISFIFO(info.st_mode);
  if (bytes.ok() && bytes->empty() && is_fifo && !path.starts_with("/dev/"))
    return Error{path + " is a pipe that nobody writes to: give a file"};
  return bytes;
}

std::string day_of(std::int64_t unix_ms) {
  const auto now = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  std::array<char, 16> text{};
  ::gmtime_r(&now, &parts);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

}  // namespace

std::int64_t link_check_now_ms(const cli::Options& options) {
  return options.has("now") ? options.moment_ms("now", 0) : system_clock().unix_ms();
}

LinkCheckJudgement::LinkCheckJudgement(cli::Tool& tool)
    : tool_(tool),
      fail_on_(verdicts_of(tool.options(), "fail-on",
                           [] {
                             Verdicts out{};
                             out[static_cast<std::size_t>(Verdict::kDead)] = true;
                             out[static_cast<std::size_t>(Verdict::kDeadFragment)] = true;
                             return out;
                           }())),
      show_(verdicts_of(tool.options(), "show", all_but({Verdict::kOk, Verdict::kNotCheckable}))) {
  const cli::Options& options = tool.options();
  const bool columns = options.has("json") || options.has("fields") || options.has("null");
  const bool person = !columns && is_terminal(STDOUT_FILENO);
  form_ = static_cast<Form>(options.choice("format", person ? kText : kRecords));
  if (columns && form_ != kRecords)
    options.usage_error("--json, --fields and --null are forms of --format=records");
  if (options.has("fix")) show_[static_cast<std::size_t>(Verdict::kMoved)] = true;
  read_rules();
}

void LinkCheckJudgement::read_rules() {
  const cli::Options& options = tool_.options();
  const std::string file = options.get("ignore", ".linkignore");
  const std::string day = day_of(link_check_now_ms(options));
  const auto rules = read_list(file);
  if (!rules.ok() && (options.has("ignore") || ::access(file.c_str(), F_OK) == 0))
    options.usage_error("--ignore: " + rules.message());
  if (rules.ok()) {
    if (const Status status = ignore_.add_text(*rules, file, day); !status.ok())
      options.usage_error("--ignore: " + status.message());
  }
  if (!options.has("baseline")) return;
  const std::string path = options.get("baseline");
  const auto known = read_list(path);
  if (!known.ok()) options.usage_error("--baseline: " + known.message());
  std::string_view rest = *known;
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = cut(rest, '\n');
    // Another form of output would give an empty baseline.
    if (!line.empty() && !baseline_.add_record(line))
      options.usage_error("--baseline: " + path + ":" + std::to_string(number) +
                          ": no finding, as --format=records writes them: " + excerpt(line));
  }
}

void LinkCheckJudgement::read(const check::LinkBook& book) {
  Verdicts told = show_;
  for (std::size_t i = 0; i != told.size(); ++i) told[i] = told[i] || fail_on_[i];
  const check::LinkBook::Counts others = book.judge(told, [this](const Finding& finding) {
    if (finding.is_ignored || ignore_.ignores(finding.target)) {
      ++ignored_;
    } else if (baseline_.has(finding)) {
      ++known_;
    } else {
      ++counts_[static_cast<std::size_t>(finding.verdict)];
      if (fails(finding.verdict)) ++failures_;
      shown_.push_back(finding.number);
      if (form_ == kText) place_width_ = std::max(place_width_, finding.place().size());
    }
  });
  for (std::size_t i = 0; i != others.size(); ++i) counts_[i] += others[i];
  for (const std::string& remark : ignore_.remarks()) tool_.notice(remark);
  if (failures_ != 0) tool_.note_refusal();
}

void LinkCheckJudgement::each_shown(const check::LinkBook& book,
                                    const check::LinkBook::Take& take) const {
  for (const std::uint32_t number : shown_) book.judge_one(number, take);
}

void LinkCheckJudgement::print_text(const check::LinkBook& book) {
  constexpr std::size_t kVerdictWidth = 17;  // length of blocked-by-robots
  const std::size_t width = std::min<std::size_t>(place_width_, 60);
  const auto pad = [](std::string& out, std::size_t used, std::size_t wanted) {
    out.append(used < wanted ? wanted - used : 0, ' ').append("  ");
  };
  // Text is cleaned here, since the colours must get through.
  const bool cleans = is_terminal(STDOUT_FILENO);
  tool_.out().clean(false);
  const auto add = [cleans](std::string& out, std::string_view words) {
    const std::size_t begin = out.size();
    out += words;
    if (cleans) clean_words(out, begin);
  };
  each_shown(book, [&](const Finding& finding) {
    const std::string place = finding.place();
    std::string line;
    add(line, place);
    pad(line, place.size(), width);
    const std::string_view verdict = check::to_string(finding.verdict);
    line += coloured(verdict, fails(finding.verdict) ? Colour::kRed : Colour::kYellow);
    pad(line, verdict.size(), kVerdictWidth);
    add(line, finding.target);
    if (!finding.reason.empty()) add(line.append(": "), finding.reason);
    if (!finding.location.empty()) add(line.append(", now at "), finding.location);
    tool_.out().write(line);
    tool_.out().put('\n');
  });
  print_summary(book);
}

void LinkCheckJudgement::print_summary(const check::LinkBook& book) {
  std::string line = report::count_text(book.link_count(), "link") + " on " +
                     report::count_text(book.page_count(), "page");
  const char* before = ": ";
  const auto count = [&](std::string_view name, std::uint64_t number) {
    if (number == 0) return;
    line.append(before).append(name).append(" ");
    append_unsigned(line, number);
    before = ", ";
  };
  for (std::size_t i = 0; i != counts_.size(); ++i) count(check::kVerdicts[i], counts_[i]);
  count("ignored", ignored_);
  count("in the baseline", known_);
  tool_.out().write(line);
  tool_.out().put('\n');
}

void LinkCheckJudgement::print_records(const check::LinkBook& book) {
  Record record;
  each_shown(book, [&](const Finding& finding) {
    check::fill_record(record, finding);
    tool_.writer().write(record);
  });
}

void LinkCheckJudgement::print_report(const check::LinkBook& book, check::ReportFormat& format) {
  std::string out;
  format.begin(out, shown_.size(), failures_);
  each_shown(book, [&](const Finding& finding) {
    format.add(out, finding, fails(finding.verdict));
    tool_.out().write(out);
    out.clear();
  });
  format.end(out);
  tool_.out().write(out);
}

Status LinkCheckJudgement::write_report(const check::LinkBook& book) {
  if (!tool_.options().has("report")) return {};
  LinkCheckReport report;
  each_shown(book, [&](const Finding& finding) { report.add(finding, fails(finding.verdict)); });
  return report.write_into(tool_.options().get("report"));
}

void LinkCheckJudgement::print(const check::LinkBook& book) {
  switch (form_) {
    case kText: return print_text(book);
    case kRecords: return print_records(book);
    case kJunit: return print_report(book, *check::ReportFormat::junit());
    case kSarif: return print_report(book, *check::ReportFormat::sarif(SPINNERET_VERSION));
    case kGithub: return print_report(book, *check::ReportFormat::github());
    case kGitlab: return print_report(book, *check::ReportFormat::gitlab());
  }
}

// --- output for other programs ---

void LinkCheckJudgement::print_questions(check::LinkBook& book, check::LinkCache& cache) {
  std::map<std::string, std::string, std::less<>> stale;
  cache.recall(book, [&stale](Record& record) {
    Record question;
    question.reset(record.url());
    for (const char* const field : {"etag", "last-modified"})
      if (const auto value = record.get(field)) question.set(field, *value);
    question.append_to(stale[std::string(record.url())]);
  });
  Record record;
  book.each_unanswered(false, [&](std::string_view url) {
    if (ignore_.ignores(url)) return;
    const auto known = stale.find(url);
    record.parse(known == stale.end() ? url : std::string_view(known->second));
    tool_.writer().write(record);
  });
}

void LinkCheckJudgement::print_patch(const check::LinkBook& book) {
  std::string file;
  std::string bytes;
  std::vector<std::size_t> lines;
  std::vector<check::Edit> edits;
  std::uint64_t moved = 0;
  std::uint64_t fixed = 0;
  std::string out;
  const auto end_file = [&] {
    fixed += edits.size();
    check::append_diff(out, file, bytes, std::move(edits));
    edits.clear();
    tool_.out().write(out);
    out.clear();
  };
  for (const std::uint32_t number : shown_) {
    book.judge_one(number, [&](const Finding& finding) {
      if (finding.verdict != Verdict::kMoved) return;
      ++moved;
      if (finding.file.empty()) return;
      if (finding.file != file) {
        end_file();
        file = finding.file;
        auto read = spinneret::read_file(file);
        if (!read.ok()) tool_.trouble(read.message());
        bytes = read.ok() ? std::move(*read) : std::string();
        lines = check::line_begins(bytes);
      }
      if (auto edit = check::fix_of(finding, bytes, lines)) edits.push_back(std::move(*edit));
    });
  }
  end_file();
  tool_.notice(std::to_string(fixed) + " of " + std::to_string(moved) +
               " links that have moved for good are in the patch");
}

}  // namespace spinneret
