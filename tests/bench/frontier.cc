// SPDX-License-Identifier: Apache-2.0
// The frontier at scale, without network: a synthetic web, an injected clock, RocksDB on a real disk.
//
//   bench-frontier DIR [URLS [HOSTS [BATCH]]]     default 10 M URLs over 100 k hosts, batches of 1,000
//   bench-frontier DIR URLS HOSTS BATCH killed    kills itself once the URLs are put
//   bench-frontier DIR 0                          only opens what is there, say after that, and pops
//
// Phases, each with its rate, CPU and memory; what counts are the ratios to the first:
//   plain    the baseline: the first million URLs as keys of a bare RocksDB, same batches, nothing looked up
//   puts     URLs offered in random host order, committed in batches; a line at 1, 2, 5, 10 ... million, each
//            of what came since the last, so that one run shows how cost and memory grow
//   reopen   the state closed and opened again: its time and memory; what was lately seen is no longer in memory
//   known    a tenth of them, at most 200,000, offered again in the order in which they came
//   again    the same once more
//   links    pages of one host each, with links to 50 known URLs of that host and one new one of another, 20 a batch
//   pops     a half of them, at most a million, sent (every host in turn, as politeness has it), settled and committed
//   reopen   the state opened again: its time and memory
//
// How it grew, beside other work on two cores (load 8 to 17), so that CPU rather than rates is to be compared:
//
//   URLs, hosts      put: CPU of all threads, of its own   memory    pop: its own   bytes a URL   peak
//   1 M, 100 k                  9.5 us         6.0 us      165 MB
//   2 M, 100 k                 13.5            7.6         151           7.9 us        60.7       181 MB
//   5 M, 100 k                 17.8            7.8         168          13.2           50.4       245
//   the same before             15.9            7.1         308          15.1           49.8       500
//   2 M, 1 M (before)          13.4            7.2         756           5.4           55.1       851
//   1 M, 1 M                   10.6            7.2         273
//   5 M, 1 M                   17.2            8.1         401
//   20 M, 1 M                  20.2            8.3         454
//   48 M, 1 M, then kill -9    opened in 174 s, 320 MB                  58.7           56.5       427
//
// Opened after kill -9, 1.8 M URLs over 1 M hosts, in turn at a load of 12: by the rows of hosts and a count of the queues 5.2 s
// of CPU, by the log of hosts 2.0 s, and no more for more URLs.
//
// Killed amid puts at 2.6 M URLs over 1 M hosts (45 MB of log), base and new in turn three times
// at a load of 24: 1.02 s of the thread that opens and 1.54 of all, and .76 and 1.03 since hosts stand in blocks of 256 and are
// asked for some at once; wall 2.1 s and 1.5. What is left: .27 s are RocksDB's recovery, a quarter of the rest new pages of memory.
// At rest, 1.6 M URLs that wait: .39 s and .28.
//
// Later, at a load of 25 to 40, the thread that opens: 1.50 s, and 1.00 since it looks ahead; with 28.8 M URLs
// 1.86 and 1.33. Puts of those, before the queue was flushed by 24 MB: 8.0 us, 12.5, 15.8 (to 5 M), 18.8 (to 10 M), 17.4 (to
// 20 M), of one thread 5.4 to 8.9; 488 MB.
//
// 10 M URLs, 100 k hosts, at a load of 30, with the queue flushed by 8 MB and by 24, in blocks of 16 KB, side by side:
//
//   flushed by   put: to 1 M   to 2 M   to 5 M   to 10 M   known   pop: of all, of one, next   bytes a URL   peak
//         8 MB       7.3 us      9.6     12.7     15.8      11.2     20.5      14.2    7.6        52.3       304 MB
//        24 MB       6.6         7.6      9.5     13.2      11.6     20.7      14.0    7.3        49.7       307
//
// Alone on the machine (load 1 to 2), one after the other: the queue in levels, kUrls' last level in ZSTD, a log of 128 MB; and the
// queue in runs, kUrls in LZ4, a log of 48 MB, and what the next links will look at asked for ahead:
//
//   before       put: to 1 M 4.5 us   to 2 M 5.3   to 5 M 7.3   to 10 M 9.4   known 7.3   again .72   pop 13.5   49.3 bytes   305 MB
//   now                      4.3             5.2          6.0          8.1          5.4         .64       14.8   52.6         299
//
// (Another run of the second gave 12.9 for a pop and 54.8 bytes.)
//
// The same machine and load for both (10), 3 M URLs over 30,000 hosts: before lanes and fingerprints (2d615b09, with a tenth of
// the URLs popped), and with both (a million popped):
//
//   before       put: to 1 M 8.1 us   to 2 M 10.7   to 3 M 15.0   known 28.0              pop 12.3   50.9 bytes   176 MB
//   with both             7.5            10.0           10.5             8.2   again 1.2      16.7   54.1         238
//
// With tables on huge pages and windows of no more bytes than they need, beside the base at a load of 15, 2 M URLs, 100,000 hosts:
// put (own thread, second million) 8.0 -> 7.6 us, pop 14.0 -> 12.3, of all threads 18.1 -> 17.9. Peak, 20,000 hosts: 306 -> 192 MB.
// Nothing gained: 24 files in kUrls' first level (known 7.0 -> 3.8 us until they are merged, links of a page 1.8 -> 2.5), blocks of
// 2 KB there, or of 4 KB unpacked (known 7.0 -> 6.3 us, 49 -> 58 bytes), ZSTD 1 in the queue at once, a faster LZ4 (66 bytes),
// glibc's tcache and mxfast. All of malloc on huge pages (GLIBC_TUNABLES=glibc.malloc.hugetlb=1): put 11.7 -> 10.4, pop 16.9 ->
// 15.9 (own 12.9 -> 10.6), peak +8 %.
//
// With a page that told of many named once, beside the base in the same minutes (load 13 to 20), pops with that page's name:
//
//   before, 3 M, 30 k     put: to 1 M 6.9 us   to 2 M 10.9   to 3 M 8.1   known 7.7   pop 15.9   57.0 bytes   217 MB
//   now                             6.6              7.1          9.1         7.3       12.9     38.9         188
//   before, 2 M, 100 k              8.6             11.9                      7.7       15.8     51.3         262
//   now                             7.5              9.0                      4.8       15.9     43.4         220
//
// Where the time goes, sampled (a million puts and 600,000 pops over 100,000 hosts, load 8 to 10; us a URL):
//
//   put  7.2   memtables 2.3 (kUrls, kQueue: a row each)   log .3   batch, sort .3   looking up 1.0, half of it finding the host
//              admitting .5   host log .4   parsing, staging .5   url and rest of the loop .7   flushes 1.0   merges .2
//   pop 13.6   memtables 1.5 (kUrls, kHosts: a row each; kQueue: a deletion)   log .4   batch, sort 1.0   host rows .5
//              lanes .5   flights .9 out, .9 back   windows .7   row .7   its page's name .9   the rest of next(), settle(), loop 3.1
//              flushes 1.4   merges 2.0 (kHosts most of all: 1.6 older rows dropped a pop)
//   bytes      put: 132 of log, 70 flushed, 45 merged       pop: 259 of log, 86 flushed, 111 merged
//   rows       put: 1.02 in kUrls, 1 in kQueue              pop: 1 in kUrls (124 bytes), 1 in kHosts (69), a deletion; .1 seeks, 2.7 steps
//
// What each is worth, left out in turn three times, of 14.1 us a pop: host rows 2.4, URL rows 2.9, deletions of the queue .4, and
// the set of what is settled and the names of pages nothing that can be told from noise.
//
// Keys by RocksDB's own counters, 2 M URLs over 100,000 hosts (before the row log):
//
//   put    2.06 written (kUrls 1.02, kQueue 1, kMeta .04); 1 looked up, 3.4 filters that say no
//   known  none written; 1 looked up, 4.5 filters, .63 blocks, .04 of them from the disk
//   pop    nothing; with its settling 3.01 written (kUrls 1, kHosts 1, kQueue a deletion), .1 host rows and .04 names of pages
//          read, .1 seeks, 2.7 steps; 1.17 older rows dropped in merges
//
// Since rows of hosts go by batches (row_log.h), and on into kHosts only where no newer one is there, kHosts has no part in a pop
// where hosts go by turns. 1 M URLs over 100,000 hosts, 598,253 pops after a kill, base and this in turn at a load of 17 to 23,
// of all threads and of its own; with four rows a host in the log, and with two:
//
//   base   11.6 us  9.4     11.6  9.3     11.5  9.4     10.4  8.3     11.4  9.2     peak 178 to 183 MB
//   four    9.0     7.8      8.8  7.7      8.8  7.7                                      183 to 185
//   two                                                  8.7  7.6      8.6  7.5          188
//
// 1 M URLs over 632,000 hosts, 602,000 pops, once each: 21.9 us, 15.9 of its own thread; now 15.9, 13.6. Opened then in .51 and
// .45 us of CPU a host; put 8.5 and 8.0; 50.0 and 53.7 bytes a URL, for older pages of the host log wait longer to be merged.
//
// Nothing gained: asking the memory ahead, by turns, for lane, host, play and window of those to come. In turn three times, own
// thread: 8.9, 9.0, 8.4 us, and 8.7, 8.2, 8.9.
//
// With memtables of leaves (leaf_memtable.h) in the place of skip lists, in kUrls and kQueue. 1 M URLs over 100,000 hosts, base
// and this in turn twice at a load of 17 to 22, of all threads and of its own:
//
//   base   plain 2.09 us, 1.90   put 7.05 us, 6.81   own 5.87, 5.70   pop 9.46 us, 10.04   own 7.23, 7.84   peak 197 MB
//   now          1.40     1.52       5.02     5.16       4.01  4.10       8.97      8.08       6.86  6.90        200
//
// Of each link, the host's place, then the host, then its name asked for ahead, and its queue before the link goes there; in turn
// twice at a load of 21 to 31:
//
//   before   put 5.64 us, 5.66   own 4.52, 4.53
//   now          5.38     5.08       4.20  3.96
//
// Rows of hosts that were never asked are not read (host_log.h: blank). In turn three times at a load of 19 to 25, of all threads
// and of its own:
//
//   before   pop 9.22 us, 9.02, 9.06   own 7.11, 6.91, 6.93   next 2.57
//   now          7.01     8.09  7.16       5.90  5.96  5.14        1.80
//
// 1 M URLs over 632,000 hosts, killed once they were put, once each at a load of 16 to 18:
//
//   before   opened in .63 s   pop 16.3 us   own 13.9   next 9.1   peak 279 MB
//   now                .67          8.9           7.1        2.8        280
//
// 10 M URLs over 100,000 hosts, at a load of 26 to 31:
//
//   put: to 1 M 5.4 us   to 2 M 6.8   to 5 M 7.9   to 10 M 9.3   known 10.5   again 1.1   pop 17.6   43.4 bytes   290 MB
//
// The rows of a million hosts had larger memtables than the code has now. Alone on the machine: 1 M, 100 k: 10.9 us, 7.0 us,
// 169 MB; pops 7.0 us; 140,000 of either a second.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "frontier/frontier.h"
#include "frontier/rocks_store.h"

