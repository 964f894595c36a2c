import { expect, test } from 'vitest'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { listClaimableKinds } from '../../../transcoder-daemon/run/slots.ts'

const supported: TaskKind[] = ['audio', 'video']
const chunk = (progress: number) => ({ kind: 'video' as const, progress })
const sound = { kind: 'audio' as const, progress: 0 }

test('a machine transcribes one chunk at a time, beside all other tasks', () => {
	const all: TaskKind[] = [...supported, 'transcribe']
	const hearing = { kind: 'transcribe' as const, progress: 0.5 }
	expect(listClaimableKinds(all, [], 1)).toEqual(all)
	expect(listClaimableKinds(all, [hearing], 1)).toEqual(['audio', 'video'])
	expect(listClaimableKinds(all, [hearing, chunk(0.5)], 1)).toEqual(['audio'])
	expect(listClaimableKinds(all, [hearing, chunk(0.5), sound], 1)).toEqual([])
})

test.each([
	['no other task', [], 1, ['audio', 'video']],
	['a small task', [sound], 1, ['audio', 'video']],
	['a chunk of video', [chunk(0.5)], 1, ['audio']],
	['a chunk and a small task', [chunk(0.5), sound], 1, []],
	['two small tasks', [sound, sound], 1, []],
	['a chunk that is nearly done', [chunk(0.9)], 1, ['audio', 'video']],
	['a nearly done chunk and a small task', [chunk(0.9), sound], 1, ['audio', 'video']],
	['a nearly done chunk and the next', [chunk(0.9), chunk(0.1)], 1, ['audio']],
	['two nearly done chunks and a small task', [chunk(0.9), chunk(0.9), sound], 1, []],
	['one chunk', [chunk(0.5)], 2, ['audio', 'video']],
	['two chunks', [chunk(0.5), chunk(0.5)], 2, ['audio']],
	['two nearly done chunks', [chunk(0.9), chunk(0.9)], 2, ['audio', 'video']],
	['two nearly done chunks and the next', [chunk(0.9), chunk(0.9), chunk(0.1)], 2, ['audio']],
] as const)('a machine that runs %s: %j with %i slots claims %j', (_, running, slots, claimable) => {
	expect(listClaimableKinds(supported, running, slots)).toEqual(claimable)
})
