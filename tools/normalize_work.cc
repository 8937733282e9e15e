// SPDX-License-Identifier: Apache-2.0
#include "normalize_work.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/number.h"
#include "io/json.h"
#include "io/rows.h"
#include "io/writer.h"
#include "url/explain.h"
#include "url/parts.h"
#include "url/public_suffix.h"
#include "url/surt.h"

namespace spinneret {
namespace {

// Whether the text is a name with a dot, followed by nothing or a slash.
bool looks_like_host(std::string_view text, const UrlError& error) {
  return error.name == "missing-scheme-non-relative-URL" && is_bare_host(text) &&
         text.substr(0, text.find_first_of("/?#")).find('.', 1) < text.size();
}

}  // namespace

bool is_line_or_bare_host(std::string_view operand) {
  return cli::is_url_operand(operand) || (operand != "-" && is_bare_host(operand) &&
                                          ::access(std::string(operand).c_str(), F_OK) != 0);
}

NormalizeWork::NormalizeWork(const NormalizePlan& plan)
    : plan_(plan),
      normalizer_(plan.rules),
      scan_(normalizer_.rules().steps | plan.scanned_steps(), plan.terminator),
      plain_(normalizer_.rules(), plan.terminator),
      takes_plain_(plain_.useful() && plan.passes_canonical() && !plan.explain &&
                   plan.params.empty()) {
  normalizer_.keep_parsed(plan.explain);
}

void NormalizeWork::operator()(std::string_view run, cli::RunResult& result) {
  while (!run.empty() && !result.stop) {
    if (plan_.passes_canonical()) {
      const std::size_t canonical = scan_.prefix(run, result.lines);
      result.out += run.substr(0, canonical);
      run.remove_prefix(canonical);
      if (run.empty()) return;
    }
    if (takes_plain_) {
      std::size_t size = 0;
      for (; (size = plain_.append(run, result.out)) != 0; ++result.lines) run.remove_prefix(size);
      if (run.empty()) return;
    }
    std::string_view text = cut(run, plan_.terminator);
    if (plan_.terminator == '\n' && text.ends_with('\r')) text.remove_suffix(1);
    ++result.lines;
    line(text, result);
    // A huge line must not hold its memory for the rest of the input.
    constexpr std::size_t kHuge = std::size_t{1} << 20;
    if (text.size() > kHuge) forget();
  }
}

void NormalizeWork::forget() {
  normalizer_ = Normalizer(plan_.rules);
  normalizer_.keep_parsed(plan_.explain);
  record_ = Record();
  text_ = std::string();
}

void NormalizeWork::line(std::string_view line, cli::RunResult& result) {
  if (plan_.from_parts) {
    std::string why;
    if (!read_parts(line, plan_.base ? &*plan_.base : nullptr, linted_, why))
      return refuse(line, why, line, result);
    bare_ = true;
    const std::string made(linted_.href());
    return one(made, result);
  }
  // A line without columns is not searched for any.
  bare_ = line.find('\t') == std::string_view::npos;
  if (!bare_ && (plan_.table ? RowReader::lacks_url(line) : !plan_.format && is_settled(line)))
    return pass(line, result);
  edited_.chosen.assign(plan_.edits.iterations.size(), 0);
  edited_.is_no_url = false;
  do {
    one(line, result);
  } while (!result.stop && !edited_.is_no_url && plan_.edits.choose_next(edited_.chosen));
}

void NormalizeWork::one(std::string_view line, cli::RunResult& result) {
  const std::string_view given = bare_ ? line : record_url(line);
  std::string_view url;
  UrlError error;
  const bool edits = !plan_.edits.empty();
  const Url* const base = base_of(line);
  const std::string_view whole = base == nullptr || plan_.from_key ? whole_url(given) : given;
  if (plan_.lint) parse_noted(given, base, linted_, notes_);
  if (edits && !edit(whole, base, error)) return refuse(line, error.message, given, result);
  if (!normalizer_.normalize(edits ? edited_.url.href() : whole, edits ? nullptr : base, url,
                             &error)) {
    if (base == nullptr && plan_.default_scheme.empty() && looks_like_host(given, error))
      error.message += " (--default-scheme=https takes bare hosts)";
    add_offset(error);
    return refuse(line, error.message, given, result);
  }
  steps_.clear();
  if (!plan_.params.empty()) strip_listed(given, url);
  if (plan_.format && !plan_.table) {
    plan_.format->append(result.out, normalizer_.url(), registrable_domain);
    result.out += plan_.terminator;
  } else if (plan_.adds_only_parts() && (bare_ || (plan_.table && !plan_.json))) {
    write_parts(url, line.substr(given.size()), result.out);
  } else if (plan_.json || plan_.format || !plan_.parts.empty() || plan_.for_people ||
             (plan_.explain && url != given) || (plan_.lint && !notes_.faults().empty())) {
    record_.parse(line);
    add_fields(url);
    write(result);
  } else if (url == given) {
    pass(line, result);
  } else {
    result.out += url;
    result.out += line.substr(given.size());
    result.out += plan_.terminator;
  }
}

// Removes what --params drop from the canonical form until nothing goes, at most 8 times a list: a
// rule may make work for itself ("ab" in "aaabbb"), or for ever for a step ("25", stray-percent).
void NormalizeWork::strip_listed(std::string_view given, std::string_view& url) {
  const auto strips = [this](const auto& list) { return list->strip(normalizer_.url(), listed_); };
  for (std::size_t round = 0; round < 8 * plan_.params.size() &&
                              std::any_of(plan_.params.begin(), plan_.params.end(), strips);
       ++round) {
    if (round == 0 && plan_.explain) {
      append_explanation(steps_, given, normalizer_);
      steps_ += steps_.empty() ? "params-list" : ",params-list";
    }
    if (!normalizer_.normalize(listed_, nullptr, url)) return;
  }
}

// Returns the URL meant by a bare host (--default-scheme) or a key (--from-key); else `given`.
std::string_view NormalizeWork::whole_url(std::string_view given) {
  if (plan_.from_key) {
    text_.clear();
    if (!append_url_of_surt(text_, given, true)) return given;
    std::swap(whole_, text_);
    return whole_;
  }
  if (plan_.default_scheme.empty() || !is_bare_host(trim(given))) return given;
  whole_ = plan_.default_scheme;
  whole_ += trim(given).starts_with("//") ? ":" : "://";
  whole_ += trim(given);
  return whole_;
}

void NormalizeWork::add_offset(UrlError& error) const {
  std::string& message = error.message;
  message += " at byte ";
  append_unsigned(message, error.offset);
  if (plan_.lint && !error.name.empty()) (message += " (").append(error.name) += ')';
}

// Makes edited_.url by --iterate, --set, --replace and --append.
bool NormalizeWork::edit(std::string_view given, const Url* base, UrlError& error) {
  const bool parsed = base == nullptr ? parse(given, edited_.url, &error)
                                      : resolve(given, *base, edited_.url, &error);
  edited_.is_no_url = !parsed;
  if (!parsed) {
    add_offset(error);
    return false;
  }
  return plan_.edits.make(edited_.url, edited_.chosen, error.message);
}

// Returns the base of a relative URL on this line: the page it was found on, or --base.
const Url* NormalizeWork::base_of(std::string_view line) {
  const Url* const base = plan_.base ? &*plan_.base : nullptr;
  if (bare_) return base;
  const std::optional<std::string_view> raw = find_raw_field(line, plan_.base_field);
  if (!raw) return base;
  if (*raw != page_.raw) {
    // The links of one page follow each other, so that one parse serves all.
    page_.raw = *raw;
    text_.clear();
    append_unescaped(text_, page_.raw);
    page_.valid = parse(text_, page_.url);
  }
  return page_.valid ? &page_.url : base;
}

void NormalizeWork::pass(std::string_view line, cli::RunResult& result) {
  if (plan_.json || plan_.for_people) {
    record_.parse(line);
    return write(result);
  }
  result.out += line;
  result.out += plan_.terminator;
}

void NormalizeWork::write(cli::RunResult& result) {
  if (plan_.json) {
    append_json(result.out, record_);
  } else if (plan_.for_people) {
    append_for_people(result.out, record_);
  } else {
    record_.append_to(result.out);
  }
  result.out += plan_.terminator;
}

// A short cut for add_fields() and write(), where nothing but parts of different names is added.
// Most parts are views of a URL that no form of output escapes.
void NormalizeWork::write_parts(std::string_view url, std::string_view rest, std::string& out) {
  const std::string_view href = normalizer_.url().href();
  const bool plain = plain_prefix(href) == href.size();
  const auto append_text = [&](std::string_view text) {
    if (plain && text.data() >= href.data() && text.data() <= href.data() + href.size()) {
      const std::string_view quote = plan_.json ? "\"" : "";
      out.append(quote).append(text).append(quote);
    } else {
      plan_.json ? append_json_string(out, text) : append_escaped(out, text);
    }
  };
  if (plan_.json) append_text((out += "{\"url\":", url));
  if (!plan_.json) out.append(url).append(rest);
  for (const NormalizePlan::Added& added : plan_.parts) {
    out += plan_.json ? added.member : added.field;
    append_text(added.part.of(normalizer_.url(), registrable_domain, text_));
  }
  if (plan_.json) out += '}';
  out += plan_.terminator;
}

void NormalizeWork::add_fields(std::string_view url) {
  for (const NormalizePlan::Added& added : plan_.parts) {
    record_.set(added.part.name(), added.part.of(normalizer_.url(), registrable_domain, text_));
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
}

// Sets the field lint: "invalid-credentials@8,invalid-URL-unit@12".
void NormalizeWork::add_faults() {
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

void NormalizeWork::refuse(std::string_view line, std::string_view reason, std::string_view bytes,
                           cli::RunResult& result) {
  if (plan_.table) {
    // The writer decides what becomes of the row, and prints the message.
    result.out += line;
    RowWriter::append_bad(result.out, reason);
    result.out += plan_.terminator;
    return;
  }
  if (plan_.on_error == OnError::kKeep && plan_.format) {
    // A raw line would have other columns than one made of parts.
    plan_.format->append_empty(result.out);
    result.out += plan_.terminator;
  } else if (plan_.on_error == OnError::kKeep) {
    pass(line, result);
  }
  if (plan_.on_error == OnError::kMark) {
    record_.parse(line);
    record_.set("error", reason);
    add_faults();
    write(result);
  }
  if (line.empty()) return;                     // nothing is missing
  result.refuse(reason, bytes.substr(0, 256));  // more than a message shows
  result.stop = plan_.stop;
}

}  // namespace spinneret
