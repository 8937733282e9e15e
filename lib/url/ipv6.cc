// SPDX-License-Identifier: Apache-2.0
#include "url/ipv6.h"

#include <algorithm>

#include "base/ascii.h"

namespace spinneret {
namespace {

// The IPv6 parser, one member function for each of its parts.
class Ipv6Parser {
 public:
  Ipv6Parser(std::string_view text, Ipv6& out) : text_(text), out_(out) {}

  bool run() {
    out_.fill(0);
    if (at(0) == ':') {
      if (at(1) != ':')
        return fail("IPv6-invalid-compression", "an address does not begin with one colon");
      pos_ = 2;
      compress_ = ++piece_;
    }
    while (pos_ < text_.size()) {
      if (piece_ == 8) return fail("IPv6-too-many-pieces", "more than eight pieces");
      if (at(0) == ':') {
        if (compress_ >= 0) return fail("IPv6-multiple-compression", "a second \"::\"");
        ++pos_;
        compress_ = ++piece_;
        continue;
      }
      bool ipv4 = false;
      if (!piece(ipv4)) return false;
      if (ipv4) break;
    }
    return finish();
  }

  Ipv6Error error() const { return {name_, reason_, std::min(pos_, text_.size())}; }

 private:
  char at(std::size_t ahead) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  bool at_end() const { return pos_ >= text_.size(); }
  bool fail(std::string_view name, std::string_view reason) {
    name_ = name;
    reason_ = reason;
    return false;
  }

  // Reads one hexadecimal piece, or the IPv4 address at the end.
  bool piece(bool& ipv4) {
    unsigned value = 0;
    std::size_t length = 0;
    while (length < 4 && !at_end() && is_hex(at(0))) {
      value = value * 16 + static_cast<unsigned>(hex_value(at(0)));
      ++pos_;
      ++length;
    }
    if (!at_end()) {
      if (at(0) == '.') {
        if (length == 0)
          return fail("IPv4-in-IPv6-invalid-code-point", "an IPv4 part without digits");
        pos_ -= length;
        if (piece_ > 6) return fail("IPv4-in-IPv6-too-many-pieces", "no room for an IPv4 address");
        ipv4 = true;
        return embedded_ipv4();
      }
      if (at(0) != ':')
        return fail("IPv6-invalid-code-point", length == 4 && is_hex(at(0))
                                                   ? "a piece of more than four digits"
                                                   : "a byte that is not a hexadecimal digit");
      ++pos_;
      if (at_end()) return fail("IPv6-invalid-code-point", "a colon at the end");
    }
    out_[static_cast<std::size_t>(piece_++)] = static_cast<std::uint16_t>(value);
    return true;
  }

  bool embedded_ipv4() {
    int parts = 0;
    while (!at_end()) {
      if (parts > 0) {
        if (at(0) != '.' || parts == 4)
          return fail("IPv4-in-IPv6-invalid-code-point", "not an IPv4 address at the end");
        ++pos_;
      }
      int value = -1;
      if (!is_digit(at(0)))
        return fail("IPv4-in-IPv6-invalid-code-point", "an IPv4 part without digits");
      for (; is_digit(at(0)); ++pos_) {
        if (value == 0)
          return fail("IPv4-in-IPv6-invalid-code-point", "an IPv4 part with a leading zero");
        value = (value < 0 ? 0 : value * 10) + (at(0) - '0');
        if (value > 255) return fail("IPv4-in-IPv6-out-of-range-part", "an IPv4 part over 255");
      }
      auto& piece = out_[static_cast<std::size_t>(piece_)];
      piece = static_cast<std::uint16_t>(piece * 256 + value);
      if (++parts == 2 || parts == 4) ++piece_;
    }
    return parts == 4 ||
           fail("IPv4-in-IPv6-too-few-parts", "an IPv4 address of fewer than four parts");
  }

  bool finish() {
    if (compress_ < 0) return piece_ == 8 || fail("IPv6-too-few-pieces", "fewer than eight pieces");
    const auto begin = out_.begin() + compress_;
    std::rotate(begin, out_.begin() + piece_, out_.end());
    return true;
  }

  std::string_view name_, reason_;
  std::string_view text_;
  Ipv6& out_;
  std::size_t pos_ = 0;
  int piece_ = 0;
  int compress_ = -1;  // the piece in front of which the zeros are inserted
};

}  // namespace

bool parse_ipv6(std::string_view text, Ipv6& out, Ipv6Error& why) {
  Ipv6Parser parser(text, out);
  if (parser.run()) return true;
  why = parser.error();
  return false;
}

void append_ipv6(std::string& out, const Ipv6& address) {
  // Finds the first longest run of two or more zeros.
  std::size_t run_begin = 8;
  std::size_t run_size = 1;
  for (std::size_t i = 0; i < 8;) {
    std::size_t end = i;
    while (end < 8 && address[end] == 0) ++end;
    if (end - i > run_size) {
      run_begin = i;
      run_size = end - i;
    }
    i = end + 1;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == run_begin) {
      out += i == 0 ? "::" : ":";
      i += run_size - 1;
      continue;
    }
    bool digits = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
      const int digit = (address[i] >> shift) & 15;
      digits |= digit != 0 || shift == 0;
      if (digits) out += kHexLower[digit];
    }
    if (i != 7) out += ':';
  }
}

}  // namespace spinneret
