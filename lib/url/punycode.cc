// SPDX-License-Identifier: Apache-2.0
#include "url/punycode.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/ascii.h"

namespace spinneret::idna {
namespace {

// RFC 3492, section 5.
constexpr std::uint64_t kBase = 36, kTMin = 1, kTMax = 26, kSkew = 38, kDamp = 700,
                        kInitialBias = 72;
constexpr char32_t kInitialN = 0x80;
// A delta cannot be greater than this, so that products stay below 2^64.
constexpr std::uint64_t kMaxDelta = std::uint64_t{1} << 52;

std::uint64_t adapt(std::uint64_t delta, std::uint64_t points, bool first) {
  delta = first ? delta / kDamp : delta / 2;
  delta += delta / points;
  std::uint64_t k = 0;
  for (; delta > (kBase - kTMin) * kTMax / 2; k += kBase) delta /= kBase - kTMin;
  return k + (kBase - kTMin + 1) * delta / (delta + kSkew);
}

std::uint64_t threshold(std::uint64_t k, std::uint64_t bias) {
  return k <= bias ? kTMin : std::min(k - bias, kTMax);
}

void append_delta(std::uint64_t delta, std::uint64_t bias, std::string& out) {
  constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz0123456789";
  for (std::uint64_t k = kBase;; k += kBase) {
    const std::uint64_t t = threshold(k, bias);
    if (delta < t) break;
    out += kDigits[t + (delta - t) % (kBase - t)];
    delta = (delta - t) / (kBase - t);
  }
  out += kDigits[delta];
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0' + 26;
  return is_alpha(c) ? to_lower(c) - 'a' : -1;
}

// Counts how many of the places 0 .. n-1 are marked, and finds the k-th unmarked one. It is a
// Fenwick tree: both take log n.
class Places {
 public:
  explicit Places(std::size_t size) : sums_(size + 1) {}

  void mark(std::size_t place) {
    for (std::size_t i = place + 1; i < sums_.size(); i += i & (~i + 1)) ++sums_[i];
  }
  std::size_t marked_before(std::size_t place) const {
    std::size_t sum = 0;
    for (std::size_t i = place; i > 0; i &= i - 1) sum += sums_[i];
    return sum;
  }
  std::size_t unmarked(std::size_t k) const {
    std::size_t at = 0;
    for (std::size_t step = std::bit_floor(sums_.size()); step > 0; step /= 2) {
      if (at + step >= sums_.size() || step - sums_[at + step] > k) continue;
      at += step;
      k -= step - sums_[at];
    }
    return at;
  }

 private:
  std::vector<std::uint32_t> sums_;
};

struct Insertion {
  std::size_t at;
  char32_t c;
};

// Reads the deltas that follow the `length` basic code points.
bool read_insertions(std::string_view text, std::size_t length, std::vector<Insertion>& out) {
  std::uint64_t n = kInitialN;
  std::uint64_t i = 0;
  std::uint64_t bias = kInitialBias;
  for (std::size_t pos = 0; pos < text.size();) {
    const std::uint64_t before = i;
    std::uint64_t weight = 1;
    for (std::uint64_t k = kBase;; k += kBase) {
      const int digit = pos < text.size() ? digit_value(text[pos++]) : -1;
      if (digit < 0) return false;
      i += static_cast<std::uint64_t>(digit) * weight;
      const std::uint64_t t = threshold(k, bias);
      if (i > kMaxDelta) return false;
      if (static_cast<std::uint64_t>(digit) < t) break;
      weight *= kBase - t;
      // Only zeros could follow, and never a last digit.
      if (weight > kMaxDelta) return false;
    }
    ++length;
    bias = adapt(i - before, length, before == 0 && out.empty());
    n += i / length;
    i %= length;
    if (n > 0x10FFFF || (n >= 0xD800 && n <= 0xDFFF)) return false;
    out.push_back({static_cast<std::size_t>(i++), static_cast<char32_t>(n)});
  }
  return true;
}

}  // namespace

void append_punycode(std::u32string_view label, std::string& out) {
  // The places of the non-basic code points, by code point, then by place.
  std::vector<std::uint32_t> order;
  Places handled(label.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] < kInitialN) {
      out += static_cast<char>(label[i]);
      handled.mark(i);
      ++count;
    } else {
      order.push_back(static_cast<std::uint32_t>(i));
    }
  }
  const std::size_t basic = count;
  if (basic > 0) out += '-';
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return label[a] < label[b]; });
  // The decoder's state is (n, i); a code point's delta is the distance from the state after the
  // previous code point.
  std::uint64_t bias = kInitialBias;
  std::uint64_t n = kInitialN;
  std::uint64_t i = 0;
  // How many have the present code point and are not yet marked, since they are not smaller than
  // it.
  std::size_t same = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const char32_t c = label[order[k]];
    if (c != n) {
      for (std::size_t j = k - same; j < k; ++j) handled.mark(order[j]);
      same = 0;
    }
    // Counts all code points that are smaller, and the equal ones before this one: they are already
    // in the decoder's text.
    const std::uint64_t at = handled.marked_before(order[k]) + same;
    const std::uint64_t delta = (c - n) * (count + 1) + at - i;
    append_delta(delta, bias, out);
    bias = adapt(delta, count + 1, count == basic);
    ++count;
    ++same;
    n = c;
    i = at + 1;
  }
}

bool decode_punycode(std::string_view text, std::u32string& out) {
  const std::size_t hyphen = text.rfind('-');
  std::string_view basic;
  if (hyphen != std::string_view::npos) {
    basic = text.substr(0, hyphen);
    text.remove_prefix(hyphen + 1);
    // A leading "-" alone has no basic code points to separate.
    if (basic.empty()) return false;
  }
  std::vector<Insertion> insertions;
  if (!read_insertions(text, basic.size(), insertions)) return false;
  // Runs from the last insertion back: the last one is where it was put; the one before it is at
  // the k-th place that is still free, and so on. The places that stay free are for the basic code
  // points.
  const std::size_t size = basic.size() + insertions.size();
  out.assign(size, 0);
  Places taken(size);
  for (auto it = insertions.rbegin(); it != insertions.rend(); ++it) {
    const std::size_t place = taken.unmarked(it->at);
    taken.mark(place);
    out[place] = it->c;
  }
  std::size_t next = 0;
  for (char32_t& c : out) {
    if (c == 0) c = static_cast<unsigned char>(basic[next++]);
  }
  return true;
}

}  // namespace spinneret::idna
