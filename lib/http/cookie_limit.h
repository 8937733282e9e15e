// SPDX-License-Identifier: Apache-2.0
// How many cookies are kept. RFC 6265, section 6.1, lets a user agent bound them, and browsers do. libcurl bounds those of
// one answer (50) alone, and goes through all that it has for each that is set: 500 pages with 50 new ones each took 9 s
// of CPU, twice as many pages eight times that.
//
//   of a registrable domain  once it has more than 180, its 75 oldest and its 75 newest stay: a login is among
//                            the former, and what a page has set just now among the latter
//   in all                   once there are more than 3,300, those of the domains that have set one last stay, up to
//                            3,000; those that came from a file of at most half as many go ahead of them
//
// They are counted once 300 have been set, so that there may be as many more meanwhile.
#ifndef SPINNERET_HTTP_COOKIE_LIMIT_H_
#define SPINNERET_HTTP_COOKIE_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace spinneret::http {

class CookieLimit {
 public:
  // A line of a head, from `host`: counts those that set a cookie.
  void note(std::string_view host, std::string_view line);
  // Whether so many have been set that kept() is to be asked.
  bool is_due() const { return setters_.size() >= kSetMeanwhile; }
  // `lines` are of the file that the jar begins with (Netscape format).
  void begin_with(const std::vector<std::string>& lines);
  // `lines` are the whole jar in Netscape format, those of one domain in the order of their age. Returns what is to
  // stay, in the same order; as many as there are: all.
  std::vector<std::string> kept(const std::vector<std::string>& lines);

 private:
  static constexpr std::size_t kSetMeanwhile = 300;

  std::vector<std::string> setters_;  // hosts, one for each cookie since kept() was asked last
  std::unordered_map<std::string, std::uint64_t> last_;  // when a registrable domain set one
  std::uint64_t now_ = 0;                                // counts those that were set
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_COOKIE_LIMIT_H_
