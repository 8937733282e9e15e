// SPDX-License-Identifier: Apache-2.0
#include "check/folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/result.h"
#include "url/percent.h"

namespace spinneret::check {
namespace {

struct NamedType {
  std::string_view ending;
  std::string_view type;
};
constexpr NamedType kTypes[] = {
    {"html", "text/html"},
    {"htm", "text/html"},
    {"xhtml", "application/xhtml+xml"},
    {"css", "text/css"},
    {"xml", "application/xml"},
    {"atom", "application/atom+xml"},
    {"rss", "application/rss+xml"},
    {"txt", "text/plain"},
    {"md", "text/markdown"},
    {"markdown", "text/markdown"},
    {"rst", "text/x-rst"},
    {"adoc", "text/asciidoc"},
    {"asciidoc", "text/asciidoc"},
    {"js", "text/javascript"},
    {"mjs", "text/javascript"},
    {"json", "application/json"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"svg", "image/svg+xml"},
    {"webp", "image/webp"},
    {"avif", "image/avif"},
    {"ico", "image/x-icon"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"ttf", "font/ttf"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"webm", "video/webm"},
    {"zip", "application/zip"},
    {"gz", "application/gzip"},
    {"wasm", "application/wasm"},
};

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : std::string();
}

bool is_html(std::string_view name) {
  const std::string_view type = type_of_name(name);
  return type == "text/html" || type == "application/xhtml+xml";
}

bool is_index(std::string_view name) { return name == "index.html" || name == "index.htm"; }

// Reads the names in a folder, sorted. Returns 0, or errno where it cannot be read.
int read_names(const std::string& path, std::vector<std::string>& names) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) return errno;
  for (errno = 0; const dirent* const entry = ::readdir(folder.get()); errno = 0)
    names.emplace_back(entry->d_name);
  if (errno != 0) return errno;
  std::sort(names.begin(), names.end());
  return 0;
}

// Appends a name with escapes, so that none of its bytes begins an escape or ends the path.
void append_name(std::string& url, std::string_view name) {
  for (const char c : name) {
    if (c == '%' || c == '\\' || in_set(c, kPathSet)) {
      append_escape(url, c);
    } else {
      url += c;
    }
  }
}

// Returns the name on disk for a part of a URL's path; empty if no file can have that name.
std::string name_of(std::string_view part) {
  std::string out;
  append_percent_decoded(out, part);
  const bool is_name = out != "." && out != ".." && out.find('/') == std::string::npos &&
                       out.find('\0') == std::string::npos;
  return is_name ? out : std::string();
}

}  // namespace

std::string_view type_of_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string ending = to_lower_copy(name.substr(dot + 1));
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const NamedType& each) { return each.ending == ending; });
  return found == std::end(kTypes) ? std::string_view() : found->type;
}

void Folder::walk(const Take& take, const Trouble& trouble) {
  take_ = &take;
  trouble_ = &trouble;
  real_root_ = real_path(options_.root);
  std::string path = options_.root;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  walk_folder({path, options_.base}, 0);
}

void Folder::leave_out(const std::string& path, std::string_view why) const {
  (*trouble_)(without_controls(path).append(": ").append(why).append(": left out"), false);
}

void Folder::look_up_folder(Place at) {
  struct stat info = {};
  for (const char* const index : {"index.html", "index.htm"}) {
    const std::string path = at.path + "/" + index;
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (!at.url.ends_with('/')) {
      give_redirect(at.url, at.url + "/", at.path, Outcome::kMoved);
      at.url += '/';
    }
    return give_file({path, at.url + index}, index, static_cast<std::uint64_t>(info.st_size));
  }
  FolderPage page;
  page.url = at.url;
  page.path = at.path;
  page.for_sources = true;
  (*take_)(page);
}

void Folder::look_up(std::string_view rest, const Take& take) {
  take_ = &take;
  if (real_root_.empty()) real_root_ = real_path(options_.root);
  rest = rest.substr(0, rest.find('?'));
  Place at{options_.root, options_.base + std::string(rest)};
  const bool is_folder = rest.empty() || rest.ends_with('/');
  const std::string whole(rest);
  bool hidden = false;
  std::string name;
  while (!rest.empty()) {
    name = name_of(cut(rest, '/'));
    if (name.empty()) return;
    hidden = hidden || (name.starts_with('.') && name != ".well-known");
    at.path.append("/").append(name);
  }
  struct stat info = {};
  if (::stat(at.path.c_str(), &info) != 0) {
    if (!options_.pretty_urls || is_folder) return;
    for (const char* const ending : {".html", ".htm", ".xhtml"}) {
      if (::stat((at.path + ending).c_str(), &info) == 0 && S_ISREG(info.st_mode))
        return look_up(whole + ending, take);
    }
    return;
  }
  if (leads_out(at.path)) return give_redirect(at.url, {}, at.path, Outcome::kBlockedByPolicy);
  if (S_ISDIR(info.st_mode) && !hidden) return look_up_folder(at);
  if (!S_ISDIR(info.st_mode) && (!S_ISREG(info.st_mode) || is_folder)) return;
  if (!hidden) return give_file(at, name, static_cast<std::uint64_t>(info.st_size));
  FolderPage page;
  page.url = at.url;
  page.path = at.path;
  page.type = type_of_name(name);
  page.size = static_cast<std::uint64_t>(info.st_size);
  page.for_sources = true;
  take(page);
}

std::optional<std::string> url_path_below(const std::string& root, const std::string& path) {
  const std::string real_root = real_path(root);
  const std::string real = real_path(path);
  const std::string top = real_root == "/" ? real_root : real_root + "/";
  if (real_root.empty() || real.empty() || !(real + "/").starts_with(top)) return std::nullopt;
  std::string out;
  const std::string below = real == real_root ? std::string() : real.substr(top.size());
  for (std::string_view rest = below; !rest.empty();) {
    if (!out.empty()) out += '/';
    append_name(out, cut(rest, '/'));
  }
  return out;
}

