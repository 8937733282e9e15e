// SPDX-License-Identifier: Apache-2.0
#include "robots_fetch.h"

#include <memory>
#include <utility>

#include "base/robots_limit.h"
#include "http/engine.h"
#include "identity.h"

namespace spinneret {
namespace {

http::EngineOptions engine_options(const cli::Options& options, const std::string& agent,
                                   std::uint64_t max_size) {
  http::EngineOptions out;
  const std::string named = environment_value("SPINNERET_AGENT");
  set_identity(options, out.wire, agent != "*" ? agent : named.empty() ? "Spinneret" : named);
  out.wire.ca_file = trust_anchors(options);
  out.resolver.servers = environment_value("SPINNERET_DNS");
  if (options.has("allow-private")) out.policy.allow_all();
  out.limits.total_ms = options.duration_ms("timeout", 30'000);
  out.limits.max_size = max_size;
  return out;
}

struct Collector : http::Engine::Receiver {
  void on_result(http::FetchRequest& request, http::FetchResult& result) override {
    results[request.ticket] = std::move(result);
  }
  std::vector<http::FetchResult> results;
};

}  // namespace

std::vector<http::FetchResult> fetch_files(const cli::Options& options, const std::string& agent,
                                           const std::vector<std::string>& urls, int hops,
                                           std::uint64_t max_size) {
  Collector collector;
  collector.results.resize(urls.size());
  const Result<std::unique_ptr<http::Engine>> engine =
      http::Engine::create(engine_options(options, agent, max_size), collector);
  if (!engine.ok()) {
    for (http::FetchResult& result : collector.results)
      result.error = engine.message();  // kAborted
    return std::move(collector.results);
  }
  std::size_t next = 0;
  while (next < urls.size() || !(*engine)->idle()) {
    while (next < urls.size() && (*engine)->has_room()) {
      http::FetchRequest request;
      request.url = urls[next];
      request.follow = hops;
      request.robots = max_size <= kRobotsSizeLimit;
      request.ticket = next++;
      (*engine)->submit(std::move(request));
    }
    (*engine)->step(-1);
  }
  return std::move(collector.results);
}

}  // namespace spinneret
