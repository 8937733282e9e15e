// SPDX-License-Identifier: Apache-2.0
#include "check/files.h"

#include <sys/stat.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/excerpt.h"

namespace spinneret::check {
namespace {

// Returns the number of threads besides the owner. More than a few would only wait for the thread
// that takes the results.
std::size_t worker_count(std::size_t threads) {
  constexpr std::size_t kMaxThreads = 16;
  if (threads == 0) threads = std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(threads, 1, kMaxThreads) - 1;
}

}  // namespace

PageFiles::PageFiles(Options options, LinkBook& book, Trouble trouble)
    : options_(std::move(options)),
      book_(book),
      trouble_(std::move(trouble)),
      disk_({options_.root, options_.base, options_.pretty_urls}),
      readers_(worker_count(options_.threads) + 1),
      tasks_(
          readers_.size() - 1,
          [this](std::size_t worker, Task& task) {
            reader(worker).read({task.url, task.path, task.page.type, task.page.is_aside},
                                task.reading);
          },
          [this](Task& task, bool is_read) { take(task, is_read); }) {
  book_.set_site(options_.base);
}

Status PageFiles::read_folder(const std::string& path) {
  const auto below = path == options_.root ? std::string() : url_path_below(options_.root, path);
  if (!below) return Error{excerpt(path) + " is not a folder below " + excerpt(options_.root)};
  std::string base = options_.base + *below;
  if (!base.ends_with('/')) base += '/';
  Folder folder({path, base, options_.pretty_urls});
  folder.walk([this](const FolderPage& page) { give(page); },
              [this](const std::string& what, bool failed) { give_trouble(what, failed); });
  return {};
}

Status PageFiles::read_file(const std::string& path) {
  const auto below = url_path_below(options_.root, path);
  if (!below || below->empty())
    return Error{excerpt(path) + " is not a file below " + excerpt(options_.root) +
                 ": see --root-dir"};
  wants_look_up_ = true;
  std::string url = options_.base + *below;
  FolderPage out;
  out.path = path;
  out.type = type_of_name(path);
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) out.size = static_cast<std::uint64_t>(info.st_size);
  if (const std::size_t name = url.rfind('/') + 1;
      std::string_view(url).substr(name) == "index.html") {
    FolderPage from;
    from.url = url;
    from.outcome = Outcome::kRedirect;
    const std::string folder = url.substr(0, name);
    from.location = folder;
    give(from);
    url = folder;
  }
  out.url = url;
  give(out, true);
  return {};
}

void PageFiles::look_up() {
  tasks_.finish();
  if (!wants_look_up_) return;
  names_only_ = true;
  // The targets of redirects that were just found may be unknown as well, so look again.
  for (int round = 0; round != 4; ++round) {
    std::vector<std::string> wanted;
    book_.each_unanswered(true, [&wanted](std::string_view url) { wanted.emplace_back(url); });
    bool found = false;
    for (const std::string& url : wanted) {
      disk_.look_up(std::string_view(url).substr(book_.site().size()), [&](const FolderPage& each) {
        found = true;
        give(each);
      });
    }
    tasks_.finish();
    if (!found) break;
  }
  names_only_ = false;
}

// --- reading ahead ---

void PageFiles::give(const FolderPage& page, bool is_alone) {
  Task& task = tasks_.begin();
  task.url = page.url;
  task.path = page.path;
  task.location = page.location;
  task.page = {};
  task.page.type = page.type;
  task.page.outcome = page.outcome;
  task.page.for_sources = page.for_sources;
  task.page.is_aside = names_only_;
  task.trouble.clear();
  const bool is_text = is_alone ? is_document(page.path) : is_read_in_folder(page.type);
  const bool is_read = page.outcome == Outcome::kOk && is_text;
  if (is_read && !spare_.empty()) {
    task.reading = std::move(spare_.back());
    spare_.pop_back();
  }
  tasks_.commit(is_read, is_read ? page.size : 0);
}

// Reports a trouble in its turn among the pages.
void PageFiles::give_trouble(const std::string& what, bool failed) {
  Task& task = tasks_.begin();
  task.trouble = what;
  task.failed = failed;
  tasks_.commit(false, 0);
}

FileReader& PageFiles::reader(std::size_t worker) {
  std::unique_ptr<FileReader>& out = readers_[worker];
  if (!out) out = std::make_unique<FileReader>(options_.remap);
  return *out;
}

void PageFiles::take(Task& task, bool is_read) {
  if (!task.trouble.empty()) return trouble_(task.trouble, task.failed);
  FileReading& reading = task.reading;
  if (!is_read)
    reader(0).read({task.url, task.path, task.page.type, task.page.is_aside}, reading,
                   [&](const FileReading& some) { add_links(task.url, some); });
  add_links(task.url, reading);
  for (const FileReading::Trouble& each : reading.troubles) trouble_(each.what, each.failed);
  SettledPage& page = task.page;
  if (reading.is_source && !page.is_aside) wants_look_up_ = true;
  if (page.outcome == Outcome::kBlockedByPolicy) book_.set_outside(task.url + "/");
  page.url = task.url;
  page.location = task.location;
  page.is_source = reading.is_source;
  page.has_ids = reading.has_ids;
  page.ids = reading.ids;
  if (reading.is_read) page.file = task.path;
  book_.settle(page);
  reading.clear();
  if (reading.links.capacity() != 0) spare_.push_back(std::move(reading));
}

void PageFiles::add_links(std::string_view page, const FileReading& reading) {
  FoundLink found;
  found.page = page;
  for (const FileReading::Link& link : reading.links) {
    found.target = reading.key(link);
    found.tag = reading.tag(link);
    found.line = link.line;
    found.column = link.column;
    found.is_ignored = link.is_ignored;
    if (link.is_broken)
      book_.add_broken(found, reading.fragment(link));
    else
      book_.add_link(found, LinkBook::Key{found.target, link.hash, reading.fragment(link)});
  }
}

}  // namespace spinneret::check