namespace {

using namespace spinneret;
using namespace spinneret::frontier;

std::uint64_t mix(std::uint64_t z) {
  z = (z + 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 29) * 0x94D049BB133111EBU;
  return z ^ z >> 32;
}

// Paths as sites have them: a few folders, a slug, about 40 bytes.
std::string url_of(std::uint64_t number, std::uint64_t hosts) {
  const std::uint64_t random = mix(number);
  const std::uint64_t host = random % hosts;
  char text[160];
  std::snprintf(
      text, sizeof text,
      "https://www.site-%06llu.example/section-%llu/article-%llu-about-thing-%llu.html",
      static_cast<unsigned long long>(host), static_cast<unsigned long long>(random >> 40 & 15),
      static_cast<unsigned long long>(number), static_cast<unsigned long long>(random >> 50 & 255));
  return text;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}
// Of this thread alone, without RocksDB's: what bounds the rate where a second core is free.
double own_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}
double rss_mb() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

struct Phase {
  const char* name;
  double wall = seconds();
  double cpu = cpu_seconds();
  double own = own_seconds();
  // Runs what the phase does not count: making up what it is given.
  template <typename Work>
  void leave_out(Work work) {
    const double wall_before = seconds();
    const double own_before = own_seconds();
    work();
    const double spent = own_seconds() - own_before;
    wall += seconds() - wall_before;
    cpu += spent;
    own += spent;
  }
  void end(std::uint64_t count) const {
    const double took = seconds() - wall;
    const double each = 1e6 / static_cast<double>(count);
    std::printf(
        "%-8s %10llu in %7.2f s  %9.0f/s  cpu %6.2f us each, of one thread %6.2f  rss %6.1f MB\n",
        name, static_cast<unsigned long long>(count), took, static_cast<double>(count) / took,
        (cpu_seconds() - cpu) * each, (own_seconds() - own) * each, rss_mb());
    std::fflush(stdout);
  }
};

