// SPDX-License-Identifier: Apache-2.0
// The command line of fetch, as what the engine and the output want.
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
  std::string notice;  // what could not be as it was asked for; for standard error
  http::FieldChoice fields;
  Body body = Body::kInline;
  http::DigestKind digest = http::DigestKind::kXxh3;
  std::string store;             // folder
  bool store_files = false;      // a file for each body
  bool list = false;             // only list the store
  std::vector<std::string> cat;  // only print these bodies of it: digests and URLs
  http::WarcOptions warc;
  bool wacz = false;        // what it wrote is packed at the end
  std::int64_t run_ms = 0;  // for all; 0: no limit
  int follow = 0;
  bool referer = false;
  std::string directory;  // only print this: the keys to be published
  bool ordered = false;
  bool stats = false;
  bool terminal = false;  // standard output is one
};

extern const cli::ToolSpec kFetchTool;

// Reads the part about identity and connections (fetch_asker.cc).
void read_asker(const cli::Options& options, FetchSettings& out);

// Ends the program on wrong usage, as cli::Options does.
FetchSettings read_settings(const cli::Options& options);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_FETCH_SETTINGS_H_
