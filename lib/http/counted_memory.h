// SPDX-License-Identifier: Apache-2.0
// Allocation for a library that does not say of a failure that it was one of memory: libcurl's code for that is also the one
// for a line that is longer than it holds, and not each of its parts tells a failed allocation at all.
#ifndef SPINNERET_HTTP_COUNTED_MEMORY_H_
#define SPINNERET_HTTP_COUNTED_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace spinneret::http {

// As malloc(3), realloc(3), calloc(3) and strdup(3), but failures are counted. What they return goes to free(3).
void* counted_malloc(std::size_t size);
void* counted_realloc(void* old, std::size_t size);
void* counted_calloc(std::size_t count, std::size_t size);
char* counted_strdup(const char* text);

// How many have failed in this process.
std::uint64_t failed_allocations();

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_COUNTED_MEMORY_H_
