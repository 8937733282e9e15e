// SPDX-License-Identifier: Apache-2.0
#include "url/params.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "url/percent.h"

namespace spinneret {
namespace {

// clang-format off
// Names and globs in lower case, which match regardless of case.
constexpr std::string_view kTracking[] = {
    // Campaign labels of analytics services.
    "utm_*", "_ga", "_gl", "_gac", "pk_*", "piwik_*", "mtm_*", "matomo_*", "hsa_*", "ns_campaign",
    "ns_linkname", "ns_mchannel", "ns_source", "s_cid", "s_kwcid", "ef_id", "cmpid", "ito",
    // Click identifiers of advertising networks and social sites.
    "gclid", "gclsrc", "gbraid", "wbraid", "gad_source", "gad_campaignid", "dclid", "srsltid",
    "fbclid", "fb_action_ids", "fb_action_types", "fb_source", "fb_ref", "action_object_map",
    "action_type_map", "action_ref_map", "msclkid", "yclid", "ymclid", "ysclid", "_openstat",
    "twclid", "ttclid", "igshid", "igsh", "li_fat_id", "epik", "rdt_cid", "sccid", "irclickid",
    "irgwc", "vmcid", "wickedid", "rb_clickid", "ef_click_id", "awc", "cjevent", "tblci",
    // Mailing lists and marketing systems.
    "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking",
    "vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "_kx", "_ke", "_bta_tid", "_bta_c",
    "trk_contact", "trk_msg", "trk_module", "trk_sid", "mkwid", "pcrid", "elqtrack", "elqtrackid",
    "ml_subscriber", "ml_subscriber_hash", "dm_i", "sb_referer_host", "at_recipient_id",
    "at_recipient_list", "guce_referrer", "guce_referrer_sig", "at_medium", "at_campaign",
    "at_custom*", "xtor", "wt_mc", "wt_zmc", "itm_*", "__s", "_branch_match_id", "_branch_referrer", "sc_cid", "sc_channel", "sc_campaign", "dicbo", "ck_subscriber_id", "mindbox-click-id",
    "nr_email_referer", "wickedsource", "af_xp", "gps_adid",
    // Affiliate networks, shops and portals.
    "zanpid", "tduid", "ranmid", "raneaid", "ransiteid", "qclid", "ncid", "ocid", "icid", "cvid", "spm", "scm",
    "ref_src", "ref_url", "asc_refurl", "asc_source", "asc_campaign", "pd_rd_*", "pf_rd_*", "gs_lcp", "gs_lcrp",
    "_trkparms", "_trksid", "mkevt", "mkcid", "mkrid", "ig_rid", "mibextid", "tt_medium", "tt_content",
    // Analytics and tag managers: Adobe, AT Internet, Coremetrics, Etracker, Webtrends, Google's
    // own names.
    "adobe_mc", "adobe_mc_ref", "adobe_mc_sdid", "at_creation", "at_variant", "at_format", "at_link", "at_ptr_name",
    "at_send_date", "at_platform", "at_general_placement", "at_channel", "at_detail_placement", "at_link_id",
    "cm_mmc*", "cm_lm", "cm_sp", "cm_cr", "etcc_*", "wt.mc_id", "wt.mc_ev", "wt.tsrc", "wt.nav", "ga_source", "ga_medium",
    "ga_campaign", "ga_term", "ga_content", "ga_place", "_gcl_au", "gclaw", "gad", "gps_source", "stm_source",
    "stm_medium", "stm_campaign", "otm_source", "otm_medium", "otm_campaign", "cvosrc", "cvo_campaign", "cvo_cid",
    "hmb_campaign", "hmb_medium", "hmb_source", "funnel_source", "int_cmp", "intcmp", "intcid", "wprov",
    // Advertising and social networks: click identifiers, and labels that they add by themselves.
    "bd_vid", "kclid", "yj_r", "_ym_uid", "tw_adid", "tw_campaign", "tw_kwdid", "tw_source", "__twitter_impression",
    "obclid", "ob_click_id", "oborigurl", "cto_pld", "cto_bundle", "im_ref", "cjdata", "sscid", "afftrack",
    "admitad_uid", "wgcampaignid", "wgprogramid", "trdsource", "ir_adid", "ir_campaignid", "ir_partnerid",
    "adjust_tracker", "adjust_campaign", "adjust_adgroup", "adjust_creative", "adjust_referrer", "af_click_lookback",
    "af_ad", "af_adset", "af_channel", "af_siteid", "af_sub1", "af_sub2", "af_sub3", "fbadid", "fb_comment_id", "hc_ref",
    "hc_location", "sc_click_id", "_kk", "_kt", "k_clickid", "gdfms", "gdftrk", "gdffi", "napm", "n_ad_group",
    "n_ad_group_type", "n_keyword_id", "n_campaign_type", "xg_source", "ceneo_spo", "cx_click", "cx_recsorder", "dpg_source",
    "nx_source", "sms_click", "sms_source", "sms_uph", "li_source", "li_medium", "wicked_source",
    // Mail: Blueshift, Emarsys, Eloqua, Iterable, Responsys, Salesforce, Acoustic, Pardot.
    "bsft_*", "sc_src", "sc_lid", "sc_uid", "sc_llid", "sc_eh", "elqaid", "elqat", "elqak", "elqcampaignid", "elqcsid",
    "elq_mid", "elq_cid", "itblcampaignid", "itbltemplateid", "iterable_campaign", "iterable_template", "_ri_", "_ei_",
    "_di_", "sfmc_id", "sfmc_sub", "sfmc_activityid", "sfmc_journey_id", "sfmc_journey_name", "sfdcimpactsrc", "et_rid",
    "et_cid", "spmailingid", "spuserid", "spjobid", "spreportid", "pi_list_email", "pi_campaign_id", "vgo_ee", "sib_id",
    "mtct", "mtcid", "emlinkid", "email_subscriber_id", "email_source", "dm_t", "cr_cc", "rsc_id",
    "_sgm_campaign", "_sgm_source", "_sgm_term", "_sgm_action", "_sgm_pinned", "xnpe_cmp", "xnpe_tifc", "brevo_id",
};

// Names of session ids in queries (?PHPSESSID=) and in path parameters (;jsessionid=).
constexpr std::string_view kSession[] = {
    "jsessionid", "phpsessid", "aspsessionid*", "asp.net_sessionid", "cfid", "cftoken", "sessionid", "session_id",
    "session-id", "sessid", "sess_id", "sessionkey", "zenid", "oscsid", "xtcsid", "mscsid", "viewstate", "__viewstate",
    "aspsessid", "jservsessionidroot",
};
// Names that may mean a session id: they count only with a value that looks like one.
constexpr std::string_view kMaybeSession[] = {
    "sid", "s", "session", "sess", "ssid", "phpsid", "token", "sesskey", "auth_token", "visitid",
};
// clang-format on
constexpr std::size_t kIdLength = 16;

// A sorted list, with names in front of globs, so that a name is looked up, and otherwise compared
// only with the globs that begin with its first letter. No glob begins with its star.
template <std::size_t N>
struct NameList {
  std::array<std::string_view, N> all{};
  std::size_t names = 0;
};
template <std::size_t N>
constexpr NameList<N> sorted(const std::string_view (&list)[N]) {
  NameList<N> out;
  const auto is_glob = [](std::string_view name) { return name.find('*') != name.npos; };
  for (const std::string_view name : list) {
    if (!is_glob(name)) out.all[out.names++] = name;
  }
  std::size_t at = out.names;
  for (const std::string_view name : list) {
    if (is_glob(name)) out.all[at++] = name;
  }
  const auto globs = out.all.begin() + static_cast<std::ptrdiff_t>(out.names);
  std::sort(out.all.begin(), globs);
  std::sort(globs, out.all.end());
  return out;
}
constexpr auto kSortedTracking = sorted(kTracking);
constexpr auto kSortedSession = sorted(kSession);
constexpr auto kSortedMaybeSession = sorted(kMaybeSession);

template <std::size_t N>
bool is_listed(const NameList<N>& list, std::string_view name) {
  if (name.empty()) return false;
  const std::span all(list.all);
  const auto names = all.first(list.names);
  if (std::binary_search(names.begin(), names.end(), name)) return true;
  const auto globs = all.subspan(list.names);
  return std::any_of(globs.begin(), globs.end(), [name](std::string_view glob) {
    return glob.front() == name.front() && matches_glob(glob, name);
  });
}

void append_form_decoded(std::string& out, std::string_view text) {
  if (text.find('+') == std::string_view::npos) return append_percent_decoded(out, text);
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  append_percent_decoded(out, spaced);
}

// Returns whether the value has 16 or more letters and digits, and both of them: it is then neither
// a word nor a number.
bool looks_random(std::string_view value) {
  if (value.size() < kIdLength) return false;
  bool digit = false;
  bool alpha = false;
  for (const char c : value) {
    if (!is_alnum(c) && c != '-' && c != '_') return false;
    digit |= is_digit(c);
    alpha |= is_alpha(c);
  }
  return digit && alpha;
}

// The first three letters of all names on the lists, in any case, as a set of bits. One in twenty
// other parameters passes this filter; those that pass are looked up.
class FirstLetters {
 public:
  constexpr FirstLetters() {
    for (const std::string_view name : kTracking) add(name);
    for (const std::string_view name : kSession) add(name);
    for (const std::string_view name : kMaybeSession) add(name);
  }
  constexpr bool may_be_listed(std::string_view name) const {
    const std::size_t hash = hash_of(name);
    return (bits_[hash / 64] >> hash % 64 & 1) != 0;
  }

