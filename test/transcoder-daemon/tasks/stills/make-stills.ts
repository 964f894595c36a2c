import { dirname } from 'node:path'
import { expect } from 'vitest'
import { TaskResult, type TaskResultByKind, type TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { runInspect } from '../../../../transcoder-daemon/tasks/inspect.ts'
import { runStills } from '../../../../transcoder-daemon/tasks/stills/stills.ts'
import { MemoryOutputs, taskContext } from '../task-context.ts'

export type MadeStills = { result: TaskResultByKind<'stills'>; stored: Map<string, Buffer> }

/** Inspects a file and makes its stills, without a storyboard unless `more` has one. */
export async function makeStills(
	path: string,
	workDir: string,
	more: Partial<TaskSpecByKind<'stills'>> = {},
): Promise<MadeStills> {
	const { info } = await runInspect(
		{ kind: 'inspect', maxDurationSec: 600 },
		taskContext(path, dirname(path)),
	)
	const { video } = info
	if (!video) throw new Error('no video')
	const outputs = new MemoryOutputs()
	const size = { width: video.displayWidth, height: video.displayHeight }
	const result = await runStills(
		{
			...{ kind: 'stills', video, fps: video.frameRate, durationSec: video.durationSec },
			prepare: { deinterlace: video.isInterlaced, toneMap: video.isHdr },
			...{ poster: size, preview: size, storyboard: null, ...more },
		},
		taskContext(path, workDir, { outputs }),
	)
	expect(TaskResult.parse(result)).toEqual(result)
	for (const { name, bytes } of [result.poster, result.preview, ...result.sheets])
		expect(outputs.stored.get(name)?.length, name).toBe(bytes)
	return { result, stored: outputs.stored }
}
