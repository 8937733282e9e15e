// SPDX-License-Identifier: Apache-2.0
// How far a host's word about its pages is to be believed, learned from what its visits find.
//
//   the host says                                        it is judged                    believed
//   it has changed: a sitemap's lastmod since the last   by its next visit, whether it   four times on trial, then where at
//   visit                                                was brought forward or not      least half was true
//   it is as it was: a 304                               where a body came all the same  while no more than an eighth of
//                                                        with the same validator         what was judged was untrue
//
// Some sites write today's date beside every page, which would spend all visits of a budget on them; some give an ETag that
// stays when the page changes, which would keep the old copy for ever. A strong ETag counts, and Last-Modified where there is
// none; a weak ETag claims less than the same bytes. Of a host that is believed a body is asked for after 16, 32, 64, ...
// 304s, to judge by. Old verdicts count less and less, so that who mends his ways is believed again: the next lastmods are
// judged by visits that come anyway, and without validators every visit judges them.
//
//   kMeta  "signals:" + host id (4)     counts, of the 304s and of four verdicts; staged with the caller's batch
//
// Cost: a read where a host is first met, 64 bytes a host of the last 65,536. Not thread-safe.
#ifndef SPINNERET_FRONTIER_HOST_SIGNALS_H_
#define SPINNERET_FRONTIER_HOST_SIGNALS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontier/keys.h"
#include "frontier/store.h"
#include "frontier/url_row.h"

namespace spinneret::frontier {

class HostSignals {
 public:
  // Borrowed: `store`.
  explicit HostSignals(Store& store) : store_(store) {}

  // Whether a lastmod that is news brings a visit forward.
  bool follows_lastmod(HostId host);
  // Whether a page that was had goes out with its validators.
  bool sends_validators(HostId host);

  // What a visit has found that could be compared with the one before, whose row is `row`.
  struct Found {
    bool changed = false;
    bool not_modified = false;  // by a 304
    std::string_view etag = {}, last_modified = {};
  };
  void learn(HostId host, const UrlRow& row, const Found& found);
  void stage();

 private:
  struct Verdicts {
    std::uint32_t right = 0, wrong = 0;
    void add(bool is_right);
    std::uint32_t all() const { return right + wrong; }
  };
  struct Word {
    Verdicts lastmod, validators;
    std::uint32_t trials = 0;        // lastmods followed before enough were judged
    std::uint32_t not_modified = 0;  // 304s
    bool dirty = false;
  };
  Word& of(HostId host);
  Word& changed(HostId host);

  Store& store_;
  std::unordered_map<HostId, Word> words_;
  std::vector<HostId> dirty_;
  std::string key_, bytes_;
};

}  // namespace spinneret::frontier

#endif  // SPINNERET_FRONTIER_HOST_SIGNALS_H_
