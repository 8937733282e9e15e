// SPDX-License-Identifier: Apache-2.0
#include "normalize_settings.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "io/json_key.h"
#include "io/record.h"
#include "url/public_suffix.h"
#include "url/steps.h"

namespace spinneret {
namespace {

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) items.emplace_back(cut(list, ','));
  return items;
}

// Returns the bits of the steps that all uses of an option name.
std::uint32_t steps_of(const cli::Options& options, std::string_view option) {
  std::uint32_t all = 0;
  for (const std::string& list : options.all(option)) {
    const Result<std::uint32_t> steps = parse_steps(list);
    if (!steps.ok()) options.usage_error(steps.message());
    all |= *steps;
  }
  return all;
}

std::uint32_t profile_steps(const cli::Options& options) {
  constexpr std::size_t kSafe = 1;
  return all_profiles()[options.choice("profile", kSafe)].steps;
}

NormalizeRules rules_of(const cli::Options& options) {
  NormalizeRules rules;
  const std::uint32_t with = steps_of(options, "with");
  constexpr std::uint32_t kSchemes = kStepHttp | kStepHttps;
  if ((with & kSchemes) == kSchemes)
    options.usage_error("the steps http and https exclude each other");
  rules.steps = profile_steps(options);
  if ((with & kSchemes) != 0) rules.steps &= ~kSchemes;
  rules.steps = (rules.steps | with) & ~steps_of(options, "without");
  if (options.has("keep-fragment")) rules.steps &= ~static_cast<std::uint32_t>(kStepFragment);
  rules.drop_params = options.all("drop-param");
  rules.keep_params = options.all("keep-param");
  if (options.has("index")) rules.index_names = split_list(options.get("index"));
  return rules;
}

CdxForm cdx_form(const cli::Options& options) {
  CdxForm form;
  for (const std::string& name : split_list(options.get("cdx-form"))) {
    bool* const known = name == "scheme"    ? &form.scheme
                        : name == "comma"   ? &form.comma
                        : name == "www"     ? &form.www
                        : name == "address" ? &form.address
                                            : nullptr;
    constexpr std::string_view kWords[] = {"scheme", "comma", "www", "address"};
    if (known == nullptr)
      options.usage_error("--cdx-form takes scheme, comma, www, address, not " + excerpt(name) +
                          did_you_mean(name, kWords));
    *known = true;
  }
  return form;
}

Url parse_base(const cli::Options& options) {
  const std::string text = options.get("base");
  Url base;
  UrlError why;
  if (!parse(text, base, &why))
    options.usage_error("--base: " + why.message + ": " + excerpt(text));
  return base;
}

PartFormat parse_format(const cli::Options& options) {
  const std::string text = options.get("get");
  if (Part::named(text).has_value())
    options.usage_error("--get: parts are named in braces: --get='{" + text + "}'");
  Result<PartFormat> format = PartFormat::compile(text);
  if (!format.ok()) options.usage_error("--get: " + format.message());
  return format.take();
}

void read_edits(const cli::Options& options, NormalizePlan& plan) {
  plan.edits = read_url_edits(options);
  const bool iterates = !plan.edits.iterations.empty();
  if (iterates && plan.from_parts) options.usage_error("--iterate does not go with --from-parts");
  // A row is printed as often as its URL, of which it can have only one then.
  if (iterates && plan.table && options.all("field").size() + options.all("json-key").size() > 1)
    options.usage_error("--iterate makes a row for each value of one URL, and a row has several");
  if (!plan.edits.empty() && plan.explain)
    options.usage_error(
        "--explain names steps, and --set, --replace, --append and --iterate are not steps");
}

// Reads a list of --params. Its lines that cannot be used are reported, and the others are used.
std::shared_ptr<const policy::ParamsList> read_params(cli::Tool& tool, const std::string& file) {
  std::vector<policy::Problem> left_out;
  Result<policy::ParamsList> list = policy::ParamsList::load(file, left_out);
  if (!list.ok()) tool.options().usage_error("--params: " + list.message());
  constexpr std::size_t kTold = 20;
  for (std::size_t i = 0; i < left_out.size() && i < kTold; ++i)
    tool.notice("--params: " + left_out[i].to_string());
  if (left_out.size() > kTold)
    tool.notice("--params: and " + std::to_string(left_out.size() - kTold) + " more are left out");
  return std::make_shared<policy::ParamsList>(list.take());
}

// The parts that --from-parts takes, in the order in which they can be set.
struct NamedPart {
  const char* name;
  UrlPart part;
};
constexpr NamedPart kSetParts[] = {
    {"scheme", UrlPart::kScheme}, {"host", UrlPart::kHostname},     {"port", UrlPart::kPort},
    {"user", UrlPart::kUser},     {"password", UrlPart::kPassword}, {"path", UrlPart::kPath},
    {"query", UrlPart::kQuery},   {"fragment", UrlPart::kFragment},
};

// Reads a member's text, or the digits of a number; no value where it is missing or null. Returns
// false, and says `why`, where the value is of no use.
bool read_member(std::string_view object, const char* name, std::optional<std::string>& value,
                 std::string& why) {
  JsonString json;
  value.reset();
  switch (find_json_string(object, {{name, 0, false}}, json)) {
    case JsonFind::kFound: value = std::move(json.text); return true;
    case JsonFind::kMissing:
    case JsonFind::kNull: return true;
    case JsonFind::kMalformed: why = "the line is not a JSON object"; return false;
    case JsonFind::kNotString: break;
  }
  const std::string_view raw = object.substr(json.begin, json.end - json.begin);
  if (is_digits(raw)) value = raw;
  why = std::string("the member ") + name + " is not a string";
  return value.has_value();
}

}  // namespace

