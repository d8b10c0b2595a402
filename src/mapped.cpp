#include "mapped.h"

#include <stdexcept>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

MappedFile::MappedFile(const std::string& path) {
  const HANDLE file = CreateFileA(path.c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) throw std::runtime_error("the file cannot be opened");
  LARGE_INTEGER size;
  const bool known = GetFileSizeEx(file, &size);
  handle_ = known ? CreateFileMappingA(file, nullptr, PAGE_READONLY, 0, 0, nullptr) : nullptr;
  CloseHandle(file);
  if (!handle_) throw std::runtime_error("the file cannot be mapped");
  data_ = static_cast<const char*>(MapViewOfFile(handle_, FILE_MAP_READ, 0, 0, 0));
  if (!data_) {
    CloseHandle(handle_);
    throw std::runtime_error("the file cannot be mapped");
  }
  size_ = static_cast<std::size_t>(size.QuadPart);
}

MappedFile::~MappedFile() {
  UnmapViewOfFile(data_);
  CloseHandle(handle_);
}

void MappedFile::give_back() const {
  VirtualUnlock(const_cast<char*>(data_), size_);  // of pages that are not locked: they leave the working set
}

#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

MappedFile::MappedFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  if (file < 0) throw std::runtime_error(std::strerror(errno));
  struct stat facts;
  const bool known = fstat(file, &facts) == 0 && facts.st_size > 0;
  size_ = known ? static_cast<std::size_t>(facts.st_size) : 0;
  void* data = known ? mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  const int reason = known ? errno : EINVAL;
  close(file);
  if (data == MAP_FAILED) throw std::runtime_error(std::strerror(reason));
  data_ = static_cast<const char*>(data);
}

MappedFile::~MappedFile() { munmap(const_cast<char*>(data_), size_); }

void MappedFile::give_back() const { madvise(const_cast<char*>(data_), size_, MADV_DONTNEED); }
#endif
