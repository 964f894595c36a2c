/** @module-tag ffmpeg */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import type { TaskKind, TaskResult, TaskSpec } from '#schema/contract/video/tasks.ts'
import { planJob } from '../../../edge/video/transcoding/plan/plan.ts'
import { tasks } from '../../../transcoder-daemon/tasks/index.ts'
import type { RunTask } from '../../../transcoder-daemon/tasks/task.ts'
import { corpus } from '../../support/shared/corpus.ts'
import type { CorpusItem } from '../../support/shared/corpus-item.ts'
import { describeOptions } from '../../support/shared/described-source.ts'
import { claimSamples, foreignCorpus } from '../../support/shared/foreign-corpus.ts'
import { joinStream, readNumbers } from '../corpus/encoded.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'
import { ffmpeg } from './make-video.ts'
import { MemoryOutputs, taskContext } from './task-context.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

const made = new Map<string, Promise<string>>()
function make(item: CorpusItem): Promise<string> {
	const path = join(folder.path, item.file)
	const pending = made.get(item.name) ?? item.make(programs.ffmpeg, path).then(() => path)
	made.set(item.name, pending)
	return pending
}

async function run(spec: TaskSpec, path: string, outputs = new MemoryOutputs()): Promise<TaskResult> {
	const task = tasks[spec.kind] as RunTask<TaskKind> | undefined
	if (!task) throw new Error(`the daemon does not support ${spec.kind} tasks`)
	return await task(spec, taskContext(path, folder.path, { outputs }))
}

async function inspect(path: string): Promise<MediaInfo> {
	const result = await run({ kind: 'inspect', maxDurationSec: 3_600 }, path)
	if (result.kind !== 'inspect') throw new Error('inspect returned another kind of result')
	return result.info
}

test.each(foreignCorpus)('inspection finds exactly the video and audio of $name', async (item) => {
	const info = await inspect(await make(item))
	const { frameRate, codedWidth, codedHeight, frameCount, reorderFrames } = item.video ?? {}
	expect(info.video).toMatchObject({ frameRate, codedWidth, codedHeight, frameCount, isConstantRate: true })
	expect(info.video?.reorderFrames).toBe(reorderFrames)
	expect(info.video?.durationSec).toBeCloseTo(item.seconds, 5)
	// Audio consists of whole packets.
	expect(Math.abs(info.durationSec - item.seconds)).toBeLessThan(0.05)
	expect(info.audio).toHaveLength(item.audio.length)
})

test.each(foreignCorpus)('every planned task of $name succeeds, with every frame once', async (item) => {
	const path = await make(item)
	const { plan, tasks: planned } = planJob(await inspect(path), describeOptions())
	const outputs = new MemoryOutputs()
	const segments = new Map<string, number>()
	for (const { spec } of planned) {
		const result = await run(spec, path, outputs)
		if (result.kind === 'video')
			for (const rung of result.rungs)
				segments.set(rung.id, (segments.get(rung.id) ?? 0) + rung.segments.length)
	}
	const numbers = Array.from({ length: item.video?.frameCount ?? 0 }, (_, number) => number)
	expect([...segments.keys()]).toEqual(plan.rungs.map(({ id }) => id))
	for (const [id, count] of segments) {
		const rung = await joinStream(outputs, id, count, folder.path)
		expect(await readNumbers(rung, folder.path), id).toEqual(numbers)
	}
})

const plain = corpus.find(({ name }) => name === 'foreign-long-mdat') as CorpusItem
const ENDS_EARLY = { name: 'SourceError', message: expect.stringContaining('the file is incomplete') }

test('a file that claims more samples than it has is rejected, wherever it is truncated', async () => {
	const whole = await readFile(await make(plain))
	const head = whole.indexOf('mdat', 0, 'latin1') + 4
	for (const end of [whole.length - 1, whole.length - 2_000, Math.floor((head + whole.length) / 2), head]) {
		const path = join(folder.path, `broken-${end}.mp4`)
		await writeFile(path, whole.subarray(0, end))
		await expect(inspect(path), `${end} of ${whole.length}`).rejects.toMatchObject(ENDS_EARLY)
	}
})

test('a truncated file without a complete table of samples is rejected', async () => {
	const path = join(folder.path, 'fragments.mp4')
	await ffmpeg(
		'-i',
		await make(plain),
		'-c',
		'copy',
		'-movflags',
		'frag_keyframe+empty_moov+skip_trailer',
		path,
	)
	await expect(inspect(path)).resolves.toMatchObject({ video: { codec: 'h264' } })
	const fragments = await readFile(path)
	await writeFile(path, claimSamples(fragments, 1_000))
	await expect(inspect(path)).rejects.toMatchObject(ENDS_EARLY)
	const tableLast = join(folder.path, 'table-last.mp4')
	await ffmpeg('-i', await make(plain), '-c', 'copy', tableLast)
	await writeFile(tableLast, claimSamples(await readFile(tableLast), 1_000_000))
	await expect(inspect(tableLast)).rejects.toMatchObject(ENDS_EARLY)
})
