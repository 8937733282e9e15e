// SPDX-License-Identifier: Apache-2.0
#include "report/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "report/quantity.h"

namespace spinneret::report {
namespace {

constexpr KindStyle kStyles[] = {{"fetched", "fetched"},
                                 {"redirects", "redirected"},
                                 {"refused (4xx)", "refused"},
                                 {"failed", "failed"},
                                 {"blocked", "blocked"}};
// The size of the plot's coordinates.
constexpr double kWidth = 1000;
constexpr double kHeight = 100;

std::string coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

double as_double(std::uint64_t value) { return static_cast<double>(value); }

std::uint64_t sum_of(const KindCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void append_rect(Html& out, double x, double y, double width, double height, std::string_view css) {
  out.raw("<rect x=\"").raw(coordinate(x)).raw("\" y=\"").raw(coordinate(y));
  out.raw("\" width=\"").raw(coordinate(width)).raw("\" height=\"").raw(coordinate(height));
  out.raw("\" class=\"").raw(css).raw("\"");
}

void begin_plot(Html& out, std::string_view css, std::string_view label) {
  out.raw("<svg class=\"plot ")
      .raw(css)
      .raw("\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" role=\"img\"");
  out.raw(" aria-label=\"").text(label).raw("\">");
}

// Returns the least round number that is not below `value`: one of the steps times a power of ten.
double round_up(double value) {
  if (!(value > 0)) return 1;
  const double unit = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (value <= step * unit * 1.000001) return step * unit;
  }
  return 10 * unit;
}

// Appends lines at half the height and at the top and bottom.
void append_grid(Html& out) {
  out.raw("<path class=\"grid\" d=\"M0 0.3H1000M0 50H1000M0 99.7H1000\"/>");
}

void append_span(Html& out, const KindCounts& counts, double x, double width, double most) {
  double y = kHeight;
  for (std::size_t k = 0; k < kKinds; ++k) {
    if (counts[k] == 0) continue;
    const double height = as_double(counts[k]) / most * kHeight;
    y -= height;
    append_rect(out, x, y, width, height, kStyles[k].css);
    out.raw("><title>")
        .raw(count_text(counts[k], "page"))
        .raw(": ")
        .raw(kStyles[k].name)
        .raw("</title></rect>");
  }
}

void append_pauses(Html& out, const Timeline& timeline, double span_width) {
  for (const Timeline::Pause& pause : timeline.pauses()) {
    const double x =
        static_cast<double>(pause.at_ms) / static_cast<double>(timeline.width_ms()) * span_width;
    out.raw("<path class=\"pause\" d=\"M").raw(coordinate(x)).raw(" 0V100\"><title>stopped for ");
    out.raw(span_text(pause.length_ms)).raw("</title></path>");
  }
}

// Returns "60", not "60.0": the ends of an axis are round numbers.
std::string axis_text(double value) {
  std::string text = rounded(value);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

void append_axis(Html& out, const std::string& top, const std::string& middle) {
  out.raw("<div class=\"axis\"><span>")
      .raw(top)
      .raw("</span><span>")
      .raw(middle)
      .raw("</span><span>0</span></div>");
}

// Appends an axis for counts, without a middle label where the top is odd.
void append_count_axis(Html& out, std::uint64_t top) {
  append_axis(out, grouped(top), top % 2 == 0 ? grouped(top / 2) : "");
}

// Several spans drawn as one bar. A bar is a second long or more, like the span of the best rate:
// in a shorter one, a single page would look like many pages a second.
struct Bar {
  KindCounts counts{};
  std::size_t spans = 0;
  double per_span() const { return as_double(sum_of(counts)) / as_double(spans); }
};
std::vector<Bar> bars_of(const Timeline& timeline) {
  const auto most = static_cast<std::size_t>((999 + timeline.width_ms()) / timeline.width_ms());
  std::vector<Bar> out;
  for (const KindCounts& span : timeline.spans()) {
    if (out.empty() || out.back().spans == most) out.emplace_back();
    ++out.back().spans;
    for (std::size_t k = 0; k < kKinds; ++k) out.back().counts[k] += span[k];
  }
  // The spans left over are too short for a bar of their own.
  if (out.size() > 1 && out.back().spans < most) {
    const Bar rest = out.back();
    out.pop_back();
    out.back().spans += rest.spans;
    for (std::size_t k = 0; k < kKinds; ++k) out.back().counts[k] += rest.counts[k];
  }
  return out;
}

void append_rate(Html& out, const Timeline& timeline) {
  const std::vector<Bar> bars = bars_of(timeline);
  const double span_width = kWidth / as_double(timeline.spans().size());
  const double per_second = 1000 / static_cast<double>(timeline.width_ms());
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.per_span());
  const double top = round_up(most * per_second);
  out.raw("<div class=\"chart\">");
  append_axis(out, axis_text(top), axis_text(top / 2));
  begin_plot(out, "rate", "pages a second over time");
  append_grid(out);
  std::size_t begin = 0;
  for (const Bar& bar : bars) {
    const double width = as_double(bar.spans) * span_width;
    append_span(out, bar.counts, as_double(begin) * span_width, width * 0.9,
                top / per_second * as_double(bar.spans));
    begin += bar.spans;
  }
  append_pauses(out, timeline, span_width);
  out.raw("</svg></div>");
}

// Returns the number of pages requested, as the page's tiles count them.
std::uint64_t asked_of(const KindCounts& span) {
  return sum_of(span) - span[static_cast<std::size_t>(Kind::kBlocked)];
}

void append_total(Html& out, const Timeline& timeline) {
  const auto& spans = timeline.spans();
  const double span_width = kWidth / as_double(spans.size());
  std::uint64_t all = 0;
  for (const KindCounts& span : spans) all += asked_of(span);
  const double top = round_up(as_double(all));
  std::string path = "M0 100";
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    sum += asked_of(spans[i]);
    path += "L" + coordinate((as_double(i) + 1) * span_width) + " " +
            coordinate(kHeight - as_double(sum) / top * kHeight);
  }
  out.raw("<div class=\"chart\">");
  append_count_axis(out, static_cast<std::uint64_t>(top));
  begin_plot(out, "total", "pages so far, over time");
  append_grid(out);
  out.raw("<path class=\"area\" d=\"")
      .raw(path)
      .raw("V100H0Z\"/><path class=\"line\" d=\"")
      .raw(path)
      .raw("\"/>");
  append_pauses(out, timeline, span_width);
  out.raw("</svg></div>");
}

// Appends the times below a plot. All spans are equally long, so the times are at the quarters.
void append_times(Html& out, const Timeline& timeline) {
  const auto whole = static_cast<std::int64_t>(timeline.spans().size()) * timeline.width_ms();
  out.raw("<div class=\"times\"><span>0</span>");
  for (std::int64_t quarter = 1; quarter <= 4; ++quarter) {
    out.raw("<span>").raw(span_text(whole * quarter / 4)).raw("</span>");
  }
  out.raw("</div>");
}

}  // namespace

