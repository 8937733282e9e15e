// SPDX-License-Identifier: Apache-2.0
// The elements and texts of one page as a NodeLog: what tree construction made, in its order.
// Attributes are not kept, since an element knows where its start tag stands. What the standard
// changes later is changed in the log: foster parenting (13.2.6.1), the moves of the adoption
// agency (13.2.6.4.7), attributes of a second <html> or <body>, a frameset that replaces the body.
// Reuse the object: once warm nothing is allocated. Not thread-safe.
#ifndef SPINNERET_SELECT_NODES_H_
#define SPINNERET_SELECT_NODES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "html/charset.h"
#include "html/tokenizer.h"
#include "html/tree.h"
#include "html/xml_tokens.h"
#include "select/node_log.h"

namespace spinneret::select {

// Is asked about every element when it is made, while its attributes are at hand.
class ElementJudge {
 public:
  virtual ~ElementJudge() = default;
  // Begins a document. `quirks` says that names of classes and ids are compared without case.
  virtual void begin(bool quirks) = 0;
  // The attributes that the judge may look at, in lower case. Of a tag with very many attributes
  // only these are kept.
  virtual const std::vector<std::string>& names() const = 0;
  // `token` is the start tag, or nullptr for an implied element. The answer is stored as
  // Node::value.
  virtual std::uint32_t judge(html::NameCode name, html::Namespace name_space,
                              const html::Token* token) = 0;
};

// Reads start tags once more at their places.
class TagReader {
 public:
  void begin(const std::vector<std::string>& names);
  // Reads the tag at `begin` of `source`. The token is valid until the next call.
  const html::Token& read(std::string_view source, std::uint32_t begin);
  const html::Token& token() const { return token_; }
  html::Token& token() { return token_; }
  // Notes a second tag of an element, whose attributes are added to those of the first.
  bool note_more(NodeId node, std::uint32_t begin);
  void add_more(std::string_view source, NodeId node);

 private:
  struct More {
    NodeId node;
    std::uint32_t begin;
  };
  html::Tokenizer tokenizer_;
  html::Token token_;
  std::vector<More> more_;
};

class PageNodes : private html::TreeObserver {
 public:
  PageNodes() { tree_.set_observer(this); }

  // Reads a page; `judge` is borrowed for the call. The views of text() live as long as `document`.
  // `piece` is the number of bytes that the tokenizer gets at a time, for tests; 0 means all at
  // once, as XML is always read.
  void read(std::string_view document, std::string_view http_charset, ElementJudge& judge,
            std::size_t piece = 0, html::Syntax syntax = html::Syntax::kHtml);

  // The text in which offsets count, in UTF-8: the document itself, or its conversion.
  std::string_view source() const { return input_.source; }
  const html::Charset& charset() const { return input_.charset; }
  // The largest number of elements that were open at once.
  std::size_t depth() const { return depth_; }
  bool transcoded() const { return input_.source.data() == input_.transcoded.data(); }
  bool quirks() const { return quirks_; }
  // Whether the page was read only in part, because it has too many nodes or more than 4 GiB.
  bool cut() const { return cut_; }

  std::size_t size() const { return log_.size(); }
  const Node& operator[](NodeId node) const { return log_[node]; }
  bool descends(NodeId node) const { return log_.descends(node); }
  NodeId next(NodeId node, NodeId root, bool skipped = false) const {
    return log_.next(node, root, skipped);
  }

  std::string_view text(NodeId node) const {
    return input_.source.substr(log_[node].begin, log_[node].value - log_[node].begin);
  }
  // Reads an element's start tag again and returns its attributes: none for an implied tag. Valid
  // until the next call.
  const std::vector<html::Attribute>& attributes(NodeId node);
  // The element's name as written; empty for an implied tag.
  std::string_view tag_name(NodeId node);
  // Decodes the value of an attribute (named in lower case). Returns false if the element does not
  // have it.
  bool attribute(NodeId node, std::string_view name, std::string& value);

 private:
  struct Input {
    std::string_view source;
    std::string transcoded;
    html::Charset charset;
    const html::Encoding* redeclared = nullptr;  // by a <meta> behind the first kilobyte
    bool xml = false;                            // read by XML's rules

    bool redeclares(const html::Token& meta);
    void open(std::string_view document, std::string_view http_charset, html::Syntax syntax);
  };

  std::uint32_t made(const html::MadeElement& element) override;
  void closed(std::size_t index) override;
  void adopted(std::size_t index) override;
  bool alike(std::uint32_t one, std::uint32_t other) override;

  void begin();
  NodeId add(const Node& node, NodeId parent, NodeId before);
  void close();
  bool scan(std::size_t piece);
  void scan_xml();
  void start(const html::Token& token);
  void take_text(const html::Token& token);
  void add_text(NodeId parent, NodeId before, const html::Token& token);
  void merge(const html::Token& token, html::Element element);
  NodeId current() const { return open_.empty() ? 0 : open_.back(); }
  void foster_place(NodeId& parent, NodeId& before) const;

  html::Tokenizer tokenizer_;
  html::Tree tree_;
  html::Token token_;
  Input input_;
  NodeLog log_;
  TagReader tags_;
  std::vector<NodeId> open_;  // like the tree's stack of open elements
  NodeId raw_ = 0;            // the element whose raw text comes next
  NodeId made_ = 0;
  std::size_t depth_ = 0;
  ElementJudge* judge_ = nullptr;
  bool quirks_ = false;
  bool judged_ = false;  // the doctype has been seen, or is known to be missing
  bool cut_ = false;
};

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_NODES_H_
