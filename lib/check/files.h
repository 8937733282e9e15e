// SPDX-License-Identifier: Apache-2.0
// Reads files as the pages of a LinkBook: a folder, single files, and what these link to on disk.
//
//   PageFiles files({.base = "http://localhost/", .root = "."}, book, remark);
//   files.read_folder("public");          // reads all of it
//   files.read_file("README.md");         // reads its links
//   files.look_up();                      // reads their targets below the root, for ids alone
//
// Files are read by as many threads as there are cores, and reported to the book in the order of a
// walk, so the results do not depend on the threads. Only a few files are in memory at a time. The
// object itself belongs to one thread.
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
    std::size_t threads = 0;  // number of reading threads; 0: as many as there are cores
  };
  // `failed` says that the file could not be read.
  using Trouble = Folder::Trouble;

  PageFiles(Options options, LinkBook& book, Trouble trouble);
  // Read files. Problems in them are reported to `trouble`. Return an Error if the path is not
  // below the root.
  Status read_folder(const std::string& path);
  Status read_file(const std::string& path);
  // Looks up targets on the site that no page has settled, for pages that were read as single files
  // or that have sources. When it returns, everything read is in the book.
  void look_up();

 private:
  // A page, or a trouble to be reported in its place.
  struct Task {
    SettledPage page;  // its views are set to the strings below before use
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
  // Whether files are read for their ids only, as link targets.
  bool names_only_ = false;
  std::vector<std::unique_ptr<FileReader>> readers_;  // one for each worker
  std::vector<FileReading> spare_;                    // empty readings, whose memory is reused
  // This must be the last member: its threads use those above.
  OrderedWork<Task> tasks_;
};

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FILES_H_
