// SPDX-License-Identifier: Apache-2.0
// The log of pages of a running crawl, surveyed as far as it has been written.
//
//   GrowingLog log("crawl-state/log");
//   if (const Status read = log.read(); !read.ok()) ...       // takes new lines
//   log.survey().asked;  log.recent_rate(clock.unix_ms());
//
// A log that does not exist yet is empty; one that was replaced or truncated is read from its
// beginning. Otherwise each byte is read once. Not thread-safe.
#ifndef SPINNERET_LOOP_GROWING_LOG_H_
#define SPINNERET_LOOP_GROWING_LOG_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"
#include "report/page_log.h"
#include "report/survey.h"

namespace spinneret::loop {

class GrowingLog {
 public:
  explicit GrowingLog(std::string path) : path_(std::move(path)) {}

  // Takes the whole new lines; an incomplete line waits for its rest. An Error says that the file
  // cannot be read.
  Status read();
  const report::Survey& survey() const { return survey_; }
  // Returns the pages a second in the last ten seconds. Forgets older counts.
  double recent_rate(std::int64_t now_ms);

 private:
  Status open();
  void take(std::string_view bytes);
  void count(std::int64_t second_ms);

  std::string path_;
  Fd file_;
  ino_t inode_ = 0;
  off_t read_ = 0;
  std::string rest_;  // the incomplete last line
  report::Survey survey_;
  report::PageLine page_;                         // reused
  std::map<std::int64_t, std::uint64_t> recent_;  // pages by second
};

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_GROWING_LOG_H_
