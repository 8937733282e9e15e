// SPDX-License-Identifier: Apache-2.0
#include "select/nodes.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "html/entity.h"
#include "select/quirks.h"

namespace spinneret::select {

using html::Element;
using html::Namespace;
using html::Token;
using html::TokenType;

namespace {

constexpr int kMaxAdoptions = 8;  // 13.2.6.4.7, step 4
constexpr std::size_t kKeepAtMost = std::size_t{4} << 20;

bool is_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), is_space); }

// Names attributes as html::XmlElements does. HTML's tokenizer reads a well-formed tag as XML's
// does.
void name_xml_attributes(std::vector<html::Attribute>& attributes, bool is_html) {
  for (html::Attribute& attribute : attributes) {
    const bool prefixed = !html::XmlNames::prefix_of(attribute.name).empty();
    if (prefixed && html::XmlNames::local_of(attribute.name) == "href")
      attribute.name = "xlink:href";
  }
  const auto has_capitals = [](const html::Attribute& attribute) {
    return std::any_of(attribute.name.begin(), attribute.name.end(), is_upper);
  };
  if (is_html) std::erase_if(attributes, has_capitals);
}

// "Leading newline": whether the first newline in this element is ignored.
bool drops_newline(const Node& node) {
  return node.is(Element::kPre) || node.is(Element::kListing) || node.is(Element::kTextarea);
}

}  // namespace

// --- reports of the tree construction ---

// 13.2.6.1, "appropriate place for inserting a node", with foster parenting.
void PageNodes::foster_place(NodeId& parent, NodeId& before) const {
  const std::int32_t table = tree_.open().last(Element::kTable);
  const std::int32_t pattern = tree_.open().last(Element::kTemplate);
  before = 0;
  if (pattern > table) {
    parent = open_[static_cast<std::size_t>(pattern)];
  } else if (table < 0) {
    parent = open_.empty() ? 0 : open_.front();
  } else {
    before = open_[static_cast<std::size_t>(table)];
    parent = log_[before].parent;
  }
}

NodeId PageNodes::add(const Node& node, NodeId parent, NodeId before) {
  if (log_.full()) {
    // Assumes that the rest is as dense as the page so far. Doubling would take twice as much.
    const std::size_t done = std::max<std::size_t>(token_.begin, 1);
    const double density = static_cast<double>(log_.size()) / static_cast<double>(done);
    const auto rest =
        static_cast<double>(input_.source.size() - std::min(done, input_.source.size()));
    log_.expect(log_.size() + log_.size() / 8 + static_cast<std::size_t>(density * rest));
  }
  const NodeId added = log_.add(node, parent, before);
  cut_ = cut_ || added == 0;
  return added;
}

std::uint32_t PageNodes::made(const html::MadeElement& element) {
  open_.resize(std::min(open_.size(), tree_.open().size()));
  Node node;
  node.name = element.name;
  node.name_space = element.name_space;
  if (element.original != 0) {
    const Node& original = log_[element.original];
    node.begin = original.begin;
    node.value = original.value;
    node.hidden = original.hidden;
  } else {
    if (!judged_) {
      judged_ = true;
      tree_.set_quirks(quirks_);
      judge_->begin(quirks_);
    }
    if (element.token != nullptr) {
      node.begin = static_cast<std::uint32_t>(element.token->begin);
      if (!element.token->attributes.empty())
        node.hidden = element.token->find("hidden") != nullptr;
    }
    node.value = judge_->judge(node.name, node.name_space, element.token);
  }
  NodeId parent = current();
  NodeId before = 0;
  if (element.fostered) foster_place(parent, before);
  made_ = add(node, parent, before);
  if (element.open) {
    open_.push_back(made_);
    depth_ = std::max(depth_, open_.size());
  }
  return made_;
}

// The entries below are found by their index, so a closed entry in the middle stays as a hole.
void PageNodes::closed(std::size_t index) {
  if (index + 1 == open_.size()) open_.pop_back();
}

