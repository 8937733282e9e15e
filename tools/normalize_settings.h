// SPDX-License-Identifier: Apache-2.0
// Reads url-normalize's options into a plan that all threads share.
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
  std::string column;  // the column of a table that `format` fills
  struct Added {
    Part part;
    std::string field, member;  // the beginning of each: "\thost=", ",\"host\":"
  };
  std::vector<Added> parts;
  bool repeats_parts = false;  // a part is named twice, or is one that a record has anyway
  bool explain = false;
  bool lint = false;
  bool from_key = false;       // lines are sort keys
  bool from_parts = false;     // lines are JSON objects of parts
  std::string default_scheme;  // scheme for bare hosts; empty: they are no URLs
  UrlEdits edits;              // --set, --replace, --append, --iterate
  // The lists of --params, which are applied to the canonical form.
  std::vector<std::shared_ptr<const policy::ParamsList>> params;
  OnError on_error = OnError::kDrop;
  bool stop = false;  // stop at the first bad line
  char terminator = '\n';

  // Whether lines that are canonical already come out unchanged.
  bool passes_canonical() const {
    return !json && !format && parts.empty() && edits.empty() && !lint && !from_key &&
           !from_parts && std::all_of(params.begin(), params.end(), [](const auto& list) {
             return list->is_for_queries();
           });
  }
  // Whether nothing is added but parts, each of another name.
  bool adds_only_parts() const {
    return (json || !parts.empty()) && !format && !explain && !lint && !repeats_parts;
  }
  // Returns the steps that may change a line, for the scan for canonical lines.
  std::uint32_t scanned_steps() const {
    return rules.steps | (params.empty() ? 0U : std::uint32_t{kStepParams});
  }
};

// Whether the text can be meant as a host and what may follow one: "h.example/a", "localhost:8080".
bool is_bare_host(std::string_view text);

// Makes `url` from an object of parts: from its member url, if it has one, with the other parts set
// as it says; else from scheme and host. A part that has its value already is not set, since some
// URLs take none (the port of a file). A relative URL is resolved against `base`, which may be
// nullptr. Returns false, and says `why`, where there is no URL.
bool read_parts(std::string_view object, const Url* base, Url& url, std::string& why);

// Wrong options end the program with a message.
NormalizePlan normalize_plan(cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_
