// Files mapped into memory: their numbers are read where they are used, and never copied.
#pragma once

#include <cstddef>
#include <string>

class MappedFile {
 public:
  /// Throws std::runtime_error with the reason.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Its pages need not stay in memory: what is read again is brought in again.
  void give_back() const;

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  void* handle_ = nullptr;  // of the mapping, on Windows
};
