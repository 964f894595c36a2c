/**
 * The second barrier behind bubblewrap: it closes most of the kernel to a compromised program. Denies system calls
 * that media programs never need and that sandbox escapes have used.
 */

type Architecture = {
	/** AUDIT_ARCH_* of <linux/audit.h>. */
	audit: number
	/** First call number of x32, whose numbers mean other calls. */
	x32From: number | null
	numbers: Readonly<Record<string, number>>
}

/** Calls that fail with EPERM, by their number on x86_64 and in the generic table of other systems. */
const denied: readonly (readonly [name: string, x64: number | null, generic: number | null])[] = [
	// Other processes.
	['ptrace', 101, 117],
	['process_vm_readv', 310, 270],
	['process_vm_writev', 311, 271],
	['kcmp', 312, 272],
	['pidfd_getfd', 438, 438],
	['process_madvise', 440, 440],
	['move_pages', 279, 239],
	['migrate_pages', 256, 238],
	// Namespaces and mounts.
	['unshare', 272, 97],
	['setns', 308, 268],
	['mount', 165, 40],
	['umount2', 166, 39],
	['pivot_root', 155, 41],
	['chroot', 161, 51],
	['open_tree', 428, 428],
	['move_mount', 429, 429],
	['fsopen', 430, 430],
	['fsconfig', 431, 431],
	['fsmount', 432, 432],
	['fspick', 433, 433],
	['mount_setattr', 442, 442],
	['name_to_handle_at', 303, 264],
	['open_by_handle_at', 304, 265],
	['fanotify_init', 300, 262],
	['mknod', 133, null],
	['mknodat', 259, 33],
	['quotactl', 179, 60],
	['quotactl_fd', 443, 443],
	// Parts of the kernel with a history of exploits.
	['bpf', 321, 280],
	['io_uring_setup', 425, 425],
	['io_uring_enter', 426, 426],
	['io_uring_register', 427, 427],
	['userfaultfd', 323, 282],
	['perf_event_open', 298, 241],
	['keyctl', 250, 219],
	['add_key', 248, 217],
	['request_key', 249, 218],
	['vmsplice', 278, 75],
	['memfd_secret', 447, 447],
	['modify_ldt', 154, null],
	['personality', 135, 92],
	['lookup_dcookie', 212, 18],
	['nfsservctl', 180, 42],
	['uselib', 134, null],
	['vhangup', 153, 58],
	// The machine as a whole.
	['init_module', 175, 105],
	['finit_module', 313, 273],
	['delete_module', 176, 106],
	['kexec_load', 246, 104],
	['kexec_file_load', 320, 294],
	['reboot', 169, 142],
	['swapon', 167, 224],
	['swapoff', 168, 225],
	['acct', 163, 89],
	['settimeofday', 164, 170],
	['clock_settime', 227, 112],
	['clock_adjtime', 305, 266],
	['adjtimex', 159, 171],
	['sethostname', 170, 161],
	['setdomainname', 171, 162],
	['syslog', 103, 116],
	['iopl', 172, null],
	['ioperm', 173, null],
	// Programs accept no connections. They may listen, because CUDA does at startup.
	['accept', 43, 202],
	['accept4', 288, 242],
]

const numbersIn = (at: 1 | 2) =>
	Object.fromEntries(denied.flatMap((row) => (row[at] === null ? [] : [[row[0], row[at]]])))

const architectures: Readonly<Record<string, Architecture>> = {
	x64: {
		audit: 0xc000003e,
		x32From: 0x40000000,
		numbers: { ...numbersIn(1), clone: 56, clone3: 435, socket: 41, ioctl: 16 },
	},
	arm64: {
		audit: 0xc00000b7,
		x32From: null,
		numbers: { ...numbersIn(2), clone: 220, clone3: 435, socket: 198, ioctl: 29 },
	},
}

/** Returns the numbers of the denied calls by name; empty for unsupported processors. */
export const listDeniedCalls = (architecture: string): Readonly<Record<string, number>> =>
	architectures[architecture] ? numbersIn(architecture === 'x64' ? 1 : 2) : {}

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97
const AF_UNIX = 1
/** CLONE_NEW* flags of mounts, cgroups, UTS names, IPC, users, pids and the network. */
const NAMESPACES = 0x7e020000
/** Injects input into the terminal that started the daemon. */
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c

const KILL = 0x80000000
const ALLOW = 0x7fff0000
const failWith = (code: number) => 0x00050000 | code

/** Offsets in struct seccomp_data. Arguments have 64 bits; the filter compares the lower half. */
const AT = { number: 0, architecture: 4, first: 16, second: 24 }
const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const ANY_BIT = 0x45
const RETURN = 0x06

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number]

/** Returns the BPF filter of system calls that bubblewrap loads; null for unsupported processors. */
export function buildSeccompFilter(architecture: string = process.arch): Buffer | null {
	const supported = architectures[architecture]
	if (!supported) return null
	const { audit, x32From, numbers } = supported
	const { clone = 0, clone3 = 0, socket = 0, ioctl = 0, ...deniedNumbers } = numbers
	const program: Instruction[] = [
		[LOAD, AT.architecture],
		[EQUAL, audit, 1, 0],
		[RETURN, KILL],
		[LOAD, AT.number],
		...(x32From === null
			? []
			: ([
					[AT_LEAST, x32From, 0, 1],
					[RETURN, KILL],
				] as const)),
		...Object.values(deniedNumbers).flatMap((number): Instruction[] => [
			[EQUAL, number, 0, 1],
			[RETURN, failWith(EPERM)],
		]),
		// The flags of clone3 lie in memory, which a filter can't read; after ENOSYS the C library uses clone.
		[EQUAL, clone3, 0, 1],
		[RETURN, failWith(ENOSYS)],
		[EQUAL, clone, 0, 4],
		[LOAD, AT.first],
		[ANY_BIT, NAMESPACES, 0, 1],
		[RETURN, failWith(EPERM)],
		[RETURN, ALLOW],
		[EQUAL, socket, 0, 4],
		[LOAD, AT.first],
		[EQUAL, AF_UNIX, 1, 0],
		[RETURN, failWith(EAFNOSUPPORT)],
		[RETURN, ALLOW],
		[EQUAL, ioctl, 0, 5],
		[LOAD, AT.second],
		[EQUAL, TIOCSTI, 1, 0],
		[EQUAL, TIOCLINUX, 0, 1],
		[RETURN, failWith(EPERM)],
		[RETURN, ALLOW],
		[RETURN, ALLOW],
	]
	const bytes = Buffer.alloc(program.length * 8)
	for (const [at, [code, value, ifTrue = 0, ifFalse = 0]] of program.entries()) {
		bytes.writeUInt16LE(code, at * 8)
		bytes.writeUInt8(ifTrue, at * 8 + 2)
		bytes.writeUInt8(ifFalse, at * 8 + 3)
		bytes.writeUInt32LE(value, at * 8 + 4)
	}
	return bytes
}
