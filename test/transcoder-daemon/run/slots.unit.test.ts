import { expect, test } from 'vitest'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { claimableKinds } from '../../../transcoder-daemon/run/slots.ts'

const known: TaskKind[] = ['audio', 'video']
const chunk = (progress: number) => ({ kind: 'video' as const, progress })
const sound = { kind: 'audio' as const, progress: 0 }

test.each([
	['nothing', [], 1, ['audio', 'video']],
	['something small', [sound], 1, ['audio', 'video']],
	['a chunk of video', [chunk(0.5)], 1, ['audio']],
	['a chunk and something small', [chunk(0.5), sound], 1, []],
	['two small ones', [sound, sound], 1, []],
	['a chunk that ends', [chunk(0.9)], 1, ['audio', 'video']],
	['a chunk that ends and something small', [chunk(0.9), sound], 1, ['audio', 'video']],
	['a chunk that ends and the next', [chunk(0.9), chunk(0.1)], 1, ['audio']],
	['two chunks that end and something small', [chunk(0.9), chunk(0.9), sound], 1, []],
	['a chunk of two', [chunk(0.5)], 2, ['audio', 'video']],
	['two chunks of two', [chunk(0.5), chunk(0.5)], 2, ['audio']],
	['two chunks of two that end', [chunk(0.9), chunk(0.9)], 2, ['audio', 'video']],
	['three of two', [chunk(0.9), chunk(0.9), chunk(0.1)], 2, ['audio']],
] as const)('beside %s', (_, running, slots, wanted) => {
	expect(claimableKinds(known, running, slots)).toEqual(wanted)
})
