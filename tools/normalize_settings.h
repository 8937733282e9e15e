// SPDX-License-Identifier: Apache-2.0
// What url-normalize is asked to do: its options as a plan that all threads share.
#ifndef SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_
#define SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "normalize_edits.h"
#include "policy/params_list.h"
#include "url/normalize.h"
#include "url/parse.h"
#include "url/parts.h"

namespace spinneret {

enum class OnError { kKeep, kDrop, kMark, kStop };  // as RowWriter::OnError

struct NormalizePlan {
  NormalizeRules rules;
  bool json = false;        // records come out as JSON
  bool for_people = false;  // --explain on a terminal: blocks of lines
  bool table = false;       // records are made of a table's rows
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
  UrlEdits edits;              // of --set and its like
  // The lists of --params; they work on the canonical form.
  std::vector<std::shared_ptr<const policy::ParamsList>> params;
  OnError on_error = OnError::kDrop;
  bool stop = false;  // at the first bad line
  char terminator = '\n';

  // Whether lines that are canonical already come out as they are.
  bool passes_canonical() const {
    return !json && !format && parts.empty() && edits.empty() && !lint && !from_key &&
           !from_parts && std::all_of(params.begin(), params.end(), [](const auto& list) {
             return list->is_for_queries();
           });
  }
  // Whether all that is added is parts, of names that differ.
  bool adds_only_parts() const {
    return (json || !parts.empty()) && !format && !explain && !lint && !repeats_parts;
  }
  // What a scan for canonical lines may have to change.
  std::uint32_t scanned_steps() const {
    return rules.steps | (params.empty() ? 0U : std::uint32_t{kStepParams});
  }
};

// Whether the text can be meant as a host with what may follow it: "h.example/a", "localhost:8080".
bool is_bare_host(std::string_view text);

// The URL of an object: its member url, if it has one, with the other parts set as it says; else of scheme and host. What
// is so already is not set, for some parts take nothing (the port of a file). `base`: what a relative one is relative to,
// or nullptr.
bool read_parts(std::string_view object, const Url* base, Url& url, std::string& why);

// Wrong options end the program with a message.
NormalizePlan normalize_plan(cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_
