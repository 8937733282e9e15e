// SPDX-License-Identifier: Apache-2.0
// The tokenizer's slow twin: the state machine of HTML 13.2.5, one character at a time, each state
// a case with the standard's name. It is as simple as possible.
#ifndef SPINNERET_TESTS_HTML_SLOW_TOKENIZER_H_
#define SPINNERET_TESTS_HTML_SLOW_TOKENIZER_H_

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "html/entity_table.h"
#include "html/tokenizer.h"
#include "token_lines.h"

namespace spinneret::html {

class SlowTokenizer {
 public:
  SlowTokenizer(std::string_view input, TextMode mode, std::string last_start_tag)
      : last_start_tag_(std::move(last_start_tag)) {
    // Preprocessing (13.2.3.5): newlines.
    for (std::size_t i = 0; i < input.size(); ++i) {
      if (input[i] == '\r') {
        input_ += '\n';
        if (i + 1 < input.size() && input[i + 1] == '\n') ++i;
      } else {
        input_ += input[i];
      }
    }
    switch (mode) {
      case TextMode::kData: state_ = kDataState; break;
      case TextMode::kRcdata: state_ = kRcdata; break;
      case TextMode::kRawtext: state_ = kRawtext; break;
      case TextMode::kScript: state_ = kScriptData; break;
      case TextMode::kPlaintext: state_ = kPlaintext; break;
      case TextMode::kCdata: state_ = kCdataSection; break;
    }
  }

  // Where our tokenizer goes back to data after an end tag of raw text, this one does so, too,
  // although that is a part of tree construction.
  std::vector<std::string> run() {
    while (!done_)
      step(at_ < input_.size() ? static_cast<unsigned char>(input_[at_++]) : (++at_, kEof));
    return lines_.take();
  }

 private:
  static constexpr int kEof = -1;
  // clang-format off
  enum State {
    kDataState, kRcdata, kRawtext, kScriptData, kPlaintext, kTagOpen, kEndTagOpen, kTagName,
    kTextLessThan, kTextEndTagOpen, kTextEndTagName,
    kScriptEscapeStart, kScriptEscapeStartDash, kScriptEscaped, kScriptEscapedDash,
    kScriptEscapedDashDash, kScriptEscapedLessThan, kScriptDoubleEscapeStart, kScriptDoubleEscaped,
    kScriptDoubleEscapedDash, kScriptDoubleEscapedDashDash, kScriptDoubleEscapedLessThan,
    kScriptDoubleEscapeEnd,
    kBeforeAttributeName, kAttributeName, kAfterAttributeName, kBeforeAttributeValue, kDoubleQuoted,
    kSingleQuoted, kUnquoted, kAfterQuoted, kSelfClosing, kBogusComment, kMarkupDeclaration,
    kCommentStart, kCommentStartDash, kComment, kCommentEndDash, kCommentEnd, kCommentEndBang,
    kDoctype, kBeforeDoctypeName, kDoctypeName, kAfterDoctypeName, kAfterPublicKeyword,
    kPublicIdDouble, kPublicIdSingle, kAfterPublicId, kBetweenIds, kAfterSystemKeyword,
    kSystemIdDouble, kSystemIdSingle, kAfterSystemId, kBogusDoctype, kCdataSection,
  };
  // clang-format on

  static bool space(int c) { return c == '\t' || c == '\n' || c == '\f' || c == ' '; }
  static bool alpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool alnum(int c) { return alpha(c) || (c >= '0' && c <= '9'); }
  static std::string text_of(int c) {
    return c == 0 ? "\xEF\xBF\xBD" : std::string(1, static_cast<char>(c));
  }
  static std::string lower_of(int c) { return text_of(c >= 'A' && c <= 'Z' ? c + 32 : c); }

