// SPDX-License-Identifier: Apache-2.0
#include "loop/seeds.h"

#include <algorithm>

#include "io/record.h"
#include "loop/inbox.h"
#include "url/parse.h"

namespace spinneret::loop {
namespace {

using frontier::Frontier;

// Seeds are committed in batches of this size.
constexpr int kSeedBatch = 10'000;

}  // namespace

Frontier::Offer offer_seed(Frontier& frontier, Wire& wire, std::string_view line, UrlError* why) {
  frontier::Candidate seed = wire.candidate(line);
  if (!find_raw_field(line, "priority")) {
    seed.priority = frontier::kSeedPriority;
    seed.raises = true;
  }
  return frontier.offer(seed, why);
}

std::string read_seeds(cli::Tool& tool) {
  std::string lines;
  std::string_view line;
  Url url;
  UrlError why;
  while (tool.next(line)) {
    if (line.empty()) continue;
    if (line.find('\n') != std::string_view::npos) {
      tool.refuse("has a line break", line);
    } else if (!parse(record_url(line), url, &why)) {
      tool.refuse(why.message, record_url(line));
    } else if (!url.is_http()) {
      tool.refuse("is not http or https", record_url(line));
    } else {
      lines.append(line) += '\n';
    }
  }
  return lines;
}

int add_seeds(cli::Tool& tool, const std::string& inbox) {
  const std::string lines = read_seeds(tool);
  const auto count = std::count(lines.begin(), lines.end(), '\n');
  if (count == 0) return 0;
  if (const Status added = add_to_inbox(inbox, lines); !added.ok())
    return tool.trouble(added.message());
  tool.notice(std::to_string(count) + (count == 1 ? " seed waits" : " seeds wait") +
              " for the crawl that runs, or for the next one");
  return 0;
}

Status admit_seeds(cli::Tool& tool, Frontier& frontier) {
  if (tool.options().operands().empty()) return {};
  Wire wire;
  std::string_view line;
  int staged = 0;
  while (tool.next(line)) {
    if (line.empty()) continue;
    UrlError why;
    const std::string_view url = record_url(line);
    switch (offer_seed(frontier, wire, line, &why)) {
      case Frontier::Offer::kStaged: break;
      case Frontier::Offer::kTooDeep: continue;
      // All partitions of a crawl get all seeds.
      case Frontier::Offer::kElsewhere: continue;
      case Frontier::Offer::kNotUrl: tool.refuse(why.message, url); continue;
      case Frontier::Offer::kNotHttp: tool.refuse("is not http or https", url); continue;
    }
    if (++staged % kSeedBatch != 0) continue;
    frontier.seal();
    if (const Status done = frontier.commit(); !done.ok()) return done;
  }
  frontier.seal();
  return {};
}

}  // namespace spinneret::loop
