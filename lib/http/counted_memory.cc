// SPDX-License-Identifier: Apache-2.0
#include "http/counted_memory.h"

#include <cstdlib>
#include <cstring>

namespace spinneret::http {
namespace {

std::uint64_t failed = 0;

void* counted(void* memory) {
  if (memory == nullptr) ++failed;
  return memory;
}

}  // namespace

void* counted_malloc(std::size_t size) { return counted(std::malloc(size)); }
void* counted_realloc(void* old, std::size_t size) { return counted(std::realloc(old, size)); }
void* counted_calloc(std::size_t count, std::size_t size) {
  return counted(std::calloc(count, size));
}
char* counted_strdup(const char* text) { return static_cast<char*>(counted(::strdup(text))); }
std::uint64_t failed_allocations() { return failed; }

}  // namespace spinneret::http