 private:
  static constexpr std::size_t hash_of(std::string_view name) {
    std::size_t hash = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const char c = i < name.size() ? name[i] : '=';
      hash = hash * 37 + (static_cast<unsigned char>(c) | 0x20U);
    }
    return hash % 4096;
  }
  constexpr void add(std::string_view name) {
    const std::size_t hash = hash_of(name);
    bits_[hash / 64] |= std::uint64_t{1} << hash % 64;
  }
  std::array<std::uint64_t, 64> bits_{};
};
constexpr FirstLetters kFirstLetters;

// Returns whether a parameter may be a session id, by its first byte: a first letter of the names,
// or of an encoded name. Few parameters pass.
constexpr bool may_be_session(char first) {
  return std::string_view("pjscoxmvat_z%").find(to_lower(first)) != std::string_view::npos;
}

// Returns whether the segment is "(S(lit3py55t21z5v55vlm25s55))", as ASP.NET writes a session
// without cookies; it may have more than one group.
bool is_cookieless_session(std::string_view segment) {
  if (segment.size() < 2 || segment.front() != '(' || segment.back() != ')') return false;
  segment = segment.substr(1, segment.size() - 2);
  bool any = false;
  while (segment.size() >= 3 && is_alpha(segment[0]) && segment[1] == '(') {
    const std::size_t end = segment.find(')');
    if (end == std::string_view::npos) return false;
    const std::string_view id = segment.substr(2, end - 2);
    if (!std::all_of(id.begin(), id.end(),
                     [](char c) { return is_alnum(c) || c == '-' || c == '_'; })) {
      return false;
    }
    segment.remove_prefix(end + 1);
    any |= id.size() >= 24;
  }
  return any && segment.empty();
}

// Appends a segment without its ";name=value" parameters that are session ids.
void append_segment(std::string& out, std::string_view segment) {
  bool first = true;
  while (true) {
    const std::size_t end = segment.find(';');
    const std::string_view piece = segment.substr(0, end);
    if (first || piece.find('=') == std::string_view::npos || !is_session_param(piece)) {
      if (!first) out += ';';
      out += piece;
    }
    first = false;
    if (end == std::string_view::npos) return;
    segment.remove_prefix(end + 1);
  }
}

}  // namespace

