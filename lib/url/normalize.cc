// SPDX-License-Identifier: Apache-2.0
#include "url/normalize.h"

#include <utility>

#include "base/number.h"
#include "url/escapes.h"
#include "url/plain_link.h"

namespace spinneret {
namespace {

constexpr std::uint32_t kKeySteps = kStepSurt | kStepCdx;

}  // namespace

Normalizer::Normalizer(NormalizeRules rules) : writer_(std::move(rules)) {}

bool Normalizer::normalize(std::string_view input, const Url* base, std::string_view& out,
                           UrlError* why) {
  writer_.begin();
  was_key_ = false;
  // No sort key has the form that PlainLink takes.
  PlainLink link(input, url_, url_);
  const bool plain = !thorough_ && link.absolute();
  if (!plain && !read(input, base, why)) return false;
  if (rules().steps == 0) {
    out = url_.href();
    return true;
  }
  if (keep_parsed_) parsed_ = url_.href();
  if (thorough_) {
    // No input is known that needs more than two rounds; the limit is a safeguard.
    for (int round = 0; round < 8 && !apply_steps({}); ++round) {
    }
  } else if (!apply_steps({plain, link.seen(), link.seen_in_query()})) {
    apply_steps({});
  }
  out = finish();
  return true;
}

// Parses the input, which may be a sort key instead.
bool Normalizer::read(std::string_view input, const Url* base, UrlError* why) {
  was_key_ = read_key(input);
  if (was_key_) return true;
  if (!(base != nullptr ? resolve(input, *base, url_, why) : parse(input, url_, why))) return false;
  // The input may have been a key with space around it, or the result may be a key.
  if (on(kKeySteps) && !url_.has_host()) {
    next_ = url_;
    was_key_ = read_key(next_.href());
    if (!was_key_) std::swap(url_, next_);
  }
  return true;
}

// A sort key is its own canonical form, although it is not a URL. Returns false where `text` is not
// a key; url_ is unspecified then.
bool Normalizer::read_key(std::string_view text) {
  if (!on(kKeySteps)) return false;
  text_.clear();
  if (!append_url_of_surt(text_, text, on(kStepCdx)) || !parse(text_, url_)) return false;
  if (on(kStepCdx)) key_ = text;
  return true;
}

// Runs one pass of the steps. Returns true if nothing is left to do.
bool Normalizer::apply_steps(const StepWriter::Known& known) {
  writer_.write(url_, known);
  if (writer_.settled() && !thorough_) {
    std::swap(url_.text().href, writer_.text());
    url_.text().offsets = writer_.offsets();
    return true;
  }
  if (writer_.text() == url_.href()) return true;
  // What the steps write is a URL. If it were not, the last form that was a URL would stay.
  if (!parse(writer_.text(), next_)) return true;
  std::swap(url_, next_);
  return false;
}

// Runs the steps whose results the standard's parser would undo.
std::string_view Normalizer::finish() {
  if (on(kStepCdx)) {
    if (was_key_) return key_;
    text_.clear();
    append_cdx_key(text_, url_, rules().cdx);
    writer_.note(kStepCdx);
    return text_;
  }
  if (on(kStepSurt)) {
    text_.clear();
    append_surt(text_, url_);
    writer_.note(kStepSurt);
    return text_;
  }
  if (on(kStepPort) && url_.has_host() && !url_.has_port() && url_.effective_port() >= 0) {
    const UrlOffsets& at = url_.offsets();
    text_.assign(url_.href(), 0, at.host_end);
    text_ += ':';
    append_unsigned(text_, static_cast<std::uint64_t>(url_.effective_port()));
    text_ += url_.href().substr(at.path_begin);
    writer_.note(kStepPort);
    return text_;
  }
  return url_.href();
}

void make_safe(Url& url) {
  if (!has_needless_escapes(url.href())) return;
  Normalizer normalizer({.steps = kStepHexCase | kStepUnreserved, .index_names = {}});
  std::string_view out;
  if (normalizer.normalize(url.href(), nullptr, out)) url = normalizer.url();
}

}  // namespace spinneret
