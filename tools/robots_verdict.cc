// SPDX-License-Identifier: Apache-2.0
// Finds the rules for each line: its host's robots.txt, or one file for all.
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/excerpt.h"
#include "line_window.h"
#include "robots_answer.h"
#include "robots_hosts.h"

namespace spinneret {
namespace {

std::unique_ptr<Answerer> make_answerer(RobotsContext& context) {
  const cli::Options& options = context.tool.options();
  if (options.has("matrix")) return make_matrix_writer(context);
  const bool may_fetch = !options.has("robots") && !options.has("many");
  if (options.has("policy")) return make_policy_writer(context, may_fetch);
  return make_verdict_writer(context);
}

// Finds the rules for each line.
class Checker {
 public:
  explicit Checker(RobotsContext& context)
      : context_(context),
        tool_(context.tool),
        hosts_(context),
        answerer_(make_answerer(context)) {}

  // Uses this robots.txt for every URL. Returns false where it cannot be read, which has been
  // reported.
  bool use_source(const std::string& source) {
    fixed_ = hosts_.of_source(source);
    return fixed_ != nullptr;
  }
  // Takes the host of each URL as the name of its robots.txt in `folder`.
  void use_folder(const std::string& folder) { folder_ = folder; }

  // Gets the robots.txt files of all these lines at one time.
  void look_ahead(const std::vector<InputLine>& lines) {
    forget_some();
    for (const InputLine& line : lines) {
      if (passes(line.text)) continue;
      if (context_.read_url(record_url(line.text), false) && context_.url.is_http()) {
        hosts_.want(context_.url);
      }
    }
    hosts_.fetch();
  }

  void check(const InputLine& line) {
    if (passes(line.text)) return pass(line.text);
    const std::string_view url = record_url(line.text);
    if (!context_.read_url(url, fixed_ != nullptr))
      return line.refuse(tool_, context_.why.message, url);
    const KnownHost* host = fixed_;
    if (host == nullptr) {
      if (!context_.url.is_http()) return line.refuse(tool_, "not an http or https URL", url);
      host =
          folder_.empty() ? &hosts_.of_url(context_.url) : &hosts_.of_file(file_of(context_.url));
    }
    if (!host->rules) return line.refuse(tool_, "no robots.txt of its host", url);
    answerer_->answer(line.text, *host, context_.path_of(url));
    if (!folder_.empty()) forget_some();
  }

  // Checks a line of --many: `robots-file TAB record`.
  void check_pair(std::string_view line) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos)
      return tool_.refuse_record("no tab between a file and its URL", line);
    const std::string_view record = line.substr(tab + 1);
    const std::string_view url = record_url(record);
    if (!context_.read_url(url, true)) return tool_.refuse(context_.why.message, url);
    const KnownHost& host = hosts_.of_file(line.substr(0, tab));
    if (!host.rules) return tool_.refuse("its robots.txt cannot be read", line);
    answerer_->answer(record, host, context_.path_of(url));
    forget_some();
  }

  void end() { answerer_->end(); }

 private:
  bool passes(std::string_view line) const {
    return is_settled(line) && !answerer_->takes_settled();
  }

  void pass(std::string_view line) {
    if (!context_.quiet) tool_.writer().write_line(line);
  }

  // Forgets hosts where memory is full. Pending answers refer to their hosts, so they are written
  // first.
  void forget_some() {
    if (!hosts_.is_full()) return;
    answerer_->flush();
    hosts_.forget();
  }

  // Returns the file of the URL's host. Adjacent lines are mostly of one host.
  const std::string& file_of(const Url& url) {
    if (!last_of_folder_.empty() && url.host() == last_host_) return last_of_folder_;
    last_host_ = url.host();
    last_of_folder_ = folder_ + "/" + last_host_;
    struct stat found {};
    // Hosts may be named `.` and `..`, which mean something else in a folder.
    if (last_host_ == "." || last_host_ == ".." || ::stat(last_of_folder_.c_str(), &found) != 0) {
      last_of_folder_ += ".txt";
    } else if (S_ISDIR(found.st_mode)) {
      last_of_folder_ += "/robots.txt";
    }
    return last_of_folder_;
  }

  RobotsContext& context_;
  cli::Tool& tool_;
  RobotsHosts hosts_;
  std::unique_ptr<Answerer> answerer_;
  const KnownHost* fixed_ = nullptr;
  std::string folder_;
  std::string last_host_;
  std::string last_of_folder_;  // its file
};

}  // namespace

int check_pairs(RobotsContext& context) {
  Checker checker(context);
  std::string_view line;
  while (context.tool.next(line)) checker.check_pair(line);
  checker.end();
  return context.tool.status();
}

int check_urls(RobotsContext& context) {
  Checker checker(context);
  const cli::Options& options = context.tool.options();
  if (options.has("robots")) {
    const std::string source = options.get("robots");
    struct stat found {};
    const bool is_folder = ::stat(source.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
    if (is_folder) {
      checker.use_folder(source);
    } else {
      if (!checker.use_source(source)) return 2;
      context.take_paths_as_lines(options.operands());
    }
    std::string_view line;
    while (context.tool.next(line)) checker.check(line_of(context.tool, line));
    checker.end();
    return context.tool.status();
  }
  for (const std::string& operand : options.operands()) {
    struct stat found {};
    if (operand.starts_with('/') && ::stat(operand.c_str(), &found) != 0 && errno == ENOENT) {
      options.usage_error("there is no file " + excerpt(operand) +
                          "; a path is asked for with the robots.txt to ask: --robots=FILE or URL");
    }
  }
  LineWindow window(context.tool);
  while (window.fill()) {
    checker.look_ahead(window.lines());
    for (const InputLine& line : window.lines()) checker.check(line);
  }
  checker.end();
  return context.tool.status();
}

}  // namespace spinneret
