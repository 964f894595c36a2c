import { expect } from 'vitest'
import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { updateEncodingSettings } from '#schema/contract/watch/settings/settings.ts'
import type { Person, World } from '../../../support/edge/world.ts'
import type { FakeMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

/** A source of two chunks. */
export const info = aFilm(30)
export const allEncoders = ['libx264', 'libx265', 'libsvtav1']

/** Returns the calls of an organization that requests all codecs. */
export async function openCodecStudio(world: World, owner: Person) {
	const studio = openStudio(world, owner)
	const requestCodecs = (...codecs: ('h264' | 'hevc' | 'av1')[]) =>
		world.ask(updateEncodingSettings, { body: { codecs } }, owner)
	await requestCodecs('h264', 'hevc', 'av1')
	return {
		...studio,
		requestCodecs,
		async startInspected(machine: FakeMachine, body?: { playback: 'early' }) {
			const video = await studio.upload()
			await studio.start(video.assetId, body)
			const task = await machine.claim()
			if (task?.spec.kind !== 'inspect') throw new Error('nothing to inspect')
			await machine.perform(task)
			return video
		},
	}
}

/** Names the codec of a task, or its kind if it makes no video. */
export const taskCodec = (spec: { kind: string }) =>
	spec.kind === 'video' ? ((spec as TaskSpecByKind<'video'>).rungs[0]?.codec ?? '') : spec.kind

/** Performs tasks until the next one is of one of these codecs or kinds. Returns those of the performed tasks. */
export async function workUntil(machine: FakeMachine, ...ends: string[]): Promise<string[]> {
	const done: string[] = []
	for (let task = await machine.claim(); task; task = await machine.claim()) {
		if (ends.includes(taskCodec(task.spec))) {
			await machine.release(task)
			break
		}
		expect((await machine.perform(task)).status).toBe(200)
		done.push(taskCodec(task.spec))
	}
	return done
}

export const assetCodecs = (asset: { renditions: { codec: string }[] }) => [
	...new Set(asset.renditions.map(({ codec }) => codec)),
]
