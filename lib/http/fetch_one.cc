// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "http/engine.h"

namespace spinneret::http {

Result<FetchResult> fetch_one(const FetchRequest& request, EngineOptions options) {
  struct One : Engine::Receiver {
    void on_result(FetchRequest&, FetchResult& done) override { result = std::move(done); }
    FetchResult result;
  } one;
  Result<std::unique_ptr<Engine>> engine = Engine::create(std::move(options), one);
  if (!engine.ok()) return engine.error();
  (*engine)->submit(request);
  while (!(*engine)->idle()) (*engine)->step(-1);
  return std::move(one.result);
}

}  // namespace spinneret::http
