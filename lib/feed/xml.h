// SPDX-License-Identifier: Apache-2.0
// XML as feeds and sitemaps have it, as events over one buffer of UTF-8.
//
//   XmlScanner xml(document);
//   while (xml.next() != XmlEvent::kEnd) {
//     if (xml.event() == XmlEvent::kOpen && xml.name() == "loc") ...
//   }
//
// Lenient where real feeds are broken: tags need not match, attributes need no quotes. Nothing is expanded
// but the five predefined entities and character references, nothing external is ever looked at, a document
// type's declarations are passed over: no input is worth more than its own bytes. Linear, no recursion, no
// stack. Views are into the document.
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
  // `document` must outlive this. A UTF-8 byte order mark is passed over.
  explicit XmlScanner(std::string_view document);

  XmlEvent next();
  XmlEvent event() const { return event_; }
  std::string_view name() const { return name_; }  // with its prefix: "image:loc"
  std::string_view local_name() const;             // without: "loc"
  std::string_view prefix() const;                 // "image", or empty
  std::string_view raw_text() const { return text_; }
  std::size_t offset() const { return offset_; }  // of the event's first byte

  // Text with references undone. Replaces `out`.
  void text(std::string& out) const;
  // An attribute's value with references undone; false where there is none of that (whole) name.
  bool attribute(std::string_view name, std::string& out) const;

 private:
  XmlEvent markup();
  XmlEvent declaration();
  XmlEvent instruction();
  XmlEvent tag();
  std::size_t find_tag_end(std::size_t at) const;
  void skip_doctype();
  bool starts_with(std::string_view what) const { return document_.substr(at_).starts_with(what); }
  // Where `what` next begins at or behind `from`, or the end; `behind` is then behind it.
  std::size_t find(std::string_view what, std::size_t from, std::size_t& behind) const;

  std::string_view document_;
  std::size_t at_ = 0;
  std::size_t offset_ = 0;
  XmlEvent event_ = XmlEvent::kEnd;
  std::string_view name_;
  std::string_view text_;
  std::string_view attributes_;
  bool cdata_ = false;
  bool empty_element_ = false;  // its close is still to be given
};

// Appends `raw` with &lt; &gt; &amp; &quot; &apos; and character references undone; others stay.
void append_xml_decoded(std::string& out, std::string_view raw);

}  // namespace spinneret::feed

#endif  // SPINNERET_FEED_XML_H_