// Makes the adoption agency's moves: what is open above the formatting element at `index` leaves
// it, and the content of each of these goes into a copy of it.
void PageNodes::adopted(std::size_t index) {
  const html::OpenElements& open = tree_.open();
  const auto is_special = [&](std::size_t at) {
    return open[at].special == static_cast<std::int32_t>(at);
  };
  NodeId formatting = open_[index];
  NodeId common = log_[formatting].parent;
  NodeId before = 0;
  std::size_t below = index;
  for (int round = 0; round < kMaxAdoptions; ++round) {
    std::size_t block = below + 1;
    while (block < open.size() && (open[block].name == 0 || !is_special(block))) ++block;
    if (block >= open.size() || block >= open_.size()) return;
    NodeId last = open_[block];
    for (std::size_t at = block; --at > below;) {
      if (open[at].name == 0) continue;
      log_.unlink(last);
      const NodeId copy = log_.copy(open_[at]);
      if (copy == 0) return;
      log_.link(last, copy, 0);
      open_[at] = copy;
      last = copy;
      log_.link(copy, common, 0);
    }
    log_.unlink(last);
    NodeId parent = common;
    before = 0;
    const Node& place = log_[common];
    if (round == 0 &&
        (place.is(Element::kTable) || place.is(Element::kTbody) || place.is(Element::kTr) ||
         place.is(Element::kThead) || place.is(Element::kTfoot))) {
      foster_place(parent, before);
    }
    log_.link(last, parent, before);
    const NodeId copy = log_.copy(formatting);
    if (copy == 0) return;
    log_.move_children(open_[block], copy);
    log_.link(copy, open_[block], 0);
    formatting = copy;
    common = open_[block];
    below = block;
  }
}

// Whether two formatting elements with one name have the same attributes.
bool PageNodes::alike(std::uint32_t one, std::uint32_t other) {
  const auto sorted = [&](NodeId node) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const html::Attribute& attribute : attributes(node)) {
      out.emplace_back(to_lower_copy(attribute.name), "");
      append_decoded(out.back().second, attribute.value, html::EntityRules::kAttribute);
    }
    std::sort(out.begin(), out.end());
    return out;
  };
  if (one == other || log_[one].begin == log_[other].begin) return true;
  return sorted(one) == sorted(other);
}

// --- text ---

void PageNodes::add_text(NodeId parent, NodeId before, const Token& token) {
  auto begin = static_cast<std::uint32_t>(token.text.data() - input_.source.data());
  const auto end = static_cast<std::uint32_t>(begin + token.text.size());
  const NodeId previous = before != 0 ? log_[before].previous : log_[parent].last;
  const bool raw = token.mode != html::TextMode::kData && token.mode != html::TextMode::kRcdata;
  if (previous != 0) {
    Node& same = log_[previous];
    if (same.kind == (raw ? Node::Kind::kRawText : Node::Kind::kText) && same.value == begin) {
      same.value = end;
      return;
    }
  } else if (!input_.xml && drops_newline(log_[parent])) {
    begin += token.text.starts_with("\r\n") ? 2u : token.text.starts_with('\n') ? 1u : 0u;
    if (begin == end) return;
  }
  Node node;
  node.kind = raw ? Node::Kind::kRawText : Node::Kind::kText;
  node.begin = begin;
  node.value = end;
  add(node, parent, before);
}

void PageNodes::take_text(const Token& token) {
  if (token.text.empty()) return;
  if (raw_ != 0) return add_text(raw_, 0, token);
  const bool early = tree_.open().empty();
  if (tree_.wants_text()) {
    tree_.text(token);
    open_.resize(std::min(open_.size(), tree_.open().size()));
  }
  const NodeId parent = current();
  // Blanks in front of the head are ignored.
  if (early && tree_.open().empty()) return;
  if (log_[parent].is(Element::kHtml) && log_[parent].first == 0) return;
  if (log_[parent].is(Element::kColgroup)) return;
  if (tree_.fosters() && !is_blank(token.text)) {
    NodeId before = 0;
    NodeId place = 0;
    foster_place(place, before);
    return add_text(place, before, token);
  }
  add_text(parent, 0, token);
}

