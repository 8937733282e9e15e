// SPDX-License-Identifier: Apache-2.0
// The arguments of a program, some of which name an engine (engine.h). The program finds the
// passwords in them, but ps(1), which shows the arguments of a process to everybody, finds stars in
// their place.
//
//   int main(int argc, char** argv) {
//     engine::Arguments arguments(argc, argv);               // before anything else
//     return cli::run_tool(kTool, argc, arguments.argv(), run);
//   }
#ifndef SPINNERET_ENGINE_ARGUMENTS_H_
#define SPINNERET_ENGINE_ARGUMENTS_H_

#include <string>
#include <vector>

namespace spinneret::engine {

class Arguments {
 public:
  // Copies argv, and overwrites the passwords in the original, which is what the kernel shows.
  Arguments(int argc, char** argv);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // Returns the copy in the form that main() gets: with a null pointer behind the last argument.
  char** argv() { return argv_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
};

}  // namespace spinneret::engine

#endif  // SPINNERET_ENGINE_ARGUMENTS_H_
