// SPDX-License-Identifier: Apache-2.0
// Fingerprints go to 256 parts by their first byte, each through a buffer of its own. Then one part
// after another goes through a table, which gives a bit for each key. Then the bits are drawn from
// the parts in the order of the keys.
//
//   parts   one file   [ chunk of part 7 | of 31 | of 7 | ... ]    16 bytes a key, 8 with --bits=64
//   order   one file   [ 7 31 7 200 ... ]                          the part of each key: a byte
//   bits    one file   [ part 0 | part 1 | ... ]                   whether it was the first: a bit
//
// A part that has too many distinct keys for memory is divided into parts again. Fingerprints are
// rotated left by a byte each time, so that the bits in which they differ are in front for the
// table.
//
// Sequence numbers beside the keys, in place of the order of parts, were tried: a third more to
// write.
#include "dedupe/later_set.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "dedupe/fingerprint_table.h"
#include "dedupe/temporary_file.h"

namespace spinneret::dedupe {
namespace {

constexpr std::size_t kParts = 256;

// Reads a BlockFile from one place to another, byte by byte.
class ByteCursor {
 public:
  ByteCursor() = default;
  ByteCursor(const BlockFile& file, std::uint64_t at, std::uint64_t end)
      : file_(&file), at_(at), end_(end) {}
  // Returns the next byte; 0 behind the end and on errors.
  unsigned char next() {
    if (used_ == buffer_.size() && !fill()) return 0;
    return static_cast<unsigned char>(buffer_[used_++]);
  }
  const Status& status() const { return status_; }

 private:
  bool fill() {
    if (at_ == end_ || !status_.ok()) return false;
    const std::uint64_t number = at_ / file_->block();
    const std::uint64_t begin = number * file_->block();
    buffer_.resize(file_->length(number));
    status_ = file_->read(number, buffer_.data());
    used_ = static_cast<std::size_t>(at_ - begin);
    at_ = std::min(end_, begin + buffer_.size());
    buffer_.resize(status_.ok() ? static_cast<std::size_t>(at_ - begin) : used_);
    return status_.ok();
  }

  const BlockFile* file_ = nullptr;
  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
  std::string buffer_;
  std::size_t used_ = 0;
  Status status_;
};

template <typename F>
class PartedKeys {
 public:
  PartedKeys(std::uint64_t memory, std::string folder)
      : memory_(memory),
        folder_(std::move(folder)),
        chunk_keys_(std::clamp<std::uint64_t>(memory / 4 / kParts, 4096, 1 << 20) / sizeof(F)),
        buffers_(std::make_unique_for_overwrite<F[]>(kParts * chunk_keys_)),
        chunks_(chunk_keys_ * sizeof(F)) {}

  Status open() {
    if (Status opened = chunks_.open(folder_); !opened.ok()) return opened;
    if (Status opened = order_.open(folder_); !opened.ok()) return opened;
    return bits_.open(folder_);
  }

  Status add(std::span<const F> keys) {
    std::array<char, kPiece> order;
    while (!keys.empty()) {
      const std::size_t some = std::min(keys.size(), order.size());
      for (std::size_t i = 0; i < some; ++i) {
        const std::size_t number = keys[i].high >> 56;
        order[i] = static_cast<char>(number);
        Part& part = parts_[number];
        F turned = keys[i];
        turned.high = std::rotl(turned.high, 8);
        buffers_[number * chunk_keys_ + part.buffered] = turned;
        if (++part.buffered != chunk_keys_) continue;
        if (Status written = write_chunk(number); !written.ok()) return written;
      }
      order_.append({order.data(), some});
      keys = keys.subspan(some);
    }
    return {};
  }

  Status close() {
    if (Status done = order_.finish(); !done.ok()) return done;
    for (std::size_t number = 0; number < kParts; ++number) {
      starts_[number] = bits_.size();
      if (Status judged = judge(number); !judged.ok()) return judged;
    }
    buffers_.reset();
    chunks_ = BlockFile(0);
    if (Status done = bits_.finish(); !done.ok()) return done;
    for (std::size_t number = 0; number < kParts; ++number) {
      const std::uint64_t end = number + 1 < kParts ? starts_[number + 1] : bits_.size();
      draws_[number].bytes = ByteCursor(bits_, starts_[number], end);
    }
    drawn_ = ByteCursor(order_, 0, order_.size());
    return {};
  }

  Status next(std::size_t count, bool* fresh) {
    for (std::size_t i = 0; i < count; ++i) {
      Draw& draw = draws_[drawn_.next()];
      if (draw.left == 0) {
        draw.byte = draw.bytes.next();
        draw.left = 8;
        if (!draw.bytes.status().ok()) return draw.bytes.status();
      }
      fresh[i] = (draw.byte & 1) != 0;
      draw.byte = static_cast<unsigned char>(draw.byte >> 1);
      --draw.left;
    }
    return drawn_.status();
  }

 private:
  static constexpr std::size_t kPiece = 1024;
  static constexpr std::size_t kOrderBlock = std::size_t{256} << 10;
  // Each part reads one such block at a time.
  static constexpr std::size_t kBitsBlock = std::size_t{16} << 10;
  struct Part {
    std::vector<std::uint64_t> chunks;  // the numbers of its blocks in chunks_
    std::size_t buffered = 0;  // number of keys in the part's buffer, which follow the chunks
  };
  struct Draw {
    ByteCursor bytes;
    unsigned char byte = 0;
    unsigned left = 0;
  };