  void emit(int c) { lines_.text(std::string(1, static_cast<char>(c))); }
  void emit_text(const std::string& s) { lines_.text(s); }
  void reconsume(State state) {
    --at_;
    state_ = state;
  }
  void end() { done_ = true; }
  bool ahead(std::string_view word, bool any_case) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (at_ - 1 + i >= input_.size()) return false;
      const char c = input_[at_ - 1 + i];
      if (any_case ? std::tolower(static_cast<unsigned char>(c)) != word[i] : c != word[i])
        return false;
    }
    at_ += word.size() - 1;
    return true;
  }

  // --- tags ---
  void begin_tag(bool is_end) {
    is_end_ = is_end;
    name_.clear();
    attributes_.clear();
    self_closing_ = false;
    has_attribute_ = false;
  }
  void begin_attribute(const std::string& name) {
    finish_attribute();
    has_attribute_ = true;
    attribute_ = name;
    value_.clear();
  }
  void finish_attribute() {
    if (has_attribute_) attributes_.emplace(attribute_, value_);
    has_attribute_ = false;
  }
  void emit_tag() {
    finish_attribute();
    if (is_end_) {
      lines_.other("end " + name_);
    } else {
      last_start_tag_ = name_;
      lines_.other(start_tag_line(name_, attributes_, self_closing_));
    }
    state_ = kDataState;
  }
  bool appropriate() const { return !last_start_tag_.empty() && name_ == last_start_tag_; }

  void emit_comment() { lines_.other("comment " + bracketed(comment_)); }
  void emit_doctype() {
    std::string out = "doctype " + name_;
    out += " " + (has_public_ ? bracketed(public_) : "-");
    out += " " + (has_system_ ? bracketed(system_) : "-");
    lines_.other(out + (quirks_ ? " quirks" : ""));
  }

  // 13.2.5.72 and on; called at the character behind '&'.
  std::string reference(bool attribute) {
    const std::size_t begin = at_;
    const auto peek = [&](std::size_t i) {
      return i < input_.size() ? static_cast<unsigned char>(input_[i]) : kEof;
    };
    if (peek(at_) == '#') {
      std::size_t i = at_ + 1;
      const bool hex = peek(i) == 'x' || peek(i) == 'X';
      if (hex) ++i;
      const std::size_t digits = i;
      unsigned long long code = 0;
      while (hex ? std::isxdigit(peek(i)) != 0 && peek(i) != kEof
                 : peek(i) >= '0' && peek(i) <= '9') {
        const int c = peek(i);
        const int digit = c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
        if (code < 0x200000) code = code * (hex ? 16 : 10) + static_cast<unsigned>(digit);
        ++i;
      }
      if (i == digits) return "&";
      if (peek(i) == ';') ++i;
      at_ = i;
      std::string out;
      // The table of 13.2.5.80 is the decoder's own; both tokenizers read it from there.
      decode_entity("&#" + std::to_string(code > 0x10FFFF ? 0x110000 : code) + ";",
                    EntityRules::kText, out);
      return out;
    }
    const NamedEntity* best = nullptr;
    for (const NamedEntity& entity : kNamedEntities) {
      const std::string_view name = entity.name;
      if (std::string_view(input_).substr(begin, name.size()) != name) continue;
      if (best == nullptr || name.size() > std::string_view(best->name).size()) best = &entity;
    }
    if (best == nullptr) return "&";
    const std::string_view name = best->name;
    const int next = peek(begin + name.size());
    if (attribute && name.back() != ';' && (next == '=' || alnum(next))) return "&";
    at_ = begin + name.size();
    return best->utf8;
  }

  void text_state(int c, State self, State less_than, bool references) {
    if (c == kEof) return end();
    if (c == '&' && references) return emit_text(reference(false));
    if (c == '<' && self != kPlaintext) {
      text_state_ = self;
      state_ = less_than;
      return;
    }
    if (c == 0 && self != kDataState) return emit_text(text_of(0));
    emit(c);
  }

  void step(int c) {
    if (state_ >= kScriptEscapeStart && state_ <= kScriptDoubleEscapeEnd) return script_step(c);
    if (state_ >= kCommentStart && state_ <= kCommentEndBang) return comment_step(c);
    if (state_ >= kDoctype && state_ <= kBogusDoctype) return doctype_step(c);
    if (state_ >= kBeforeAttributeName && state_ <= kSelfClosing) return attribute_step(c);
    switch (state_) {
      case kDataState: return text_state(c, kDataState, kTagOpen, true);
      case kRcdata: return text_state(c, kRcdata, kTextLessThan, true);
      case kRawtext: return text_state(c, kRawtext, kTextLessThan, false);
      case kScriptData: return text_state(c, kScriptData, kTextLessThan, false);
      case kPlaintext: return text_state(c, kPlaintext, kPlaintext, false);
      case kTagOpen:
        if (c == '!')
          state_ = kMarkupDeclaration;
        else if (c == '/')
          state_ = kEndTagOpen;
        else if (alpha(c))
          begin_tag(false), reconsume(kTagName);
        else if (c == '?')
          comment_.clear(), reconsume(kBogusComment);
        else
          emit('<'), reconsume(kDataState);
        return;
      case kEndTagOpen:
        if (alpha(c))
          begin_tag(true), reconsume(kTagName);
        else if (c == '>')
          state_ = kDataState;
        else if (c == kEof)
          emit_text("</"), end();
        else
          comment_.clear(), reconsume(kBogusComment);
        return;
      case kTagName:
        if (space(c))
          state_ = kBeforeAttributeName;
        else if (c == '/')
          state_ = kSelfClosing;
        else if (c == '>')
          emit_tag();
        else if (c == kEof)
          end();
        else
          name_ += lower_of(c);
        return;
      case kTextLessThan:
        if (c == '/')
          temporary_.clear(), state_ = kTextEndTagOpen;
        else if (c == '!' && text_state_ == kScriptData)
          emit_text("<!"), state_ = kScriptEscapeStart;
        else
          emit('<'), reconsume(text_state_);
        return;
      case kTextEndTagOpen:
        if (alpha(c))
          begin_tag(true), reconsume(kTextEndTagName);
        else
          emit_text("</"), reconsume(text_state_);
        return;
      case kTextEndTagName: return text_end_tag_name(c);
      case kBogusComment:
        if (c == '>')
          emit_comment(), state_ = kDataState;
        else if (c == kEof)
          emit_comment(), end();
        else
          comment_ += text_of(c);
        return;
      case kMarkupDeclaration:
        comment_.clear();
        if (ahead("--", false))
          state_ = kCommentStart;
        else if (ahead("doctype", true))
          state_ = kDoctype;
        else
          reconsume(kBogusComment);
        return;
      case kCdataSection:
        if (c == kEof) return end();
        if (ahead("]]>", false))
          state_ = kDataState;
        else
          emit(c);
        return;
      default: return end();
    }
  }

  void text_end_tag_name(int c) {
    if (appropriate()) {
      if (space(c)) return void(state_ = kBeforeAttributeName);
      if (c == '/') return void(state_ = kSelfClosing);
      if (c == '>') return emit_tag();
    }
    if (alpha(c)) {
      name_ += lower_of(c);
      temporary_ += static_cast<char>(c);
      return;
    }
    emit_text("</" + temporary_);
    reconsume(text_state_);
  }

  void script_step(int c) {
    const auto plain = [&](State state) {
      if (c == '-')
        emit(c), state_ = state == kScriptEscaped ? kScriptEscapedDash : kScriptDoubleEscapedDash;
      else if (c == '<' && state == kScriptEscaped)
        state_ = kScriptEscapedLessThan;
      else if (c == '<')
        emit(c), state_ = kScriptDoubleEscapedLessThan;
      else if (c == kEof)
        end();
      else
        emit_text(text_of(c)), state_ = state;
    };
    switch (state_) {
      case kScriptEscapeStart:
      case kScriptEscapeStartDash:
        if (c != '-') return reconsume(kScriptData);
        emit(c);
        state_ = state_ == kScriptEscapeStart ? kScriptEscapeStartDash : kScriptEscapedDashDash;
        return;
      case kScriptEscaped: return plain(kScriptEscaped);
      case kScriptEscapedDash:
        if (c != '-') return plain(kScriptEscaped);
        emit(c);
        state_ = kScriptEscapedDashDash;
        return;
      case kScriptEscapedDashDash:
        if (c == '-') return emit(c);
        if (c == '>')
          emit(c), state_ = kScriptData;
        else
          plain(kScriptEscaped);
        return;
      case kScriptEscapedLessThan:
        temporary_.clear();
        text_state_ = kScriptEscaped;
        if (c == '/')
          state_ = kTextEndTagOpen;
        else if (alpha(c))
          emit('<'), reconsume(kScriptDoubleEscapeStart);
        else
          emit('<'), reconsume(kScriptEscaped);
        return;
      case kScriptDoubleEscapeStart:
      case kScriptDoubleEscapeEnd: {
        const bool start = state_ == kScriptDoubleEscapeStart;
        if (space(c) || c == '/' || c == '>') {
          emit(c);
          state_ = (temporary_ == "script") == start ? kScriptDoubleEscaped : kScriptEscaped;
        } else if (alpha(c)) {
          temporary_ += lower_of(c);
          emit(c);
        } else {
          reconsume(start ? kScriptEscaped : kScriptDoubleEscaped);
        }
        return;
      }
      case kScriptDoubleEscaped: return plain(kScriptDoubleEscaped);
      case kScriptDoubleEscapedDash:
        if (c != '-') return plain(kScriptDoubleEscaped);
        emit(c);
        state_ = kScriptDoubleEscapedDashDash;
        return;
      case kScriptDoubleEscapedDashDash:
        if (c == '-') return emit(c);
        if (c == '>')
          emit(c), state_ = kScriptData;
        else
          plain(kScriptDoubleEscaped);
        return;
      default:  // script data double escaped less-than sign
        if (c != '/') return reconsume(kScriptDoubleEscaped);
        temporary_.clear();
        emit(c);
        state_ = kScriptDoubleEscapeEnd;
        return;
    }
  }

  void attribute_step(int c) {
    const auto quoted = [&](int quote) {
      if (c == quote)
        state_ = kAfterQuoted;
      else if (c == '&')
        value_ += reference(true);
      else if (c == kEof)
        end();
      else
        value_ += text_of(c);
    };
    switch (state_) {
      case kBeforeAttributeName:
        if (space(c)) return;
        if (c == '/' || c == '>' || c == kEof) return reconsume(kAfterAttributeName);
        begin_attribute(c == '=' ? "=" : "");
        if (c == '=')
          state_ = kAttributeName;
        else
          reconsume(kAttributeName);
        return;
      case kAttributeName:
        if (space(c) || c == '/' || c == '>' || c == kEof)
          reconsume(kAfterAttributeName);
        else if (c == '=')
          state_ = kBeforeAttributeValue;
        else
          attribute_ += lower_of(c);
        return;
      case kAfterAttributeName:
        if (space(c)) return;
        if (c == '/')
          state_ = kSelfClosing;
        else if (c == '=')
          state_ = kBeforeAttributeValue;
        else if (c == '>')
          emit_tag();
        else if (c == kEof)
          end();
        else
          begin_attribute(""), reconsume(kAttributeName);
        return;
      case kBeforeAttributeValue:
        if (space(c)) return;
        if (c == '"')
          state_ = kDoubleQuoted;
        else if (c == '\'')
          state_ = kSingleQuoted;
        else if (c == '>')
          emit_tag();
        else
          reconsume(kUnquoted);
        return;
      case kDoubleQuoted: return quoted('"');
      case kSingleQuoted: return quoted('\'');
      case kUnquoted:
        if (space(c))
          state_ = kBeforeAttributeName;
        else if (c == '&')
          value_ += reference(true);
        else if (c == '>')
          emit_tag();
        else if (c == kEof)
          end();
        else
          value_ += text_of(c);
        return;
      case kAfterQuoted:
        if (space(c))
          state_ = kBeforeAttributeName;
        else if (c == '/')
          state_ = kSelfClosing;
        else if (c == '>')
          emit_tag();
        else if (c == kEof)
          end();
        else
          reconsume(kBeforeAttributeName);
        return;
      default:  // self-closing start tag
        if (c == '>')
          self_closing_ = true, emit_tag();
        else if (c == kEof)
          end();
        else
          reconsume(kBeforeAttributeName);
        return;
    }
  }

  void comment_step(int c) {
    const auto done = [&](bool eof) {
      emit_comment();
      if (eof)
        end();
      else
        state_ = kDataState;
    };
    switch (state_) {
      case kCommentStart:
        if (c == '-')
          state_ = kCommentStartDash;
        else if (c == '>')
          done(false);
        else
          reconsume(kComment);
        return;
      case kCommentStartDash:
        if (c == '-')
          state_ = kCommentEnd;
        else if (c == '>')
          done(false);
        else if (c == kEof)
          done(true);
        else
          comment_ += '-', reconsume(kComment);
        return;
      case kComment:
        if (c == '-')
          state_ = kCommentEndDash;
        else if (c == kEof)
          done(true);
        else
          comment_ += text_of(c);
        return;
      case kCommentEndDash:
        if (c == '-')
          state_ = kCommentEnd;
        else if (c == kEof)
          done(true);
        else
          comment_ += '-', reconsume(kComment);
        return;
      case kCommentEnd:
        if (c == '>')
          done(false);
        else if (c == '!')
          state_ = kCommentEndBang;
        else if (c == '-')
          comment_ += '-';
        else if (c == kEof)
          done(true);
        else
          comment_ += "--", reconsume(kComment);
        return;
      default:  // comment end bang
        if (c == '-')
          comment_ += "--!", state_ = kCommentEndDash;
        else if (c == '>')
          done(false);
        else if (c == kEof)
          done(true);
        else
          comment_ += "--!", reconsume(kComment);
        return;
    }
  }

  void doctype_step(int c) {
    const auto done = [&](bool quirks) {
      quirks_ = quirks_ || quirks;
      emit_doctype();
      if (c == kEof)
        end();
      else
        state_ = kDataState;
    };
    const auto bogus = [&](bool quirks) {
      quirks_ = quirks_ || quirks;
      reconsume(kBogusDoctype);
    };
    const auto open_id = [&](bool is_public) {
      (is_public ? has_public_ : has_system_) = true;
      state_ = is_public ? (c == '"' ? kPublicIdDouble : kPublicIdSingle)
                         : (c == '"' ? kSystemIdDouble : kSystemIdSingle);
    };
    const bool quote = c == '"' || c == '\'';
    switch (state_) {
      case kDoctype:
        name_.clear();
        public_.clear();
        system_.clear();
        has_public_ = has_system_ = quirks_ = false;
        if (c == kEof)
          done(true);
        else
          reconsume(kBeforeDoctypeName);
        return;
      case kBeforeDoctypeName:
        if (space(c)) return;
        if (c == '>' || c == kEof) return done(true);
        reconsume(kDoctypeName);
        return;
      case kDoctypeName:
        if (space(c))
          state_ = kAfterDoctypeName;
        else if (c == '>')
          done(false);
        else if (c == kEof)
          done(true);
        else
          name_ += lower_of(c);
        return;
      case kAfterDoctypeName:
        if (space(c)) return;
        if (c == '>')
          done(false);
        else if (c == kEof)
          done(true);
        else if (ahead("public", true))
          state_ = kAfterPublicKeyword;
        else if (ahead("system", true))
          state_ = kAfterSystemKeyword;
        else
          bogus(true);
        return;
      case kAfterPublicKeyword:
      case kAfterSystemKeyword:
        if (space(c)) return;
        if (quote)
          open_id(state_ == kAfterPublicKeyword);
        else if (c == '>' || c == kEof)
          done(true);
        else
          bogus(true);
        return;
      case kPublicIdDouble:
      case kPublicIdSingle:
        if (c == (state_ == kPublicIdDouble ? '"' : '\''))
          state_ = kAfterPublicId;
        else if (c == '>' || c == kEof)
          done(true);
        else
          public_ += text_of(c);
        return;
      case kAfterPublicId:
      case kBetweenIds:
        if (space(c))
          state_ = kBetweenIds;
        else if (c == '>')
          done(false);
        else if (quote)
          open_id(false);
        else if (c == kEof)
          done(true);
        else
          bogus(true);
        return;
      case kSystemIdDouble:
      case kSystemIdSingle:
        if (c == (state_ == kSystemIdDouble ? '"' : '\''))
          state_ = kAfterSystemId;
        else if (c == '>' || c == kEof)
          done(true);
        else
          system_ += text_of(c);
        return;
      case kAfterSystemId:
        if (space(c)) return;
        if (c == '>')
          done(false);
        else if (c == kEof)
          done(true);
        else
          bogus(false);
        return;
      default:  // bogus doctype
        if (c == '>' || c == kEof) done(false);
        return;
    }
  }

  std::string input_;
  std::size_t at_ = 0;
  bool done_ = false;
  State state_ = kDataState;
  State text_state_ = kDataState;
  std::string last_start_tag_;
  std::string temporary_;
  Lines lines_;
  bool is_end_ = false;
  bool self_closing_ = false;
  bool has_attribute_ = false;
  std::string name_;
  std::string attribute_;
  std::string value_;
  std::map<std::string, std::string> attributes_;
  std::string comment_;
  std::string public_;
  std::string system_;
  bool has_public_ = false;
  bool has_system_ = false;
  bool quirks_ = false;
};

}  // namespace spinneret::html

#endif  // SPINNERET_TESTS_HTML_SLOW_TOKENIZER_H_
