// SPDX-License-Identifier: Apache-2.0
// url-normalize: URLs in, canonical URLs out, or their parts.
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "cli/runs.h"
#include "cli/tool.h"
#include "io/record.h"
#include "normalize_settings.h"
#include "url/canonical_scan.h"
#include "url/explain.h"
#include "url/normalize.h"
#include "url/params.h"
#include "url/parse.h"
#include "url/parse_notes.h"
#include "url/parts.h"
#include "url/public_suffix.h"
#include "url/steps.h"
#include "url/surt.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "resolve relative URLs against URL"},
    {0, "base-field", "NAME", "or against a line's field NAME (via)"},
    {'p', "profile", "NAME", "whatwg safe crawl aggressive roboto surt cdx"},
    {0, "with", "STEPS", "do these steps too (see --list-steps)"},
    {0, "without", "STEPS", "leave these steps out"},
    {'k', "keep-fragment", nullptr, "keep #fragments"},
    {0, "drop-param", "GLOB", "drop query parameters of such a name"},
    {0, "keep-param", "GLOB", "drop all query parameters but these"},
    {0, "params", "FILE", "and those on a list of ClearURLs or AdGuard"},
    {0, "index", "NAMES", "what the step index drops: index.html,..."},
    {0, "cdx-form", "NAMES", "of keys of cdx: scheme,comma,www,address"},
    {0, "from-key", nullptr, "lines are keys of surt or cdx: write their URLs"},
    {0, "default-scheme", "SCHEME", "of bare hosts such as example.org/a"},
    {0, "set", "PART=VALUE", "set a part, as the Standard does (repeatable)"},
    {0, "append", "PART=VALUE", "add to path or query (repeatable)"},
    {0, "iterate", "PART=VALUES", "a line for each: 'port=80 8080'"},
    {'g', "get", "FORMAT", "print parts: '{host} {path} {query:id}'"},
    {0, "parts", "NAMES", "add parts as fields: host,domain,port"},
    {'e', "explain", nullptr, "name the steps that changed a line"},
    {0, "lint", nullptr, "name the Standard's validation errors of a line"},
    {0, "as", "NAME", "of a table: the column of --get (get)"},
    {0, "psl", "FILE", "public suffix list to use, for domain and its like"},
    {'j', "jobs", "N", "threads (1); the output is the same"},
    {0, "on-error", "WHAT", "a bad URL: drop (of a table keep), mark, stop"},
    {0, "list-steps", nullptr, "list the steps and profiles, and end"},
    {0, "list-params", nullptr, "list the parameters known by name, and end"},
};
constexpr cli::ToolSpec kTool{"url-normalize",
                              "parse, resolve and canonicalise URLs",
                              "[OPTION]... [URL|FILE]...",
                              kOptions,
                              nullptr,
                              true};

// Where --default-scheme is given.
bool is_line_operand(std::string_view operand) {
  return cli::is_url_operand(operand) || (operand != "-" && is_bare_host(operand) &&
                                          ::access(std::string(operand).c_str(), F_OK) != 0);
}

// One thread's work on lines.
class Work {
 public:
  explicit Work(const NormalizePlan& plan)
      : plan_(plan),
        normalizer_(plan.rules),
        scan_(normalizer_.rules().steps | plan.scanned_steps(), plan.terminator) {
    normalizer_.keep_parsed(plan.explain);
  }

  void operator()(std::string_view run, cli::RunResult& result) {
    while (!run.empty() && !result.stop) {
      if (plan_.passes_canonical()) {
        const std::size_t canonical = scan_.prefix(run, result.lines);
        result.out += run.substr(0, canonical);
        run.remove_prefix(canonical);
        if (run.empty()) return;
      }
      std::string_view text = cut(run, plan_.terminator);
      if (plan_.terminator == '\n' && text.ends_with('\r')) text.remove_suffix(1);
      ++result.lines;
      line(text, result);
      // One huge line must not hold its memory for the rest of the input.
      constexpr std::size_t kHuge = std::size_t{1} << 20;
      if (text.size() > kHuge) forget();
    }
  }

 private:
  void forget() {
    normalizer_ = Normalizer(plan_.rules);
    normalizer_.keep_parsed(plan_.explain);
    record_ = Record();
    text_ = std::string();
  }

  void line(std::string_view line, cli::RunResult& result) {
    // A line without columns is asked for none.
    bare_ = line.find('\t') == std::string_view::npos;
    if (!bare_ && (plan_.table || !plan_.format) && is_settled(line)) return pass(line, result);
    if (!plan_.iterated) return one(line, nullptr, result);
    for (const std::string& value : plan_.values) {
      if (!result.stop) one(line, &value, result);
    }
  }

