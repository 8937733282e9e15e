// SPDX-License-Identifier: Apache-2.0
// A folder of files as the pages that a server would make of it.
//
//   Folder folder({.root = "public", .base = "https://example.org/"});
//   folder.walk([](const FolderPage& page) { ... }, [](const std::string& trouble) { ... });
//
//   public/a.html          https://example.org/a.html     (with --pretty-urls also https://example.org/a)
//   public/d/index.html    https://example.org/d/         and, as redirects to it, .../d/index.html and .../d
//
// In the order of the names' bytes, so that two runs say the same. Left out: names that begin with a dot, but for
// .well-known; what is neither file nor folder; links that lead out of the root or round in a circle (told as trouble).
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
  bool pretty_urls = false;  // x.html is found at x, too
};

// The views live as long as the call that gives it.
struct FolderPage {
  std::string_view url;
  std::string_view path;  // as it opens; of a redirect, too
  std::string_view type;  // media type by its name; empty: none known
  // kOk; kRedirect to the location, or kMoved (a folder without its slash); kBlockedByPolicy: what leads out of the root.
  Outcome outcome = Outcome::kOk;
  std::string_view location;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of give_named(): where it begins in the archive
  bool for_sources = false;  // of look_up(): no server shows it, such as a hidden file
};

// A file of an archive.
struct NamedFile {
  std::string name;  // "d/index.html"
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

class Folder {
 public:
  static constexpr int kMaxDepth = 64;
  static constexpr std::size_t kMaxFollowed = 10'000;  // symbolic links to folders, in all
  using Take = std::function<void(const FolderPage&)>;
  // `failed`: it could not be read. Else it was left out on purpose.
  using Trouble = std::function<void(const std::string&, bool failed)>;

  explicit Folder(FolderOptions options) : options_(std::move(options)) {}
  void walk(const Take& take, const Trouble& trouble);
  // The one page of the URL that is the base and `rest`, and where it leads to: for who has not walked. What a walk
  // leaves out and sources link to all the same is given `for_sources`: hidden files, folders without an index.
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
  std::vector<std::string> open_;  // real paths of the folders on the way
  const Take* take_ = nullptr;
  const Trouble* trouble_ = nullptr;
};

// The pages of an archive, as a walk of its folder would give them; options.root is the archive. `files`: sorted by name.
void give_named(const FolderOptions& options, const std::vector<NamedFile>& files,
                const Folder::Take& take);

// The path of a file or folder as the rest of a URL behind the base of `root`; nullopt: it is not below.
std::optional<std::string> url_path_below(const std::string& root, const std::string& path);

// "text/html" of "a.HTML"; empty where nothing is known of it.
std::string_view type_of_name(std::string_view name);

}  // namespace spinneret::check

#endif  // SPINNERET_CHECK_FOLDER_H_
