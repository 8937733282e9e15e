// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <string_view>

#include "report/chart.h"
#include "report/html.h"
#include "report/quantity.h"
#include "report/section.h"
#include "report/style.h"

namespace spinneret::report {
namespace {

// "example.org and 3 more hosts"
std::string subject(const Standing& standing) {
  const auto hosts = standing.listed.sorted();
  if (hosts.empty()) return "nothing yet";
  const std::string_view origin = hosts[0].second.origin;
  const std::size_t scheme = origin.find("://");
  std::string out(scheme == std::string_view::npos ? origin : origin.substr(scheme + 3));
  if (standing.hosts > 1) out += " and " + count_text(standing.hosts - 1, "more host");
  return out;
}

void append_head(Html& out, const std::string& title) {
  out.raw(
         "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
         "<meta name=\"referrer\" content=\"no-referrer\"/>"
         // Whatever slipped through: nothing is loaded, nothing runs.
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\"/>"
         "<title>")
      .text(title)
      .raw("</title><style>")
      .raw(kStyleSheet)
      .raw("</style></head>\n<body><main>");
}

void append_header(Html& out, const std::string& title, const Survey& survey) {
  const Timeline& timeline = survey.timeline;
  out.raw("<header><h1>").text(title, 200).raw("</h1><p>");
  if (survey.records != 0) {
    out.raw(moment_text(timeline.first_wall_ms()))
        .raw(" to ")
        .raw(moment_text(timeline.last_wall_ms()));
    out.raw(", ").raw(span_text(timeline.crawling_ms())).raw(" of crawling");
    if (!timeline.pauses().empty())
      out.raw(", ").raw(count_text(timeline.pauses().size(), "pause"));
  }
  out.raw("</p></header>\n");
}

void append_footer(Html& out, const Survey& survey, std::int64_t now_ms) {
  out.raw("<footer><p>Written by spinneret at ").raw(moment_text(now_ms)).raw(" from ");
  out.raw("<span id=\"records\" data-value=\"").raw(std::to_string(survey.records)).raw("\">");
  out.raw(count_text(survey.records, "record")).raw("</span>");
  if (survey.unreadable != 0) out.raw(" (").raw(grouped(survey.unreadable)).raw(" unreadable)");
  out.raw(". A page that was visited again counts each time.</p></footer>");
}

}  // namespace

std::string page_html(const Survey& survey, const Standing& standing, std::int64_t now_ms) {
  Html out;
  const std::string title = "Crawl of " + subject(standing);
  append_head(out, title);
  append_header(out, title, survey);
  append_findings(out, survey, standing);
  append_tiles(out, survey, standing);
  if (survey.records != 0) {
    out.raw("\n<section id=\"progress\"><h2>Progress</h2>");
    append_timeline(out, survey.timeline);
    out.raw("</section>\n<div class=\"cards\"><div class=\"stack\">");
    append_outcomes(out, survey);
    append_types(out, survey);
    out.raw("</div><div class=\"stack\">");
    append_response_times(out, survey);
    append_depths(out, survey);
    out.raw("</div></div>\n");
    append_hosts(out, survey, standing);
    out.raw("\n<div class=\"cards\"><div class=\"stack\">");
    append_dead_links(out, survey);
    append_failures(out, survey);
    out.raw("</div><div class=\"stack\">");
    append_extremes(out, survey);
    out.raw("</div></div>\n");
  }
  append_footer(out, survey, now_ms);
  out.raw("</main></body></html>\n");
  return out.str();
}

}  // namespace spinneret::report
