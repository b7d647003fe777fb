// A stand-in for Windows's bcryptprimitives.dll, which Wine lacks before version 9 and of
// which Go's runtime calls ProcessPrng alone. SystemFunction036 is RtlGenRandom.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size) { return SystemFunction036(buffer, size); }