// --- a page ---

// Adds the attributes of a second <html> or <body> that the first lacks.
void PageNodes::merge(const Token& token, Element element) {
  NodeId node = log_.child(0, Element::kHtml);
  if (element == Element::kBody && node != 0) node = log_.child(node, Element::kBody);
  if (node == 0 || token.attributes.empty()) return;
  if (!tags_.note_more(node, static_cast<std::uint32_t>(token.begin))) return;
  log_[node].has_more = true;
  attributes(node);
  log_[node].value = judge_->judge(html::code_of(element), Namespace::kHtml, &tags_.token());
}

void PageNodes::start(const Token& token) {
  const html::Placement place = tree_.start_tag(token);
  open_.resize(std::min(open_.size(), tree_.open().size()));
  if (place.merged) merge(token, place.element);
  if (place.dropped_body && !open_.empty()) {
    const NodeId body = log_.child(open_.front(), Element::kBody);
    if (body != 0) log_.unlink(body);
  }
  if (place.text == html::TextMode::kData) return;
  raw_ = made_;
  tokenizer_.set_text_mode(place.text, element_name(place.element));
}

// Returns false if the page must be read again, in the encoding that it declares.
bool PageNodes::scan(std::size_t piece) {
  std::size_t given = piece == 0 ? input_.source.size() : std::min(piece, input_.source.size());
  tokenizer_.set_input(input_.source.substr(0, given), given == input_.source.size());
  std::size_t base = 0;  // offset of the bytes that the tokenizer was given
  while (!cut_) {
    const TokenType type = tokenizer_.next(token_);
    if (type == TokenType::kEnd) break;
    if (type == TokenType::kMore) {
      base += tokenizer_.position();
      given = std::min(input_.source.size(), std::max(given + piece, base + 2 * (given - base)));
      tokenizer_.set_input(input_.source.substr(base, given - base), given == input_.source.size());
      continue;
    }
    token_.begin += base;
    token_.end += base;
    switch (type) {
      case TokenType::kStartTag:
        if (token_.element == Element::kMeta && input_.redeclares(token_)) return false;
        start(token_);
        break;
      case TokenType::kEndTag:
        raw_ = 0;
        tree_.end_tag(token_);
        open_.resize(std::min(open_.size(), tree_.open().size()));
        break;
      case TokenType::kText: take_text(token_); break;
      case TokenType::kDoctype:
        if (!judged_) quirks_ = is_quirks(token_);
        break;
      default: break;
    }
    tokenizer_.set_foreign(tree_.in_foreign());
  }
  return true;
}

// Reads by the rules of XML, if the page is served as XML and well-formed.
void PageNodes::scan_xml() {
  html::XmlElements elements(input_.source);
  while (!cut_) {
    switch (elements.next(token_)) {
      case TokenType::kStartTag: tree_.open_element(token_, elements.name_space()); break;
      case TokenType::kEndTag: tree_.close_element(); break;
      case TokenType::kText:
        if (!open_.empty()) add_text(current(), 0, token_);
        break;
      case TokenType::kEnd: return;
      default: break;
    }
  }
}

// Whether a <meta> behind the first kilobyte declares an encoding that was only guessed before.
bool PageNodes::Input::redeclares(const Token& meta) {
  if (!charset.is_guess() || redeclared != nullptr) return false;
  const auto value = [&](std::string_view name) {
    std::string out;
    const html::Attribute* const found = meta.find(name);
    if (found != nullptr) append_decoded(out, found->value, html::EntityRules::kAttribute);
    return out;
  };
  const html::Encoding* const found =
      html::declared_encoding(value("charset"), value("http-equiv"), value("content"));
  if (found == nullptr || found == charset.encoding) return false;
  redeclared = found;
  return true;
}

