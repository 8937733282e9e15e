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

// Returns a title such as "example.org and 3 more hosts".
std::string subject(const Standing& standing) {
  const auto hosts = standing.listed.sorted();
  if (hosts.empty()) return "nothing yet";
  const std::string_view origin = hosts[0].second.origin;
  const std::size_t scheme = origin.find("://");
  std::string out(scheme == std::string_view::npos ? origin : origin.substr(scheme + 3));
  if (standing.hosts > 1) out += " and " + count_text(standing.hosts - 1, "more host");
  return out;
}

// Appends the head. With a `policy` it also keeps the hosts of links from learning about this page.
// `policy` is empty if the server sends it.
void append_head(Html& out, const std::string& title, std::string_view policy) {
  out.raw(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
  if (!policy.empty()) {
    out.raw("<meta name=\"referrer\" content=\"no-referrer\"/>");
    out.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"").raw(policy).raw("\"/>");
  }
  out.raw("<title>").text(title).raw("</title><style>").raw(kStyleSheet);
  out.raw("</style></head>\n<body>");
}

void append_header(Html& out, const std::string& title, const Survey& survey) {
  const Timeline& timeline = survey.timeline;
  out.raw("<header><h1>").text(title, 200).raw("</h1><p>");
  if (survey.records != 0) {
    const std::string first = moment_text(timeline.first_wall_ms());
    const std::string last = moment_text(timeline.last_wall_ms());
    out.raw(first).raw(first == last ? "" : " to ").raw(first == last ? "" : last);
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

void append_sections(Html& out, const Survey& survey, const Standing& standing) {
  append_findings(out, survey, standing);
  append_tiles(out, survey, standing);
  if (survey.records == 0) return;
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
  append_stages(out, standing);
  out.raw("\n<div class=\"cards\"><div class=\"stack\">");
  append_dead_links(out, survey, standing);
  append_failures(out, survey, standing);
  out.raw("</div><div class=\"stack\">");
  append_extremes(out, survey);
  out.raw("</div></div>\n");
}

// Appends buttons that work without the script, too. They are outside the part that events replace,
// so that a half-typed number stays. All addresses are relative, since a proxy may serve the page
// below another path.
void append_steering(Html& out, const LiveView& view) {
  out.raw("<form class=\"steer\" method=\"post\" action=\"control\">");
  out.raw("<input type=\"hidden\" name=\"token\" value=\"").text(view.token).raw("\"/>");
  out.raw(
      "<button name=\"do\" value=\"pause\">Pause</button> <button name=\"do\" value=\"go-on\">Go "
      "on</button> "
      "<label>at most <input name=\"rate\" type=\"number\" min=\"0\" max=\"100000\" step=\"any\" "
      "placeholder=\"no limit\"/> requests a second</label> "
      "<button name=\"do\" value=\"rate\">Set</button></form>\n");
}

// Details that the reader has opened stay open.
constexpr std::string_view kScript = R"js(
const main=document.querySelector('main'),lost=document.getElementById('lost'),events=new EventSource('events');
events.addEventListener('page',e=>{const open=[...main.querySelectorAll('details')].map(d=>d.open);
main.innerHTML=e.data;main.querySelectorAll('details').forEach((d,i)=>{d.open=open[i]||false})});
events.onopen=()=>{lost.hidden=true};events.onerror=()=>{lost.hidden=false};
)js";

}  // namespace

std::string page_html(const Survey& survey, const Standing& standing, std::int64_t now_ms) {
  Html out;
  const std::string title = "Crawl of " + subject(standing);
  // A second line of defence besides escaping: nothing is loaded, and nothing runs.
  append_head(out, title, "default-src 'none'; style-src 'unsafe-inline'");
  out.raw("<main>");
  append_header(out, title, survey);
  append_sections(out, survey, standing);
  append_footer(out, survey, now_ms);
  out.raw("</main></body></html>\n");
  return out.str();
}

std::string live_policy(const LiveView& view) {
  return "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-" + view.nonce +
         "'; connect-src 'self'; form-action 'self'";
}

std::string live_main(const Survey& survey, const Standing& standing, const LiveView& view,
                      std::int64_t now_ms) {
  Html out;
  append_header(out, "Crawl of " + subject(standing), survey);
  out.raw("<p class=\"now\" data-setting=\"").text(view.setting).raw("\"><b>");
  out.raw(rounded(view.recent_rate)).raw("</b> pages a second in the last ten seconds");
  if (survey.records != 0) out.raw(", the last one ").raw(span_text(view.idle_ms)).raw(" ago");
  const bool is_held = view.setting.starts_with("paused");
  out.raw(is_held ? ". <span class=\"tag refused\">" : "; ").text(view.setting);
  out.raw(is_held ? "</span></p>\n" : "</p>\n");
  append_sections(out, survey, standing);
  append_footer(out, survey, now_ms);
  return out.str();
}

std::string live_html(const LiveView& view, const std::string& main) {
  Html out;
  append_head(out, "Crawl, live", "");
  out.raw(
      "<p id=\"lost\" class=\"now\" hidden=\"hidden\">The server of this page has ended, or cannot "
      "be reached.</p>");
  if (!view.token.empty()) append_steering(out, view);
  out.raw("<main>").raw(main).raw("</main><script nonce=\"").text(view.nonce).raw("\">");
  out.raw(kScript).raw("</script></body></html>\n");
  return out.str();
}

}  // namespace spinneret::report
