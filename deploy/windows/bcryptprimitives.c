// Functions of Windows 10 that Go's programs need and Wine lacks before version 9. Go's
// runtime loads bcryptprimitives.dll at start, only for ProcessPrng.
#include <windows.h>
#include <string.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size); // RtlGenRandom

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size) { return SystemFunction036(buffer, size); }

// os.RemoveAll deletes files by an information class that Wine lacks, and falls back to an
// older class for one status of Windows. Wine returns another status.
#define DISPOSITION_EX 64
#define STATUS_INVALID_INFO_CLASS ((LONG)0xC0000003)

typedef LONG(NTAPI *setter)(HANDLE, PVOID, PVOID, ULONG, int);
static setter original;

static LONG NTAPI set(HANDLE file, PVOID status, PVOID information, ULONG size, int class) {
	return class == DISPOSITION_EX ? STATUS_INVALID_INFO_CLASS : original(file, status, information, size, class);
}

// Wine's function is a position-independent system call of 32 bytes: it is copied, and
// then begins with a jump to the function above: movabs rax, address; jmp rax.
BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved) {
	BYTE jump[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};
	void *replacement = (void *)set;
	DWORD before;
	if (reason != DLL_PROCESS_ATTACH) return TRUE;
	BYTE *function = (BYTE *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtSetInformationFile");
	BYTE *copy = VirtualAlloc(NULL, 32, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
	if (!function || !copy || !VirtualProtect(function, sizeof jump, PAGE_EXECUTE_READWRITE, &before)) return FALSE;
	memcpy(copy, function, 32);
	original = (setter)(void *)copy;
	memcpy(jump + 2, &replacement, 8);
	memcpy(function, jump, sizeof jump);
	return TRUE;
}