void die(const std::string& message) {
  std::fprintf(stderr, "bench-frontier: %s\n", message.c_str());
  std::exit(2);
}
void check(const Status& status) {
  if (!status.ok()) die(status.message());
}

// 1, 2, 5, 10, 20 ... million.
bool is_milestone(std::uint64_t count) {
  if (count % 1'000'000 != 0) return false;
  std::uint64_t lead = count / 1'000'000;
  while (lead % 10 == 0) lead /= 10;
  return lead == 1 || lead == 2 || lead == 5;
}

// As pages link: fifty to their own host, to what it has in its frames, and one elsewhere.
std::string framed_url(std::uint64_t host, std::uint64_t number) {
  char text[160];
  std::snprintf(text, sizeof text, "https://www.site-%06llu.example/section-%llu/frame-%llu.html",
                static_cast<unsigned long long>(host), static_cast<unsigned long long>(number % 8),
                static_cast<unsigned long long>(number));
  return text;
}

void bench_plain(const std::string& path, std::uint64_t urls, std::uint64_t hosts,
                 std::uint64_t batch) {
  std::filesystem::remove_all(path);
  {
    Result<std::unique_ptr<Store>> store = open_rocks_store(path, {});
    if (!store.ok()) die(store.message());
    const std::string row(30, 'x');
    Phase plain{"plain"};
    std::vector<std::string> keys;
    for (std::uint64_t i = 0; i < urls; i += keys.size()) {
      keys.clear();
      plain.leave_out([&] {
        for (std::uint64_t k = i; k < std::min(i + batch, urls); ++k)
          keys.push_back(url_of(k, hosts));
      });
      for (const std::string& key : keys) (*store)->put(Table::kUrls, key, row);
      check((*store)->commit());
    }
    check((*store)->commit());
    plain.end(urls);
  }
  std::filesystem::remove_all(path);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* kUsage =
      "usage: bench-frontier DIR [URLS [HOSTS [BATCH [killed]]]]\n"
      "DIR is removed first, but where URLS is 0: then what is there is opened, and a part of it "
      "popped. With the word \"killed\" it kills itself once all are put.";
  if (argc == 2 && std::string_view(argv[1]) == "--help") return std::puts(kUsage) < 0 ? 2 : 0;
  if (argc < 2 || argv[1][0] == '-') die(kUsage);
  const std::string path = argv[1];
  const std::uint64_t urls = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000'000;
  const std::uint64_t hosts = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 100'000;
  const std::uint64_t batch = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1000;
  if (urls != 0) {
    bench_plain(path + ".plain", std::min<std::uint64_t>(urls, 1'000'000), hosts, batch);
    std::filesystem::remove_all(path);
  }
  std::optional<Phase> open_phase(Phase{"open"});
  Result<std::unique_ptr<Store>> store = open_rocks_store(path, {});
  if (!store.ok()) die(store.message());
  FakeClock clock;
  Options options;
  options.in_flight = 10'000;
  options.politeness.factor_percent = 0;
  Result<std::unique_ptr<Frontier>> opened = Frontier::open(**store, clock, options);
  if (!opened.ok()) die(opened.message());
  std::unique_ptr<Frontier> frontier = opened.take();
  if (urls == 0) open_phase->end(frontier->statistics().hosts);
  const auto reopen = [&] {
    check(frontier->close());
    frontier.reset();
    store->reset();
    const Phase phase{"reopen"};
    store = open_rocks_store(path, {});
    if (!store.ok()) die(store.message());
    opened = Frontier::open(**store, clock, options);
    if (!opened.ok()) die(opened.message());
    frontier = opened.take();
    phase.end(frontier->statistics().hosts);
  };
  const auto commit = [&] {
    frontier->seal();
    check(frontier->commit());
  };

  const auto offer = [&](const char* name, std::uint64_t begin, std::uint64_t end) {
    std::optional<Phase> phase(Phase{name});
    std::uint64_t since = begin;
    std::vector<std::pair<std::string, std::string>> links;
    for (std::uint64_t i = begin; i < end; i += links.size()) {
      links.clear();
      phase->leave_out([&] {
        for (std::uint64_t k = i; k < std::min(i + batch, end); ++k) {
          links.emplace_back(url_of(k, hosts), url_of(k / 50, hosts));  // fifty links a page
        }
      });
      for (const auto& [url, via] : links) frontier->offer({.url = url, .depth = 3, .via = via});
      commit();
      const std::uint64_t done = i + links.size();
      if (done != end && (begin != 0 || !is_milestone(done))) continue;
      phase->end(done - since);
      phase.emplace(Phase{name});
      since = done;
    }
  };
  // `framed` hosts, far apart, have 50 URLs each that are offered among the first.
  constexpr std::uint64_t kFrame = 50;
  const std::uint64_t framed = std::min<std::uint64_t>(hosts, 4000);
  const auto offer_frames = [&](bool new_links) {
    for (std::uint64_t page = 0; page < framed; ++page) {
      const std::uint64_t host = mix(page * hosts / framed) % hosts;
      const std::string via = framed_url(host, 0);
      for (std::uint64_t i = 0; i < kFrame; ++i)
        frontier->offer({.url = framed_url(host, i), .depth = 3, .via = via});
      if (new_links) frontier->offer({.url = url_of(urls + page, hosts), .depth = 3, .via = via});
      if (page % 20 == 19) commit();
    }
    commit();
  };
  if (urls != 0) {
    offer_frames(false);
    offer("puts", 0, urls);
    if (argc > 5) std::raise(SIGKILL);
    (*store)->settle_down();
    reopen();
    const std::uint64_t known = std::min<std::uint64_t>(urls / 10, 200'000);
    offer("known", urls / 2, urls / 2 + known);
    offer("again", urls / 2, urls / 2 + known);
    reopen();
    for (const char* name : {"links", "links"}) {
      const Phase links{name};
      offer_frames(true);
      links.end(framed * (kFrame + 1));
    }
  }
  (*store)->settle_down();
  const std::uint64_t waiting = frontier->statistics().all.waiting;
  std::printf("disk     %.1f bytes a URL\n",
              static_cast<double>((*store)->bytes_on_disk()) / static_cast<double>(waiting));

  const Phase pops{"pops"};
  const std::uint64_t wanted = std::min<std::uint64_t>(waiting / 2, 1'000'000);
  std::uint64_t popped = 0;
  Dispatch out;
  std::deque<std::string> flying;
  double next_s = 0;
  double marks_s = 0;
  while (popped < wanted) {
    const double begin = own_seconds();
    while (flying.size() < batch && frontier->next(out)) flying.push_back(out.url);
    const double sent = own_seconds();
    check(frontier->commit_flights());
    next_s += sent - begin;
    marks_s += own_seconds() - sent;
    if (flying.empty()) {
      const std::int64_t wait = frontier->wait_ms();
      if (wait == INT64_MAX) die("nothing left to pop");
      clock.advance_ms(std::max<std::int64_t>(wait, 1));
      check(frontier->commit());
      continue;
    }
    for (const std::string& url : flying) {
      frontier->settle({.url = url,
                        .outcome = Outcome::kOk,
                        .status = 200,
                        .time_ms = 50,
                        .digest = "00112233445566778899aabbccddeeff"});
      ++popped;
    }
    flying.clear();
    check(frontier->commit());
  }
  pops.end(popped);
  std::printf("         of which next %.2f us, marking %.2f us each\n",
              next_s * 1e6 / static_cast<double>(popped),
              marks_s * 1e6 / static_cast<double>(popped));
  reopen();
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  std::printf("peak     %.1f MB\n", static_cast<double>(use.ru_maxrss) / 1e3);
}
