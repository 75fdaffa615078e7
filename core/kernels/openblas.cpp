// kernels/openblas.cpp: finding and loading the OpenBLAS that was installed beside the extension.
#include "kernels/openblas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace wend {
namespace {

// The directory of the file that this code was loaded from.
std::string own_directory() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&openblas), &info)) return ".";
  const std::string file = info.dli_fname;
  return file.substr(0, file.rfind('/'));
}

// OpenBLAS starts its threads while it is loaded unless the environment says otherwise.
void* load_single_threaded(const std::string& file) {
  constexpr const char* variable = "OPENBLAS_NUM_THREADS";
  const bool was_set = std::getenv(variable) != nullptr;
  setenv(variable, "1", 0);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!was_set) unsetenv(variable);
  return library;
}

const OpenBlas* load() {
  static OpenBlas functions;
  functions.sgemm =
      reinterpret_cast<decltype(functions.sgemm)>(openblas_symbol("scipy_cblas_sgemm"));
  functions.dgemm =
      reinterpret_cast<decltype(functions.dgemm)>(openblas_symbol("scipy_cblas_dgemm"));
  auto set_threads =
      reinterpret_cast<void (*)(int)>(openblas_symbol("scipy_openblas_set_num_threads"));
  if (!functions.sgemm || !functions.dgemm || !set_threads) return nullptr;
  set_threads(1);
  return &functions;
}

}  // namespace

void* openblas_symbol(const char* name) {
  static void* const library = load_single_threaded(own_directory() + "/lib/" WEND_OPENBLAS_FILE);
  return library ? dlsym(library, name) : nullptr;
}

const OpenBlas* openblas() {
  static const OpenBlas* const loaded = load();
  return loaded;
}

}  // namespace wend
