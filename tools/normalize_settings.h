// SPDX-License-Identifier: Apache-2.0
// What url-normalize is asked to do: its options as a plan that all threads share.
#ifndef SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_
#define SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "policy/params_list.h"
#include "url/edit.h"
#include "url/normalize.h"
#include "url/parse.h"
#include "url/parts.h"

namespace spinneret {

enum class OnError { kDrop, kKeep, kMark, kStop };

struct NormalizePlan {
  NormalizeRules rules;
  bool json = false;   // records come out as JSON
  bool table = false;  // records are made of a table's rows
  std::optional<Url> base;
  std::string base_field;
  std::optional<PartFormat> format;
  std::string column;  // of a table, for `format`
  std::vector<std::string> parts;
  bool explain = false;
  bool lint = false;
  bool from_key = false;       // lines are sort keys
  std::string default_scheme;  // of bare hosts; empty: they are no URLs
  struct Edit {
    UrlEdit edit;
    bool appends = false;
    std::string text;  // "--set=port=8080", for messages
  };
  std::vector<Edit> edits;  // sets before appends
  std::optional<UrlPart> iterated;
  std::vector<std::string> values;  // of --iterate; each makes a line
  std::shared_ptr<const policy::ParamsList>
      params;  // of --params, which goes by its canonical form
  OnError on_error = OnError::kDrop;
  bool stop = false;  // at the first bad line
  char terminator = '\n';

  // Whether lines that are canonical already come out as they are.
  bool passes_canonical() const {
    return !json && !format && parts.empty() && !edits_urls() && !lint && !from_key &&
           (params == nullptr || params->is_for_queries());
  }
  // What a scan for canonical lines may have to change.
  std::uint32_t scanned_steps() const {
    return rules.steps | (params == nullptr ? 0U : std::uint32_t{kStepParams});
  }
  bool edits_urls() const { return !edits.empty() || iterated.has_value(); }
};

// Whether the text can be meant as a host with what may follow it: "h.example/a", "localhost:8080".
bool is_bare_host(std::string_view text);

// Wrong options end the program with a message.
NormalizePlan normalize_plan(cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_
