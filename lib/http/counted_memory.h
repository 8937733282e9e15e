// SPDX-License-Identifier: Apache-2.0
// Allocation functions that count failures, for a library that does not report them as such.
// libcurl uses one error code for a failed allocation and for a line that is too long, and some of
// its parts do not report failed allocations at all.
#ifndef SPINNERET_HTTP_COUNTED_MEMORY_H_
#define SPINNERET_HTTP_COUNTED_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace spinneret::http {

// Work as malloc(3), realloc(3), calloc(3) and strdup(3) do, and count failures. The memory must be
// released with free(3).
void* counted_malloc(std::size_t size);
void* counted_realloc(void* old, std::size_t size);
void* counted_calloc(std::size_t count, std::size_t size);
char* counted_strdup(const char* text);

// Returns how many allocations have failed in this process.
std::uint64_t failed_allocations();

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_COUNTED_MEMORY_H_
