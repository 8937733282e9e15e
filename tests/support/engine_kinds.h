// SPDX-License-Identifier: Apache-2.0
// The kinds of engine on this machine that a test of any bus, or of any leases, can use.
#ifndef SPINNERET_TESTS_SUPPORT_ENGINE_KINDS_H_
#define SPINNERET_TESTS_SUPPORT_ENGINE_KINDS_H_

#include <string>
#include <vector>

#include "support/pg_engine.h"
#include "support/redis_engine.h"

namespace spinneret {

inline std::vector<std::string> engine_kinds() {
  std::vector<std::string> out = {"memory"};
  if (RedisEngine::shared() != nullptr) out.emplace_back("redis");
  if (PgEngine::shared() != nullptr) out.emplace_back("postgresql");
  return out;
}

}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_ENGINE_KINDS_H_
