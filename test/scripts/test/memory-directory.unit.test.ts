import { expect, test } from 'vitest'
import { canHoldRun, type Memory } from '../../../scripts/test/memory-directory.ts'

const GiB = 1024 ** 3
const mount = (options: string, type = 'tmpfs') =>
	`proc /proc proc rw 0 0\n${type} /dev/shm ${type} ${options} 0 0\n`
const meminfo = (bytes: number) => `MemTotal:       64000000 kB\nMemAvailable:   ${bytes / 1024} kB\n`
const large: Memory = { mounts: mount('rw,nosuid,nodev'), freeBytes: 4 * GiB, info: meminfo(7 * GiB) }

test('temporary files of a test run are in memory if enough memory is available', () => {
	expect(canHoldRun(large)).toBe(true)
})

test.each<[string, Partial<Memory>]>([
	['shared memory is small, as in a container', { freeBytes: 64 * 1024 ** 2 }],
	['most of the memory is in use', { info: meminfo(6 * GiB) }],
	['the available memory is unknown', { info: '' }],
	['shared memory is not mounted', { mounts: 'proc /proc proc rw 0 0\n' }],
	['shared memory is a disk', { mounts: mount('rw', 'ext4') }],
	['programs in shared memory cannot be run', { mounts: mount('rw,nosuid,nodev,noexec') }],
	['shared memory is read-only', { mounts: mount('ro,nosuid') }],
	['a later mount covers shared memory', { mounts: `${mount('rw')}${mount('rw', 'ext4')}` }],
])('temporary files of a test run are not kept in memory if %s', (_, changes) => {
	expect(canHoldRun({ ...large, ...changes })).toBe(false)
})
