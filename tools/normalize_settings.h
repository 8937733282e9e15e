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
  struct Added {
    Part part;
    std::string field, member;  // how it begins: "\thost=", ",\"host\":"
  };
  std::vector<Added> parts;
  bool repeats_parts = false;  // or has one that a record has anyway
  bool explain = false;
  bool lint = false;
  bool from_key = false;       // lines are sort keys
  bool from_parts = false;     // lines are JSON objects of parts
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
           !from_parts && (params == nullptr || params->is_for_queries());
  }
  // Whether all that is added is parts, of names that differ.
  bool adds_only_parts() const {
    return (json || !parts.empty()) && !format && !explain && !lint && !repeats_parts;
  }
  // What a scan for canonical lines may have to change.
  std::uint32_t scanned_steps() const {
    return rules.steps | (params == nullptr ? 0U : std::uint32_t{kStepParams});
  }
  bool edits_urls() const { return !edits.empty() || iterated.has_value(); }
};

// Whether the text can be meant as a host with what may follow it: "h.example/a", "localhost:8080".
bool is_bare_host(std::string_view text);

// The URL of an object: its member url, if it has one, with the other parts set as it says; else of scheme and host. What
// is so already is not set, for some parts take nothing (the port of a file).
bool read_parts(std::string_view object, Url& url, std::string& why);

// Wrong options end the program with a message.
NormalizePlan normalize_plan(cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_
