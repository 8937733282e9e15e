// SPDX-License-Identifier: Apache-2.0
// Finds the links of JSON documents of known shapes: JSON Feed 1.1 and the Web App Manifest.
//
//   const JsonShape shape = json_shape("application/feed+json", path, document);
//   if (shape != JsonShape::kOther) read_json(document, shape, page, &taker);
//
// The reader is lenient: broken JSON gives what can be read. It takes linear time without
// recursion; parts nested deeper than any of these shapes are skipped. `document` is UTF-8.
#ifndef SPINNERET_PAGE_JSON_LINKS_H_
#define SPINNERET_PAGE_JSON_LINKS_H_

#include <cstdint>
#include <string_view>

#include "feed/feed.h"

namespace spinneret::page {

enum class JsonShape : std::uint8_t { kOther, kFeed, kManifest };

// Decides by the media type, in lower case, or by the version that a feed gives and the name of a
// manifest.
JsonShape json_shape(std::string_view type, std::string_view path, std::string_view document);

// Reads a document like feed::read_feed(), with tags such as "item@url", "attachments@url",
// "icons@src".
void read_json(std::string_view document, JsonShape shape, feed::FeedPage& page,
               feed::FeedTaker* taker);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_JSON_LINKS_H_
