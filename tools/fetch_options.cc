// SPDX-License-Identifier: Apache-2.0
#include "fetch_settings.h"

namespace spinneret {
namespace {

constexpr cli::Option kOptions[] = {
    {'A', "agent", "NAME", "name yourself ($SPINNERET_AGENT)"},
    {0, "contact", "ADDRESS", "how to reach you ($SPINNERET_CONTACT)"},
    {'H', "header", "LINE", "send this header field too"},
    {0, "referer", nullptr, "send via= as Referer, as browsers cut it"},
    {0, "head", nullptr, "ask for headers only (HEAD)"},
    {0, "auth", "FILE", "credentials by origin"},
    {0, "cookies", "FILE", "keep cookies, in FILE"},
    {0, "cookie-jar", "FILE", "write cookies to FILE, not to --cookies"},
    {0, "sign-key", "FILE", "sign requests with this Ed25519 key"},
    {0, "signature-agent", "URL", "who publishes the key (https)"},
    {0, "sign", "NAME", "sign all requests, or those asked for (all)", "all|asked"},
    {0, "signing-directory", nullptr, "only print the keys to publish"},
    {0, "max-price", "AMOUNT", "pay at most this for a page: 'USD 0.01'"},
    {0, "ledger", "FILE", "the budget, and what was spent"},
    {0, "proxy", "URL", "go through this proxy"},
    {0, "cert", "FILE", "client certificate, for servers that ask"},
    {0, "key", "FILE", "key of --cert, if it is not in that file"},
    {'4', "ipv4", nullptr, "connect by IPv4 only"},
    {'6', "ipv6", nullptr, "connect by IPv6 only"},
    {0, "interface", "NAME", "connect by this interface or address"},
    {0, "http3", nullptr, "use HTTP/3, if libcurl here can"},
    {0, "insecure", nullptr, "do not verify certificates"},
    {0, "allow-private", nullptr, "fetch private and loopback addresses too"},
    {0, "allow", "CIDR", "fetch addresses of this range too"},
    {'L', "follow", "N", "follow up to N redirects (0)"},
    {'j', "in-flight", "N", "URLs to fetch at once (64)"},
    {0, "per-host", "N", "requests to one host at once (6; more: --agent)"},
    {0, "wait", "TIME", "wait so long between requests to a host (0)"},
    {0, "random-wait", nullptr, "vary --wait between half and one and a half"},
    {0, "again-after", "TIME", "wait so long before asking a host again (1s)"},
    {0, "ordered", nullptr, "write records in the order of the input"},
    {'t', "timeout", "TIME", "give a URL up after so long (60)"},
    {0, "max-size", "SIZE", "largest body, decoded (10M)"},
    {0, "types", "LIST", "accept these types: text/html,!text/css",
     "text/html,application/xhtml+xml,application/pdf,text/*,image/*,"},
    {0, "limit", "NAME=VALUE", "another limit: see man fetch",
     "connect=|first-byte=|low-speed=|headers=|rate=|host-rate=|run=|memory=|warc=|"},
    {0, "retry-connect", "N", "try a connection N more times (1)"},
    {0, "continue", "N", "ask for the rest of a cut body N times (0)"},
    {0, "no-body", nullptr, "leave bodies out"},
    {0, "store", "DIR", "put bodies into packs in DIR"},
    {0, "store-as", "NAME", "pack, or files named by digest (pack)", "pack|files"},
    {0, "list", nullptr, "list the bodies of --store, fetch nothing"},
    {0, "cat", "KEY", "print one body of --store: a digest or URL"},
    {0, "warc", "FILE", "write bodies to a WARC file"},
    {0, "warc-info", "NAME=VALUE", "a field of warcinfo: robots=obey"},
    {0, "cdxj", nullptr, "write an index beside each WARC file"},
    {0, "wacz", nullptr, "pack the WARC files as one WACZ file"},
    {0, "raw", nullptr, "print bodies only"},
    {0, "digest", "NAME", "xxh3 or sha256 (xxh3)", "xxh3|sha256"},
    {0, "headers", nullptr, "add all header fields to the record"},
    {0, "timing", nullptr, "add the times of each stage"},
    {0, "progress", nullptr, "report progress and totals on stderr"},
};

}  // namespace

const cli::ToolSpec kFetchTool{
    "fetch",
    "fetch URLs, one record out for each line in",
    "[OPTION]... [URL|FILE]...",
    kOptions,
    "  fetch --agent=examplebot --contact=me@example.org < urls > results\n",
    true,
    "",
    "agent contact header auth cookies proxy insecure allow-private follow in-flight "
    "per-host wait ordered timeout max-size types head no-body store cat warc wacz raw "
    "headers progress"};

}  // namespace spinneret