  // `value`: of --iterate; nullptr: none.
  void one(std::string_view line, const std::string* value, cli::RunResult& result) {
    const std::string_view given = bare_ ? line : record_url(line);
    std::string_view url;
    UrlError error;
    const bool edits = plan_.edits_urls();
    const Url* const base = base_of(line);
    std::string_view whole = base == nullptr ? with_scheme(given) : given;
    if (plan_.from_key) whole = url_of_key(whole);
    if (plan_.lint) parse_noted(given, base, linted_, notes_);
    if (edits && !edit(whole, base, value, error))
      return refuse(line, error.message, given, result);
    if (!normalizer_.normalize(edits ? edited_.href() : whole, edits ? nullptr : base, url,
                               &error)) {
      if (base == nullptr && plan_.default_scheme.empty() && looks_like_host(given))
        error.message += " (--default-scheme=https takes bare hosts)";
      return refuse(line, with_offset(error), given, result);
    }
    steps_.clear();
    if (plan_.params != nullptr) strip_listed(given, url);
    if (plan_.format && !plan_.table) {
      plan_.format->append(result.out, normalizer_.url(), registrable_domain);
      result.out += plan_.terminator;
    } else if (plan_.format || !plan_.parts.empty() || (plan_.explain && url != given) ||
               (plan_.lint && !notes_.faults().empty())) {
      add_fields(line, url, result);
    } else if (url == given) {
      pass(line, result);
    } else {
      result.out += url;
      result.out += line.substr(given.size());
      result.out += plan_.terminator;
    }
  }

  // What --params drops goes from the canonical form, until nothing does: so it is one again.
  void strip_listed(std::string_view given, std::string_view& url) {
    for (int round = 0; round < 8 && plan_.params->strip(normalizer_.url(), listed_); ++round) {
      if (round == 0 && plan_.explain) {
        append_explanation(steps_, given, normalizer_);
        steps_ += steps_.empty() ? "params-list" : ",params-list";
      }
      if (!normalizer_.normalize(listed_, nullptr, url)) return;
    }
  }

  // A name with a dot, in front of a slash or of nothing.
  static bool looks_like_host(std::string_view text) {
    return is_bare_host(text) &&
           text.substr(0, text.find_first_of("/?#")).find('.', 1) < text.size();
  }

  std::string_view with_scheme(std::string_view given) {
    if (plan_.default_scheme.empty() || !is_bare_host(trim(given))) return given;
    whole_ = plan_.default_scheme;
    whole_ += trim(given).starts_with("//") ? ":" : "://";
    whole_ += trim(given);
    return whole_;
  }

  std::string with_offset(const UrlError& error) const {
    std::string message = error.message + " at byte ";
    append_unsigned(message, error.offset);
    if (plan_.lint && !error.name.empty()) (message += " (").append(error.name) += ')';
    return message;
  }

  // What is no key stands for itself.
  std::string_view url_of_key(std::string_view key) {
    text_.clear();
    if (!append_url_of_surt(text_, key, true)) return key;
    std::swap(whole_, text_);
    return whole_;
  }

  // The URL as --iterate, --set and --append have it, in edited_.
  bool edit(std::string_view given, const Url* base, const std::string* value, UrlError& error) {
    const bool parsed =
        base == nullptr ? parse(given, edited_, &error) : resolve(given, *base, edited_, &error);
    if (!parsed) {
      error.message = with_offset(error);
      return false;
    }
    if (value != nullptr && !set_part(edited_, *plan_.iterated, *value)) {
      error.message = "it takes no --iterate value " + excerpt(*value);
      return false;
    }
    for (const NormalizePlan::Edit& change : plan_.edits) {
      const UrlEdit& edit = change.edit;
      if (change.appends ? append_to_part(edited_, edit.part, edit.value)
                         : set_part(edited_, edit.part, edit.value)) {
        continue;
      }
      error.message = "it takes no " + excerpt(change.text);
      return false;
    }
    return true;
  }

  void pass(std::string_view line, cli::RunResult& result) {
    result.out += line;
    result.out += plan_.terminator;
  }

  // What a relative URL of this line is relative to: the page it was found on, or --base.
  const Url* base_of(std::string_view line) {
    const Url* const base = plan_.base ? &*plan_.base : nullptr;
    if (bare_) return base;
    const std::optional<std::string_view> raw = find_raw_field(line, plan_.base_field);
    if (!raw) return base;
    if (*raw != page_raw_) {
      // The links of one page follow each other: one parse does for all.
      page_raw_ = *raw;
      text_.clear();
      append_unescaped(text_, page_raw_);
      page_valid_ = parse(text_, page_);
    }
    return page_valid_ ? &page_ : base;
  }

