// SPDX-License-Identifier: Apache-2.0
#include "check/format.h"

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/utf8.h"
#include "io/json.h"
#include "url/percent.h"

namespace spinneret::check {
namespace {

std::string_view where(const Finding& finding) {
  return finding.file.empty() ? finding.page : finding.file;
}

void append_json_field(std::string& out, std::string_view name, std::string_view value) {
  append_json_string(out, name);
  out += ':';
  append_json_string(out, value);
}

// --- JUnit ---

// Appends text for XML 1.0, in which most controls cannot be written: they become blanks.
void append_xml(std::string& out, std::string_view text) {
  const std::string clean = without_controls(text);
  for (std::size_t at = 0; at != clean.size();) {
    const char c = clean[at];
    char32_t code = 0;
    const std::size_t length = utf8_sequence(std::string_view(clean).substr(at), &code);
    at += length == 0 ? 1 : length;
    if (length == 0 || code == 0xFFFE || code == 0xFFFF) {
      append_utf8(out, 0xFFFD);
      continue;
    }
    if (length > 1) {
      out.append(clean, at - length, length);
      continue;
    }
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += is_control(c) ? ' ' : c;
    }
  }
}

class Junit final : public ReportFormat {
 public:
  void begin(std::string& out, std::uint64_t tests, std::uint64_t failures) override {
    out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    out += "<testsuite name=\"link-check\" tests=\"";
    append_unsigned(out, tests);
    out += "\" failures=\"";
    append_unsigned(out, failures);
    out += "\" errors=\"0\" skipped=\"";
    append_unsigned(out, tests - failures);
    out += "\">\n";
  }
  void add(std::string& out, const Finding& finding, bool fails) override {
    out += "<testcase classname=\"";
    append_xml(out, where(finding));
    out += "\" name=\"";
    append_xml(out, finding.place());
    out += ' ';
    append_xml(out, finding.target);
    out += fails ? "\"><failure type=\"" : "\"><skipped message=\"";
    if (fails) out.append(to_string(finding.verdict)).append("\" message=\"");
    append_xml(out, sentence(finding));
    out += "\"/></testcase>\n";
  }
  void end(std::string& out) override { out += "</testsuite>\n</testsuites>\n"; }
};

// --- SARIF ---

class Sarif final : public ReportFormat {
 public:
  explicit Sarif(std::string_view version) : version_(version) {}
  void begin(std::string& out, std::uint64_t, std::uint64_t) override {
    out +=
        "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
        "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"link-check\",";
    append_json_field(out, "version", version_);
    out += ",\"rules\":[";
    for (const std::string_view verdict : kVerdicts) {
      if (verdict != kVerdicts.front()) out += ',';
      out += '{';
      append_json_field(out, "id", verdict);
      out += ",\"shortDescription\":{";
      append_json_field(out, "text", "the verdict on a link: " + std::string(verdict));
      out += "}}";
    }
    out += "]}},\"results\":[";
  }
  void add(std::string& out, const Finding& finding, bool fails) override {
    out += first_ ? "\n{" : ",\n{";
    first_ = false;
    append_json_field(out, "ruleId", to_string(finding.verdict));
    out += fails ? ",\"level\":\"error\"" : ",\"level\":\"note\"";
    out += ",\"message\":{";
    append_json_field(out, "text", sentence(finding));
    out += "},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{";
    append_json_field(out, "uri", uri(finding));
    out += '}';
    if (finding.line != 0) {
      out += ",\"region\":{\"startLine\":";
      append_unsigned(out, finding.line);
      if (finding.column != 0) out += ",\"startColumn\":";
      if (finding.column != 0) append_unsigned(out, finding.column);
      out += '}';
    }
    out += "}}]}";
  }
  void end(std::string& out) override { out += "\n]}]}\n"; }

 private:
  static std::string uri(const Finding& finding) {
    std::string out;
    if (finding.file.empty()) {
      // A page that is not a URL is also written as a URI reference.
      for (const char c : finding.page.empty() ? finding.target : finding.page)
        is_control(c) || in_set(c, kQuerySet) ? append_escape(out, c) : out.push_back(c);
      return out;
    }
    for (const char c : finding.file)
      c == '%' || in_set(c, kPathSet) || c == ':' ? append_escape(out, c) : out.push_back(c);
    return out;
  }

