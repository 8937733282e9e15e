// SPDX-License-Identifier: Apache-2.0
#include "fetch_store.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "fetch_output.h"
#include "http/body_pack.h"
#include "http/digest.h"
#include "http/fields.h"
#include "io/record.h"

namespace spinneret {
namespace {

// Collects the fields that a reader of the page must know: where the page came from, and what its
// owner says beside it.
class KeptFields : public http::FieldTaker {
 public:
  void field(std::string_view key, std::string_view value) override {
    constexpr std::string_view kKept[] = {"hop",     "x-robots-tag",     "link",
                                          "refresh", "content-language", "header"};
    constexpr std::size_t kMost = std::size_t{32} << 10;
    if (std::find(std::begin(kKept), std::end(kKept), key) == std::end(kKept)) return;
    const std::size_t before = text.size();
    text.append("\t").append(key).append("=");
    append_escaped(text, value);
    if (text.size() > kMost) text.resize(before);
  }
  std::string text;
};

// Where a body is. Unlike an entry's views, this outlives the entry.
struct Found {
  std::string file;
  std::string digest;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::int64_t unix_ms = 0;
};

bool is_digest(std::string_view text) {
  return (text.size() == 32 || text.size() == 64) && std::all_of(text.begin(), text.end(), is_hex);
}

// Finds a body by its digest in a store whose bodies are files (--store-as=files), which knows no
// URLs.
std::optional<Found> find_file(const std::string& folder, const std::string& digest) {
  std::string path = folder + "/" + digest.substr(0, 2) + "/" + digest.substr(2);
  if (!open_file(path, O_RDONLY).ok()) return std::nullopt;
  return Found{std::move(path), digest, 0, 0, 0};
}

Result<std::string> read_found(const Found& found) {
  if (found.offset == 0) return read_file(found.file);  // a pack begins with its own line
  auto file = open_file(found.file, O_RDONLY);
  if (!file.ok()) return file.error();
  std::string body(found.size, '\0');
  if (const int code = read_at(file->get(), body.data(), body.size(), found.offset); code != 0) {
    return system_error("cannot read " + found.file, code);
  }
  return body;
}

// Finds the newest body of each key, even among those that share a digest.
Status find_all(const std::string& folder, const std::vector<std::string>& keys,
                std::vector<std::optional<Found>>& found) {
  return http::for_each_entry(folder, [&](const http::PackEntry& entry) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string_view name = is_digest(keys[i]) ? entry.facts.digest : entry.facts.url;
      if (name != keys[i] || (found[i] && found[i]->unix_ms > entry.facts.unix_ms)) continue;
      found[i] = Found{http::pack_path(folder, entry.pack), std::string(entry.facts.digest),
                       entry.size, entry.offset, entry.facts.unix_ms};
    }
    return true;
  });
}

}  // namespace

Result<http::BodyPlace> pack_page(http::BodyPack& pack, std::string_view digest,
                                  std::string_view url, const http::FetchResult& result) {
  KeptFields kept;
  http::each_field(result, {}, kept);
  return pack.put(
      {digest, url, result.media.type, result.media.charset, result.fetched_unix_ms, kept.text},
      result.body);
}

int list_store(cli::Tool& tool, const FetchSettings& settings) {
  Record record;
  std::string line;
  const Status listed = http::for_each_entry(settings.store, [&](const http::PackEntry& entry) {
    line.assign(entry.facts.url).append(entry.facts.fields);
    record.parse(line);
    if (!entry.facts.type.empty()) record.add("type", entry.facts.type);
    if (!entry.facts.charset.empty()) record.add("charset", entry.facts.charset);
    record.add("size", std::to_string(entry.size));
    record.add("visited", std::to_string(entry.facts.unix_ms / 1000));
    record.add("digest", entry.facts.digest);
    record.add("body-file", http::pack_path(settings.store, entry.pack));
    record.add("body-offset", std::to_string(entry.offset));
    record.set_outcome("ok");
    tool.writer().write(record);
    return tool.out().ok() && !tool.stopped();
  });
  return listed.ok() ? tool.status() : tool.trouble(listed.message());
}

int cat_store(cli::Tool& tool, const FetchSettings& settings) {
  std::vector<std::optional<Found>> found(settings.cat.size());
  if (const Status scanned = find_all(settings.store, settings.cat, found); !scanned.ok()) {
    return tool.trouble(scanned.message());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string& key = settings.cat[i];
    if (!found[i] && is_digest(key)) found[i] = find_file(settings.store, key);
    if (!found[i]) {
      tool.notice(settings.store + " holds no body of " + excerpt(key));
      tool.note_refusal();
      continue;
    }
    Result<std::string> body = read_found(*found[i]);
    if (!body.ok()) {
      tool.trouble(body.message());
    } else if (!http::may_be_digest(found[i]->digest, *body)) {
      tool.trouble(found[i]->file + ": body is not the one whose digest is " + found[i]->digest +
                   ": damaged");
    } else {
      if (settings.terminal) clean_lines(*body);
      tool.out().write(*body);
    }
  }
  return tool.status();
}

}  // namespace spinneret
