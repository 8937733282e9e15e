// SPDX-License-Identifier: Apache-2.0
// The ledger: an operator's file that says what may be spent on pages, and records what was spent.
//
//   # what we spend on news
//   budget USD 5.00
//   2026-11-22T21:00:00Z offered USD 0.01 https://example.com/a
//   2026-11-22T21:00:00Z charged USD 0.01 https://example.com/a
//   2026-11-22T21:00:02Z offered USD 0.01 https://example.com/b
//   2026-11-22T21:00:02Z not-charged USD 0.01 https://example.com/b
//
// The operator writes the first line that is not a comment; the others are appended. An offer is on
// disk before it is made, and counts as spent until an answer says otherwise, so that a crash leads
// to counting too much and never too little. The file is locked while it is open, so that two
// processes cannot spend the same money. Not thread-safe.
#ifndef SPINNERET_HTTP_LEDGER_H_
#define SPINNERET_HTTP_LEDGER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::http {

// An amount in the form of the crawler-price field: "USD 0.01". Amounts of one currency can be
// compared.
struct Price {
  std::string currency;  // three capital letters
  std::int64_t millionths = 0;
  friend bool operator==(const Price&, const Price&) = default;
};

// Parses strictly, since a misread price costs money. Takes up to six decimals, and amounts below a
// billion.
std::optional<Price> parse_price(std::string_view text);
std::string to_string(const Price& price);

class Ledger {
 public:
  // Opens a ledger that pays at most `most` for one page.
  static Result<Ledger> open(const std::string& path, Price most);
  // Returns whether the price may be paid: its currency must be that of the ledger, and it must
  // exceed neither the most for one page nor the rest of the budget.
  bool allows(const Price& price) const;
  // Records an offer. Must be called before the page is requested with that offer; after an Error
  // the offer must not be made.
  Status offer(const Price& price, std::string_view url);
  // Records the result of an offer. `charged` is the amount that the server says it took, or
  // nothing.
  Status settle(const Price& price, const std::optional<Price>& charged, std::string_view url);
  std::int64_t left() const { return budget_.millionths - spent_; }

 private:
  Ledger(std::string path, Fd file, Price most)
      : path_(std::move(path)), file_(std::move(file)), most_(std::move(most)) {}
  Status read();
  Status take_line(std::string_view line);
  Status add(std::string_view word, const Price& price, std::string_view url);

  std::string path_;
  Fd file_;
  Price most_;
  Price budget_;
  std::int64_t spent_ = 0;
};

}  // namespace spinneret::http

#endif  // SPINNERET_HTTP_LEDGER_H_
