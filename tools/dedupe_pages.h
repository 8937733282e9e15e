// SPDX-License-Identifier: Apache-2.0
// Judges records by the page that they hold (body/reader.h).
#ifndef SPINNERET_TOOLS_DEDUPE_PAGES_H_
#define SPINNERET_TOOLS_DEDUPE_PAGES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "body/reader.h"
#include "cli/tool.h"
#include "dedupe/content_sketch.h"
#include "dedupe/line_judge.h"
#include "dedupe/original_index.h"
#include "io/record.h"

namespace spinneret::dedupe_tool {

// Reads the content of records, or the sketch that an earlier --signature made of it. A record
// whose body is not as long as its field `size` says was torn: it is refused and dropped. A body in
// a file that cannot be read, or that has not the record's digest, is reported, and its record
// passes.
class PageReader {
 public:
  enum class Kind {
    kNothing,  // there is nothing to compare
    kTorn,     // reported: the record is to be dropped
    kBody,
    kSketch,
  };
  struct Content {
    Kind kind = Kind::kNothing;
    std::string_view bytes = {};  // of the body or the sketch; valid until the next read()
    bool markup = false;
  };
  explicit PageReader(cli::Tool& tool);

  // `index` is that of the line in its batch, for reports.
  Content read(std::string_view line, std::size_t index);
  // The line that was read last.
  Record& record() { return record_; }

 private:
  void refuse(std::string_view why, std::size_t index);

  cli::Tool& tool_;
  bool words_;
  bool nearness_;
  Record record_;
  body::BodyReader bodies_;
  dedupe::ContentSketch sketches_;
  std::string sketch_;
};

// Runs --signature. Returns the exit status.
int run_signature(cli::Tool& tool);

std::unique_ptr<dedupe::LineJudge> make_page_judge(cli::Tool& tool,
                                                   std::unique_ptr<dedupe::OriginalIndex> index);

}  // namespace spinneret::dedupe_tool

#endif  // SPINNERET_TOOLS_DEDUPE_PAGES_H_