bool read_parts(std::string_view object, const Url* base, Url& url, std::string& why) {
  std::optional<std::string> text, scheme, value;
  if (!read_member(object, "url", text, why) || !read_member(object, "scheme", scheme, why) ||
      !read_member(object, "host", value, why))
    return false;
  if (!text && !scheme) {
    why = "the object has neither a url nor a scheme";
    return false;
  }
  const bool made = !text;
  if (made) make_lower(*scheme);
  const bool has_host = made && ((value && !value->empty()) || *scheme == "file");
  if (made) {
    text = *scheme + (has_host ? "://" + value.value_or("") : ":");
    // An opaque path cannot be set later.
    if (!has_host && !read_member(object, "path", value, why)) return false;
    if (!has_host && value) *text += (value->starts_with("//") ? "/." : "") + *value;
  }
  UrlError error;
  const bool good =
      made || base == nullptr ? parse(*text, url, &error) : resolve(*text, *base, url, &error);
  if (!good) {
    why = error.message;
    return false;
  }
  // A URL put together from parts must come apart into the same parts.
  const bool more = has_host && (url.path().size() > 1 || url.has_query() || url.has_fragment());
  if (made && (url.scheme() != *scheme || url.has_host() != has_host || more)) {
    why = "its scheme and host are invalid";
    return false;
  }
  std::string now;
  for (const auto& [name, part] : kSetParts) {
    if (!read_member(object, name, value, why)) return false;
    if (!value) continue;
    if (Part::named(name)->of(url, registrable_domain, now) == *value ||
        set_part(url, part, *value))
      continue;
    why = std::string("it takes no ") + name + " " + excerpt(*value);
    return false;
  }
  return true;
}

bool is_bare_host(std::string_view text) {
  const std::string_view authority = text.substr(0, text.find_first_of("/?#\\"));
  if (authority.empty()) return text.starts_with("//");
  const std::size_t colon =
      authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  if (colon == std::string_view::npos) return true;
  const std::string_view host = authority.substr(0, colon);
  const bool named =
      host.find('.') != std::string_view::npos || host == "localhost" || host.starts_with('[');
  return named && parse_unsigned(authority.substr(colon + 1)).has_value();
}

namespace {

void read_part_names(const cli::Options& options, NormalizePlan& plan) {
  std::vector<std::string> names = split_list(options.get("parts"));
  for (const std::string& name : names) {
    std::optional<Part> part = Part::named(name);
    // A part such as "query:a" cannot be the name of a field.
    if (!part || !is_field_key(name))
      options.usage_error("--parts: " +
                          (part ? excerpt(name) + " is for --get alone" : unknown_part(name)));
    plan.parts.push_back({std::move(*part), "\t" + name + "=", ",\"" + name + "\":"});
  }
  std::sort(names.begin(), names.end());
  plan.repeats_parts = std::adjacent_find(names.begin(), names.end()) != names.end() ||
                       std::find(names.begin(), names.end(), "url") != names.end();
}

}  // namespace

NormalizePlan normalize_plan(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  NormalizePlan plan;
  plan.rules = rules_of(options);
  plan.rules.cdx = cdx_form(options);
  if (options.has("cdx-form") && (plan.rules.steps & kStepCdx) == 0)
    options.usage_error("--cdx-form is for --profile=cdx");
  if (options.has("index") && (plan.rules.steps & kStepIndex) == 0)
    options.usage_error("--index is for the step index (--with=index)");
  for (const std::string& file : options.all("params"))
    plan.params.push_back(read_params(tool, file));
  plan.from_key = options.has("from-key");
  plan.from_parts = options.has("from-parts");
  if (plan.from_parts && (plan.from_key || tool.table() != nullptr))
    options.usage_error("--from-parts reads lines that are objects, and no keys or tables");
  if (plan.from_parts && options.has("base-field"))
    options.usage_error("--base-field is a field of a record, and --from-parts reads objects");
  for (const char* const other : {"lint", "default-scheme"}) {
    if ((plan.from_parts || plan.from_key) && options.has(other))
      options.usage_error("--" + std::string(other) + " is for lines that are URLs: without --" +
                          (plan.from_key ? "from-key" : "from-parts"));
  }
  if (options.has("base")) plan.base = parse_base(options);
  plan.table = tool.table() != nullptr;
  plan.json = options.has("json") && !options.has("get");
  plan.for_people = tool.writer().for_people();
  // In a table this is a column, whose name need not be a valid key. Without the option no column
  // is used.
  plan.base_field = plan.table ? "@base" : options.get("base-field", "via");
  plan.column = options.get("as", "get");
  if (options.has("as") && !(plan.table && options.has("get")))
    options.usage_error("--as names the column that --get adds to a table");
  if (!is_field_key(plan.column))
    options.usage_error("--as takes a name of small letters, digits, dots and dashes");
  if (options.has("get")) plan.format = parse_format(options);
  read_part_names(options, plan);
  plan.explain = options.has("explain");
  plan.lint = options.has("lint");
  for (const char* const other : {"explain", "lint", "parts", "json", "fields"}) {
    if (plan.format && !plan.table && options.has(other))
      options.usage_error("--get prints its parts and nothing else: it does not go with --" +
                          std::string(other));
  }
  plan.default_scheme = options.get("default-scheme");
  if (Url url; options.has("default-scheme") && !parse(plan.default_scheme + "://h/", url))
    options.usage_error("--default-scheme takes a scheme such as https, not " +
                        excerpt(plan.default_scheme));
  read_edits(options, plan);
  plan.on_error =
      static_cast<OnError>(options.choice("on-error", static_cast<std::size_t>(OnError::kDrop)));
  plan.stop = plan.on_error == OnError::kStop || options.has("strict");
  plan.terminator = tool.terminator();
  return plan;
}

}  // namespace spinneret
