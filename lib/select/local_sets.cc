// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/ascii.h"
#include "base/hash.h"
#include "html/entity.h"
#include "select/program.h"

namespace spinneret::select {

using html::Element;
using html::Namespace;

namespace {

bool is_spaced(std::string_view name) {
  return std::find(std::begin(kSpacedAttributes), std::end(kSpacedAttributes), name) !=
         std::end(kSpacedAttributes);
}

bool same(std::string_view a, std::string_view b, bool any_case) {
  return any_case ? equals_ignore_case(a, b) : a == b;
}

bool has_word(std::string_view value, std::string_view word, bool any_case) {
  for (std::string_view next = cut_word(value); !next.empty(); next = cut_word(value)) {
    if (same(next, word, any_case)) return true;
  }
  return false;
}

bool contains(std::string_view value, std::string_view part, bool any_case) {
  if (!any_case) return value.find(part) != std::string_view::npos;
  return std::search(value.begin(), value.end(), part.begin(), part.end(),
                     [](char a, char b) { return to_lower(a) == to_lower(b); }) != value.end();
}

bool value_passes(const LocalTest& test, std::string_view value) {
  const std::string_view wanted = test.value;
  const bool fold = test.any_case;
  switch (test.test) {
    case AttributeTest::kPresent: return true;
    case AttributeTest::kEquals: return same(value, wanted, fold);
    case AttributeTest::kIncludes:
      return !wanted.empty() && std::none_of(wanted.begin(), wanted.end(), is_space) &&
             has_word(value, wanted, fold);
    case AttributeTest::kDash:
      return same(value.substr(0, wanted.size()), wanted, fold) &&
             (value.size() == wanted.size() ||
              (value.size() > wanted.size() && value[wanted.size()] == '-'));
    case AttributeTest::kPrefix:
      return !wanted.empty() && value.size() >= wanted.size() &&
             same(value.substr(0, wanted.size()), wanted, fold);
    case AttributeTest::kSuffix:
      return !wanted.empty() && value.size() >= wanted.size() &&
             same(value.substr(value.size() - wanted.size()), wanted, fold);
    case AttributeTest::kSubstring: return !wanted.empty() && contains(value, wanted, fold);
  }
  return false;
}

}  // namespace

void LocalSets::begin_page() {
  constexpr std::size_t kKeepAtMost = std::size_t{1} << 18;
  if (pool_.capacity() > kKeepAtMost) std::vector<std::uint32_t>().swap(pool_);
  pool_.assign(1, 0);  // the empty set
  kept_.clear();
}

std::string_view LocalSets::decoded(std::string_view raw, std::string& out) const {
  if (!html::value_bytes(raw).special) return raw;
  out.clear();
  append_decoded(out, raw, html::EntityRules::kAttribute);
  return out;
}

// Names of foreign attributes and elements are compared without case, as in browsers. In HTML a
// prefix is part of the name.
const html::Attribute* LocalSets::find(const LocalTest& test) const {
  if (token_ == nullptr || token_->attributes.empty()) return nullptr;
  if (space_ == Namespace::kHtml) return token_->find(test.lower);
  if (test.any_space) {
    for (const std::string_view name : kSpacedAttributes) {
      const html::Attribute* const found =
          local_name(name) == test.lower ? token_->find(name) : nullptr;
      if (found != nullptr) return found;
    }
  }
  return is_spaced(test.lower) ? nullptr : token_->find(test.lower);
}

bool LocalSets::passes_attribute(const LocalTest& test) const {
  const html::Attribute* const found = find(test);
  if (found == nullptr) return false;
  if (test.test == AttributeTest::kPresent) return true;
  return value_passes(test, decoded(found->value, value_));
}

bool LocalSets::passes(const LocalTest& test) const {
  switch (test.kind) {
    case SimpleKind::kType:
      if (name_ != test.code) return false;
      // Two unknown names may share a code.
      return name_ < html::kElementCount || token_ == nullptr ||
             equals_ignore_case(token_->name, test.lower);
    case SimpleKind::kLink:
      return token_ != nullptr && space_ == Namespace::kHtml &&
             (name_ == html::code_of(Element::kA) || name_ == html::code_of(Element::kArea)) &&
             token_->find("href") != nullptr;
    case SimpleKind::kAttribute: return passes_attribute(test);
    default: break;
  }
  if (token_ == nullptr) return false;
  const bool is_id = test.kind == SimpleKind::kId;
  const html::Attribute* const found = token_->find(is_id ? "id" : "class");
  if (found == nullptr) return false;
  const std::string_view value = decoded(found->value, value_);
  return is_id ? same(value, test.name, quirks_) : has_word(value, test.name, quirks_);
}

void LocalSets::call(const std::vector<std::uint32_t>& steps) {
  found_.insert(found_.end(), steps.begin(), steps.end());
}

void LocalSets::call_name(const NameIndex& index, std::string_view name, bool lower) {
  if (!index.may_have(name)) return;
  key_.assign(name);
  if (lower) make_lower(key_);
  if (const std::vector<std::uint32_t>* const steps = index.find(key_)) call(*steps);
}

std::uint32_t LocalSets::keep() {
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  found_.erase(std::remove_if(found_.begin(), found_.end(),
                              [&](std::uint32_t step) {
                                const auto& tests = program_.steps()[step].tests;
                                return !std::all_of(tests.begin(), tests.end(),
                                                    [&](const LocalTest& t) { return passes(t); });
                              }),
               found_.end());
  if (found_.empty()) return 0;
  const std::size_t bytes = found_.size() * sizeof found_[0];
  const std::uint64_t hash = hash64({reinterpret_cast<const char*>(found_.data()), bytes});
  const auto known = kept_.find(hash);
  if (known != kept_.end() && pool_[known->second] == found_.size() &&
      std::equal(found_.begin(), found_.end(), pool_.begin() + known->second + 1))
    return known->second;
  const auto at = static_cast<std::uint32_t>(pool_.size());
  pool_.push_back(static_cast<std::uint32_t>(found_.size()));
  // One by one, because g++ 14 warns that inserting the range overflows.
  for (const std::uint32_t test : found_) pool_.push_back(test);
  kept_[hash] = at;
  return at;
}

std::uint32_t LocalSets::judge(html::NameCode name, html::Namespace name_space,
                               const html::Token* token) {
  name_ = name;
  space_ = name_space;
  token_ = token;
  found_.assign(program_.always().begin(), program_.always().end());
  if (name < program_.types().size()) call(program_.types()[name]);
  if (token != nullptr && !token->attributes.empty()) {
    call(program_.links());
    const NameIndex& classes = program_.classes(quirks_);
    const NameIndex& ids = program_.ids(quirks_);
    for (const html::Attribute& attribute : token->attributes) {
      if (!classes.empty() && attribute.name.size() == 5 &&
          equals_ignore_case(attribute.name, "class")) {
        std::string_view rest = decoded(attribute.value, scratch_);
        while (!rest.empty()) call_name(classes, cut_word(rest), quirks_);
      } else if (!ids.empty() && attribute.name.size() == 2 &&
                 equals_ignore_case(attribute.name, "id")) {
        call_name(ids, decoded(attribute.value, scratch_), quirks_);
      }
      call_name(program_.attributes(), attribute.name, true);
    }
  }
  return found_.empty() ? 0 : keep();
}

}  // namespace spinneret::select