// Whether the target of a symbolic link is not below the root.
bool Folder::leads_out(const std::string& path) const {
  const std::string root = real_root_ == "/" ? real_root_ : real_root_ + "/";
  return !(real_path(path) + "/").starts_with(root);
}

// Whether a link leads to the current folder or one above it.
bool Folder::leads_round(const std::string& path) const {
  return std::find(open_.begin(), open_.end(), real_path(path)) != open_.end();
}

void Folder::walk_folder(const Place& at, int depth) {
  std::vector<std::string> names;
  if (const int code = read_names(at.path, names); code != 0)
    return (*trouble_)(system_error("cannot read " + without_controls(at.path), code).message,
                       true);
  open_.push_back(real_path(at.path));
  const bool has_index = std::any_of(names.begin(), names.end(), is_index);
  const std::string_view bare = std::string_view(at.url).substr(0, at.url.size() - 1);
  if (depth != 0 && has_index) give_redirect(bare, at.url, at.path, Outcome::kMoved);
  for (const std::string& name : names) {
    if (!name.starts_with('.') || name == ".well-known") visit(at, name, depth);
  }
  open_.pop_back();
}

void Folder::visit(const Place& folder, const std::string& name, int depth) {
  Place at{folder.path + "/" + name, folder.url};
  append_name(at.url, name);
  struct stat info = {};
  if (::lstat(at.path.c_str(), &info) != 0) {
    const int code = errno;
    if (code == ENOENT) return;  // removed meanwhile
    return (*trouble_)(system_error("cannot read " + without_controls(at.path), code).message,
                       true);
  }
  const bool is_link = S_ISLNK(info.st_mode);
  if (is_link && ::stat(at.path.c_str(), &info) != 0) return leave_out(at.path, "leads nowhere");
  const bool is_folder = S_ISDIR(info.st_mode);
  if (!is_folder && !S_ISREG(info.st_mode)) return leave_out(at.path, "neither file nor folder");
  if (is_link && leads_out(at.path)) {
    leave_out(at.path, "leads out of " + without_controls(options_.root));
    return give_redirect(at.url, {}, at.path, Outcome::kBlockedByPolicy);
  }
  if (!is_folder) return give_file(at, name, static_cast<std::uint64_t>(info.st_size));
  if (is_link && leads_round(at.path)) return leave_out(at.path, "leads round in a circle");
  if (is_link && ++followed_ > kMaxFollowed)
    return leave_out(at.path, "more than 10000 links to folders");
  if (depth == kMaxDepth) return leave_out(at.path, "more than 64 folders deep");
  at.url += '/';
  walk_folder(at, depth + 1);
}

void Folder::give_redirect(std::string_view from, std::string_view to, std::string_view path,
                           Outcome outcome) {
  FolderPage page;
  page.url = from;
  page.path = path;
  page.location = to;
  page.outcome = outcome;
  (*take_)(page);
}

void Folder::give_file(const Place& at, const std::string& name, std::uint64_t size) {
  FolderPage page;
  page.url = at.url;
  // Beside an index.html, index.htm is a page like any other.
  struct stat other = {};
  const bool hidden = name == "index.htm" && ::stat((at.path + "l").c_str(), &other) == 0;
  if (is_index(name) && !hidden) {
    page.url = page.url.substr(0, page.url.rfind('/') + 1);
    give_redirect(at.url, page.url, at.path, Outcome::kRedirect);
  } else if (options_.pretty_urls && is_html(name)) {
    give_redirect(page.url.substr(0, page.url.rfind('.')), page.url, at.path, Outcome::kRedirect);
  }
  page.path = at.path;
  page.type = type_of_name(name);
  page.size = size;
  (*take_)(page);
}

void give_named(const FolderOptions& options, const std::vector<NamedFile>& files,
                const Folder::Take& take) {
  const auto has = [&files](const std::string& name) {
    const auto at = std::lower_bound(
        files.begin(), files.end(), name,
        [](const NamedFile& file, const std::string& wanted) { return file.name < wanted; });
    return at != files.end() && at->name == name;
  };
  const auto redirect = [&take](std::string_view from, std::string_view to, Outcome outcome) {
    FolderPage page;
    page.url = from;
    page.location = to;
    page.outcome = outcome;
    take(page);
  };
  for (const NamedFile& file : files) {
    std::string url = options.base;
    std::string_view name;
    bool hidden = false;
    for (std::string_view rest = file.name; !rest.empty();) {
      if (!name.empty()) url += '/';
      name = cut(rest, '/');
      hidden = hidden || (name.starts_with('.') && name != ".well-known");
      append_name(url, name);
    }
    if (hidden) continue;
    const std::string folder = url.substr(0, url.rfind('/') + 1);
    const std::string plain = url;
    const bool is_beside = name == "index.htm" && has(file.name + "l");
    if (is_index(name) && !is_beside) {
      url = folder;
      if (folder != options.base)
        redirect(std::string_view(folder).substr(0, folder.size() - 1), folder, Outcome::kMoved);
      redirect(plain, url, Outcome::kRedirect);
    } else if (options.pretty_urls && is_html(name)) {
      redirect(url.substr(0, url.rfind('.')), url, Outcome::kRedirect);
    }
    const std::string path = options.root + "/" + file.name;
    FolderPage page;
    page.url = url;
    page.path = path;
    page.type = type_of_name(name);
    page.size = file.size;
    page.offset = file.offset;
    take(page);
  }
}

}  // namespace spinneret::check
