// SPDX-License-Identifier: Apache-2.0
// url-normalize: URLs in, canonical URLs out, or their parts.
#include <array>
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
#include "io/locator.h"
#include "io/record.h"
#include "url/canonical_scan.h"
#include "url/explain.h"
#include "url/normalize.h"
#include "url/params.h"
#include "url/parse.h"
#include "url/parts.h"
#include "url/public_suffix.h"
#include "url/steps.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'b', "base", "URL", "resolve relative URLs against URL"},
    {0, "base-field", "NAME", "or against a line's field NAME (via)"},
    {'p', "profile", "NAME", "whatwg safe crawl aggressive roboto surt"},
    {0, "with", "STEPS", "do these steps too (see --list-steps)"},
    {0, "without", "STEPS", "leave these steps out"},
    {'k', "keep-fragment", nullptr, "keep #fragments"},
    {0, "drop-param", "GLOB", "drop query parameters of such a name"},
    {0, "keep-param", "GLOB", "drop all query parameters but these"},
    {0, "index", "NAMES", "what the step index drops: index.html,..."},
    {'g', "get", "FORMAT", "print parts: '{host} {path} {query:id}'"},
    {0, "parts", "NAMES", "add parts as fields: host,domain,port"},
    {'e', "explain", nullptr, "name the steps that changed a line"},
    {0, "field", "N", "the URL is column N; lines are no records"},
    {0, "json-key", "KEY", "the URL is in KEY of a JSON object a line"},
    {'j', "jobs", "N", "threads (1); the output is the same"},
    {0, "on-error", "WHAT", "a bad URL: drop, keep, mark, stop (drop)"},
    {0, "list-steps", nullptr, "list the steps and profiles, and end"},
    {0, "list-params", nullptr, "list the parameters known by name, and end"},
};
constexpr cli::ToolSpec kTool{"url-normalize", "parse, resolve and canonicalise URLs",
                              "[OPTION]... [URL|FILE]...", kOptions};

enum class OnError { kDrop, kKeep, kMark, kStop };
constexpr std::array<std::string_view, 4> kOnError = {"drop", "keep", "mark", "stop"};

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) items.emplace_back(cut(list, ','));
  return items;
}

// The bits of the steps that all uses of an option name.
std::uint32_t steps_of(const cli::Options& options, std::string_view option) {
  std::uint32_t steps = 0;
  for (const std::string& list : options.all(option)) {
    for (const std::string& name : split_list(list)) {
      const std::optional<Step> step = find_step(name);
      if (!step) {
        options.usage_error("no step is called " + excerpt(name) + "; --list-steps lists them");
      }
      steps |= *step;
    }
  }
  return steps;
}

std::uint32_t profile_steps(const cli::Options& options) {
  std::vector<std::string_view> names;
  for (const ProfileInfo& profile : all_profiles()) names.push_back(profile.name);
  constexpr std::size_t kSafe = 1;
  return all_profiles()[options.choice("profile", names, kSafe)].steps;
}

NormalizeRules rules_of(const cli::Options& options) {
  NormalizeRules rules;
  const std::uint32_t with = steps_of(options, "with");
  constexpr std::uint32_t kSchemes = kStepHttp | kStepHttps;
  if ((with & kSchemes) == kSchemes) options.usage_error("the steps http and https exclude each other");
  rules.steps = profile_steps(options);
  if ((with & kSchemes) != 0) rules.steps &= ~kSchemes;
  rules.steps = (rules.steps | with) & ~steps_of(options, "without");
  if (options.has("keep-fragment")) rules.steps &= ~static_cast<std::uint32_t>(kStepFragment);
  rules.drop_params = options.all("drop-param");
  rules.keep_params = options.all("keep-param");
  if (options.has("index")) rules.index_names = split_list(options.get("index"));
  return rules;
}

// What all threads share.
struct Plan {
  NormalizeRules rules;
  Locator locator = Locator::column(1);
  bool records = true;  // lines are records: they may be settled, hold a base, take fields
  std::optional<Url> base;
  std::string base_field;
  std::optional<PartFormat> format;
  std::vector<std::string> parts;
  bool explain = false;
  OnError on_error = OnError::kDrop;
  bool stop = false;  // at the first bad line
  char terminator = '\n';

  // Whether lines that are canonical already come out as they are.
  bool passes_canonical() const {
    return !format && parts.empty() && !locator.is_json() && records;
  }
};

