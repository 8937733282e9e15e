// SPDX-License-Identifier: Apache-2.0
// Scans XML, as feeds and sitemaps use it, and gives events. The document is one buffer of UTF-8.
//
//   XmlScanner xml(document);
//   while (xml.next() != XmlEvent::kEnd) {
//     if (xml.event() == XmlEvent::kOpen && xml.name() == "loc") ...
//   }
//
// The scanner is lenient where real feeds are broken: tags need not match, attributes need no
// quotes. Only the five predefined entities and character references are expanded, nothing external
// is read, and the declarations of a document type are skipped, so that no input can grow. Takes
// linear time, without recursion or a stack. Views are into the document.
#ifndef SPINNERET_FEED_XML_H_
#define SPINNERET_FEED_XML_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret::feed {

enum class XmlEvent : std::uint8_t {
  kOpen,         // name(), attribute(); an empty element gives kClose next
  kClose,        // name()
  kText,         // text(): characters between tags, or a CDATA section
  kInstruction,  // name(): the target; attribute()
  kEnd,
};

class XmlScanner {
 public:
  // `document` must outlive this object. A UTF-8 byte order mark is skipped.
  explicit XmlScanner(std::string_view document);

  XmlEvent next();
  XmlEvent event() const { return event_; }
  std::string_view name() const { return name_; }  // with its prefix: "image:loc"
  std::string_view local_name() const;             // without its prefix: "loc"
  std::string_view prefix() const;                 // "image", or empty
  std::string_view raw_text() const { return text_; }
  std::size_t offset() const { return offset_; }  // of the event's first byte

  // Gives the text with references undone. Replaces `out`.
  void text(std::string& out) const;
  // Gives the value of an attribute with references undone. Returns false if no attribute has that
  // name, prefix included.
  bool attribute(std::string_view name, std::string& out) const;

 private:
  XmlEvent markup();
  XmlEvent declaration();
  XmlEvent instruction();
  XmlEvent tag();
  std::size_t find_tag_end(std::size_t at) const;
  void skip_doctype();
  bool starts_with(std::string_view what) const { return document_.substr(at_).starts_with(what); }
  // Finds the next `what` at or behind `from`, or the end; `behind` becomes the position behind it.
  std::size_t find(std::string_view what, std::size_t from, std::size_t& behind) const;

  std::string_view document_;
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
  XmlEvent event_ = XmlEvent::kEnd;
  std::string_view name_;
  std::string_view text_;
  std::string_view attributes_;
  bool cdata_ = false;
  bool empty_element_ = false;  // its close event is still to come
};

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_XML_H_
