// SPDX-License-Identifier: Apache-2.0
// The scan over 64 bytes at a time, by masks whose bit i stands for byte i. This file is included
// once for each instruction set, which defines Block and SPINNERET_SCAN_TARGET; everything here
// must carry the same target attribute to be inlined. The functions that run for every line are
// forced inline: two functions use them, and with calls the scan had four fifths of its speed.

// Returns the masks of the 64 bytes at `at`: stop bytes; '/', '.', '%'; bytes that are in no plain
// host name.
//   SPINNERET_SCAN_TARGET static Masks masks(const Tables&, const char* at);

// Returns whether an escape or a dot segment among the bytes of `within` needs a closer look.
// `slash_before` says whether the byte before the block is a '/'.
SPINNERET_SCAN_TARGET inline bool needs_look(const ScanRules& rules, const Masks& m,
                                             std::uint64_t within, std::uint64_t slash_before,
                                             const char* at, const char* end) {
  const std::uint64_t behind_slash = m.slash << 1 | slash_before;
  if ((behind_slash & m.slash & within & rules.double_slashes) != 0) return true;
  if (rules.escapes == ScanRules::Escapes::kAny) {
    return (behind_slash & (m.dot | m.percent) & within) != 0;
  }
  if ((behind_slash & m.dot & within) != 0) return true;
  for (std::uint64_t escapes = m.percent & within; escapes != 0; escapes &= escapes - 1) {
    if (!is_normal_escape(at + std::countr_zero(escapes), end)) return true;
  }
  return false;
}

// Returns the byte that stops a path, searching from `at` in whole blocks of 64 bytes; nullptr
// where no byte of these blocks stops it, or where the path needs a closer look.
[[gnu::always_inline]] SPINNERET_SCAN_TARGET inline const char* find_late_stop(
    const ScanRules& rules, const Tables& tables, const char* at, const char* end,
    std::uint64_t slash_before) {
  while (end - at >= 64) {
    const Masks m = masks(tables, at);
    const std::uint64_t within = m.stop == 0 ? ~std::uint64_t{0} : (m.stop & (~m.stop + 1)) - 1;
    if (needs_look(rules, m, within, slash_before, at, end)) return nullptr;
    if (m.stop != 0) return at + std::countr_zero(m.stop);
    slash_before = m.slash >> 63;
    at += 64;
  }
  return nullptr;
}

// Returns the byte that stops the line at `at`, where at least 64 bytes can be read; nullptr where
// no whole block contains such a byte, or where the line needs a closer look. Sets the length of
// "http[s]://" and the offset of the slash after the host.
[[gnu::always_inline]] SPINNERET_SCAN_TARGET inline const char* find_stop(
    const ScanRules& rules, const Tables& tables, const char* at, const char* end,
    std::size_t& prefix, unsigned& slash) {
  prefix = prefix_length(at);
  if (prefix == 0) return nullptr;
  const Masks m = masks(tables, at);
  const std::uint64_t behind_prefix = ~std::uint64_t{0} << prefix;
  const std::uint64_t host_end = m.no_host & behind_prefix;
  if (host_end == 0) return nullptr;
  slash = static_cast<unsigned>(std::countr_zero(host_end));
  const std::uint64_t before_slash = (host_end & (~host_end + 1)) - 1;
  const std::uint64_t dots = m.dot & behind_prefix & before_slash;
  const auto label = dots == 0 ? prefix : 64 - static_cast<unsigned>(std::countl_zero(dots));
  if (at[slash] != '/' || !is_lower(at[label])) return nullptr;
  const std::uint64_t within = m.stop == 0 ? ~std::uint64_t{0} : (m.stop & (~m.stop + 1)) - 1;
  if (needs_look(rules, m, within & ~before_slash, 0, at, end)) return nullptr;
  if (m.stop != 0) return at + std::countr_zero(m.stop);
  return find_late_stop(rules, tables, at + 64, end, m.slash >> 63);
}

SPINNERET_SCAN_TARGET std::size_t SPINNERET_SCAN_NAME(scan)(const ScanRules& rules,
                                                            std::string_view run,
                                                            std::uint64_t& lines) {
  const Tables tables = make_tables(rules);
  const char* at = run.data();
  const char* const end = at + run.size();
  std::uint64_t count = 0;
  while (end - at >= 64) {
    std::size_t prefix;
    unsigned slash;
    const char* const stop = find_stop(rules, tables, at, end, prefix, slash);
    if (stop == nullptr) break;
    const char* const next = *stop == rules.terminator ? stop + 1 : line_end(rules, stop, end);
    if (next == nullptr) break;
    at = next;
    ++count;
  }
  lines += count;
  const auto done = static_cast<std::size_t>(at - run.data());
  // The last lines of the run, too short for a block, are left to the portable scan.
  return end - at >= 64 ? done : done + scan_portable(rules, run.substr(done), lines);
}

SPINNERET_SCAN_TARGET bool SPINNERET_SCAN_NAME(find)(const ScanRules& rules, std::string_view run,
                                                     PlainSpan& span) {
  if (run.size() < 64) return find_portable(rules, run, span);
  unsigned slash = 0;
  const char* const stop =
      find_stop(rules, make_tables(rules), run.data(), run.data() + run.size(), span.host, slash);
  if (stop == nullptr) return false;
  span.path = slash;
  span.stop = static_cast<std::size_t>(stop - run.data());
  return true;
}
