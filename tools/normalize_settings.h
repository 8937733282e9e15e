// SPDX-License-Identifier: Apache-2.0
// What url-normalize is asked to do: its options as a plan that all threads share.
#ifndef SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_
#define SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "io/locator.h"
#include "url/normalize.h"
#include "url/parse.h"
#include "url/parts.h"

namespace spinneret {

enum class OnError { kDrop, kKeep, kMark, kStop };

struct NormalizePlan {
  NormalizeRules rules;
  Locator locator = Locator::column(1);
  bool records = true;  // lines are records: they may be settled, hold a base, take fields
  std::optional<Url> base;
  std::string base_field;
  std::optional<PartFormat> format;
  std::vector<std::string> parts;
  bool explain = false;
  OnError on_error = OnError::kDrop;
  bool stop = false;  // at the first bad line
  char terminator = '\n';

  // Whether lines that are canonical already come out as they are.
  bool passes_canonical() const {
    return !format && parts.empty() && !locator.is_json() && records;
  }
};

// Wrong options end the program with a message.
NormalizePlan normalize_plan(const cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_NORMALIZE_SETTINGS_H_
