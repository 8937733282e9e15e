// SPDX-License-Identifier: Apache-2.0
// The arguments of a program some of which name an engine (engine.h): whoever reads them finds the passwords, while
// ps(1), which shows the words of a process to everybody, finds stars in their place.
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

  // As main() gets it, a null pointer behind the last; ours.
  char** argv() { return argv_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
};

}  // namespace spinneret::engine

#endif  // SPINNERET_ENGINE_ARGUMENTS_H_
