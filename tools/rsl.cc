// SPDX-License-Identifier: Apache-2.0
#include "rsl.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "feed/xml.h"
#include "robots/pattern.h"
#include "robots/wildcard.h"
#include "url/parse.h"

namespace spinneret {
namespace {

constexpr std::string_view kNamespace = "https://rslstandard.org/rsl";
// Section 3.3. The last names are those of AI preferences, which drafts of RSL used.
constexpr std::string_view kUsages[] = {"all",      "ai-all", "ai-train", "ai-input",
                                        "ai-index", "search", "train-ai", "immersive"};
constexpr std::string_view kPayments[] = {"free",         "attribution", "purchase", "subscription",
                                          "crawl",        "training",    "use",      "inference",
                                          "contribution", "custom"};
constexpr std::size_t kMaxContents = 100'000;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

class RslReader {
 public:
  explicit RslReader(std::string_view document) : document_(document), xml_(document) {}

  RslFile read() {
    bool has_root = false;
    while (xml_.next() != feed::XmlEvent::kEnd) {
      if (xml_.event() == feed::XmlEvent::kText) {
        if (wants_text_) xml_.text(text_);
        continue;
      }
      if (xml_.event() == feed::XmlEvent::kClose) {
        close(xml_.local_name());
      } else if (xml_.event() == feed::XmlEvent::kOpen) {
        if (!has_root) check_root();
        has_root = true;
        open(xml_.local_name());
      }
    }
    if (!has_root) error("rsl-root", "is not RSL: there is no rsl element");
    if (out_.contents.empty() && has_root) error("rsl-content", "has no content element");
    return std::move(out_);
  }

 private:
  // Events come in the order of the document, so lines are counted on from the last one.
  std::uint32_t line() {
    const std::size_t to = std::min(xml_.offset(), document_.size());
    line_ += static_cast<std::uint32_t>(
        std::count(document_.begin() + static_cast<std::ptrdiff_t>(counted_),
                   document_.begin() + static_cast<std::ptrdiff_t>(std::max(to, counted_)), '\n'));
    counted_ = std::max(to, counted_);
    return line_;
  }
  void error(std::string_view code, std::string message, std::string_view bytes = {}) {
    out_.findings.push_back(
        {line(), robots::Severity::kError, code, std::move(message), std::string(bytes)});
  }

  void check_root() {
    std::string value;
    if (xml_.local_name() != "rsl") return error("rsl-root", "the root is not rsl", xml_.name());
    if (!xml_.attribute("xmlns", value) || value != kNamespace) {
      error("rsl-namespace", "the namespace is not " + std::string(kNamespace), value);
    }
  }

  void open(std::string_view name) {
    if (name == "content") return open_content();
    if (out_.contents.empty()) return;
    RslContent& content = out_.contents.back();
    if (name == "license") {
      content.licenses.emplace_back();
    } else if (!content.licenses.empty() && (name == "permits" || name == "prohibits")) {
      std::string type;
      wants_text_ = xml_.attribute("type", type) && type == "usage";
      text_.clear();
    } else if (!content.licenses.empty() && name == "payment") {
      std::string type;
      if (!xml_.attribute("type", type)) type = "free";
      if (!is_one_of(type, kPayments)) error("rsl-payment", "is not a type of payment", type);
      content.licenses.back().payment = type == "free" || type == "attribution" ? "" : type;
    }
  }

  void open_content() {
    if (out_.contents.size() == kMaxContents) return;
    RslContent content;
    content.line = line();
    if (!xml_.attribute("url", content.url) || content.url.empty()) {
      error("rsl-content", "a content element has no url");
    }
    Url url;
    std::string path = content.url;
    if (!path.starts_with('/') && parse(path, url, nullptr)) path = url.path_and_query();
    robots::append_comparable_pattern(content.pattern, path, robots::RobotsMode::kRfc);
    out_.contents.push_back(std::move(content));
  }

  void close(std::string_view name) {
    if (!wants_text_ || (name != "permits" && name != "prohibits")) return;
    wants_text_ = false;
    RslLicense& license = out_.contents.back().licenses.back();
    std::vector<std::string>& list = name == "permits" ? license.permits : license.prohibits;
    std::replace_if(
        text_.begin(), text_.end(), [](char c) { return is_space(c); }, ',');
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::string usage = to_lower_copy(trim(cut(rest, ',')));
      if (usage.empty()) continue;
      if (!is_one_of(usage, kUsages)) error("rsl-usage", "is not a usage of RSL 1.0", usage);
      list.push_back(usage);
    }
  }

  std::string_view document_;
  feed::XmlScanner xml_;
  RslFile out_;
  std::string text_;
  bool wants_text_ = false;
  std::uint32_t line_ = 1;
  std::size_t counted_ = 0;
};

bool names(const std::vector<std::string>& list, std::initializer_list<std::string_view> words) {
  return std::any_of(list.begin(), list.end(), [&words](const std::string& usage) {
    return std::find(words.begin(), words.end(), usage) != words.end();
  });
}

void say_use(robots::Usage& usage, const RslContent& content, robots::Use use,
             std::initializer_list<std::string_view> words) {
  std::string against;
  for (const RslLicense& license : content.licenses) {
    const bool listed = license.permits.empty() || names(license.permits, words);
    if (names(license.prohibits, words)) {
      against = "prohibits";
    } else if (listed && license.payment.empty()) {
      return usage.say(use, true, "license", content.line, "RSL permits");
    } else {
      against = listed ? "for payment: " + license.payment : "does not permit";
    }
  }
  if (!against.empty()) usage.say(use, false, "license", content.line, "RSL " + against);
}

}  // namespace

const RslContent* RslFile::find(std::string_view path) const {
  return robots::longest_match(contents, path);
}

bool looks_like_rsl(std::string_view bytes) {
  feed::XmlScanner xml(bytes.substr(0, 4096));
  while (xml.next() != feed::XmlEvent::kEnd) {
    if (xml.event() == feed::XmlEvent::kOpen) return xml.local_name() == "rsl";
  }
  return false;
}

RslFile read_rsl(std::string_view xml) { return RslReader(xml).read(); }

void say_license(robots::Usage& usage, const RslContent& content) {
  say_use(usage, content, robots::Use::kSearch, {"search", "all"});
  say_use(usage, content, robots::Use::kTrainAi, {"ai-train", "train-ai", "ai-all", "all"});
  say_use(usage, content, robots::Use::kAiInput, {"ai-input", "ai-all", "all"});
}

}  // namespace spinneret
