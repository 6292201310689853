// Imitates libmpi.so of MPICH, as far as it is inspected.

#include <cstring>

extern "C" int MPI_Get_library_version(char* text, int* length) {
  constexpr const char* version = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n";
  std::strcpy(text, version);
  *length = static_cast<int>(std::strlen(version));
  return 0;
}
