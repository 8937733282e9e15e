// SPDX-License-Identifier: Apache-2.0
#include "link_check_report.h"

#include <string_view>

#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "report/quantity.h"

namespace spinneret {
namespace {

constexpr std::string_view kBegin = "<section id=\"links\">";
constexpr std::string_view kBeginOfDead = "<section id=\"dead\">";
constexpr std::string_view kEnd = "</section>";
constexpr std::string_view kFooter = "<footer>";

void append_place(std::string& out, const check::Finding& finding) {
  report::Html html;
  if (finding.page.empty()) {
    html.raw("a seed");
  } else if (finding.file.empty()) {
    html.link(finding.page);
  } else {
    html.text(finding.file);
  }
  out.append("<li>").append(html.str());
  for (const std::uint64_t number : {finding.line, finding.column}) {
    if (number == 0) break;
    out += ':';
    append_unsigned(out, number);
  }
  out += "</li>";
}

// Removes a section of a report. It ends at the first end mark: sections are not nested.
void erase_section(std::string& page, std::string_view begin) {
  const std::size_t at = page.find(begin);
  const std::size_t end = page.find(kEnd, at);
  if (at != std::string::npos && end != std::string::npos) page.erase(at, end + kEnd.size() - at);
}

}  // namespace

void LinkCheckReport::add(const check::Finding& finding, bool fails) {
  Verdict& verdict = verdicts_[static_cast<std::size_t>(finding.verdict)];
  ++verdict.links;
  verdict.fails = fails;
  std::string key(finding.target);
  key.append("\n").append(finding.reason).append("\n").append(finding.location);
  auto found = verdict.known.find(key);
  if (found == verdict.known.end()) {
    if (verdict.targets.size() == kMostTargets) {
      ++verdict.targets_left_out;
      return;
    }
    found = verdict.known.emplace(std::move(key), verdict.targets.size()).first;
    verdict.targets.push_back({std::string(finding.target),
                               std::string(finding.reason),
                               std::string(finding.location),
                               0,
                               {}});
  }
  Target& target = verdict.targets[found->second];
  ++target.links;
  if (places_++ >= kMostPlaces) return;
  append_place(target.places, finding);
}

void LinkCheckReport::append_targets(report::Html& out, const Verdict& verdict) {
  for (const Target& target : verdict.targets) {
    out.raw("<li><div>").link(target.url).raw("<p>").text(target.reason);
    if (!target.location.empty())
      out.raw(target.reason.empty() ? "" : ", ").raw("now at ").link(target.location);
    out.raw("</p><details><summary>").raw(report::count_text(target.links, "place"));
    out.raw("</summary><ul class=\"pages\">").raw(target.places).raw("</ul></details></div></li>");
  }
}

std::string LinkCheckReport::section() const {
  report::Html out;
  out.raw(kBegin).raw("<h2>Links</h2>");
  bool any = false;
  for (std::size_t i = 0; i != verdicts_.size(); ++i) {
    const Verdict& verdict = verdicts_[i];
    if (verdict.links == 0) continue;
    any = true;
    out.raw("<h3><span class=\"tag ").raw(verdict.fails ? "failed" : "refused").raw("\">");
    out.raw(check::kVerdicts[i]).raw("</span> ").raw(report::count_text(verdict.links, "link"));
    out.raw(" to ").raw(report::count_text(verdict.targets.size(), "target"));
    out.raw("</h3><ol class=\"pages\" data-verdict=\"").raw(check::kVerdicts[i]).raw("\">");
    append_targets(out, verdict);
    out.raw("</ol>");
    if (verdict.targets_left_out != 0) {
      out.raw("<p class=\"more\">and ")
          .raw(report::count_text(verdict.targets_left_out, "link"))
          .raw(" to others</p>");
    }
  }
  if (!any) out.raw("<p>Nothing to report.</p>");
  if (places_ > kMostPlaces) {
    out.raw("<p class=\"more\">The first ")
        .raw(report::grouped(kMostPlaces))
        .raw(" places are here; <code>link-check</code> prints all.</p>");
  }
  return out.raw(kEnd).str();
}

Status LinkCheckReport::write_into(const std::string& path) const {
  auto page = read_file(path);
  if (!page.ok()) return page.error();
  erase_section(*page, kBegin);
  erase_section(*page, kBeginOfDead);
  const std::size_t at = page->rfind(kFooter);
  if (at == std::string::npos)
    return Error{path +
                 " is not a report of a crawl: write one by crawl --report=" + excerpt(path)};
  page->insert(at, section());
  return write_file_atomic(path, *page);
}

}  // namespace spinneret
