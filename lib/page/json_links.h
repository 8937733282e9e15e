// SPDX-License-Identifier: Apache-2.0
// Links of JSON whose shape is known: JSON Feed 1.1 and the Web App Manifest.
//
//   const JsonShape shape = json_shape("application/feed+json", path, document);
//   if (shape != JsonShape::kOther) read_json(document, shape, page, &taker);
//
// Lenient: of broken JSON what can be read. Linear, no recursion; what is nested deeper than any of these shapes is
// passed over. `document` is UTF-8.
#ifndef SPINNERET_PAGE_JSON_LINKS_H_
#define SPINNERET_PAGE_JSON_LINKS_H_

#include <cstdint>
#include <string_view>

#include "feed/feed.h"

namespace spinneret::page {

enum class JsonShape : std::uint8_t { kOther, kFeed, kManifest };

// By the media type, in lower case, or by what a feed says of its version and a manifest is called.
JsonShape json_shape(std::string_view type, std::string_view path, std::string_view document);

// As feed::read_feed does: tags such as "item@url", "attachments@url", "icons@src".
void read_json(std::string_view document, JsonShape shape, feed::FeedPage& page,
               feed::FeedTaker* taker);

}  // namespace spinneret::page

#endif  // SPINNERET_PAGE_JSON_LINKS_H_
