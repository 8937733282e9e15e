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
// A Url is one buffer, its href, and offsets into it; every view it returns lives until the Url changes.
// const use is thread-safe.
#ifndef SPINNERET_URL_PARSE_H_
#define SPINNERET_URL_PARSE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spinneret {

// Why an input is no URL: a sentence that names the offending part ("port 65536 is out of range"), the byte of the
// input where it stands (0-based), and the Standard's name of it ("port-out-of-range"; empty where it has none).
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
//        |  |   |    host_begin  (at '@', or username_end; the host's text starts behind the '@')
//        |  |   username_end
//        |  username_begin       (behind "//", or scheme_end where there is no authority)
//        scheme_end              (behind ':')
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
  // The URL serializer's result, fragment and all.
  std::string_view href() const { return text_.href; }
  // Without the fragment: what a crawler asks for.
  std::string_view href_without_fragment() const;

  std::string_view scheme() const;    // "https", no colon
  std::string_view username() const;  // percent-encoded
  std::string_view password() const;
  bool has_host() const;               // a null host is none; an empty one ("file:///x") is one
  std::string_view host() const;       // without port; IPv6 in its brackets
  bool has_port() const;               // false for the scheme's default port
  std::string_view port_text() const;  // "8080"; empty: none
  int port() const;                    // -1: none
  // The port that a connection uses: port(), or the scheme's default, or -1.
  int effective_port() const;
  std::string_view path() const;   // "/foo/bar"; of an opaque path all of it
  bool has_opaque_path() const;    // "mailto:a@b"
  bool has_query() const;          // also for an empty one
  std::string_view query() const;  // without '?'
  bool has_fragment() const;
  std::string_view fragment() const;        // without '#'
  std::string_view path_and_query() const;  // what robots rules match and requests ask for
  // "https://example.com:1234", as robots.txt and politeness are keyed; empty without a host.
  std::string origin() const;
  bool is_http() const;     // http or https
  bool is_special() const;  // ftp, file, http, https, ws, wss

  const UrlOffsets& offsets() const { return text_.offsets; }

  // What the URL is written in. For those who write URLs (url_writer.h, plain_link.h, normalize.h): once they are done
  // the offsets are those of the href, which is as the serializer writes it.
  const UrlText& text() const { return text_; }
  UrlText& text() { return text_; }

 private:
  UrlText text_;
};

// How a query is encoded (section 5.2 and the "encoding" argument of the basic URL parser): appends the
// bytes of the document's encoding for the valid UTF-8 `text`, characters it lacks as "&#N;". nullptr
// means UTF-8, as everywhere but in old HTML documents.
class QueryEncoder {
 public:
  virtual ~QueryEncoder() = default;
  virtual void encode(std::string_view text, std::string& out) const = 0;
  // Whether what a character becomes depends on those before it, ASCII ones too (ISO-2022-JP): then a query is
  // encoded as one text.
  virtual bool is_stateful() const { return false; }
};

// Parses an absolute URL (basic URL parser without base). False: no URL; `out` is then unspecified.
// `input` must not be a view into `out`. At most 1 GiB.
bool parse(std::string_view input, Url& out, UrlError* why = nullptr);

// Parses `input` against `base`, which must have parsed. `&base != &out`.
bool resolve(std::string_view input, const Url& base, Url& out, UrlError* why = nullptr,
             const QueryEncoder* encoder = nullptr);

}  // namespace spinneret

#endif  // SPINNERET_URL_PARSE_H_
