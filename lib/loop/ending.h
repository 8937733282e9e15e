// SPDX-License-Identifier: Apache-2.0
// What a run prints at its end. A run that fetched little explains why, on one screen: seeds that
// redirect out of the crawl, links that rules refuse, pages that robots.txt forbids, hosts that
// cannot be reached, or a network that is down.
//
//   ending.add_page(line, settled);                 // each page's final record, during the run
//   for (const std::string& line : ending.explain(frontier.statistics(), rejected))
//     tool.notice(line);
//
// Only a few examples of each kind are kept, however long the run is.
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
  // Notes a link that came out of the pipeline.
  void add_link() { ++links_; }
  // Notes any answer that came back from the network.
  void add_answer(std::string_view line, const frontier::Settled& result);
  // Notes a page's final record.
  void add_page(std::string_view line, const frontier::Settled& result);

  // Returns a line for each reason, if few pages were fetched; otherwise none. Call it only for a
  // run that was not stopped.
  std::vector<std::string> explain(const frontier::Statistics& now, const Rejected& rejected) const;

 private:
  struct Kind {
    std::uint64_t count = 0;
    std::vector<std::string> first;
  };
  std::string kind_of(std::string_view line, const frontier::Settled& result) const;

  std::map<std::string, Kind> kinds_;  // pages by their kind of result
  // Why some origins have no usable robots.txt, in words; the records of their pages have only an
  // outcome.
  std::map<std::string, std::string, std::less<>> no_robots_;
  std::uint64_t links_ = 0;
  std::uint64_t lives_ = 0;
  std::uint64_t silences_ = 0;
};

// Returns how many links rules have refused: `2 links were refused: 2 by scope`.
std::string refused_text(const Rejected& rejected);
// Returns what a limit leaves for another run: `--max-total-pages is reached: 3 URLs wait for a run
// with more`. Empty for --max-pages, which starts again in each run, and where nothing waits.
std::string limit_text(std::string_view option, std::uint64_t waiting);
// Returns the command that retries failed URLs and hosts given up: that of --again, or one of this
// program.
std::string again_command(const cli::Tool& tool);
// Quotes the text for a shell if it contains other characters than a plain name.
std::string shell_word(std::string_view text);
// Returns what was given up: `1 host given up in this run, at which 3 URLs wait for the next one;
// to go on: COMMAND`. Empty where nothing was given up.
std::string given_up_text(const frontier::GivenUpSum& sum, const std::string& command);
// Returns a line for each host that is finished, up to a bound on their number.
std::vector<std::string> finished_lines(const frontier::Frontier& frontier);

}  // namespace spinneret::loop

#endif  // SPINNERET_LOOP_ENDING_H_