  void add_fields(std::string_view line, std::string_view url, cli::RunResult& result) {
    record_.parse(line);
    for (const std::string& part : plan_.parts) {
      text_.clear();
      append_part(text_, part, normalizer_.url(), registrable_domain);
      record_.set(part, text_);
    }
    if (plan_.format) {
      text_.clear();
      plan_.format->append(text_, normalizer_.url(), registrable_domain);
      record_.set(plan_.column, text_);
    }
    if ((plan_.explain || plan_.lint) && url != record_.url()) record_.set("from", record_.url());
    if (plan_.explain && url != record_.url()) {
      if (steps_.empty()) append_explanation(steps_, record_.url(), normalizer_);
      record_.set("steps", steps_);
    }
    add_faults();
    record_.set_url(url);
    record_.append_to(result.out);
    result.out += plan_.terminator;
  }

  // "invalid-credentials@8,invalid-URL-unit@12"
  void add_faults() {
    if (!plan_.lint || notes_.faults().empty()) return;
    text_.clear();
    for (const ParseFault& fault : notes_.faults()) {
      if (!text_.empty()) text_ += ',';
      text_ += fault.name;
      text_ += '@';
      append_unsigned(text_, fault.offset);
    }
    record_.set("lint", text_);
  }

  void refuse(std::string_view line, std::string reason, std::string_view bytes,
              cli::RunResult& result) {
    if (plan_.table) {
      // What becomes of it, and the message, is the writer's.
      result.out += line;
      RowWriter::append_bad(result.out, reason);
      result.out += plan_.terminator;
      return;
    }
    if (plan_.on_error == OnError::kKeep) pass(line, result);
    if (plan_.on_error == OnError::kMark) {
      record_.parse(line);
      record_.set("error", reason);
      add_faults();
      record_.append_to(result.out);
      result.out += plan_.terminator;
    }
    // More than a message shows.
    constexpr std::size_t kShown = 256;
    result.refused.push_back(
        {result.lines, std::move(reason), std::string(bytes.substr(0, kShown))});
    result.stop = plan_.stop;
  }

  const NormalizePlan& plan_;
  Normalizer normalizer_;
  CanonicalScan scan_;
  bool bare_ = false;  // the present line has no columns
  std::string whole_;  // with --default-scheme
  Url edited_;
  Url linted_;
  ParseNotes notes_;      // with --lint
  std::string page_raw_;  // the field that page_ was parsed from
  Url page_;
  bool page_valid_ = false;
  Record record_;
  std::string text_;
  std::string listed_;  // with --params
  std::string steps_;   // with --explain
};

// What --parts, --get and --explain add to the rows of a table.
void set_table(cli::Tool& tool, const NormalizePlan& plan) {
  std::vector<std::string> added = plan.parts;
  if (plan.format) added.push_back(plan.column);
  if (plan.explain || plan.lint) added.emplace_back("from");
  if (plan.explain) added.emplace_back("steps");
  if (plan.lint) added.emplace_back("lint");
  std::vector<std::pair<std::string, std::string>> inputs;
  if (tool.options().has("base-field"))
    inputs.emplace_back(tool.options().get("base-field"), plan.base_field);
  tool.set_table(std::move(added), std::move(inputs));
}

int run(cli::Tool& tool) {
  if (tool.options().has("list-steps")) tool.out().write(steps_table());
  if (tool.options().has("list-params")) tool.out().write(params_table());
  if (tool.options().has("list-steps") || tool.options().has("list-params")) return 0;
  const NormalizePlan plan = normalize_plan(tool);
  if (tool.options().has("psl")) {
    const Status read = use_public_suffix_list(tool.options().get("psl"));
    if (!read.ok()) tool.options().usage_error("--psl: " + read.message());
  }
  if (!plan.default_scheme.empty()) tool.set_operands(tool.options().operands(), is_line_operand);
  set_table(tool, plan);
  const auto jobs = static_cast<unsigned>(tool.options().unsigned_value("jobs", 1, 1, 256));
  return cli::for_each_run(tool, jobs, plan.table || !plan.format, [&plan]() -> cli::RunWork {
    return [work = std::make_shared<Work>(plan)](std::string_view run, cli::RunResult& result) {
      (*work)(run, result);
    };
  });
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
