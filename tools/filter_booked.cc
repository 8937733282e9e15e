// SPDX-License-Identifier: Apache-2.0
// url-filter --booked: what budgets have paid for and how far off the site pages lie, kept for the next process.
#include <fcntl.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "filter_stream.h"
#include "io/line_file.h"
#include "io/reader.h"

namespace spinneret {

// Judges what an earlier process has booked once more, in its order: that books it again. What the policy of today
// refuses is no longer paid for, and told like any refusal.
void FilterStream::read_booked() {
  const cli::Options& options = tool_.options();
  const std::string path(options.get("booked"));
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (status.type() == std::filesystem::file_type::not_found) return;
  if (!std::filesystem::is_regular_file(status))
    options.usage_error("--booked: " + path + " is no file");
  const Result<Fd> file = open_file(path, O_RDONLY);
  if (!file.ok()) options.usage_error("--booked: " + file.message());
  LineReader reader(file->get(), {.unterminated = false});
  std::string_view line;
  LineReader::Event event;
  while ((event = reader.next(line)) <= LineReader::Event::kTooLong) {
    if (event == LineReader::Event::kTooLong || !parse(record_url(line), url_)) continue;
    judge(url_, line);
    notice_refusal(line, path, reader.line_number());
  }
  if (event == LineReader::Event::kError)
    options.usage_error("--booked: " +
                        system_error("cannot read " + path, reader.error_code()).message);
}

// In the file before it is told of: whoever goes on after a kill has paid for what the queue has.
void FilterStream::keep_booked(std::string_view line) {
  if (!booked_) {
    Result<LineFile> file = LineFile::open(std::string(tool_.options().get("booked")));
    if (!file.ok()) {
      tool_.trouble(file.message());
      return;
    }
    booked_.emplace(std::move(*file));
  }
  const Url& url = judge_.verdict().rewritten ? judge_.rewritten() : url_;
  text_.assign(url.href_without_fragment());
  if (const auto via = find_raw_field(line, "via"); via && policy_.needs_via)
    text_.append("\tvia=").append(*via);
  text_ += '\n';
  if (const int code = booked_->append(text_); code != 0)
    tool_.trouble(
        system_error("cannot write " + std::string(tool_.options().get("booked")), code).message);
}

}  // namespace spinneret
