// SPDX-License-Identifier: Apache-2.0
// Files as the pages that a LinkBook knows: a folder, single files, and what these link to on disk.
//
//   PageFiles files({.base = "http://localhost/", .root = "."}, book, remark);
//   files.read_folder("public");          // all of it
//   files.read_file("README.md");         // its links; what they lead to is found by
//   files.look_up();                      // below the root, and read for its names alone
//
// Files are read by as many threads as there are cores, and reported to the book in the order of a walk, so that the
// results do not depend on the threads. Only a few files are in memory at a time. The object belongs to one thread.
#ifndef SPINNERET_CHECK_FILES_H_
#define SPINNERET_CHECK_FILES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/book.h"
#include "check/folder.h"
#include "check/ordered_work.h"
#include "check/reading.h"

namespace spinneret::check {

class PageFiles {
 public:
  struct Options {
    std::string base;  // URL of the root, which ends in '/'
    std::string root;
    bool pretty_urls = false;
    Remap remap = {};
    std::size_t threads = 0;  // threads that read; 0: as many as there are cores
  };
  // `failed` says that it could not be read.
  using Trouble = Folder::Trouble;

  PageFiles(Options options, LinkBook& book, Trouble trouble);
  // Reads files. What cannot be read in them is reported to `trouble`; an Error says that they are not below the
  // root.
  Status read_folder(const std::string& path);
  Status read_file(const std::string& path);
  // Looks up what links lead to on the site, and no page has reported, for pages that were read as files or have
  // sources. When it returns, all that was read is in the book.
  void look_up();

 private:
  // A page, or what is to be reported in its place.
  struct Task {
    SettledPage page;  // its views are into the three strings, once these are in place
    std::string url;
    std::string path;
    std::string location;
    std::string trouble;
    bool failed = false;
    FileReading reading;
  };
  void give(const FolderPage& page, bool is_alone = false);
  void give_trouble(const std::string& what, bool failed);
  FileReader& reader(std::size_t worker);
  void take(Task& task, bool is_read);
  void add_links(std::string_view page, const FileReading& reading);

  Options options_;
  LinkBook& book_;
  Trouble trouble_;
  Folder disk_;
  bool wants_look_up_ = false;
  bool names_only_ = false;                           // read what was linked to for its names only
  std::vector<std::unique_ptr<FileReader>> readers_;  // by worker
  std::vector<FileReading> spare_;                    // emptied readings, whose memory is reused
  // must be last: its threads use the members above
  OrderedWork<Task> tasks_;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FILES_H_
