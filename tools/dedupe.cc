// SPDX-License-Identifier: Apache-2.0
#include "cli/tool.h"
namespace {
using namespace spinneret;
constexpr cli::Option kOptions[] = {{0, "placeholder", nullptr, "not yet"}};
constexpr cli::ToolSpec kTool{"dedupe", "pass lines", "[OPTION]... [URL|FILE]...", kOptions};
int run(cli::Tool& tool) {
  std::string_view line;
  while (tool.next(line)) tool.writer().write_line(line);
  return 0;
}
}  // namespace
int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
