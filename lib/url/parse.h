// SPDX-License-Identifier: Apache-2.0
// URLs by the WHATWG URL Standard (https://url.spec.whatwg.org/): parse, resolve, take apart.
//
//   Url url;                              // reuse it: no allocation once warm
//   UrlError why;
//   if (!parse("HTTP://EXAMPLE.com:80/a/../b?q#f", url, &why)) report(why.message, why.offset);
//   url.href();                           // "http://example.com/b?q#f"
//   Url link;
//   resolve("../c", url, link);           // "http://example.com/c"
//
// A Url is one buffer, its href, and offsets into it. Every view that it returns lives until the
// Url changes. Const use is thread-safe.
#ifndef SPINNERET_URL_PARSE_H_
#define SPINNERET_URL_PARSE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret {

// Why an input is not a URL: a sentence that names the faulty part ("port 65536 is out of range"),
// the byte of the input where that part begins (from 0), and the Standard's name for the error
// ("port-out-of-range"; empty where it has none).
struct UrlError {
  std::string message;
  std::size_t offset = 0;
  std::string_view name = {};
};

// The offsets, on an example:
//
//   https://user:pass@example.com:1234/foo/bar?baz#quux
//        |  |   |    |           |    |       |   |
//        |  |   |    |           |    |       |   fragment_begin  (at '#'; npos: none)
//        |  |   |    |           |    |       query_begin         (at '?'; npos: none)
//        |  |   |    |           |    path_begin
//        |  |   |    |           host_end      (at ':' of the port, or path_begin)
//        |  |   |    host_begin  (at '@', or username_end; the host's text starts after the '@')
//        |  |   username_end
//        |  username_begin       (after "//", or scheme_end where there is no authority)
//        scheme_end              (after ':')
struct UrlOffsets {
  static constexpr std::uint32_t npos = UINT32_MAX;
  std::uint32_t scheme_end = 0;
  std::uint32_t username_begin = 0;
  std::uint32_t username_end = 0;
  std::uint32_t host_begin = 0;
  std::uint32_t host_end = 0;
  std::uint32_t path_begin = 0;
  std::uint32_t query_begin = npos;
  std::uint32_t fragment_begin = npos;
};

struct UrlText {
  std::string href;
  UrlOffsets offsets;
  bool opaque_path = false;
};

class Url {
 public:
  // Returns the URL serializer's result, fragment and all.
  std::string_view href() const { return text_.href; }
  // Returns the href without its fragment: what a crawler requests.
  std::string_view href_without_fragment() const;

  std::string_view scheme() const;    // "https", no colon
  std::string_view username() const;  // percent-encoded
  std::string_view password() const;
  bool has_host() const;               // false for a null host; true for an empty one ("file:///x")
  std::string_view host() const;       // without the port; IPv6 in its brackets
  bool has_port() const;               // false for the scheme's default port
  std::string_view port_text() const;  // "8080"; empty where there is none
  int port() const;                    // -1 where there is none
  // Returns the port that a connection uses: port(), or the scheme's default, or -1.
  int effective_port() const;
  std::string_view path() const;   // "/foo/bar"; an opaque path is given whole
  bool has_opaque_path() const;    // "mailto:a@b"
  bool has_query() const;          // true also for an empty query
  std::string_view query() const;  // without '?'
  bool has_fragment() const;
  std::string_view fragment() const;        // without '#'
  std::string_view path_and_query() const;  // what robots rules match and requests ask for
  // Returns "https://example.com:1234", the key of robots.txt and politeness; empty without a host.
  std::string origin() const;
  bool is_http() const;     // http or https
  bool is_special() const;  // ftp, file, http, https, ws, wss

  const UrlOffsets& offsets() const { return text_.offsets; }

  // The text of the URL, for code that writes URLs (url_writer.h, plain_link.h, normalize.h). When
  // that code is done, the href must be as the serializer writes it, and the offsets must fit it.
  const UrlText& text() const { return text_; }
  UrlText& text() { return text_; }

 private:
  UrlText text_;
};

// Encodes a query (section 5.2, and the "encoding" argument of the basic URL parser): appends the
// valid UTF-8 `text` in the document's encoding, and characters that the encoding lacks as "&#N;".
// Where a QueryEncoder is expected, nullptr means UTF-8, which is right for all but old HTML
// documents.
class QueryEncoder {
 public:
  virtual ~QueryEncoder() = default;
  virtual void encode(std::string_view text, std::string& out) const = 0;
  // Returns whether a character's bytes depend on the characters before it, including ASCII ones
  // (ISO-2022-JP). Such an encoder gets the whole query at once.
  virtual bool is_stateful() const { return false; }
};

// Parses an absolute URL (the basic URL parser without a base). Returns false where the input is
// not a URL; `out` is unspecified then. `input` must not be a view into `out`, and may have at most
// 1 GiB.
bool parse(std::string_view input, Url& out, UrlError* why = nullptr);

// Parses `input` against `base`, which must have parsed successfully. `out` must not be `base`.
bool resolve(std::string_view input, const Url& base, Url& out, UrlError* why = nullptr,
             const QueryEncoder* encoder = nullptr);

}  // namespace spinneret

#endif  // SPINNERET_URL_PARSE_H_