bool is_tracking_param(std::string_view lower_name) {
  return is_listed(kSortedTracking, lower_name);
}

bool is_session_param(std::string_view param) {
  if (param.empty() || !may_be_session(param.front())) return false;
  std::string name;
  append_param_name(name, param);
  make_lower(name);
  if (is_listed(kSortedSession, name)) return true;
  const std::size_t equals = param.find('=');
  return equals != std::string_view::npos && is_listed(kSortedMaybeSession, name) &&
         looks_random(param.substr(equals + 1));
}

bool has_session_param(std::string_view query) {
  bool found = false;
  for_each_param(query, [&](std::string_view param) { return !(found = is_session_param(param)); });
  return found;
}

std::string params_table() {
  std::string out;
  for (const std::string_view name : kTracking) out += "tracking\t" + std::string(name) + '\n';
  for (const std::string_view name : kSession) out += "session\t" + std::string(name) + '\n';
  for (const std::string_view name : kMaybeSession)
    out += "session-value\t" + std::string(name) + '\n';
  return out;
}

bool matches_glob(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star =
      std::string_view::npos;  // the place after the last '*', and the end of its match so far
  std::size_t star_end = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = ++g;
      star_end = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star;
      t = ++star_end;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

void append_param_name(std::string& out, std::string_view param) {
  append_form_decoded(out, raw_param_name(param));
}

std::optional<std::string> find_param(std::string_view query, std::string_view name) {
  std::optional<std::string> found;
  std::string decoded;
  for_each_param(query, [&](std::string_view param) {
    if (found) return;
    decoded.clear();
    append_param_name(decoded, param);
    if (decoded != name) return;
    const std::size_t equals = param.find('=');
    found.emplace();
    if (equals != std::string_view::npos) append_form_decoded(*found, param.substr(equals + 1));
  });
  return found;
}

std::vector<std::string> find_params(std::string_view query, std::string_view name) {
  std::vector<std::string> found;
  std::string decoded;
  for_each_param(query, [&](std::string_view param) {
    decoded.clear();
    append_param_name(decoded, param);
    if (decoded != name) return;
    const std::size_t equals = param.find('=');
    found.emplace_back();
    if (equals != std::string_view::npos)
      append_form_decoded(found.back(), param.substr(equals + 1));
  });
  return found;
}

std::vector<std::string> param_names(std::string_view query) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for_each_param(query, [&](std::string_view param) {
    std::string name;
    append_param_name(name, param);
    if (!name.empty() && known.insert(name).second) names.push_back(std::move(name));
  });
  return names;
}