// One thread's work on lines.
class Work {
 public:
  explicit Work(const Plan& plan)
      : plan_(plan), normalizer_(plan.rules),
        scan_(normalizer_.rules().steps, plan.terminator) {
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
    }
  }

 private:
  void line(std::string_view line, cli::RunResult& result) {
    if (plan_.records && !plan_.format && is_settled(line)) return pass(line, result);
    std::string_view why;
    if (!plan_.locator.find(line, place_, why)) return refuse(line, std::string(why), line, result);
    std::string_view url;
    UrlError error;
    if (!normalizer_.normalize(place_.text, base_of(line), url, &error)) {
      error.message += " at byte ";
      append_unsigned(error.message, error.offset);
      return refuse(line, error.message, place_.text, result);
    }
    if (plan_.format) {
      plan_.format->append(result.out, normalizer_.url(), registrable_domain);
      result.out += plan_.terminator;
    } else if (!plan_.parts.empty() || (plan_.explain && url != place_.text)) {
      add_fields(line, url, result);
    } else if (url == place_.text) {
      pass(line, result);
    } else {
      plan_.locator.append_replaced(result.out, line, place_, url);
      result.out += plan_.terminator;
    }
  }

  void pass(std::string_view line, cli::RunResult& result) {
    result.out += line;
    result.out += plan_.terminator;
  }

  // What a relative URL of this line is relative to: the page it was found on, or --base.
  const Url* base_of(std::string_view line) {
    const Url* const base = plan_.base ? &*plan_.base : nullptr;
    if (!plan_.records) return base;
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
    if (plan_.explain && url != record_.url()) {
      text_.clear();
      append_explanation(text_, record_.url(), normalizer_);
      record_.set("from", record_.url());
      record_.set("steps", text_);
    }
    record_.set_url(url);
    record_.append_to(result.out);
    result.out += plan_.terminator;
  }

  void refuse(std::string_view line, std::string reason, std::string_view bytes,
              cli::RunResult& result) {
    if (plan_.on_error == OnError::kKeep) pass(line, result);
    if (plan_.on_error == OnError::kMark) {
      record_.parse(line);
      record_.set("error", reason);
      record_.append_to(result.out);
      result.out += plan_.terminator;
    }
    // More than a message shows.
    constexpr std::size_t kShown = 256;
    result.refused.push_back({result.lines, std::move(reason), std::string(bytes.substr(0, kShown))});
    result.stop = plan_.stop;
  }

  const Plan& plan_;
  Normalizer normalizer_;
  CanonicalScan scan_;
  Locator::Place place_;
  std::string page_raw_;  // the field that page_ was parsed from
  Url page_;
  bool page_valid_ = false;
  Record record_;
  std::string text_;
};

Url parse_base(const cli::Options& options) {
  const std::string text = options.get("base");
  Url base;
  UrlError why;
  if (!parse(text, base, &why)) options.usage_error("--base: " + why.message + ": " + excerpt(text));
  return base;
}

PartFormat parse_format(const cli::Options& options) {
  Result<PartFormat> format = PartFormat::compile(options.get("get"));
  if (!format.ok()) options.usage_error("--get: " + format.message());
  return format.take();
}

// The options that say what a line is.
void plan_lines(const cli::Options& options, Plan& plan) {
  if (options.has("field") && options.has("json-key")) {
    options.usage_error("--field and --json-key exclude each other");
  }
  if (options.has("field")) {
    plan.locator = Locator::column(options.unsigned_value("field", 1, 1, 1'000'000));
  }
  if (options.has("json-key")) plan.locator = Locator::json_key(options.get("json-key"));
  plan.records = !options.has("field") && !options.has("json-key");
  if (plan.records) return;
  for (const char* const name : {"parts", "explain", "json", "fields", "base-field"}) {
    if (!options.has(name)) continue;
    options.usage_error(std::string("--") + name + " is for records, not for --field or --json-key");
  }
  if (plan.on_error == OnError::kMark) {
    options.usage_error("--on-error=mark is for records, not for --field or --json-key");
  }
}

Plan plan_of(const cli::Tool& tool) {
  const cli::Options& options = tool.options();
  Plan plan;
  plan.rules = rules_of(options);
  if (options.has("base")) plan.base = parse_base(options);
  plan.base_field = options.get("base-field", "via");
  if (options.has("get")) plan.format = parse_format(options);
  plan.parts = split_list(options.get("parts"));
  for (const std::string& part : plan.parts) {
    if (is_part(part) && is_field_key(part)) continue;
    options.usage_error("--parts: no part is called " + excerpt(part));
  }
  plan.explain = options.has("explain");
  plan.on_error = static_cast<OnError>(options.choice("on-error", kOnError, 0));
  plan.stop = plan.on_error == OnError::kStop || options.has("strict");
  plan.terminator = tool.terminator();
  plan_lines(options, plan);
  return plan;
}

int run(cli::Tool& tool) {
  if (tool.options().has("list-steps")) tool.out().write(steps_table());
  if (tool.options().has("list-params")) tool.out().write(params_table());
  if (tool.options().has("list-steps") || tool.options().has("list-params")) return 0;
  const Plan plan = plan_of(tool);
  const auto jobs = static_cast<unsigned>(tool.options().unsigned_value("jobs", 1, 1, 256));
  return cli::for_each_run(tool, jobs, !plan.format, [&plan]() -> cli::RunWork {
    return [work = std::make_shared<Work>(plan)](std::string_view run, cli::RunResult& result) {
      (*work)(run, result);
    };
  });
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
