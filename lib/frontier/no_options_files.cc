// SPDX-License-Identifier: Apache-2.0
#include "frontier/no_options_files.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace spinneret::frontier {
namespace {

class Files : public rocksdb::FileSystemWrapper {
 public:
  Files() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "files without OPTIONS"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    const std::size_t name = path.rfind('/') + 1;
    if (path.compare(name, 8, "OPTIONS-") == 0)
      return rocksdb::IOStatus::NotSupported("no OPTIONS files are made");
    return rocksdb::FileSystemWrapper::NewWritableFile(path, options, file, debug);
  }
};

}  // namespace

rocksdb::Env* env_without_options_files() {
  // Never freed: RocksDB's threads may outlive main().
  static rocksdb::Env* const env = rocksdb::NewCompositeEnv(std::make_shared<Files>()).release();
  return env;
}

}  // namespace spinneret::frontier