bool are_params_settled(std::string_view query, const ParamChecks& checks) {
  std::string lower_name;
  std::string_view last;
  while (true) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view param = query.substr(0, end);
    std::size_t size = 0;
    for (; size < param.size() && param[size] != '='; ++size) {
      if (param[size] == '%' || param[size] == '+') return false;
    }
    const std::string_view name = param.substr(0, size);
    if (checks.empty && (param.empty() || param == "=")) return false;
    if (checks.order && name < last) return false;
    if ((checks.tracking || checks.session) && kFirstLetters.may_be_listed(name)) {
      lower_name = name;
      make_lower(lower_name);
      if (checks.tracking && is_tracking_param(lower_name)) return false;
      if (checks.session && is_session_param(param)) return false;
    }
    if (end == query.size()) return true;
    last = name;
    query.remove_prefix(end + 1);
  }
}

bool append_params_without(std::string& out, std::string_view query,
                           const std::function<bool(std::string_view, std::string_view)>& drop) {
  bool any = false;
  std::string name;
  for_each_param(query, [&](std::string_view param) {
    name.clear();
    append_param_name(name, param);
    if (drop(name, param)) return;
    if (any) out += '&';
    out += param;
    any = true;
  });
  return any;
}

bool append_params_not_empty(std::string& out, std::string_view query) {
  bool any = false;
  for_each_param(query, [&](std::string_view param) {
    if (param.empty() || param == "=") return;
    if (any) out += '&';
    out += param;
    any = true;
  });
  return any;
}

// Most queries are in order and need no list of their names.
bool are_params_sorted(std::string_view query) {
  bool in_order = true;
  std::string last;
  std::string name;
  for_each_param(query, [&](std::string_view param) {
    if (!in_order) return;
    name.clear();
    append_param_name(name, param);
    in_order = last <= name;
    std::swap(last, name);
  });
  return in_order;
}