  // Writes bits in the order in which next() reads them: the first is the lowest of its byte.
  class BitWriter {
   public:
    explicit BitWriter(BlockFile& out) : out_(out) {}
    void add(const bool* bits, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        byte_ = static_cast<unsigned char>(byte_ | bits[i] << held_);
        if (++held_ == 8) flush();
      }
    }
    void flush() {
      if (held_ == 0) return;
      const char byte = static_cast<char>(byte_);
      out_.append({&byte, 1});
      byte_ = 0;
      held_ = 0;
    }

   private:
    BlockFile& out_;
    unsigned char byte_ = 0;
    unsigned held_ = 0;
  };

  Status write_chunk(std::size_t number) {
    Part& part = parts_[number];
    const F* const keys = &buffers_[number * chunk_keys_];
    part.chunks.push_back(chunks_.blocks());
    chunks_.append({reinterpret_cast<const char*>(keys), part.buffered * sizeof(F)});
    part.buffered = 0;
    return chunks_.status();
  }

  // Calls visit(keys) for all keys of a part, in order; ends at a Status that is not ok.
  template <typename Visit>
  Status each_key(std::size_t number, const Visit& visit) {
    const Part& part = parts_[number];
    std::vector<F> keys(part.chunks.empty() ? 0 : chunk_keys_);
    for (const std::uint64_t chunk : part.chunks) {
      if (Status read = chunks_.read(chunk, keys.data()); !read.ok()) return read;
      if (Status done = visit(std::span<const F>(keys)); !done.ok()) return done;
    }
    return visit(std::span<const F>(&buffers_[number * chunk_keys_], part.buffered));
  }

  Status judge(std::size_t number) {
    const std::uint64_t room = memory_ - memory_ / 4;
    FingerprintTable<F> table;
    std::vector<bool> verdicts;  // written only when all are known
    std::array<bool, kPiece> fresh;
    bool fits = true;
    Status read = each_key(number, [&](std::span<const F> keys) {
      for (; fits && !keys.empty(); fits = table.bytes() <= room) {
        const std::span<const F> some = keys.first(std::min(keys.size(), fresh.size()));
        table.insert_batch(some, fresh.data());
        verdicts.insert(verdicts.end(), fresh.begin(), fresh.begin() + some.size());
        keys = keys.subspan(some.size());
      }
      return Status();
    });
    if (!read.ok()) return read;
    BitWriter bits(bits_);
    if (!fits) {
      table.clear();
      verdicts = {};
      return judge_in_parts(number, bits);
    }
    for (const bool verdict : verdicts) bits.add(&verdict, 1);
    bits.flush();
    return {};
  }

  Status judge_in_parts(std::size_t number, BitWriter& bits) {
    PartedKeys parted(memory_ - memory_ / 4, folder_);
    if (Status opened = parted.open(); !opened.ok()) return opened;
    std::uint64_t left = 0;
    Status read = each_key(number, [&](std::span<const F> keys) {
      left += keys.size();
      return parted.add(keys);
    });
    if (!read.ok()) return read;
    if (Status closed = parted.close(); !closed.ok()) return closed;
    std::array<bool, kPiece> fresh;
    while (left != 0) {
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left, fresh.size()));
      if (Status drawn = parted.next(some, fresh.data()); !drawn.ok()) return drawn;
      bits.add(fresh.data(), some);
      left -= some;
    }
    bits.flush();
    return {};
  }

  std::uint64_t memory_;
  std::string folder_;
  std::size_t chunk_keys_;
  std::unique_ptr<F[]> buffers_;
  std::array<Part, kParts> parts_;
  BlockFile chunks_;
  BlockFile order_{kOrderBlock}, bits_{kBitsBlock};
  std::array<std::uint64_t, kParts> starts_{};  // where each part's bits begin, in bytes
  std::array<Draw, kParts> draws_;
  ByteCursor drawn_;
};

template <typename F>
class HashedLater : public LaterSet {
 public:
  HashedLater(std::uint64_t memory, std::string folder, KeyHash hash)
      : parted_(memory, std::move(folder)), hash_(hash) {}

  Status add_batch(std::span<const std::string_view> keys) override {
    if (!open_) {
      if (Status opened = parted_.open(); !opened.ok()) return opened;
      open_ = true;
    }
    while (!keys.empty()) {
      const std::size_t some = std::min(keys.size(), hashes_.size());
      for (std::size_t i = 0; i < some; ++i) {
        hashes_[i] = fingerprint_of<F>(hash_(keys[i], seed_));
      }
      if (Status added = parted_.add(std::span(hashes_).first(some)); !added.ok()) return added;
      keys = keys.subspan(some);
    }
    return {};
  }
  Status close() override { return open_ ? parted_.close() : Status(); }
  Status next(std::size_t count, bool* fresh) override { return parted_.next(count, fresh); }

 private:
  PartedKeys<F> parted_;
  KeyHash hash_;
  std::uint64_t seed_ = random_seed();
  bool open_ = false;
  std::array<F, 512> hashes_;
};

}  // namespace

std::unique_ptr<LaterSet> make_later_set(unsigned bits, std::uint64_t memory, std::string folder,
                                         KeyHash hash) {
  if (bits == 64) {
    return std::make_unique<HashedLater<Fingerprint64>>(memory, std::move(folder), hash);
  }
  return std::make_unique<HashedLater<Fingerprint128>>(memory, std::move(folder), hash);
}

}  // namespace spinneret::dedupe
