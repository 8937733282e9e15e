// SPDX-License-Identifier: Apache-2.0
// What is compared of a document's content: a digest of its bytes or words, or a sketch of its words. It can be
// written as text, so that documents can be compared elsewhere and later.
//
//   ContentSketch sketches(options);
//   std::string sketch;
//   if (sketches.make(body, true, sketch)) index->find(sketch, nearest);      // index: sketches.make_index()
//   record.set("sketch", sketches.text(sketch));                              // "parity128-w3:0f3a..."
//
// Not thread-safe.
#ifndef SPINNERET_DEDUPE_CONTENT_SKETCH_H_
#define SPINNERET_DEDUPE_CONTENT_SKETCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "dedupe/near_index.h"
#include "dedupe/sketch.h"

namespace spinneret::dedupe {

struct OriginalOptions {
  enum class Method {
    kBytes,    // the bytes as they are
    kText,     // the words of page_text()
    kSimhash,  // near by simhash of the words
    kMinhash,  // near by minhash of the words
  };
  Method method = Method::kBytes;
  unsigned distance = 3;    // of kSimhash: bits that may differ
  double similarity = 0.9;  // of kMinhash
  MinhashForm form;         // of kMinhash
  Shingling shingling;      // of kSimhash and kMinhash
  std::string description;  // what is compared; a store of anything else is refused
  std::string store;        // file that remembers
  std::string like;         // a new store takes its seed from this one
  bool sync = false;
};

class ContentSketch {
 public:
  explicit ContentSketch(const OriginalOptions& options) : options_(options) {}

  // An empty index for what make() gives.
  std::unique_ptr<NearIndex> make_index() const;
  // Returns false where there is nothing to compare (a text without words). `markup` says that the content is HTML or
  // XML, which matters to the methods that compare words.
  bool make(std::string_view content, bool markup, std::string& sketch);

  // The seed of digests: digests with different seeds cannot be compared. Sketches have no seed.
  std::uint64_t seed() const { return seed_; }
  void set_seed(std::uint64_t seed) { seed_ = seed; }

  // The kind of sketch in a word: sketches of the same name can be compared. "parity128-w3", "simhash-c24".
  std::string name() const;
  // The name, a colon and the sketch's bytes in hexadecimal digits.
  std::string text(std::string_view sketch) const;
  // Returns false where the text is not one that text() has written for this name.
  bool read(std::string_view text, std::string& sketch) const;
  // Why read() returned false, for a user.
  std::string misread(std::string_view text) const;

 private:
  std::size_t bytes() const;

  OriginalOptions options_;
  std::uint64_t seed_ = random_seed();
  std::string text_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_CONTENT_SKETCH_H_
