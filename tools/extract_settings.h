// SPDX-License-Identifier: Apache-2.0
// The options of extract-links, taken from the command line.
#ifndef SPINNERET_TOOLS_EXTRACT_SETTINGS_H_
#define SPINNERET_TOOLS_EXTRACT_SETTINGS_H_

#include <string>

#include "cli/tool.h"
#include "page/reader.h"

namespace spinneret {

struct ExtractSettings {
  page::PageOptions page;
  std::string base;  // URL of the one document; empty: records are read
  std::string type;  // of that document
  std::string charset;
  std::string edges;  // file for the graph; empty: none
  std::string check;  // file for link-check; empty: none
  bool check_fragments = false;
  bool probe = false;
  bool ids = false;
  bool any_scheme = false;
  bool fragments = true;
  bool raw = false;
  bool once = false;
  bool positions = false;
  bool errors = false;
  bool explain = false;
  bool links_alone = false;
  bool urls_alone = false;  // --fields=url
};

extern const cli::ToolSpec kExtractLinks;

// A wrong value is a usage error and ends the program.
ExtractSettings extract_settings(cli::Tool& tool);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_EXTRACT_SETTINGS_H_
