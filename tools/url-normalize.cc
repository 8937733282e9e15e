// SPDX-License-Identifier: Apache-2.0
// url-normalize: URLs in, canonical URLs out, or their parts.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "cli/tool.h"
#include "io/record.h"
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

int list_steps(cli::Tool& tool) {
  std::string out;
  for (const StepInfo& step : all_steps()) {
    out += step.name;
    out += '\t';
    out += step.meaning;
    out += '\t';
    std::string_view separator;
    for (const ProfileInfo& profile : all_profiles()) {
      if ((profile.steps & step.step) == 0) continue;
      out += separator;
      out += profile.name;
      separator = ",";
    }
    out += '\n';
  }
  tool.out().write(out);
  return 0;
}

int list_params(cli::Tool& tool) {
  std::string out;
  for (const std::string_view name : tracking_params()) out += "tracking\t" + std::string(name) + '\n';
  for (const std::string_view name : session_params()) out += "session\t" + std::string(name) + '\n';
  tool.out().write(out);
  return 0;
}

// What is done to each line.
class Work {
 public:
  explicit Work(cli::Tool& tool)
      : tool_(tool), normalizer_(rules_of(tool.options())),
        base_field_(tool.options().get("base-field", "via")),
        parts_(split_list(tool.options().get("parts"))) {
    const cli::Options& options = tool.options();
    on_error_ = static_cast<OnError>(options.choice("on-error", kOnError, 0));
    if (options.has("base")) set_base(options.get("base"));
    if (options.has("get")) set_format(options.get("get"));
    for (const std::string& part : parts_) {
      if (!is_part(part) || !is_field_key(part)) {
        options.usage_error("--parts: no part is called " + excerpt(part));
      }
    }
  }

  void line(std::string_view line) {
    if (!format_ && is_settled(line)) return tool_.writer().write_line(line);
    const std::string_view url = record_url(line);
    std::string_view out;
    UrlError why;
    if (!normalizer_.normalize(url, base_of(line), out, &why)) return refuse(line, why);
    if (format_) return print(line);
    if (out == url && parts_.empty()) return tool_.writer().write_line(line);
    if (parts_.empty() && tool_.writer().plain()) return replace(line, out);
    record_.parse(line);
    record_.set_url(out);
    add_parts();
    tool_.writer().write(record_);
  }

 private:
  void set_base(const std::string& text) {
    UrlError why;
    base_.emplace();
    if (!parse(text, *base_, &why)) {
      tool_.options().usage_error("--base: " + why.message + ": " + excerpt(text));
    }
  }

  void set_format(const std::string& text) {
    Result<PartFormat> format = PartFormat::compile(text);
    if (!format.ok()) tool_.options().usage_error("--get: " + format.message());
    format_ = format.take();
  }

  // What a relative URL of this line is relative to: the page it was found on, or --base.
  const Url* base_of(std::string_view line) {
    const std::optional<std::string_view> raw = find_raw_field(line, base_field_);
    if (!raw) return base_ ? &*base_ : nullptr;
    if (*raw != page_raw_) {
      // The links of one page follow each other: one parse does for all.
      page_raw_ = *raw;
      std::string page;
      append_unescaped(page, page_raw_);
      page_valid_ = parse(page, page_);
    }
    return page_valid_ ? &page_ : base_ ? &*base_ : nullptr;
  }

  void replace(std::string_view line, std::string_view url) {
    tool_.out().write(url);
    tool_.out().write(line.substr(record_url(line).size()));
    tool_.out().put(tool_.terminator());
  }

  void print(std::string_view) {
    text_.clear();
    format_->append(text_, normalizer_.url(), registrable_domain);
    text_ += tool_.terminator();
    tool_.out().write(text_);
  }

  void add_parts() {
    for (const std::string& part : parts_) {
      text_.clear();
      append_part(text_, part, normalizer_.url(), registrable_domain);
      record_.set(part, text_);
    }
  }

  void refuse(std::string_view line, const UrlError& why) {
    std::string reason = why.message + " at byte ";
    append_unsigned(reason, why.offset);
    tool_.refuse(reason, record_url(line));
    if (on_error_ == OnError::kKeep) tool_.writer().write_line(line);
    if (on_error_ == OnError::kMark) {
      record_.parse(line);
      record_.set("error", reason);
      tool_.writer().write(record_);
    }
    if (on_error_ == OnError::kStop) stopped_ = true;
  }

 public:
  bool stopped() const { return stopped_; }

 private:
  cli::Tool& tool_;
  Normalizer normalizer_;
  std::string base_field_;
  std::vector<std::string> parts_;
  OnError on_error_ = OnError::kDrop;
  std::optional<Url> base_;
  std::optional<PartFormat> format_;
  std::string page_raw_;  // the field that page_ was parsed from
  Url page_;
  bool page_valid_ = false;
  bool stopped_ = false;
  Record record_;
  std::string text_;
};

int run(cli::Tool& tool) {
  if (tool.options().has("list-steps")) return list_steps(tool);
  if (tool.options().has("list-params")) return list_params(tool);
  Work work(tool);
  std::string_view line;
  while (!work.stopped() && tool.next(line)) work.line(line);
  return tool.status();
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
