// SPDX-License-Identifier: Apache-2.0
// A robots.txt and a path (separated by the last NUL) go through everything: nothing fails, the
// fast matcher agrees with the slow one in each mode, and the canonical form has the same meaning.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/turn.h"
#include "robots/cache.h"
#include "robots/canonical.h"
#include "robots/extensions.h"
#include "robots/lint.h"
#include "robots/page_directives.h"
#include "robots/pattern.h"
#include "robots/robots_file.h"
#include "robots/rule_set.h"

using namespace spinneret;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_mode(std::string_view robots, std::string_view url, robots::RobotsMode mode) {
  robots::RuleOptions options;
  options.mode = mode;
  const robots::RuleSet rules = robots::RuleSet::compile(robots, "foo", options);
  std::string storage;
  const std::string_view path = mode == robots::RobotsMode::kGoogle
                                    ? robots::google_path(url, storage)
                                    : robots::comparable_path(url, mode, storage);
  const robots::Verdict fast = rules.check(path);
  const robots::Verdict slow = rules.check_slowly(path);
  require(fast.rule == slow.rule && fast.allowed == slow.allowed);
  if (mode != robots::RobotsMode::kRfc) return;
  const std::string canonical = robots::canonical_robots(robots);
  require(robots::canonical_robots(canonical) == canonical);
  const robots::RuleSet again = robots::RuleSet::compile(canonical, "foo", options);
  require(again.check(path).allowed == fast.allowed);
  for (const std::int64_t now : {std::int64_t{0}, std::int64_t{1'795'132'800'000}}) {
    require(again.timetable().delay_ms_at(now) == rules.timetable().delay_ms_at(now));
    require(again.timetable().closed_ms_at(now) == rules.timetable().closed_ms_at(now));
  }
}

// Compares the groups of a crawler as found by hash and by a walk over all lines.
void check_groups(std::string_view robots) {
  for (const robots::RobotsMode mode :
       {robots::RobotsMode::kRfc, robots::RobotsMode::kGoogle, robots::RobotsMode::k1994}) {
    robots::RuleOptions options;
    options.mode = mode;
    robots::RobotsFile file(robots, options);
    for (const char* const agent : {"*", "foo", "bar9", "foo bar", "\xE4", ""}) {
      require(file.select(agent) == file.select_slowly(agent));
    }
    const auto first = file.rules("foo");
    require(file.rules("foo") == first && file.crawler_rules("foo") == first);
    file.crawler_rules("bar9+foo:baz");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t nul = input.rfind('\0');
  const std::string_view robots = input.substr(0, nul);
  const std::string_view url = nul == std::string_view::npos ? "/a/b" : input.substr(nul + 1);
  const Turn turn(input);
  if (turn.is(0, 6)) check_mode(robots, url, robots::RobotsMode::kRfc);
  if (turn.is(1, 6)) check_mode(robots, url, robots::RobotsMode::kGoogle);
  if (turn.is(2, 6)) check_mode(robots, url, robots::RobotsMode::k1994);
  if (turn.is(3, 6)) robots::lint_robots(robots);
  if (turn.is(4, 6)) check_groups(robots);
  if (turn.is(5, 6)) {
    robots::Extensions::compile(robots, "foo").find(robots::RobotsKey::kContentUsage, "/a");
    robots::decode_entry(robots);
    robots::PageDirectives page("foo");
    page.add_header(robots);
    page.add_meta("robots", url);
  }
  return 0;
}
