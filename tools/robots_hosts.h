// SPDX-License-Identifier: Apache-2.0
// Hosts' rules for ad hoc checks: fetched, from the cache or from files, each read once.
#ifndef SPINNERET_TOOLS_ROBOTS_HOSTS_H_
#define SPINNERET_TOOLS_ROBOTS_HOSTS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "robots_context.h"

namespace spinneret {

struct KnownHost {
  std::string source;  // URL or file of the robots.txt
  std::unique_ptr<robots::HostRules>
      rules;  // nullptr: the file cannot be read, which has been reported
};

// Returns references that are valid until forget(), or the end of the object.
class RobotsHosts {
 public:
  explicit RobotsHosts(RobotsContext& context) : context_(context) {}

  // Returns the host's rules, from the cache or fetched.
  const KnownHost& of_url(const Url& url);
  // Returns the rules of a file. Asking for the same file again costs a comparison.
  const KnownHost& of_file(std::string_view path);
  // Returns the rules of one robots.txt, a file, "-" or a URL; nullptr where it cannot be read.
  const KnownHost* of_source(const std::string& source);
  // Notes that this host's rules will be asked for. fetch() then gets all noted robots.txt at one
  // time, so that one slow host costs the others nothing.
  void want(const Url& url);
  void fetch();
  // Whether memory is at its bound: then the caller should forget() all hosts.
  bool is_full() const;
  void forget();

 private:
  struct Wanted {
    std::string authority;
    std::string url;
    std::optional<robots::RobotsEntry> last;
  };
  KnownHost& add(std::string_view name, robots::RobotsEntry entry);
  void keep(const robots::RobotsEntry& entry);

  RobotsContext& context_;
  std::unordered_map<std::string, KnownHost> hosts_;  // by authority or path
  std::vector<Wanted> wanted_;
  std::string last_path_;
  const KnownHost* last_file_ = nullptr;
  std::size_t memory_ = 0;
};

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_ROBOTS_HOSTS_H_
