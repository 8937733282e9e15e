// SPDX-License-Identifier: Apache-2.0
// Records where seeds have moved to: a seed that redirects to another host takes its scope along.
// The targets are kept in a file, one a line, which outlives the process. It is shared with the
// filter in front of the fetch, and with whoever adds seeds to a running crawl:
//
//   AdoptedSeeds adopted(ScopeKind::kHost, {"seeds"}, "adopted");
//   adopted.refresh();                                         // what another process has added
//   if (!adopted.contains(url)) adopted.adopt(via, url);  // via is a seed or adopted
//
// A chain of redirects is followed for as many hops as that of a robots.txt (RFC 9309, 2.3.1.2), so
// that a site which redirects its visitors for ever does not take the crawl with it.
#ifndef SPINNERET_TOOLS_ADOPTED_SEEDS_H_
#define SPINNERET_TOOLS_ADOPTED_SEEDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "io/line_file.h"
#include "policy/scope.h"
#include "url/parse.h"

namespace spinneret {

class AdoptedSeeds {
 public:
  AdoptedSeeds(policy::ScopeKind kind, std::vector<std::string> seed_files, std::string path);

  // Reads what was added since the last call; a missing file counts as empty. Returns whether there
  // was anything.
  bool refresh();
  bool contains(const Url& url) const { return scope_.has_seeds() && scope_.contains(url); }
  // Adopts `url`, to which `via` redirects, if `via` allows it, and says whether it did: then the
  // line is in the file when this returns. Returns an Error where the file cannot be written.
  Result<bool> adopt(std::string_view via, const Url& url);
  // To be called once. Returns the error of LineFile::close().
  Status close() { return file_ ? file_->close() : Status(); }

 private:
  bool is_seed(std::string_view url);
  void add(std::string_view line);

  policy::Scope scope_;
  std::vector<std::string> seed_files_;
  std::string path_;
  std::optional<LineFile> file_;               // kept open: each opening would cost a sync
  std::uint64_t read_ = 0;                     // bytes of the file that were read
  std::unordered_map<std::string, int> hops_;  // by adopted URL: its hops from its seed
  std::unordered_set<std::uint64_t> seeds_;    // hashes; read at the first question
  bool seeds_read_ = false;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ADOPTED_SEEDS_H_
