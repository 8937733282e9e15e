// SPDX-License-Identifier: Apache-2.0
// The part of a document's content that is compared: a digest of its bytes or words, or a sketch of
// its words. It can be written as text, so that documents can be compared elsewhere and later.
//
//   ContentSketch sketches(options);
//   std::string sketch;
//   // sketches.make_index() makes the index
//   if (sketches.make(body, true, sketch)) index->find(sketch, nearest);
//   record.set("sketch", sketches.text(sketch));                      // "parity128-w3:0f3a..."
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
    kBytes,    // equal bytes
    kText,     // equal words, as page_text() gives them
    kSimhash,  // words whose simhashes are near
    kMinhash,  // words whose minhashes are near
  };
  Method method = Method::kBytes;
  unsigned distance = 3;    // of kSimhash: how many bits may differ
  double similarity = 0.9;  // of kMinhash: the least Jaccard similarity
  MinhashForm form;         // of kMinhash: the sketch
  Shingling shingling;      // of kSimhash and kMinhash: the features
  std::string description;  // says what is compared; a store of anything else is refused
  std::string store;        // file that remembers the originals
  std::string like;         // a new store takes its seed from this one
  bool sync = false;
};

class ContentSketch {
 public:
  explicit ContentSketch(const OriginalOptions& options) : options_(options) {}

  // Returns an empty index for the sketches that make() gives.
  std::unique_ptr<NearIndex> make_index() const;
  // Returns false where there is nothing to compare (a text without words). `markup` says that the
  // content is HTML or XML, which matters to the methods that compare words.
  bool make(std::string_view content, bool markup, std::string& sketch);

  // The seed of digests: digests with different seeds cannot be compared. Sketches have no seed.
  std::uint64_t seed() const { return seed_; }
  void set_seed(std::uint64_t seed) { seed_ = seed; }

  // Names the kind of sketch, as "parity128-w3" or "simhash-c24". Sketches of the same name can be
  // compared.
  std::string name() const;
  // Returns the name, a colon and the sketch's bytes in hexadecimal digits.
  std::string text(std::string_view sketch) const;
  // Returns false where the text was not written by text() under this name.
  bool read(std::string_view text, std::string& sketch) const;
  // Tells a user why read() returned false.
  std::string misread(std::string_view text) const;

 private:
  std::size_t bytes() const;

  OriginalOptions options_;
  std::uint64_t seed_ = random_seed();
  std::string text_;
};

}  // namespace spinneret::dedupe

#endif  // SPINNERET_DEDUPE_CONTENT_SKETCH_H_
