// SPDX-License-Identifier: Apache-2.0
// How far a host's claims about its pages are believed, learned from what its visits find.
//
//   the host says            judged by                        believed
//   it has changed: a        its next visit, brought forward  four times on trial, then while at
//   lastmod after the last   or not                           least half of the claims were true
//   visit
//   it is as it was: a 304   bodies that came all the same    while at most an eighth of the
//                            with the same validator          judged claims were untrue
//
// Some sites write today's date beside every page, which would spend all visits of a budget on
// them; some give an ETag that stays when the page changes, which would keep the old copy for ever.
// A strong ETag counts, and Last-Modified where there is no ETag; a weak ETag claims less than the
// same bytes. Of a host that is believed, a body is requested after 16, 32, 64, ... 304s, to judge
// by. Old verdicts fade, so that a host which improves is believed again: visits that come anyway
// judge its next lastmods, and without validators every visit judges these.
//
//   kMeta  "signals:" + host id (4)   counts of 304s and of four verdicts, in the caller's batch
//
// Cost: a read where a host is first met; 64 bytes for each of the last 65,536 hosts. Not
// thread-safe.
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
  // Borrows `store`.
  explicit HostSignals(Store& store) : store_(store) {}

  // Whether a newer lastmod brings a visit forward.
  bool follows_lastmod(HostId host);
  // Whether a page that was fetched before is requested with its validators.
  bool sends_validators(HostId host);

  // What a visit has found, where it could be compared with the one before, whose row is `row`.
  struct Found {
    bool changed = false;
    bool not_modified = false;  // the answer was a 304
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
