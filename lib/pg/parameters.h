// SPDX-License-Identifier: Apache-2.0
// The values of $1, $2, ... of a statement, in PostgreSQL's binary format. The statement tells
// their types by casts:
//
//   Parameters().text("p17").integer(5).bytes(message).texts(names)
//   // $1::text, $2::bigint, $3::bytea, $4::text[]
#ifndef SPINNERET_PG_PARAMETERS_H_
#define SPINNERET_PG_PARAMETERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret::pg {

class Parameters {
 public:
  Parameters& text(std::string_view value);
  Parameters& bytes(std::string_view value) { return text(value); }
  Parameters& integer(std::int64_t value);
  Parameters& texts(std::span<const std::string_view> values);
  Parameters& byte_strings(std::span<const std::string_view> values);
  Parameters& integers(std::span<const std::int64_t> values);

  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

// Returns the number in the eight bytes of a bigint; 0 of anything else.
std::int64_t integer_of(std::string_view bytes);

}  // namespace spinneret::pg

#endif  // SPINNERET_PG_PARAMETERS_H_