  std::string version_;
  bool first_ = true;
};

// --- GitHub ---

// Escapes as the runner's own toolkit does: bytes that would end a line or a property.
void append_command(std::string& out, std::string_view text, bool is_property) {
  const std::size_t begin = out.size();
  for (const char c : text) {
    const bool ends = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    ends ? append_escape(out, c) : out.push_back(c);
  }
  clean_words(out, begin);
}

class Github final : public ReportFormat {
 public:
  void begin(std::string&, std::uint64_t, std::uint64_t) override {}
  void add(std::string& out, const Finding& finding, bool fails) override {
    out += fails ? "::error title=" : "::warning title=";
    out += to_string(finding.verdict);
    if (!finding.file.empty()) {
      out += ",file=";
      append_command(out, finding.file, true);
      if (finding.line != 0) out += ",line=";
      if (finding.line != 0) append_unsigned(out, finding.line);
      if (finding.column != 0) out += ",col=";
      if (finding.column != 0) append_unsigned(out, finding.column);
    }
    out += "::";
    append_command(out, sentence(finding), false);
    if (finding.file.empty()) append_command(out, " (" + finding.place() + ")", false);
    out += '\n';
  }
  void end(std::string&) override {}
};

// --- GitLab ---

class Gitlab final : public ReportFormat {
 public:
  void begin(std::string& out, std::uint64_t, std::uint64_t) override { out += '['; }
  void add(std::string& out, const Finding& finding, bool fails) override {
    out += first_ ? "\n{" : ",\n{";
    first_ = false;
    append_json_field(out, "description", sentence(finding));
    out += ',';
    append_json_field(out, "check_name", to_string(finding.verdict));
    std::string known(where(finding));
    known.append("\n").append(finding.target).append("\n").append(to_string(finding.verdict));
    // Two findings with the same page and target differ by their place.
    append_unsigned(known.append("\n"), finding.line);
    append_unsigned(known.append("\n"), finding.column);
    out += ',';
    append_json_field(out, "fingerprint", to_hex(hash128(known)));
    out += fails ? ",\"severity\":\"major\"" : ",\"severity\":\"info\"";
    out += ",\"location\":{";
    append_json_field(out, "path", where(finding));
    out += ",\"lines\":{\"begin\":";
    append_unsigned(out, finding.line == 0 ? 1 : finding.line);
    out += "}}}";
  }
  void end(std::string& out) override { out += "\n]\n"; }

 private:
  bool first_ = true;
};

}  // namespace

std::string sentence(const Finding& finding) {
  std::string out(to_string(finding.verdict));
  out.append(": ").append(finding.target);
  if (!finding.reason.empty()) out.append(": ").append(finding.reason);
  if (!finding.location.empty()) out.append(", now at ").append(finding.location);
  return out;
}

void fill_record(Record& record, const Finding& finding) {
  record.reset(finding.target);
  record.set("verdict", to_string(finding.verdict));
  const auto set = [&record](std::string_view key, std::string_view value) {
    if (!value.empty()) record.set(key, value);
  };
  set("reason", finding.reason);
  set("via", finding.page);
  set("file", finding.file);
  if (finding.line != 0) record.set_unsigned("line", finding.line);
  if (finding.column != 0) record.set_unsigned("column", finding.column);
  set("tag", finding.tag);
  set("location", finding.location);
}

std::unique_ptr<ReportFormat> ReportFormat::junit() { return std::make_unique<Junit>(); }
std::unique_ptr<ReportFormat> ReportFormat::sarif(std::string_view version) {
  return std::make_unique<Sarif>(version);
}
std::unique_ptr<ReportFormat> ReportFormat::github() { return std::make_unique<Github>(); }
std::unique_ptr<ReportFormat> ReportFormat::gitlab() { return std::make_unique<Gitlab>(); }

}  // namespace spinneret::check
