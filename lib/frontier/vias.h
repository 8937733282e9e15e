// SPDX-License-Identifier: Apache-2.0
// The pages on which URLs were found. If several were found on one page, its URL is stored once, in
// a row of its own, and theirs have its number.
//
//   kUrls    host id 0 (4) number (8)  ->  https://example.org/list        no host has that id
//   kQueue   its first link  ->  via is the number of its own place
//            the next        ->  via is that number, one less than its own: a byte
//
// A number is that of the place which the first of the links was given: never given before, and
// durable in the same batch. Rows stay as long as the state, because the URLs do that were found
// there. A page with a link or two has its URL with each: see url_row.h.
//
// Of 135 bytes of an entry in the queue such a URL was 83. With each and with rows of their own,
// side by side at a load of 13 to 20, 50 URLs of a page:
//
//                   disk, bytes a URL   put, us of CPU   pop, us of CPU of all threads
//   30,000 hosts    57.0 and 38.9       8.6 and 7.6      15.9 and 12.9
//   100,000 hosts   51.3 and 43.4       10.3 and 8.2     the same, for the page's row is read
#ifndef SPINNERET_FRONTIER_VIAS_H_
#define SPINNERET_FRONTIER_VIAS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frontier/keys.h"
#include "frontier/store.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

// The least number of links for which a page has a row of its own: with fewer it would take as much
// space.
inline constexpr std::size_t kLinksOfVia = 3;

// Whether the page that the URL was found on is lost. Vias::name() must have been called.
inline bool lacks_via(const UrlRow& row) { return row.via_number != 0 && row.via.empty(); }

// Borrows store. Not thread-safe.
class Vias {
 public:
  explicit Vias(Store& store) : store_(store) {}

  // Stages that the page `via` has this number.
  void put(std::uint64_t number, std::string_view via);
  // Puts the page's URL into a row that has its number, as last committed. False: it is lost.
  bool name(UrlRow& row);

 private:
  using Known = std::unordered_map<std::uint64_t, std::string>;
  const std::string* find(std::uint64_t number);
  std::string& know(std::uint64_t number, std::string via);

  Store& store_;
  // What was asked for lately. Once there are too many young ones, the old ones go.
  Known young_, old_;
  std::string key_;  // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_VIAS_H_
