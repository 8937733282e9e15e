// SPDX-License-Identifier: Apache-2.0
#include "pg/parameters.h"

namespace spinneret::pg {
namespace {

// The numbers of types, which are the same in every PostgreSQL (its pg_type.dat).
constexpr std::uint32_t kBytea = 17, kBigint = 20, kText = 25;

template <int kBytes, typename T>
void put(std::string& out, T value) {
  for (int shift = (kBytes - 1) * 8; shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xFF);
}

// Returns the head of an array of at most one dimension: the number of dimensions, whether there
// are NULLs, and the type; then the length and the first index. The length and the bytes of each
// item follow.
std::string array_head(std::size_t count, std::uint32_t type) {
  std::string out;
  put<4>(out, count == 0 ? 0 : 1);
  put<4>(out, 0);
  put<4>(out, type);
  if (count == 0) return out;
  put<4>(out, count);
  put<4>(out, 1);
  return out;
}

std::string array_of(std::span<const std::string_view> values, std::uint32_t type) {
  std::string out = array_head(values.size(), type);
  std::size_t size = out.size();
  for (const std::string_view value : values) size += 4 + value.size();
  out.reserve(size);
  for (const std::string_view value : values) {
    put<4>(out, value.size());
    out += value;
  }
  return out;
}

}  // namespace

Parameters& Parameters::text(std::string_view value) {
  values_.emplace_back(value);
  return *this;
}

Parameters& Parameters::integer(std::int64_t value) {
  put<8>(values_.emplace_back(), value);
  return *this;
}

Parameters& Parameters::texts(std::span<const std::string_view> values) {
  values_.push_back(array_of(values, kText));
  return *this;
}

Parameters& Parameters::byte_strings(std::span<const std::string_view> values) {
  values_.push_back(array_of(values, kBytea));
  return *this;
}

Parameters& Parameters::integers(std::span<const std::int64_t> values) {
  std::string out = array_head(values.size(), kBigint);
  for (const std::int64_t value : values) {
    put<4>(out, 8);
    put<8>(out, value);
  }
  values_.push_back(std::move(out));
  return *this;
}

std::int64_t integer_of(std::string_view bytes) {
  if (bytes.size() != 8) return 0;
  std::uint64_t out = 0;
  for (const char c : bytes) out = out << 8 | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(out);
}

}  // namespace spinneret::pg
