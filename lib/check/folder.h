// SPDX-License-Identifier: Apache-2.0
// A folder of files as the pages that a web server would show of it.
//
//   Folder folder({.root = "public", .base = "https://example.org/"});
//   folder.walk([](const FolderPage& page) { ... }, [](const std::string& trouble) { ... });
//
//   public/a.html        https://example.org/a.html  (with --pretty-urls also .../a)
//   public/d/index.html  https://example.org/d/      with redirects from .../d/index.html and .../d
//
// Pages come in the byte order of names, so that two runs give the same. Left out are names that
// begin with a dot, except .well-known; anything that is neither a file nor a folder; and symbolic
// links that lead out of the root or in a circle, which are reported as trouble.
#ifndef SPINNERET_CHECK_FOLDER_H_
#define SPINNERET_CHECK_FOLDER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"

namespace spinneret::check {

struct FolderOptions {
  std::string root;
  std::string base;          // an absolute URL that ends in '/'
  bool pretty_urls = false;  // x.html is also served as x
};

// Views live as long as the call that gives the page.
struct FolderPage {
  std::string_view url;
  std::string_view path;  // path of the file, also for a redirect
  std::string_view type;  // media type by the file's name; empty: unknown
  // kOk; kRedirect to the location; kMoved for a folder without its slash; kBlockedByPolicy for a
  // link that leads out of the root.
  Outcome outcome = Outcome::kOk;
  std::string_view location;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // with give_named(): where the file begins in the archive
  bool for_sources = false;  // with look_up(): not served, such as a hidden file
};

// A file in an archive.
struct NamedFile {
  std::string name;  // "d/index.html"
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

class Folder {
 public:
  static constexpr int kMaxDepth = 64;
  // Bound on symbolic links to folders, in total.
  static constexpr std::size_t kMaxFollowed = 10'000;
  using Take = std::function<void(const FolderPage&)>;
  // `failed` says that a file could not be read; otherwise it was left out on purpose.
  using Trouble = std::function<void(const std::string&, bool failed)>;

  explicit Folder(FolderOptions options) : options_(std::move(options)) {}
  void walk(const Take& take, const Trouble& trouble);
  // Gives the one page at the URL `base` + `rest`, and the page that it leads to, without a walk.
  // Pages that a walk leaves out, but that sources may link to, are given with `for_sources`:
  // hidden files, and folders without an index.
  void look_up(std::string_view rest, const Take& take);

 private:
  struct Place {
    std::string path;
    std::string url;  // ends in '/' for a folder
  };
  void walk_folder(const Place& at, int depth);
  void visit(const Place& folder, const std::string& name, int depth);
  void give_file(const Place& at, const std::string& name, std::uint64_t size);
  void give_redirect(std::string_view from, std::string_view to, std::string_view path,
                     Outcome outcome);
  bool leads_out(const std::string& path) const;
  bool leads_round(const std::string& path) const;
  void look_up_folder(Place at);
  void leave_out(const std::string& path, std::string_view why) const;

  FolderOptions options_;
  std::string real_root_;
  std::size_t followed_ = 0;
  std::vector<std::string> open_;  // real paths of the current folder and those above it
  const Take* take_ = nullptr;
  const Trouble* trouble_ = nullptr;
};

// Gives the pages of an archive as a walk of its folder would; options.root is the archive's path.
// `files` must be sorted by name.
void give_named(const FolderOptions& options, const std::vector<NamedFile>& files,
                const Folder::Take& take);

// Returns the part after the base in the URL of a file or folder; nullopt if `path` is not
// below `root`.
std::optional<std::string> url_path_below(const std::string& root, const std::string& path);

// Returns the media type for a name, such as "text/html" for "a.HTML"; empty for unknown names.
std::string_view type_of_name(std::string_view name);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FOLDER_H_