namespace {

// Parameters and the keys by which they are compared (decoded names or all their bytes), at 12
// bytes each: a query of 16 MB may have 8 million. Names that had escapes are stored one after
// another in `decoded_`; all other keys are in the query itself.
class ParamList {
 public:
  enum class Key : std::uint8_t { kName, kWhole };
  ParamList(std::string_view query, Key key) : query_(query), key_(key) {
    params_.reserve(static_cast<std::size_t>(std::count(query.begin(), query.end(), '&')) + 1);
    for_each_param(query, [this](std::string_view param) { add(param); });
  }

  // Sorts in place, since a stable sort would need half as much memory again. The place in the
  // query keeps equal keys in order.
  void sort() {
    std::sort(params_.begin(), params_.end(), [this](const Param& a, const Param& b) {
      const int order = name(a).compare(name(b));
      return order != 0 ? order < 0 : a.begin < b.begin;
    });
  }

  // Keeps only the first of the parameters with the same key, in the order of the query.
  void keep_first() {
    sort();
    const auto same = [this](const Param& a, const Param& b) { return name(a) == name(b); };
    params_.erase(std::unique(params_.begin(), params_.end(), same), params_.end());
    std::sort(params_.begin(), params_.end(),
              [](const Param& a, const Param& b) { return a.begin < b.begin; });
  }

  void append_to(std::string& out) const {
    bool any = false;
    for (const Param& param : params_) {
      if (any) out += '&';
      out += query_.substr(param.begin, query_.find('&', param.begin) - param.begin);
      any = true;
    }
  }

 private:
  struct Param {
    std::uint32_t begin;  // in the query
    std::uint32_t name;   // offset in the query or, from the query's size on, in the decoded names
    std::uint32_t name_size;
  };

  void add(std::string_view param) {
    const auto begin = static_cast<std::uint32_t>(param.data() - query_.data());
    const std::string_view raw = key_ == Key::kWhole ? param : raw_param_name(param);
    if (key_ == Key::kWhole || raw.find_first_of("%+") == std::string_view::npos) {
      params_.push_back({begin, begin, static_cast<std::uint32_t>(raw.size())});
      return;
    }
    const std::size_t at = decoded_.size();
    append_form_decoded(decoded_, raw);
    params_.push_back({begin, static_cast<std::uint32_t>(query_.size() + at),
                       static_cast<std::uint32_t>(decoded_.size() - at)});
  }
  std::string_view name(const Param& param) const {
    return param.name < query_.size()
               ? query_.substr(param.name, param.name_size)
               : std::string_view(decoded_).substr(param.name - query_.size(), param.name_size);
  }

  std::string_view query_;
  Key key_;
  std::string decoded_;
  std::vector<Param> params_;
};

}  // namespace

void append_params_sorted(std::string& out, std::string_view query) {
  if (are_params_sorted(query)) {
    out += query;
    return;
  }
  ParamList params(query, ParamList::Key::kName);
  params.sort();
  params.append_to(out);
}

void append_params_once(std::string& out, std::string_view query) {
  if (query.find('&') == std::string_view::npos) {
    out += query;
    return;
  }
  ParamList params(query, ParamList::Key::kWhole);
  params.keep_first();
  params.append_to(out);
}

void append_path_without_sessions(std::string& out, std::string_view path) {
  if (path.find(';') == std::string_view::npos && path.find('(') == std::string_view::npos) {
    out += path;
    return;
  }
  bool first = true;
  while (true) {
    const std::size_t end = path.find('/');
    const std::size_t before = out.size();
    if (!first) out += '/';
    const std::size_t begin = out.size();
    append_segment(out, path.substr(0, end));
    // The rest of the segment decides; otherwise a second run would strip more than the first.
    const bool dropped = is_cookieless_session(std::string_view(out).substr(begin));
    if (dropped) out.resize(before);
    first = false;
    if (end == std::string_view::npos) {
      // The session was the whole path, or its last segment.
      if (dropped && (out.empty() || out.back() != '/')) out += '/';
      return;
    }
    path.remove_prefix(end + 1);
  }
}

}  // namespace spinneret
