// SPDX-License-Identifier: Apache-2.0
// Charts as inline SVG. A plot is stretched to the available width and contains no text: labels are HTML beside it,
// so that they stay readable on a phone. Colours are classes of the page's style sheet.
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
  const char* name;  // for people
  const char* css;   // class
};
// By Kind.
const KindStyle& style_of(Kind kind);

// Pages a second over time, by kind, with one column for each span; below it the number of pages so far.
void append_timeline(Html& out, const Timeline& timeline);

// One bar from end to end, divided by kind.
void append_strip(Html& out, const KindCounts& counts);

// A single horizontal bar, `part` of `whole` long.
void append_bar(Html& out, std::uint64_t part, std::uint64_t whole, std::string_view css);

struct Column {
  std::string label;
  std::uint64_t count;
};
// Columns side by side, each with its label below.
void append_columns(Html& out, const std::vector<Column>& columns, std::string_view what,
                    std::string_view name);

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_CHART_H_
