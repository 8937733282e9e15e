// SPDX-License-Identifier: Apache-2.0
#include "http/ledger.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/excerpt.h"
#include "base/moment.h"
#include "base/number.h"

namespace spinneret::http {
namespace {

constexpr std::int64_t kUnit = 1'000'000;

}  // namespace

std::optional<Price> parse_price(std::string_view text) {
  const std::string_view currency = cut(text, ' ');
  const bool decimal = text.find('.') != std::string_view::npos;
  const std::string_view whole = cut(text, '.');
  const auto is_number = [](std::string_view digits, std::size_t most) {
    return is_digits(digits) && digits.size() <= most;
  };
  const bool named =
      currency.size() == 3 &&
      std::all_of(currency.begin(), currency.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!named || !is_number(whole, 9) || (decimal && !is_number(text, 6))) return std::nullopt;
  std::string fraction(decimal ? text : std::string_view());
  fraction.resize(6, '0');
  const auto units = static_cast<std::int64_t>(*parse_unsigned(whole));
  return Price{std::string(currency),
               units * kUnit + static_cast<std::int64_t>(*parse_unsigned(fraction))};
}

std::string to_string(const Price& price) {
  std::string fraction = std::to_string(kUnit + price.millionths % kUnit).substr(1);
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return price.currency + " " + std::to_string(price.millionths / kUnit) + "." + fraction;
}

Result<Ledger> Ledger::open(const std::string& path, Price most) {
  Result<Fd> file = open_file(path, O_RDWR | O_APPEND);
  if (!file.ok()) return file.error();
  const Result<bool> locked = lock_file(file->get(), path);
  if (!locked.ok()) return locked.error();
  if (!*locked) return Error{path + ": another process pays from it"};
  Ledger ledger(path, file.take(), std::move(most));
  if (const Status read = ledger.read(); !read.ok()) return read.error();
  return ledger;
}

Status Ledger::read() {
  const Result<std::string> text = read_file(path_, std::size_t{64} << 20);
  if (!text.ok()) return text.error();
  if (!text->empty() && !text->ends_with('\n')) {
    return Error{path_ +
                 ": its last line does not end: mend it, nothing is paid from it until then"};
  }
  int number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    ++number;
    const std::string_view line = cut(rest, '\n');
    if (const Status taken = take_line(line); !taken.ok()) {
      return Error{path_ + ":" + std::to_string(number) + ": " + taken.message() + ": " +
                   excerpt(line)};
    }
  }
  if (budget_.currency.empty()) return Error{path_ + ": no line such as: budget USD 5.00"};
  if (budget_.currency == most_.currency) return {};
  return Error{path_ + ": its budget is in " + budget_.currency + ", --max-price in " +
               most_.currency};
}

Status Ledger::take_line(std::string_view line) {
  if (line.empty() || line.starts_with('#')) return {};
  if (budget_.currency.empty()) {
    if (cut(line, ' ') != "budget") return Error{"the first line must be such as: budget USD 5.00"};
    const std::optional<Price> budget = parse_price(line);
    if (!budget) return Error{"not an amount such as USD 5.00"};
    budget_ = *budget;
    return {};
  }
  cut(line, ' ');  // the time
  const std::string_view word = cut(line, ' ');
  const std::string_view currency = cut(line, ' ');
  const auto price = parse_price(std::string(currency) + " " + std::string(cut(line, ' ')));
  if (!price || price->currency != budget_.currency)
    return Error{"no amount in " + budget_.currency};
  if (word == "offered") {
    spent_ += price->millionths;
  } else if (word == "not-charged") {
    spent_ -= price->millionths;
  } else if (word != "charged") {
    return Error{"neither offered, charged nor not-charged"};
  }
  return {};
}

bool Ledger::allows(const Price& price) const {
  return price.currency == most_.currency && price.millionths <= most_.millionths &&
         price.millionths <= left();
}

Status Ledger::add(std::string_view word, const Price& price, std::string_view url) {
  std::string line = utc_text(system_clock().unix_ms() / 1000);
  line.append(" ")
      .append(word)
      .append(" ")
      .append(to_string(price))
      .append(" ")
      .append(url)
      .append("\n");
  int code = write_all(file_.get(), line);
  if (code == 0 && ::fdatasync(file_.get()) != 0) code = errno;
  return code == 0 ? Status() : system_error("cannot write " + path_, code);
}

Status Ledger::offer(const Price& price, std::string_view url) {
  if (!allows(price)) return Error{path_ + " does not allow " + to_string(price)};
  // This also counts an offer whose line may not be complete on disk.
  spent_ += price.millionths;
  return add("offered", price, url);
}

Status Ledger::settle(const Price& price, const std::optional<Price>& charged,
                      std::string_view url) {
  // A charge in another currency counts as the offered price.
  if (charged) return add("charged", charged->currency == price.currency ? *charged : price, url);
  spent_ -= price.millionths;
  return add("not-charged", price, url);
}

}  // namespace spinneret::http
