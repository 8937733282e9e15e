// SPDX-License-Identifier: Apache-2.0
// The part of a URL (partition.h), for callers that ask about many URLs: the answers for recent
// hosts are cached, so that a URL with one of these hosts need not be parsed. A cached answer costs
// some 30 ns; parsing a URL and finding its registrable domain costs 170.
//
//   PartsByHost parts(partitions);
//   parts.of_text("http://www.example.org/a", scratch);
//
// Not thread-safe.
#ifndef SPINNERET_URL_PARTS_BY_HOST_H_
#define SPINNERET_URL_PARTS_BY_HOST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "url/parse.h"
#include "url/partition.h"

namespace spinneret {

class PartsByHost {
 public:
  // `partitions` is borrowed.
  explicit PartsByHost(const Partitions& partitions) : partitions_(partitions) {}

  // Returns what Partitions::of_text() returns.
  std::uint32_t of_text(std::string_view url, Url& scratch);
  // Returns what Partitions::of_host() returns.
  std::uint32_t of_host(std::string_view host);

 private:
  static constexpr std::size_t kSlots = 4096, kMostBytes = 59;
  struct Slot {
    std::uint32_t part = 0;
    std::uint8_t size = 0;  // 0: empty
    char bytes[kMostBytes] = {};
  };
  static std::uint32_t keep(Slot& slot, std::string_view name, std::uint32_t part);

  const Partitions& partitions_;
  std::unique_ptr<std::array<Slot, kSlots>> slots_ = std::make_unique<std::array<Slot, kSlots>>();
};

}  // namespace spinneret

#endif  // SPINNERET_URL_PARTS_BY_HOST_H_
