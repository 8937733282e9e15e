// SPDX-License-Identifier: Apache-2.0
// The edits of --set, --replace, --append and --iterate: read once, shared by all threads.
#ifndef SPINNERET_TOOLS_NORMALIZE_EDITS_H_
#define SPINNERET_TOOLS_NORMALIZE_EDITS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "cli/tool.h"
#include "url/edit.h"
#include "url/parse.h"

namespace spinneret {

struct UrlEdits {
  struct Edit {
    UrlEdit edit;
    std::string text;  // "--set=port=8080", for messages
  };
  std::vector<Edit> edits;  // first those that set, then those that replace, then those that append
  struct Iteration {
    UrlPart part;
    std::vector<std::string> values;  // each makes a line
  };
  std::vector<Iteration> iterations;  // a line for each of their combinations

  bool empty() const { return edits.empty() && iterations.empty(); }
  // Chooses the next combination of --iterate's values, in which the last value changes fastest.
  // Returns false after the last one.
  bool choose_next(std::vector<std::size_t>& chosen) const;
  // Applies the edits to `url`, with these values of --iterate. Returns false where the URL does
  // not take one of them, and says why.
  bool make(Url& url, const std::vector<std::size_t>& chosen, std::string& why) const;
};

// Wrong options end the program.
UrlEdits read_url_edits(const cli::Options& options);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_NORMALIZE_EDITS_H_