void PageNodes::Input::open(std::string_view document, std::string_view http_charset,
                            html::Syntax syntax) {
  xml = syntax == html::Syntax::kXml;
  // If a late <meta> declares the encoding, it was guessed before, so there is no byte order mark.
  charset = redeclared != nullptr ? html::Charset{redeclared, html::Charset::Source::kMeta, 0}
            : xml                 ? html::find_xml_charset(document, http_charset)
                                  : html::find_charset(document, http_charset);
  source = document.substr(charset.bom);
  const bool plain = charset.encoding->is_utf8() ||
                     (charset.encoding->ascii_compatible() &&
                      std::none_of(source.begin(), source.end(),
                                   [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
  if (transcoded.capacity() > kKeepAtMost) std::string().swap(transcoded);
  if (!plain) {
    transcoded.clear();
    charset.encoding->decode(source, transcoded);
    source = transcoded;
  }
  if (xml && !html::reads_as_xml(source)) open(document, http_charset, html::Syntax::kHtml);
}

void PageNodes::begin() {
  constexpr std::size_t kMost = Node::kNowhere - 1;
  cut_ = input_.source.size() > kMost;
  input_.source = input_.source.substr(0, kMost);
  tree_.reset();
  tokenizer_.reset();
  // Pages have a node in 25 to 50 bytes; memory that is not used is not touched.
  log_.clear(input_.source.size() / 24 + 64);
  tags_.begin(judge_->names());
  open_.clear();
  raw_ = made_ = 0;
  depth_ = 0;
  judged_ = false;
  quirks_ = !input_.xml;
}

void PageNodes::read(std::string_view document, std::string_view http_charset, ElementJudge& judge,
                     std::size_t piece, html::Syntax syntax) {
  judge_ = &judge;
  input_.redeclared = nullptr;
  tokenizer_.keep_few_of_many(judge.names());
  input_.open(document, http_charset, syntax);
  begin();
  if (input_.xml) {
    scan_xml();
  } else if (!scan(piece)) {
    input_.open(document, http_charset, html::Syntax::kHtml);
    begin();
    scan(piece);
  }
  close();
}

// The stack takes as much memory as the nodes if all are nested in each other, and the matcher then
// needs room.
void PageNodes::close() {
  tree_.reset();
  open_.clear();
  if (open_.capacity() * sizeof(NodeId) > kKeepAtMost / 8) std::vector<NodeId>().swap(open_);
}

// --- attributes ---

void TagReader::begin(const std::vector<std::string>& names) {
  tokenizer_.keep_few_of_many(names);
  more_.clear();
}

const Token& TagReader::read(std::string_view source, std::uint32_t begin) {
  tokenizer_.reset();
  tokenizer_.set_input(source.substr(begin), true);
  tokenizer_.next(token_);
  return token_;
}

bool TagReader::note_more(NodeId node, std::uint32_t begin) {
  constexpr std::size_t kMost = 16;
  if (more_.size() == kMost) return false;
  more_.push_back({node, begin});
  return true;
}

// The first attribute of a name counts, so those of later tags are put behind it.
void TagReader::add_more(std::string_view source, NodeId node) {
  std::vector<html::Attribute> all = token_.attributes;
  for (const More& more : more_) {
    if (more.node != node) continue;
    read(source, more.begin);
    all.insert(all.end(), token_.attributes.begin(), token_.attributes.end());
  }
  token_.attributes = std::move(all);
}

const std::vector<html::Attribute>& PageNodes::attributes(NodeId node) {
  tags_.token().attributes.clear();
  tags_.token().name = {};
  if (node != 0 && log_[node].begin != Node::kNowhere) tags_.read(input_.source, log_[node].begin);
  if (log_[node].has_more) tags_.add_more(input_.source, node);
  if (input_.xml)
    name_xml_attributes(tags_.token().attributes, log_[node].name_space == Namespace::kHtml);
  return tags_.token().attributes;
}

std::string_view PageNodes::tag_name(NodeId node) {
  attributes(node);
  return tags_.token().name;
}

bool PageNodes::attribute(NodeId node, std::string_view name, std::string& value) {
  attributes(node);
  const html::Attribute* const found = tags_.token().find(name);
  value.clear();
  if (found == nullptr) return false;
  append_decoded(value, found->value, html::EntityRules::kAttribute);
  return true;
}

}  // namespace spinneret::select
