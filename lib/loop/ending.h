// SPDX-License-Identifier: Apache-2.0
// What a run says at its end. A run that fetched little explains why, on one screen: seeds that redirect out of the
// crawl, links that rules refuse, pages that robots.txt forbids, hosts that cannot be reached, or a network that is
// down.
//
//   ending.add_page(line, settled);                       // each page's last record, while the run goes on
//   for (const std::string& line : ending.explain(frontier.statistics(), rejected)) tool.notice(line);
//
// It keeps a few examples of each kind, however long the run is.
#ifndef SPINNERET_LOOP_ENDING_H_
#define SPINNERET_LOOP_ENDING_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/tool.h"
#include "frontier/frontier.h"
#include "loop/rejected.h"

namespace spinneret::loop {

class Ending {
 public:
  // A link has come out of the pipeline.
  void add_link() { ++links_; }
  // Notes anything that came back from the network.
  void add_answer(std::string_view line, const frontier::Settled& result);
  // A page's last record.
  void add_page(std::string_view line, const frontier::Settled& result);

  // One line for each reason, where few pages were fetched; otherwise none. For a run that has ended by itself.
  std::vector<std::string> explain(const frontier::Statistics& now, const Rejected& rejected) const;

 private:
  struct Kind {
    std::uint64_t count = 0;
    std::vector<std::string> first;
  };
  std::string kind_of(std::string_view line, const frontier::Settled& result) const;

  std::map<std::string, Kind> kinds_;  // pages by what became of them
  // Why some origins have no robots.txt to be had, in words; the records of their pages have but an outcome.
  std::map<std::string, std::string, std::less<>> no_robots_;
  std::uint64_t links_ = 0;
  std::uint64_t lives_ = 0;
  std::uint64_t silences_ = 0;
};

// How many links rules refused: `2 links were refused: 2 by scope`.
std::string refused_text(const Rejected& rejected);
// What a limit that was reached leaves for another run: `--max-total-pages is reached: 3 URLs wait for a run with more`. Empty
// for --max-pages, which each run has anew, and where nothing waits.
std::string limit_text(std::string_view option, std::uint64_t waiting);
// The command that gives failed URLs, and hosts that were given up, another chance: --again, or this program's own.
std::string again_command(const cli::Tool& tool);
// Quotes the text for a shell where it contains more than a plain name may.
std::string shell_word(std::string_view text);
// What was given up: `1 host given up in this run, at which 3 URLs wait for the next one; to go on: COMMAND`. Empty
// where nothing was.
std::string given_up_text(const frontier::GivenUpSum& sum, const std::string& command);
// The hosts at which nothing more is asked for, one on each line, with a bound on their number.
std::vector<std::string> finished_lines(const frontier::Frontier& frontier);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_ENDING_H_
