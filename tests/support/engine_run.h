// SPDX-License-Identifier: Apache-2.0
// What tests of the engine share: a receiver that keeps all results, and requests to loopback.
#ifndef SPINNERET_TESTS_SUPPORT_ENGINE_RUN_H_
#define SPINNERET_TESTS_SUPPORT_ENGINE_RUN_H_

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "http/engine.h"

namespace spinneret {

struct Collector : http::Engine::Receiver {
  void on_result(http::FetchRequest& request, http::FetchResult& result) override {
    order.push_back(request.url);
    results[request.url] = result;
    cargo[request.url] = request.cargo;
  }
  void on_hop(const http::FetchRequest&, std::string_view url, const http::FetchResult&) override {
    hops.emplace_back(url);
  }
  std::vector<std::string> order;
  std::vector<std::string> hops;
  std::map<std::string, http::FetchResult> results;
  std::map<std::string, std::string> cargo;
};

inline http::EngineOptions loopback() {
  http::EngineOptions options;
  options.wire.agent = "test/1";
  EXPECT_TRUE(options.policy.allow("127.0.0.0/8").ok());
  return options;
}

inline http::FetchRequest request(const std::string& url) {
  http::FetchRequest out;
  out.url = url;
  out.cargo = "cargo of " + url;
  return out;
}

inline void run(http::Engine& engine) {
  while (!engine.idle()) engine.step(1000);
}

inline std::string path_of(const std::string& head) {
  const std::size_t start = head.find(' ') + 1;
  return head.substr(start, head.find(' ', start) - start);
}

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_ENGINE_RUN_H_
