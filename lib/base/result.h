// SPDX-License-Identifier: Apache-2.0
// Errors as values for the cold paths: opening a file, reading a configuration, starting an engine.
//
//   Result<std::string> text = read_file(path);
//   if (!text.ok()) return text.error();
//   use(*text);
//
// Hot paths do not use this: they take an out-parameter that is reused and return bool.
#ifndef SPINNERET_BASE_RESULT_H_
#define SPINNERET_BASE_RESULT_H_

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace spinneret {

// Describes what went wrong, as a sentence without a full stop: "cannot open rules.txt: Permission
// denied".
struct Error {
  std::string message;
};

// Success, or an Error. Owns its message.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: conversion wanted
  bool ok() const { return !error_.has_value(); }
  // May be called only if !ok().
  const Error& error() const {
    assert(error_);
    return *error_;
  }
  const std::string& message() const { return error().message; }

 private:
  std::optional<Error> error_;
};

// A T, or the Error that prevented it.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: conversion wanted
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: conversion wanted
  bool ok() const { return value_.has_value(); }
  // May be called only if ok().
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T take() { return std::move(*value_); }
  // May be called only if !ok().
  const Error& error() const { return error_; }
  const std::string& message() const { return error_.message; }

 private:
  std::optional<T> value_;
  Error error_;
};

// Returns an Error "what: strerror(code)".
Error system_error(std::string what, int code);

}  // namespace spinneret

#endif  // SPINNERET_BASE_RESULT_H_
