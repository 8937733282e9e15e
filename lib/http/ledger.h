// SPDX-License-Identifier: Apache-2.0
// What pages cost, and who says that it may be paid: a file of the operator's.
//
//   # what we spend on news
//   budget USD 5.00
//   2026-11-22T21:00:00Z offered USD 0.01 https://example.com/a
//   2026-11-22T21:00:00Z charged USD 0.01 https://example.com/a
//   2026-11-22T21:00:02Z offered USD 0.01 https://example.com/b
//   2026-11-22T21:00:02Z not-charged USD 0.01 https://example.com/b
//
// The first line that is no remark is the operator's; the others are added. An offer is on disk before it is made, and
// counts as spent until an answer says otherwise: after a crash too much is counted, never too little. The file is locked
// while it is open, so that two processes do not spend the same money. Not thread-safe.
#ifndef SPINNERET_HTTP_LEDGER_H_
#define SPINNERET_HTTP_LEDGER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace spinneret::http {

// An amount as crawler-price has it: "USD 0.01". Of one currency they compare.
struct Price {
  std::string currency;  // three capital letters
  std::int64_t millionths = 0;
  friend bool operator==(const Price&, const Price&) = default;
};

// Strict: what is read otherwise than it was meant costs money. Up to six decimals and less than a billion.
std::optional<Price> parse_price(std::string_view text);
std::string to_string(const Price& price);

class Ledger {
 public:
  // Pays up to `most` for one page.
  static Result<Ledger> open(const std::string& path, Price most);
  // Whether the price may be paid: its currency, the most for one page, the budget less what was spent.
  bool allows(const Price& price) const;
  // To be written before the page is asked for with it. An Error: it must not be.
  Status offer(const Price& price, std::string_view url);
  // What came of the offer: `charged` is what the server says, or nothing where it took nothing.
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
