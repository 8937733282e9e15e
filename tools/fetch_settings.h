// SPDX-License-Identifier: Apache-2.0
// Turns the command line of fetch into the options of the engine and the output.
#ifndef SPINNERET_TOOLS_FETCH_SETTINGS_H_
#define SPINNERET_TOOLS_FETCH_SETTINGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "http/digest.h"
#include "http/engine.h"
#include "http/fields.h"
#include "http/warc.h"

namespace spinneret {

struct FetchSettings {
  enum class Body { kInline, kStore, kWarc, kNone, kRaw };
  http::EngineOptions engine;
  std::string notice;  // what could not be done as asked; for standard error
  http::FieldChoice fields;
  Body body = Body::kInline;
  http::DigestKind digest = http::DigestKind::kXxh3;
  std::string store;             // folder
  bool store_files = false;      // a file for each body
  bool list = false;             // only list the store
  std::vector<std::string> cat;  // only print these bodies of the store: digests and URLs
  http::WarcOptions warc;
  bool wacz = false;        // the WARC files that were written are packed at the end
  std::int64_t run_ms = 0;  // limit of the whole run; 0: none
  int follow = 0;
  bool referer = false;
  std::string directory;  // only print this: the key directory, to be published
  bool ordered = false;
  bool stats = false;
  bool terminal = false;  // standard output is a terminal
};

extern const cli::ToolSpec kFetchTool;

// Reads the options about identity and connections (fetch_asker.cc).
void read_asker(const cli::Options& options, FetchSettings& out);

// Ends the program on wrong usage, as cli::Options does.
FetchSettings read_settings(const cli::Options& options);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_SETTINGS_H_
