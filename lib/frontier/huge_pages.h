// SPDX-License-Identifier: Apache-2.0
// Memory for large tables that are read at random: of the system's huge pages, where it has them.
//
//   std::pmr::vector<Line> lines(huge_pages());
//   std::pmr::unsynchronized_pool_resource pool(huge_pages());
//
// Where rows of some 100 MB lie on pages of 4 KB, each read waits twice: for the row, and for where
// its page is. The kernel is asked (MADV_HUGEPAGE) only for pieces of 2 MB or more: the others are
// plain memory of operator new.
//
// Thread-safe, as malloc is.
#ifndef SPINNERET_FRONTIER_HUGE_PAGES_H_
#define SPINNERET_FRONTIER_HUGE_PAGES_H_

#include <memory_resource>

namespace spinneret::frontier {

std::pmr::memory_resource* huge_pages();

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HUGE_PAGES_H_
