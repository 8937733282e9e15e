// SPDX-License-Identifier: Apache-2.0
// Whether a sanitizer is on, which makes exhaustive tests ten times as slow: what the release build
// tests completely, such a build tests in a smaller world.
#ifndef SPINNERET_TESTS_SUPPORT_SANITIZED_H_
#define SPINNERET_TESTS_SUPPORT_SANITIZED_H_

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPINNERET_TESTS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SPINNERET_TESTS_SANITIZED 1
#endif
#endif

namespace spinneret {
#ifdef SPINNERET_TESTS_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
}  // namespace spinneret

#endif  // SPINNERET_TESTS_SUPPORT_SANITIZED_H_