const KindStyle& style_of(Kind kind) { return kStyles[static_cast<std::size_t>(kind)]; }

void append_timeline(Html& out, const Timeline& timeline) {
  if (timeline.spans().empty()) return;
  if (timeline.has_rate()) {
    out.raw("<h3>Pages a second</h3>");
    append_rate(out, timeline);
    append_times(out, timeline);
  }
  out.raw("<h3>Pages so far</h3>");
  append_total(out, timeline);
  append_times(out, timeline);
}

void append_strip(Html& out, const KindCounts& counts) {
  const double all = as_double(std::max<std::uint64_t>(sum_of(counts), 1));
  begin_plot(out, "strip", "pages by what came of them");
  double x = 0;
  for (std::size_t k = 0; k < kKinds; ++k) {
    if (counts[k] == 0) continue;
    const double width = as_double(counts[k]) / all * kWidth;
    append_rect(out, x, 0, width, kHeight, kStyles[k].css);
    out.raw("><title>")
        .raw(count_text(counts[k], "page"))
        .raw(": ")
        .raw(kStyles[k].name)
        .raw("</title></rect>");
    x += width;
  }
  out.raw("</svg><ul class=\"legend\">");
  for (std::size_t k = 0; k < kKinds; ++k) {
    if (counts[k] == 0) continue;
    out.raw("<li><i class=\"").raw(kStyles[k].css).raw("\"></i>").raw(kStyles[k].name).raw(" <b>");
    out.raw(grouped(counts[k])).raw("</b></li>");
  }
  out.raw("</ul>");
}

void append_bar(Html& out, std::uint64_t part, std::uint64_t whole, std::string_view css) {
  begin_plot(out, "bar", percent_text(part, whole));
  const double width = whole == 0 ? 0 : as_double(part) / as_double(whole) * kWidth;
  append_rect(out, 0, 0, width, kHeight, css);
  out.raw("/></svg>");
}

void append_columns(Html& out, const std::vector<Column>& columns, std::string_view what,
                    std::string_view name) {
  std::uint64_t most = 1;
  for (const Column& column : columns) most = std::max(most, column.count);
  const double top = round_up(as_double(most));
  const double width = kWidth / as_double(std::max<std::size_t>(columns.size(), 1));
  const double bar = std::min(width * 0.8, kWidth / 8);  // a single column must not fill the plot
  out.raw("<div class=\"chart\" data-chart=\"").raw(name).raw("\">");
  append_count_axis(out, static_cast<std::uint64_t>(top));
  begin_plot(out, "columns", what);
  append_grid(out);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double height = as_double(columns[i].count) / top * kHeight;
    append_rect(out, (as_double(i) + 0.5) * width - bar / 2, kHeight - height, bar, height,
                "single");
    out.raw(" data-value=\"")
        .raw(std::to_string(columns[i].count))
        .raw("\"><title>")
        .text(columns[i].label)
        .raw(": ");
    out.raw(count_text(columns[i].count, "page")).raw("</title></rect>");
  }
  out.raw("</svg></div><div class=\"labels\">");
  for (const Column& column : columns) out.raw("<span>").text(column.label).raw("</span>");
  out.raw("</div>");
}

}  // namespace spinneret::report
