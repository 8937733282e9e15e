// SPDX-License-Identifier: Apache-2.0
// Where seeds have moved to: a seed that redirects to another host takes its scope along. The targets are kept in a
// file, one a line, which outlives the process and is shared with the filter in front of the fetch, and with whoever
// adds seeds to a crawl that runs:
//
//   AdoptedSeeds adopted(ScopeKind::kHost, {"seeds"}, "adopted");
//   adopted.refresh();                                         // what another process has added
//   if (!adopted.contains(url)) adopted.adopt(via, url);       // via a seed, or itself adopted: kept
//
// A chain of redirects is followed for as many hops as a robots.txt's is (RFC 9309, 2.3.1.2), so that a site which
// sends its visitors on for ever does not take the crawl with it.
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

  // Reads what was added since the last call. A file that is not there has nothing. True: there was something.
  bool refresh();
  bool contains(const Url& url) const { return scope_.has_seeds() && scope_.contains(url); }
  // Whether `url`, which `via` redirects to, is taken in: then it is in the file when this returns. An Error: the
  // file cannot be written.
  Result<bool> adopt(std::string_view via, const Url& url);
  // Once: what LineFile::close() says.
  Status close() { return file_ ? file_->close() : Status(); }

 private:
  bool is_seed(std::string_view url);
  void add(std::string_view line);

  policy::Scope scope_;
  std::vector<std::string> seed_files_;
  std::string path_;
  std::optional<LineFile> file_;               // kept open: each opening would cost a sync
  std::uint64_t read_ = 0;                     // bytes of the file
  std::unordered_map<std::string, int> hops_;  // from its seed, of each that was adopted
  std::unordered_set<std::uint64_t> seeds_;    // hashes; read when they are first asked for
  bool seeds_read_ = false;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ADOPTED_SEEDS_H_
