// SPDX-License-Identifier: Apache-2.0
// Charts as inline SVG. A plot is stretched to the available width and contains no text: labels are
// HTML beside it, so that they stay readable on a phone. Colours are classes of the page's style
// sheet.
#ifndef SPINNERET_REPORT_CHART_H_
#define SPINNERET_REPORT_CHART_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/html.h"
#include "report/timeline.h"

namespace spinneret::report {

struct KindStyle {
  const char* name;  // as people read it
  const char* css;   // class in the style sheet
};
// Returns the name and the class of a kind.
const KindStyle& style_of(Kind kind);

// Appends two plots: pages a second over time, by kind, with a column for each span; below it the
// number of pages so far.
void append_timeline(Html& out, const Timeline& timeline);

// Appends one bar over the whole width, divided by kind.
void append_strip(Html& out, const KindCounts& counts);

// Appends a horizontal bar, `part` of `whole` long, of class `css`.
void append_bar(Html& out, std::uint64_t part, std::uint64_t whole, std::string_view css);

struct Column {
  std::string label;
  std::uint64_t count;
};
// Appends columns side by side, each with its label below. `what` is the plot's label, `name` its
// data-chart.
void append_columns(Html& out, const std::vector<Column>& columns, std::string_view what,
                    std::string_view name);

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_CHART_H_
