// SPDX-License-Identifier: Apache-2.0
// url-filter --booked: keeps what budgets have paid for, and how far off the site pages are, for
// the next process.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "filter_stream.h"
#include "io/line_file.h"

namespace spinneret {

void FilterStream::open_booked() {
  const cli::Options& options = tool_.options();
  booked_path_ = options.get("booked");
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(booked_path_, none);
  const bool is_there = status.type() != std::filesystem::file_type::not_found;
  if (is_there && !std::filesystem::is_regular_file(status))
    options.usage_error("--booked: " + booked_path_ + " is not a file");
  for (std::uint32_t line = 0; line < policy_.lines.size(); ++line) {
    const std::string_view text = policy_.lines.text(line);
    shares_booked_ |= text.starts_with("budget") || text.starts_with("max-offsite-hops");
  }
  if (is_there) refresh_booked(/*surely=*/true);
}

// Judges again, in their order, the lines that other processes have booked, which books them here.
// A line that today's policy refuses is no longer paid for, and is reported like any refusal.
// Several processes may write at the same time: the machines of a crawl. Returns whether the file
// had grown.
bool FilterStream::refresh_booked(bool surely) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  struct stat now {};
  const auto has_grown = [&] { return static_cast<std::uint64_t>(now.st_size) > booked_read_; };
  if (::stat(booked_path_.c_str(), &now) != 0 || (!surely && !has_grown())) return false;
  // NFS may report a file's size that is a minute old, except of a file that was opened just now.
  const Result<Fd> file = open_file(booked_path_, O_RDONLY);
  if (!file.ok()) tool_.options().usage_error("--booked: " + file.message());
  if (::fstat(file->get(), &now) != 0 || !has_grown()) return false;
  std::string piece(std::min(static_cast<std::size_t>(now.st_size) - booked_read_, kPiece), '\0');
  while (true) {
    const ssize_t got =
        ::pread(file->get(), piece.data(), piece.size(), static_cast<off_t>(booked_read_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      tool_.options().usage_error("--booked: " +
                                  system_error("cannot read " + booked_path_, errno).message);
    std::string_view rest(piece.data(), static_cast<std::size_t>(got));
    // A line that is still being written is read later, once it is whole.
    rest = rest.substr(0, rest.rfind('\n') + 1);
    if (rest.empty()) {
      if (static_cast<std::size_t>(got) < piece.size()) return true;
      piece.resize(2 * piece.size());  // for a longer line
      continue;
    }
    booked_read_ += rest.size();
    while (!rest.empty()) book_again(cut(rest, '\n'));
  }
}

void FilterStream::book_again(std::string_view line) {
  ++booked_line_;
  if (!parse(record_url(line), booked_url_)) return;
  judge(booked_url_, line);
  notice_refusal(line, booked_path_, booked_line_);
}

// Judges url_, by what others have booked as well.
const policy::Verdict& FilterStream::judge_with_others(std::string_view line) {
  refresh_booked(/*surely=*/false);
  const policy::Verdict& verdict = judge(url_, line);
  // Whoever found the page with this link booked the page's distance before passing it on: so a
  // second, certain look finds it.
  if (verdict.reason == policy::Reason::kTooFarOffsite && refresh_booked(/*surely=*/true))
    return judge(url_, line);
  return verdict;
}

// Books the line before it is passed on: whoever continues after a kill has then paid for what the
// queue has.
void FilterStream::keep_booked(std::string_view line) {
  if (!booked_) {
    Result<LineFile> file = LineFile::open(booked_path_);
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
  if (const Status kept = booked_->append(text_); !kept.ok()) tool_.trouble(kept.message());
}

}  // namespace spinneret
