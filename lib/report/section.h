// SPDX-License-Identifier: Apache-2.0
// The sections of the report, from top to bottom.
#ifndef SPINNERET_REPORT_SECTION_H_
#define SPINNERET_REPORT_SECTION_H_

#include "report/html.h"
#include "report/page.h"
#include "report/survey.h"

namespace spinneret::report {

void append_findings(Html& out, const Survey& survey, const Standing& standing);
void append_tiles(Html& out, const Survey& survey, const Standing& standing);
void append_outcomes(Html& out, const Survey& survey);
void append_response_times(Html& out, const Survey& survey);
void append_depths(Html& out, const Survey& survey);
void append_types(Html& out, const Survey& survey);
// Appends the costs of each stage of the pipeline, over all runs.
void append_stages(Html& out, const Standing& standing);
void append_hosts(Html& out, const Survey& survey, const Standing& standing);
void append_dead_links(Html& out, const Survey& survey, const Standing& standing);
void append_failures(Html& out, const Survey& survey, const Standing& standing);
void append_extremes(Html& out, const Survey& survey);

}  // namespace spinneret::report

#endif  // SPINNERET_REPORT_SECTION_H_
