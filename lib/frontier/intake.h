// SPDX-License-Identifier: Apache-2.0
// What is offered, and what becomes of it with the next commit.
//
//   offer() --> no URL, not http, too deep, of another partition: said so, and not kept
//      |
//      v
//   the tail --seal()--> sealed --admit()--> new:    Backlog, a row and a place in its host's queue
//      |                                `--> known:  KnownUrls, what a link says of it
//      `--drop_tail()--> forgotten
//
// Borrows its constructor arguments. Not thread-safe. Cost: see admission.h.
#ifndef SPINNERET_FRONTIER_INTAKE_H_
#define SPINNERET_FRONTIER_INTAKE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "frontier/admission.h"
#include "frontier/backlog.h"
#include "frontier/host_table.h"
#include "frontier/known_urls.h"
#include "frontier/options.h"
#include "frontier/statistics.h"
#include "frontier/store.h"
#include "url/parse.h"
#include "url/parts_by_host.h"

namespace spinneret::frontier {

// The answer to an offer. Only kStaged means that the URL was taken.
enum class Offer { kStaged, kNotUrl, kNotHttp, kTooDeep, kElsewhere };

class Intake {
 public:
  Intake(Store& store, HostTable& hosts, Backlog& backlog, const KnownUrls& known_urls,
         const Options& options, Statistics& statistics)
      : store_(store),
        hosts_(hosts),
        backlog_(backlog),
        known_urls_(known_urls),
        options_(options),
        statistics_(statistics) {}

  Offer offer(const Candidate& candidate, UrlError* why);
  // The partition that owns the URL for which offer() returned kElsewhere last.
  std::uint32_t elsewhere() const { return elsewhere_; }
  // The links between offer() and admit(), which also count what a page says of them.
  Admission& links() { return admission_; }
  const Admission& links() const { return admission_; }
  // Stages all that is sealed.
  void admit(std::int64_t wall_ms);

 private:
  Store& store_;
  HostTable& hosts_;
  Backlog& backlog_;
  KnownUrls known_urls_;
  const Options& options_;
  Statistics& statistics_;
  Admission admission_;
  std::optional<PartsByHost> parts_;  // set only in a crawl in partitions
  std::uint32_t elsewhere_ = 0;
  Url url_;           // reused
  std::string rest_;  // reused
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_INTAKE_H_
