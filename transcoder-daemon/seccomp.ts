/**
 * The second line behind bubblewrap: a program that a hostile file has taken over finds most of the kernel closed. What
 * is denied is what programs that read and encode video never do, and what escapes from sandboxes were made of.
 */

type Architecture = {
	/** AUDIT_ARCH_*, of <linux/audit.h>. */
	audit: number
	/** Calls from here on are those of x32, whose numbers name others than ours. */
	otherFrom: number | null
	numbers: Readonly<Record<string, number>>
}

/** Fails with EPERM. By number on x86_64, and on the systems that count as the generic table does. */
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
	// Parts of the kernel that were broken into again and again.
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
	// A socket that can't be made can't be listened at or led anywhere.
	['listen', 50, 201],
	['accept', 43, 202],
	['accept4', 288, 242],
]

const namesAs = (at: 1 | 2) =>
	Object.fromEntries(denied.flatMap((row) => (row[at] === null ? [] : [[row[0], row[at]]])))

const architectures: Readonly<Record<string, Architecture>> = {
	x64: {
		audit: 0xc000003e,
		otherFrom: 0x40000000,
		numbers: { ...namesAs(1), clone: 56, clone3: 435, socket: 41, ioctl: 16 },
	},
	arm64: {
		audit: 0xc00000b7,
		otherFrom: null,
		numbers: { ...namesAs(2), clone: 220, clone3: 435, socket: 198, ioctl: 29 },
	},
}

/** Number of each call that is denied outright, by name; none on processors that are not known here. */
export const deniedCalls = (architecture: string): Readonly<Record<string, number>> =>
	architectures[architecture] ? namesAs(architecture === 'x64' ? 1 : 2) : {}

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97
const AF_UNIX = 1
/** CLONE_NEW* for mounts, cgroups, names, messages, users, processes and the network. */
const NAMESPACES = 0x7e020000
/** Puts words into the terminal that the daemon was started from. */
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c

const KILL = 0x80000000
const ALLOW = 0x7fff0000
const failWith = (code: number) => 0x00050000 | code

/** Offsets in struct seccomp_data; arguments are 64 bits, of which the lower half is looked at. */
const AT = { number: 0, architecture: 4, first: 16, second: 24 }
const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const ANY_BIT = 0x45
const RETURN = 0x06

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number]

/** A program for the kernel's filter of system calls, as bubblewrap reads it; null on processors that are not known. */
export function seccompFilter(architecture: string = process.arch): Buffer | null {
	const known = architectures[architecture]
	if (!known) return null
	const { audit, otherFrom, numbers } = known
	const { clone = 0, clone3 = 0, socket = 0, ioctl = 0, ...refused } = numbers
	const program: Instruction[] = [
		[LOAD, AT.architecture],
		[EQUAL, audit, 1, 0],
		[RETURN, KILL],
		[LOAD, AT.number],
		...(otherFrom === null
			? []
			: ([
					[AT_LEAST, otherFrom, 0, 1],
					[RETURN, KILL],
				] as const)),
		...Object.values(refused).flatMap((number): Instruction[] => [
			[EQUAL, number, 0, 1],
			[RETURN, failWith(EPERM)],
		]),
		// Its flags lie in memory, where a filter can't look; the C library then uses clone.
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
