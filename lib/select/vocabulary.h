// SPDX-License-Identifier: Apache-2.0
// Turns names of types and properties, which pages write in full or in short, into words and into
// keys of records.
#ifndef SPINNERET_SELECT_VOCABULARY_H_
#define SPINNERET_SELECT_VOCABULARY_H_

#include <string>
#include <string_view>

namespace spinneret::select {

// `https://schema.org/Product` and `schema:Product` are Product.
std::string short_name(std::string_view name);

// Returns a name as part of a key: `og:title` is og.title, `schema:datePublished` is datepublished.
std::string key_of(std::string_view name);

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_VOCABULARY_H_
