// SPDX-License-Identifier: Apache-2.0
#include "report/section.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "report/chart.h"
#include "report/quantity.h"

namespace spinneret::report {
namespace {

constexpr std::size_t kMostTypesShown = 12;
// More than this many make no point; the log has all of them.
constexpr std::size_t kMostShown = 200;
constexpr std::size_t kMostUnfolded = 20;

std::uint64_t count_of(const OutcomeCounts& counts, Outcome outcome) {
  return counts[static_cast<std::size_t>(outcome)];
}

// Returns the number of URLs whose last outcome is one of those wanted.
std::uint64_t latest_of(const Survey& survey, bool (*wanted)(Outcome)) {
  std::uint64_t out = 0;
  for (const OutcomeInfo& info : all_outcomes()) {
    if (wanted(info.outcome)) out += count_of(survey.latest, info.outcome);
  }
  return out;
}

void begin_section(Html& out, std::string_view id, std::string_view title) {
  out.raw("<section id=\"").raw(id).raw("\"><h2>").raw(title).raw("</h2>");
}

void append_tile(Html& out, std::string_view name, const std::string& value,
                 std::string_view note = "") {
  out.raw("<div class=\"tile\"><b>").raw(value).raw("</b><span>").raw(name).raw("</span>");
  if (!note.empty()) out.raw("<em>").raw(note).raw("</em>");
  out.raw("</div>");
}

// Returns the outcomes that occurred, by their counts.
std::vector<const OutcomeInfo*> by_count(const Survey& survey) {
  std::vector<const OutcomeInfo*> out;
  for (const OutcomeInfo& info : all_outcomes()) {
    if (count_of(survey.outcomes, info.outcome) != 0) out.push_back(&info);
  }
  std::stable_sort(out.begin(), out.end(), [&](const OutcomeInfo* a, const OutcomeInfo* b) {
    return count_of(survey.outcomes, a->outcome) > count_of(survey.outcomes, b->outcome);
  });
  return out;
}

void finding(Html& out, std::string_view css, const std::string& sentence) {
  out.raw("<li class=\"").raw(css).raw("\">").text(sentence).raw("</li>");
}

void append_waiting(Html& out, const Standing& standing) {
  if (standing.hosts == 0 && standing.waiting == 0) {
    finding(out, "open", "There is no URL in this state yet.");
    return;
  }
  if (standing.waiting == 0 && standing.finished_hosts + standing.full_hosts != 0) {
    finding(out, "open", "Nothing waits, but for what is left at hosts that are finished.");
    return;
  }
  if (standing.waiting == 0) {
    finding(out, "good",
            standing.is_live ? "Nothing waits." : "Nothing waits: the crawl is complete.");
    return;
  }
  std::string sentence = count_text(standing.waiting, "URL") +
                         (standing.waiting == 1 ? " waits" : " wait") +
                         (standing.is_live ? "." : "; the same command goes on from here.");
  if (standing.least_left_ms >= 1000) {
    sentence += " At least " + span_text(standing.least_left_ms) + " are left, for " +
                standing.slowest_host + ".";
  }
  finding(out, "open", sentence);
}

void append_refusals(Html& out, const Standing& standing) {
  constexpr std::size_t kShown = 5;
  std::uint64_t sum = 0;
  for (const auto& [rule, count] : standing.refusals) sum += count;
  if (sum == 0) return;
  std::string sentence =
      count_text(sum, "link") + (sum == 1 ? " was" : " were") + " refused by the crawl policy: ";
  const char* between = "";
  for (std::size_t i = 0; i < std::min(kShown, standing.refusals.size()); ++i) {
    const auto& [rule, count] = standing.refusals[i];
    sentence += std::exchange(between, ", ") + grouped(count) + " by " + rule;
  }
  finding(out, "note", sentence + (standing.refusals.size() > kShown ? ", ..." : "."));
}

void append_again(Html& out, const Standing& standing, std::string_view what) {
  if (!standing.again.empty())
    out.raw("<code class=\"again\">").text(standing.again, 4096).raw("</code> ").raw(what);
}

void append_given_up(Html& out, const Standing& standing) {
  if (standing.finished_hosts == 0) return;
  const bool one = standing.finished_hosts == 1;
  out.raw("<li class=\"bad\">").raw(count_text(standing.finished_hosts, "host"));
  out.raw(one ? " was" : " were").raw(" given up, for want of an answer or of a robots.txt: ");
  constexpr std::size_t kShown = 5;
  const char* between = "";
  std::size_t shown = 0;
  for (const auto& [waiting, host] : standing.given_up.sorted()) {
    if (shown++ == kShown) break;
    out.raw(std::exchange(between, ", ")).link(host.origin);
    out.raw(" (").text(host.finished).raw("; ").raw(count_text(waiting, "URL"));
    out.raw(waiting == 1 ? " waits)" : " wait)");
  }
  const std::size_t named = std::min(standing.given_up.sorted().size(), kShown);
  if (standing.finished_hosts > named)
    out.raw(", and ").raw(grouped(standing.finished_hosts - named)).raw(" more");
  out.raw(". ");
  if (standing.again.empty()) out.raw("The next run asks again.");
  append_again(out, standing, one ? "asks it again." : "asks them again.");
  out.raw("</li>");
}

// Formats a span to the millisecond, since that precision matters here.
std::string exact_span(std::int64_t ms) {
  return ms < 1000 ? span_text(ms) : seconds_text(ms) + " s";
}

// Returns a text such as "1.003 s where 1 s was owed".
std::string gap_text(const HostFacts& host) {
  return exact_span(host.least_gap_ms) + " where " + exact_span(host.least_gap_owed_ms) +
         " was owed";
}

void append_gaps(Html& out, const Standing& standing) {
  if (standing.measured_hosts == 0) return;
  if (standing.early_hosts != 0) {
    finding(out, "bad",
            count_text(standing.early_hosts, "host") +
                (standing.early_hosts == 1 ? " was" : " were") +
                " asked sooner than owed: by most " + standing.closest.origin + ", after " +
                gap_text(standing.closest) + ".");
    return;
  }
  if (standing.closest.least_gap_owed_ms == 0) return;
  finding(out, "good",
          "No host was asked sooner than owed: the least to spare had " + standing.closest.origin +
              ", " + gap_text(standing.closest) + ".");
}

// Appends the reasons why nothing, or less than expected, was fetched.
void append_reasons(Html& out, const Survey& survey, const Standing& standing) {
  if (survey.kinds[static_cast<std::size_t>(Kind::kFetched)] == 0) {
    const auto outcomes = by_count(survey);
    std::string sentence = "No page has been fetched.";
    if (!outcomes.empty()) {
      sentence += " Most tries ended as " + std::string(outcomes[0]->name) + ": " +
                  std::string(outcomes[0]->meaning) + ".";
    }
    finding(out, "bad", sentence);
  }
  if (const std::uint64_t count = count_of(survey.latest, Outcome::kRefusedAddress); count != 0) {
    finding(
        out, "bad",
        count_text(count, "URL") +
            " led to addresses that are refused: private ones, unless --allow-private is given, or "
            "those that the policy denies.");
  }
  append_given_up(out, standing);
  if (standing.full_hosts != 0) {
    finding(out, "note",
            count_text(standing.full_hosts, "host") +
                (standing.full_hosts == 1 ? " has had its" : " have had their") +
                " --max-host-pages.");
  }
  append_refusals(out, standing);
  append_gaps(out, standing);
  if (const std::uint64_t count = count_of(survey.latest, Outcome::kBlockedByRobots); count != 0) {
    finding(out, "note",
            count_text(count, "URL") + (count == 1 ? " was" : " were") +
                " left out because robots.txt disallows " + (count == 1 ? "it." : "them."));
  }
}

void append_page_item(Html& out, const NotedPage& page) {
  const KindStyle& style = style_of(kind_of(page.outcome));
  out.raw("<li><span class=\"tag ").raw(style.css).raw("\">");
  if (page.status != 0) {
    out.raw(std::to_string(page.status));
  } else {
    out.raw(to_string(page.outcome));
  }
  out.raw("</span><div>").link(page.url);
  if (!page.error.empty()) out.raw("<p class=\"why\">").text(page.error, 300).raw("</p>");
  if (!page.via.empty()) out.raw("<p>on ").link(page.via).raw("</p>");
  out.raw("</div></li>");
}

// Appends a command such as "tac log | awk ... | records --where 'outcome~^(gone|not-found)$'
// --fields=outcome,url,via". It takes the last line of each URL in the log, as the number above
// counts them; URLs that have succeeded since are not among them.
void append_all_of(Html& out, const Standing& standing, bool (*wanted)(Outcome)) {
  std::string words;
  for (const OutcomeInfo& info : all_outcomes()) {
    if (!wanted(info.outcome)) continue;
    if (!words.empty()) words += '|';
    words += info.name;
  }
  out.raw(": <code class=\"again\">")
      .text("tac " + standing.log + " | awk -F'\\t' '!seen[$1]++' | " + standing.records +
                " --where 'outcome~^(" + words + ")$' --fields=outcome,url,via",
            4096)
      .raw("</code>");
}

void append_listing(Html& out, const Listing& listing, const Survey& survey,
                    const Standing& standing, bool (*wanted)(Outcome)) {
  const std::vector<const NotedPage*> pages = listing.pages();
  const std::size_t shown = std::min(pages.size(), kMostShown);
  out.raw("<ol class=\"pages\">");
  for (std::size_t i = 0; i < shown; ++i) {
    if (i == kMostUnfolded) {
      out.raw("</ol><details><summary>")
          .raw(grouped(shown - i))
          .raw(" more</summary><ol class=\"pages\">");
    }
    append_page_item(out, *pages[i]);
  }
  out.raw(shown > kMostUnfolded ? "</ol></details>" : "</ol>");
  const std::uint64_t all = latest_of(survey, wanted);
  if (all <= shown) return;
  out.raw("<p class=\"more\">and ").raw(grouped(all - shown)).raw(" more");
  if (!standing.log.empty()) append_all_of(out, standing, wanted);
  out.raw("</p>");
}

void append_extreme(Html& out, const Top<std::string>& top, std::string_view id,
                    std::string_view title, std::string (*text)(std::uint64_t),
                    std::string_view css) {
  const auto entries = top.sorted();
  if (entries.empty()) return;
  begin_section(out, id, title);
  out.raw("<table class=\"bars\">");
  const std::uint64_t most = std::max<std::uint64_t>(entries[0].first, 1);
  for (const auto& [key, url] : entries) {
    out.raw("<tr><td>").link(url);
    append_bar(out, key, most, css);
    out.raw("</td><td class=\"n\" data-value=\"")
        .raw(std::to_string(key))
        .raw("\">")
        .raw(text(key))
        .raw("</td></tr>");
  }
  out.raw("</table></section>");
}

void append_gap_cell(Html& out, const HostFacts& host) {
  if (host.least_gap_ms < 0) return void(out.raw("<td></td>"));
  out.raw("<td class=\"n\" data-value=\"").raw(std::to_string(host.least_gap_ms)).raw("\">");
  out.raw(exact_span(host.least_gap_ms)).raw("<br/><small>owed: ");
  out.raw(exact_span(host.least_gap_owed_ms)).raw("</small></td>");
}

void append_host_row(Html& out, const HostFacts& host, const Survey& survey) {
  const auto found = survey.hosts.find(host.origin);
  const HostTally tally = found == survey.hosts.end() ? HostTally() : found->second;
  out.raw("<tr><td>").link(host.origin);
  if (!host.finished.empty())
    out.raw("<br/><span class=\"tag failed\">").text(host.finished).raw("</span>");
  if (host.finished.empty() && !host.held.empty())
    out.raw("<br/><span class=\"tag refused\">").text(host.held).raw("</span>");
  out.raw("</td>").number_cell(tally.pages).number_cell(tally.errors).number_cell(host.waiting);
  out.raw("<td class=\"n\">").raw(span_text(host.delay_ms));
  if (host.crawl_delay_ms >= 0)
    out.raw("<br/><small>robots.txt: ").raw(span_text(host.crawl_delay_ms)).raw("</small>");
  out.raw("</td>");
  append_gap_cell(out, host);
  out.raw("<td class=\"n\">");
  if (tally.answers != 0)
    out.raw(span_text(static_cast<std::int64_t>(tally.time_ms / tally.answers)));
  out.raw("</td><td class=\"n\">").raw(bytes_text(tally.bytes)).raw("</td></tr>");
}

std::string time_of(std::uint64_t ms) { return span_text(static_cast<std::int64_t>(ms)); }

}  // namespace

void append_findings(Html& out, const Survey& survey, const Standing& standing) {
  out.raw("<ul class=\"findings\">");
  append_waiting(out, standing);
  append_reasons(out, survey, standing);
  out.raw("</ul>");
}

void append_tiles(Html& out, const Survey& survey, const Standing& standing) {
  out.raw("<div class=\"tiles\">");
  append_tile(out, "pages asked for", grouped(survey.asked));
  if (survey.timeline.has_rate()) {
    const double rate = static_cast<double>(survey.asked) * 1000 /
                        static_cast<double>(survey.timeline.crawling_ms());
    // The first and the last page are at the ends of the time, so the average can exceed the best
    // second.
    const double best = std::max(rate, survey.timeline.peak_per_second());
    append_tile(out, "pages a second", rounded(rate), "at best " + rounded(best));
  }
  append_tile(out, "of content", bytes_text(survey.bytes));
  append_tile(out, standing.hosts == 1 ? "host" : "hosts", grouped(standing.hosts));
  append_tile(out, "waiting", grouped(standing.waiting));
  const std::uint64_t dead = latest_of(survey, is_dead);
  append_tile(out, dead == 1 ? "dead link" : "dead links", grouped(dead));
  out.raw("</div>");
}

void append_outcomes(Html& out, const Survey& survey) {
  begin_section(out, "outcomes", "What came of them");
  append_strip(out, survey.kinds);
  out.raw("<table class=\"bars\">");
  for (const OutcomeInfo* info : by_count(survey)) {
    const std::uint64_t count = count_of(survey.outcomes, info->outcome);
    out.raw("<tr data-outcome=\"")
        .raw(info->name)
        .raw("\"><td><b>")
        .raw(info->name)
        .raw("</b> <small>");
    out.raw(info->meaning).raw("</small>");
    append_bar(out, count, survey.records, style_of(kind_of(info->outcome)).css);
    out.raw("</td>").number_cell(count);
    out.raw("<td class=\"n share\">").raw(percent_text(count, survey.records)).raw("</td></tr>");
  }
  out.raw("</table></section>");
}

void append_response_times(Html& out, const Survey& survey) {
  if (survey.times.count() == 0) return;
  begin_section(out, "times", "Response times");
  constexpr const char* kLabels[] = {"1",   "2",  "5",  "10", "20",  "50",  "100", "200",
                                     "500", "1s", "2s", "5s", "10s", "20s", "60s", "more"};
  std::size_t first = 0;
  std::size_t last = survey.time_bars.size() - 1;
  while (first < last && survey.time_bars[first] == 0) ++first;
  while (last > first && survey.time_bars[last] == 0) --last;
  std::vector<Column> columns;
  for (std::size_t i = first; i <= last; ++i) columns.push_back({kLabels[i], survey.time_bars[i]});
  append_columns(out, columns, "answers by response time", "times");
  out.raw(
      "<p class=\"caption\">answers, by the time that they took at most (ms, or as "
      "written)</p><dl>");
  for (const auto& [name, percent] :
       {std::pair{"median", 50.0}, {"90 %", 90.0}, {"99 %", 99.0}, {"longest", 100.0}}) {
    out.raw("<div><dt>")
        .raw(name)
        .raw("</dt><dd>")
        .raw(time_of(survey.times.percentile(percent)))
        .raw("</dd></div>");
  }
  out.raw("</dl></section>");
}

void append_depths(Html& out, const Survey& survey) {
  begin_section(out, "depths", "Depth");
  std::size_t last = kMostDepth;
  while (last > 0 && survey.depths[last] == 0) --last;
  std::vector<Column> columns;
  for (std::size_t i = 0; i <= last; ++i) {
    columns.push_back({std::to_string(i) + (i == kMostDepth ? "+" : ""), survey.depths[i]});
  }
  append_columns(out, columns, "pages by depth", "depths");
  out.raw("<p class=\"caption\">links from a seed</p></section>");
}

void append_types(Html& out, const Survey& survey) {
  if (survey.types.empty()) return;
  Top<std::string> top(kMostTypesShown);
  std::uint64_t all = 0;
  for (const auto& [type, count] : survey.types) {
    top.add(count, type.empty() ? "others" : type);
    all += count;
  }
  begin_section(out, "types", "Types");
  out.raw("<table class=\"bars\">");
  std::uint64_t rest = all;
  for (const auto& [count, type] : top.sorted()) {
    out.raw("<tr><td>").text(type);
    append_bar(out, count, all, "single");
    out.raw("</td>").number_cell(count).raw("</tr>");
    rest -= count;
  }
  if (rest != 0) out.raw("<tr><td>all others</td>").number_cell(rest).raw("</tr>");
  out.raw("</table></section>");
}

void append_hosts(Html& out, const Survey& survey, const Standing& standing) {
  const auto hosts = standing.listed.sorted();
  if (hosts.empty()) return;
  begin_section(out, "hosts", "Hosts");
  out.raw(
      "<div class=\"wide\"><table><thead><tr><th>host</th><th class=\"n\">pages</th><th "
      "class=\"n\">errors</th>"
      "<th class=\"n\">waiting</th><th class=\"n\">delay</th><th "
      "class=\"n\">least gap</th><th class=\"n\">answers in</th>"
      "<th class=\"n\">content</th></tr></thead><tbody>");
  for (const auto& [key, host] : hosts) append_host_row(out, host, survey);
  out.raw("</tbody></table></div>");
  if (standing.hosts > hosts.size()) {
    out.raw("<p class=\"more\">and ").raw(grouped(standing.hosts - hosts.size())).raw(" more");
    if (!standing.all_hosts.empty())
      out.raw(": <code class=\"again\">").text(standing.all_hosts, 4096).raw("</code>");
    out.raw("</p>");
  }
  out.raw("</section>");
}

void append_stages(Html& out, const Standing& standing) {
  std::uint64_t all_ms = 0;
  for (const StageCost& stage : standing.stages) all_ms += stage.cpu_ms;
  if (standing.stages.empty()) return;
  begin_section(out, "stages", "What the stages cost");
  out.raw(
      "<div class=\"wide\"><table class=\"bars\"><thead><tr><th>stage</th><th class=\"n\">CPU "
      "time</th><th class=\"n\">read</th><th class=\"n\">written</th></tr></thead><tbody>");
  for (const StageCost& stage : standing.stages) {
    out.raw("<tr><td>").text(stage.name);
    append_bar(out, stage.cpu_ms, all_ms, "single");
    out.raw("</td><td class=\"n\" data-value=\"").raw(std::to_string(stage.cpu_ms)).raw("\">");
    out.raw(time_of(stage.cpu_ms)).raw("</td><td class=\"n\">").raw(bytes_text(stage.read));
    out.raw("</td><td class=\"n\">").raw(bytes_text(stage.written)).raw("</td></tr>");
  }
  out.raw("</tbody></table></div><p class=\"more\">over all runs of this state</p></section>");
}

void append_dead_links(Html& out, const Survey& survey, const Standing& standing) {
  if (survey.dead.pages().empty()) return;
  begin_section(out, "dead", "Dead links, and the page that holds each");
  append_listing(out, survey.dead, survey, standing, is_dead);
  out.raw("</section>");
}

void append_failures(Html& out, const Survey& survey, const Standing& standing) {
  if (survey.failed.pages().empty()) return;
  begin_section(out, "failures", "Other errors");
  append_listing(out, survey.failed, survey, standing, is_other_error);
  if (standing.again.empty()) return void(out.raw("</section>"));
  out.raw("<p class=\"more\">");
  append_again(out, standing, "gives them another chance");
  out.raw("</p>");
  out.raw("</section>");
}

void append_extremes(Html& out, const Survey& survey) {
  append_extreme(out, survey.slowest, "slowest", "Slowest", time_of, "single");
  append_extreme(out, survey.largest, "largest", "Largest", bytes_text, "single");
}

}  // namespace spinneret::report
