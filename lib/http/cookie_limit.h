// SPDX-License-Identifier: Apache-2.0
// Limits how many cookies are kept. RFC 6265, section 6.1, lets a user agent bound them, and
// browsers do. libcurl only bounds those of one answer (50), and walks all of its cookies for each
// one that is set: 500 pages with 50 new cookies each took 9 s of CPU, twice as many pages eight
// times that.
//
//   of a registrable domain  once it has more than 180, its 75 oldest and its 75 newest stay: a
//                            login is among the former, a cookie that was just set among the latter
//   in all                   once there are more than 3,300, those of the domains that have set one
//                            last stay, up to 3,000; cookies from a file of at most half as many
//                            stay before them
//
// Cookies are counted once 300 have been set, so that there may be 300 more for a time.
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
  // Takes note of a line of a head from `host`; counts those that set a cookie.
  void note(std::string_view host, std::string_view line);
  // Returns whether so many cookies have been set that kept() must be called.
  bool is_due() const { return setters_.size() >= kSetMeanwhile; }
  // Takes the lines of the file with which the jar begins (Netscape format).
  void begin_with(const std::vector<std::string>& lines);
  // Returns those of `lines` that are to stay, in the same order. `lines` are the whole jar in
  // Netscape format, with the cookies of a domain in the order of their age.
  std::vector<std::string> kept(const std::vector<std::string>& lines);

 private:
  static constexpr std::size_t kSetMeanwhile = 300;

  // Hosts, one for each cookie that was set since the last kept().
  std::vector<std::string> setters_;
  // The value of now_ when a registrable domain last set a cookie.
  std::unordered_map<std::string, std::uint64_t> last_;
  std::uint64_t now_ = 0;  // counts the cookies that were set
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_COOKIE_LIMIT_H_
