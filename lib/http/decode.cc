// SPDX-License-Identifier: Apache-2.0
#include "http/decode.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/excerpt.h"

namespace spinneret::http {
namespace {

constexpr std::size_t kMaxCodings = 3;

struct NamedCoding {
  std::string_view name;
  Coding coding;
};
constexpr NamedCoding kCodings[] = {{"gzip", Coding::kGzip},
                                    {"x-gzip", Coding::kGzip},
                                    {"deflate", Coding::kDeflate},
                                    {"br", Coding::kBrotli},
                                    {"zstd", Coding::kZstd}};
// IANA's HTTP Content Coding Registry, without the codings above.
constexpr std::string_view kForeign[] = {"compress", "x-compress", "exi",         "aes128gcm",
                                         "dcb",      "dcz",        "pack200-gzip"};

std::unique_ptr<Decoder> make_decoder(Coding coding) {
  switch (coding) {
    case Coding::kGzip: return make_zlib_decoder(true);
    case Coding::kDeflate: return make_zlib_decoder(false);
    case Coding::kBrotli: return make_brotli_decoder();
    case Coding::kZstd: return make_zstd_decoder();
  }
  return nullptr;
}

}  // namespace

Result<std::vector<Coding>> parse_codings(std::string_view value) {
  std::vector<Coding> out;
  while (!value.empty()) {
    const std::string_view name = trim(cut(value, ','));
    const auto known = std::find_if(
        std::begin(kCodings), std::end(kCodings),
        [name](const NamedCoding& coding) { return equals_ignore_case(coding.name, name); });
    if (known != std::end(kCodings)) {
      out.push_back(known->coding);
    } else if (std::any_of(std::begin(kForeign), std::end(kForeign),
                           [name](std::string_view foreign) {
                             return equals_ignore_case(foreign, name);
                           })) {
      return Error{"content coding that was not asked for: " + excerpt(name)};
    }
    if (out.size() > kMaxCodings) return Error{"more than three content codings"};
  }
  return out;
}

// Passes decoded bytes to the next link, or to the taker at the end.
struct DecodeChain::Link : DecodeTaker {
  explicit Link(Coding which) : coding(which), decoder(make_decoder(which)) {}
  bool take(std::string_view bytes) override {
    if (next == nullptr) return out->take(bytes);
    next->out = out;
    result = next->decoder->update(bytes, *next);
    return result == DecodeStep::kMore;
  }
  Coding coding;
  std::unique_ptr<Decoder> decoder;
  Link* next = nullptr;
  DecodeTaker* out = nullptr;
  DecodeStep result = DecodeStep::kMore;  // result of the next link
};

DecodeChain::DecodeChain() = default;
DecodeChain::~DecodeChain() = default;
DecodeChain::DecodeChain(DecodeChain&&) noexcept = default;
DecodeChain& DecodeChain::operator=(DecodeChain&&) noexcept = default;

void DecodeChain::start(const std::vector<Coding>& codings) {
  for (std::unique_ptr<Link>& link : links_) spare_.push_back(std::move(link));
  links_.clear();
  // The coding that was applied last is undone first.
  for (auto coding = codings.rbegin(); coding != codings.rend(); ++coding) {
    const auto kept =
        std::find_if(spare_.begin(), spare_.end(),
                     [&](const std::unique_ptr<Link>& link) { return link->coding == *coding; });
    if (kept == spare_.end()) {
      links_.push_back(std::make_unique<Link>(*coding));
    } else {
      links_.push_back(std::move(*kept));
      spare_.erase(kept);
      links_.back()->decoder->reset();
    }
    Link& link = *links_.back();
    link.next = nullptr;
    link.result = DecodeStep::kMore;
    if (links_.size() > 1) links_[links_.size() - 2]->next = &link;
  }
}

DecodeStep DecodeChain::update(std::string_view bytes, DecodeTaker& taker) {
  if (links_.empty()) return taker.take(bytes) ? DecodeStep::kMore : DecodeStep::kStopped;
  links_.front()->out = &taker;
  const DecodeStep step = links_.front()->decoder->update(bytes, *links_.front());
  if (step != DecodeStep::kStopped) return step;
  // A link also stops where the link behind it met bad bytes.
  const bool bad = std::any_of(links_.begin(), links_.end(), [](const std::unique_ptr<Link>& link) {
    return link->result == DecodeStep::kBad;
  });
  return bad ? DecodeStep::kBad : DecodeStep::kStopped;
}

bool DecodeChain::finished() const {
  return std::all_of(links_.begin(), links_.end(),
                     [](const std::unique_ptr<Link>& link) { return link->decoder->finished(); });
}

}  // namespace spinneret::http
