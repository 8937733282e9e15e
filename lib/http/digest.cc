// SPDX-License-Identifier: Apache-2.0
#include "http/digest.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "base/ascii.h"
#include "base/hash.h"
#include "http/base64.h"
#include "http/ed25519.h"

namespace spinneret::http {
namespace {

std::string openssl_digest(const EVP_MD* kind, std::string_view bytes) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), out, &size, kind, nullptr);
  return {reinterpret_cast<const char*>(out), size};
}

std::string hex_of(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += kHexLower[static_cast<unsigned char>(c) >> 4];
    out += kHexLower[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

}  // namespace

std::string digest_hex(DigestKind kind, std::string_view bytes) {
  if (kind == DigestKind::kXxh3) return to_hex(hash128(bytes));
  return hex_of(openssl_digest(EVP_sha256(), bytes));
}

struct BodyDigest::State {
  using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
  explicit State(DigestKind its_kind) : kind(its_kind) { begin(); }
  void begin() {
    if (kind == DigestKind::kXxh3) return xxh3.reset();
    if (!sha256) sha256 = Context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    if (!sha256 || EVP_DigestInit_ex(sha256.get(), EVP_sha256(), nullptr) != 1)
      throw std::bad_alloc();
  }
  DigestKind kind;
  Hasher128 xxh3;
  Context sha256{nullptr, EVP_MD_CTX_free};
};

BodyDigest::BodyDigest(DigestKind kind) : state_(std::make_unique<State>(kind)) {}
BodyDigest::~BodyDigest() = default;
BodyDigest::BodyDigest(BodyDigest&&) noexcept = default;
BodyDigest& BodyDigest::operator=(BodyDigest&&) noexcept = default;

void BodyDigest::update(std::string_view bytes) {
  if (state_->kind == DigestKind::kXxh3) return state_->xxh3.update(bytes);
  EVP_DigestUpdate(state_->sha256.get(), bytes.data(), bytes.size());
}

std::string BodyDigest::hex() {
  if (state_->kind == DigestKind::kXxh3) return to_hex(state_->xxh3.digest());
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(state_->sha256.get(), bytes, &size);
  return hex_of({reinterpret_cast<const char*>(bytes), size});
}

void BodyDigest::reset() { state_->begin(); }

bool may_be_digest(std::string_view digest, std::string_view bytes) {
  if (digest.size() != 32 && digest.size() != 64) return true;
  if (!std::all_of(digest.begin(), digest.end(), is_hex)) return true;
  const DigestKind kind = digest.size() == 32 ? DigestKind::kXxh3 : DigestKind::kSha256;
  return equals_ignore_case(digest, digest_hex(kind, bytes));
}

std::string sha256(std::string_view bytes) { return openssl_digest(EVP_sha256(), bytes); }

Result<Ed25519Key> Ed25519Key::parse(std::string_view pem) {
  // A pass phrase is never asked for: there may be no terminal, or the wrong one.
  const auto refuse = [](char*, int, int, void*) { return -1; };
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  if (!bio) return Error{"no memory for a key"};
  const std::shared_ptr<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse, nullptr),
                                      EVP_PKEY_free);
  ERR_clear_error();
  if (!key) return Error{"no private key in PEM, or one with a pass phrase"};
  if (EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) {
    return Error{"not an Ed25519 key: openssl genpkey -algorithm ed25519 makes one"};
  }
  Ed25519Key out;
  std::size_t size = 32;
  out.public_.resize(size);
  auto* const bytes = reinterpret_cast<unsigned char*>(out.public_.data());
  if (EVP_PKEY_get_raw_public_key(key.get(), bytes, &size) != 1)
    return Error{"a key without its public half"};
  out.key_ = key;
  return out;
}

std::string Ed25519Key::sign(std::string_view bytes) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  auto* const key = static_cast<EVP_PKEY*>(key_.get());
  std::string out(64, '\0');
  std::size_t size = out.size();
  const bool signed_whole =
      context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 1;
  if (!signed_whole || size != out.size()) throw std::bad_alloc();
  return out;
}

std::string warc_digest(std::string_view bytes) {
  return "sha1:" + base32(openssl_digest(EVP_sha1(), bytes));
}

}  // namespace spinneret::http
