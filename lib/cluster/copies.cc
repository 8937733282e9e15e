// SPDX-License-Identifier: Apache-2.0
#include "cluster/copies.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/number.h"
#include "cluster/begun.h"
#include "frontier/encode.h"
#include "frontier/host_row.h"
#include "frontier/meta.h"
#include "frontier/rocks_store.h"

namespace spinneret::cluster {
namespace {

namespace fs = std::filesystem;

// The newest copy, and the one that acks name.
constexpr std::size_t kKeptCopies = 2;
// A copy for which others wait begins no sooner after the beginning of the one before than this,
// plus ten times what that one took; a failed one counts as having taken some seconds.
constexpr std::int64_t kSoonestMs = 1000, kAfterFailureMs = 6000;
constexpr std::size_t kHostsARow = 10'000;

std::vector<CopyName> parse_manifest(std::uint32_t partition, std::string_view text) {
  std::vector<CopyName> out;
  while (!text.empty()) {
    if (const auto copy = parse_copy(partition, cut(text, ' '))) out.push_back(*copy);
  }
  return out;
}

// Returns the partition's copies in the place, newest first.
Result<std::vector<CopyName>> listed(CopyPlace& place, std::uint32_t partition) {
  std::vector<std::string> names;
  if (const Status done = place.list(names); !done.ok()) return done.error();
  std::vector<CopyName> out;
  for (const std::string& name : names) {
    if (const auto copy = parse_copy(partition, name)) out.push_back(*copy);
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

// Returns the mark of the state in a folder. A state may not know yet that it is `goes_by`, the one
// that the crawl goes by.
std::optional<StateMark> mark_in(const std::string& db, const std::optional<std::string>& goes_by) {
  std::error_code code;
  if (!fs::exists(db, code)) return {};
  Result<std::unique_ptr<frontier::Store>> store =
      frontier::open_rocks_store(db, {.read_only = true, .partition = true});
  if (!store.ok()) return {};
  std::optional<StateMark> mark = read_mark(**store);
  std::string claim;
  if (!mark && (*store)->get(frontier::Table::kMeta, kClaimKey, claim) && claim == goes_by)
    mark = StateMark{claim};
  return mark;
}

// Returns the copies that the engine names, newest first. Newer ones in the place come before them:
// the engine never heard of those, has forgotten them, or was restored from a time before them.
Result<std::vector<CopyName>> known_copies(CopyPlace& place, lease::Leases& leases,
                                           std::uint32_t partition) {
  const Result<lease::Rows> manifests = leases.read(kCopiesTable);
  if (!manifests.ok()) return manifests.error();
  std::vector<CopyName> copies;
  const auto row = manifests->find(partition_name(partition));
  if (row != manifests->end()) copies = parse_manifest(partition, row->second);
  Result<std::vector<CopyName>> there = listed(place, partition);
  if (!there.ok()) return copies.empty() ? there : Result(std::move(copies));
  if (copies.empty()) return there;
  const auto newer = std::find_if(there->begin(), there->end(),
                                  [&](const CopyName& copy) { return copy <= copies.front(); });
  copies.insert(copies.begin(), there->begin(), newer);
  return copies;
}

// Reads the copy as a scheduler that crawls on it would, and marks it.
Status prepare(const std::string& db) {
  std::error_code code;
  if (!fs::exists(db + "/CURRENT", code)) return Error{"there is no state in it"};
  Result<std::unique_ptr<frontier::Store>> store =
      frontier::open_rocks_store(db, {.partition = true});
  if (!store.ok()) return store.error();
  if (!read_mark(**store)) return Error{"it is not of a partition"};
  if (const Status whole = (*store)->verify(); !whole.ok()) return whole;
  return begin_elsewhere(**store);
}

Status fetch_copy(CopyPlace& place, const std::string& name, const std::string& folder) {
  std::error_code code;
  const std::string fresh = folder + "/restored.new";
  fs::remove_all(fresh, code);
  if (const Status got = place.get(name, fresh); !got.ok()) return got;
  if (const Status ready = prepare(fresh + "/db"); !ready.ok()) return ready;
  const std::string db = folder + "/db", old = folder + "/db.old";
  if (fs::exists(db, code)) {
    fs::remove_all(old, code);
    fs::rename(db, old, code);
    if (code) return Error{"cannot put " + db + " aside: " + code.message()};
  }
  fs::rename(fresh + "/db", db, code);
  if (code) return Error{"cannot move " + fresh + "/db to " + db + ": " + code.message()};
  fs::remove_all(fresh, code);
  return {};
}

}  // namespace

std::string format_copy(std::uint32_t partition, const CopyName& copy) {
  std::string out = partition_name(partition) + '-';
  append_unsigned(out, copy.epoch);
  out += '-';
  append_unsigned(out, copy.number);
  return out;
}

std::optional<CopyName> parse_copy(std::uint32_t partition, std::string_view text) {
  if (cut(text, '-') != partition_name(partition)) return {};
  const auto epoch = parse_unsigned(cut(text, '-'));
  const auto number = parse_unsigned(text);
  if (!epoch || !number || *epoch >= lease::kEpochLimit || *number >= lease::kEpochLimit) return {};
  return CopyName{*epoch, *number};
}

// --- shipping ------------------------------------------------------------------------------------

Status Shipping::open(lease::Leases& leases) {
  const Result<lease::Rows> rows = leases.read(kCopiesTable);
  if (!rows.ok()) return rows.error();
  if (const auto row = rows->find(partition_name(partition_)); row != rows->end()) {
    row_ = row->second;
    kept_ = parse_manifest(partition_, *row_);
  }
  for (const CopyName& copy : kept_) number_ = std::max(number_, copy.number);
  return {};
}

// Drops copies that earlier owners put and did not finish. They cost space only.
void Shipping::sweep() {
  swept_ = true;
  const Result<std::vector<CopyName>> all = listed(place_, partition_);
  if (!all.ok()) return;
  for (const CopyName& copy : *all) {
    if (copy < kept_.back()) static_cast<void>(place_.drop(format_copy(partition_, copy)).ok());
  }
}

// Whether a copy is due. The first one is made at once: a partition whose disk dies before there is
// any needs an order to begin anew.
bool Shipping::due(Call call, std::int64_t now_ms) const {
  if (busy()) return false;
  return call == Call::kByTime || (kept_.empty() && number_ == 0) ||
         (call == Call::kWanted && now_ms - begun_ms_ >= kSoonestMs + 10 * took_ms_);
}

Status Shipping::begin(const std::string& folder, std::uint64_t epoch, Receiver& receiver,
                       std::int64_t now_ms) {
  present_ = {epoch, ++number_};
  begun_ms_ = now_ms;
  if (const Status begun = place_.begin_put(folder, format_copy(partition_, present_)); !begun.ok())
    return begun;
  receiver.copy_begins(number_);
  busy_ = true;
  return {};
}

Result<bool> Shipping::go_on(Receiver& receiver, lease::Leases& leases, const lease::Lease& lease,
                             std::int64_t now_ms) {
  if (busy_) {
    const std::optional<Status> ended = place_.put_ended();
    if (!ended) return true;
    busy_ = false;
    took_ms_ = now_ms - begun_ms_;
    if (!ended->ok()) {
      took_ms_ = std::max(took_ms_, kAfterFailureMs);
      return ended->error();
    }
    shipped_ = true;
  }
  if (!shipped_) return true;
  std::vector<CopyName> kept = kept_;
  kept.insert(kept.begin(), present_);
  std::string row;
  for (std::size_t i = 0; i < std::min(kept.size(), kKeptCopies); ++i)
    row += (i == 0 ? "" : " ") + format_copy(partition_, kept[i]);
  const Result<bool> done =
      leases.compare_and_set(lease, kCopiesTable, partition_name(partition_), row_, row);
  if (!done.ok()) return done;
  shipped_ = false;
  if (!*done) return false;
  row_ = row;
  receiver.copy_shipped(present_.number);
  while (kept.size() > kKeptCopies) {
    static_cast<void>(place_.drop(format_copy(partition_, kept.back())).ok());
    kept.pop_back();
  }
  kept_ = std::move(kept);
  if (!swept_ && kept_.size() == kKeptCopies && kept_.back().epoch == present_.epoch) sweep();
  return true;
}

// --- beginning from one --------------------------------------------------------------------------

std::optional<StateMark> read_mark(frontier::Store& store) {
  StateMark mark;
  if (!store.get(frontier::Table::kMeta, kStateKey, mark.id)) return {};
  std::string row;
  if (store.get(frontier::Table::kOutbox, "e", row)) {
    frontier::Decoder in{row};
    in.varint();  // version
    mark.epoch = in.varint();
  }
  return mark;
}

std::string name_state(frontier::Store& store, std::string_view key) {
  std::string id;
  if (store.get(frontier::Table::kMeta, key, id)) return id;
  id = to_hex(Hash128{random_seed(), random_seed()});
  store.put(frontier::Table::kMeta, key, id);
  return id;
}

Status begin_elsewhere(frontier::Store& store) {
  using frontier::Table;
  const Result<frontier::Meta> meta = frontier::read_meta(store);
  if (!meta.ok()) return meta.error();
  // Marks all hosts as after a kill with something in flight everywhere.
  std::uint64_t row = meta->flying_rows;
  std::vector<frontier::HostId> hosts;
  const auto put_hosts = [&] {
    if (hosts.empty()) return;
    store.put(Table::kMeta, frontier::flying_key(row++), frontier::encode_ids(hosts));
    hosts.clear();
  };
  const std::unique_ptr<frontier::Cursor> at = store.scan(Table::kHosts);
  frontier::HostRow host;
  for (at->seek({}); at->valid(); at->next()) {
    if (!frontier::decode_host_row(at->value(), host))
      return Error{"the row of host " + std::string(at->key()) + " is damaged"};
    hosts.push_back(host.id);
    if (hosts.size() == kHostsARow) put_hosts();
  }
  put_hosts();
  std::string boot;
  if (store.get(Table::kMeta, frontier::kBootKey, boot)) {
    frontier::Decoder in{boot};
    in.bytes();
    std::string none;
    frontier::put_bytes(none, {});
    store.put(Table::kMeta, frontier::kBootKey, none + std::string(in.rest));
  }
  store.put(Table::kMeta, kStateKey, to_hex(Hash128{random_seed(), random_seed()}));
  if (const Status done = store.commit(); !done.ok()) return done;
  return store.sync();
}

Result<Restored> restore(CopyPlace& place, lease::Leases& leases, std::uint32_t partition,
                         const std::string& folder,
                         const std::function<void(const std::string&)>& say) {
  const std::string name = partition_name(partition),
                    who = "partition " + std::to_string(partition);
  const Result<lease::Rows> states = leases.read(kStates);
  if (!states.ok()) return states.error();
  Restored out;
  if (const auto row = states->find(name); row != states->end()) out.replaces = row->second;
  const std::optional<StateMark> local = mark_in(folder + "/db", out.replaces);
  const bool is_here = local && local->id == out.replaces;
  std::vector<CopyName> copies;
  if (out.replaces != kAnew) {
    Result<std::vector<CopyName>> known = known_copies(place, leases, partition);
    if (!known.ok() && !is_here) return known.error();
    if (known.ok()) copies = known.take();
  }
  // Unless another node has had it since, of which a restored engine knows nothing.
  if (is_here && (local->epoch == 0 || copies.empty() || copies.front().epoch <= local->epoch))
    return Restored{};
  out.elsewhere = out.replaces || local || !copies.empty();
  for (const CopyName& copy : copies) {
    if (local && local->epoch >= copy.epoch) break;
    out.from = format_copy(partition, copy);
    const Status got = fetch_copy(place, out.from, folder);
    if (got.ok()) {
      say(who + " goes on from its copy " + out.from);
      return out;
    }
    say(who + ": the copy " + out.from + " cannot be read: " + got.message());
    // To begin anew would lose links that others believe are kept.
    if (&copy == &copies.back())
      return Error{who + ": no copy of its state can be read; mend them, or what brings them here" +
                   anew_words(partition)};
  }
  out.from.clear();
  if (!out.elsewhere) return out;
  if (!local && out.replaces != kAnew)
    return Error{who + " has its state elsewhere, and no copy of it is to be found: see to the " +
                 "place of the copies, or bring its folder here" + anew_words(partition)};
  if (!local) {
    say(who + " begins anew, as it was told to");
    return out;
  }
  say(who + " goes on from the state that is here, older than what another machine had");
  Result<std::unique_ptr<frontier::Store>> store =
      frontier::open_rocks_store(folder + "/db", {.partition = true});
  if (!store.ok()) return store.error();
  if (const Status marked = begin_elsewhere(**store); !marked.ok()) return marked.error();
  return out;
}

}  // namespace spinneret::cluster
