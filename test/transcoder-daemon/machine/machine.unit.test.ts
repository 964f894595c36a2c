import { expect, test } from 'vitest'
import { computeBackoffMs } from '../../../transcoder-daemon/backoff.ts'
import { chooseSlots, findMachineKind, readHardware } from '../../../transcoder-daemon/machine/machine.ts'

const GIB = 1024 ** 3

test.each([
	[['libx264'], 'cpu'],
	[[], 'cpu'],
	[['libx264', 'h264_nvenc'], 'nvidia'],
	[['h264_vaapi', 'h264_qsv', 'libx264'], 'qsv'],
	[['hevc_vaapi', 'libx264'], 'vaapi'],
	[['h264_videotoolbox'], 'videotoolbox'],
] as const)('a machine with the encoders %j has the kind %s', (encoders, kind) => {
	expect(findMachineKind(encoders)).toBe(kind)
})

test.each([
	[1, 8, 'cpu', 1],
	[2, 8, 'cpu', 1],
	[16, 64, 'cpu', 4],
	[64, 8, 'cpu', 5],
	[4, 16, 'nvidia', 2],
	[4, 1, 'nvidia', 1],
	[2048, 4096, 'cpu', 256],
] as const)('a machine with %i cores and %i GiB of kind %s has %i slots', (cores, memory, kind, slots) => {
	expect(chooseSlots({ cores, memoryBytes: memory * GIB }, kind)).toBe(slots)
})

test('the daemon reports the hardware that its process may use', () => {
	const { cores, memoryBytes } = readHardware()
	expect(cores).toBeGreaterThan(0)
	expect(memoryBytes).toBeGreaterThan(0)
	expect(Number.isInteger(memoryBytes)).toBe(true)
})

test('the backoff doubles up to its cap, spreads over the interval, and is never zero', () => {
	const limits = { firstMs: 1_000, capMs: 30_000 }
	const most = [0, 1, 2, 5, 1_000].map((failures) => computeBackoffMs(failures, limits, () => 1))
	expect(most).toEqual([1_000, 2_000, 4_000, 30_000, 30_000])
	expect(computeBackoffMs(5, limits, () => 0.5)).toBe(15_000)
	expect(computeBackoffMs(0, limits, () => 0)).toBe(100)
})
