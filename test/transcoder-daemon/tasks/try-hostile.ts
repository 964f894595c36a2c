import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import { runInspect } from '../../../transcoder-daemon/tasks/inspect.ts'
import { runRemux } from '../../../transcoder-daemon/tasks/remux.ts'
import { runStills } from '../../../transcoder-daemon/tasks/stills/stills.ts'
import { SourceError, type TaskContext } from '../../../transcoder-daemon/tasks/task.ts'
import { programs } from '../ffmpeg/programs.ts'
import { taskContext } from './task-context.ts'

export type Outcome =
	| { kind: 'rejected'; message: string; detail: string | undefined }
	| { kind: 'played'; info: MediaInfo }
	| { kind: 'failed'; error: unknown }

const MAX_MEMORY_KB = 3_000_000

/** Programs under a memory limit like the sandbox's, which ends a hostile process before it harms the machine. */
const limited: TaskContext['programs'] = {
	...programs,
	confine: (command) => ['sh', '-c', `ulimit -v ${MAX_MEMORY_KB}; exec "$@"`, 'sh', ...command],
}

/** Returns a function that tries bytes as a file of a folder. */
export function openTrial(folder: string) {
	let written = 0
	return async (bytes: Buffer, ending = 'mp4'): Promise<Outcome> => {
		const path = join(folder, `tried-${written++}.${ending}`)
		await writeFile(path, bytes)
		return tryFile(path, folder)
	}
}

/** Inspects a file and, if that succeeds, makes stills of it. */
export async function tryFile(path: string, dir: string): Promise<Outcome> {
	const workDir = await mkdtemp(join(dir, 'work-'))
	try {
		const context = taskContext(path, workDir, { programs: limited })
		const { info } = await runInspect({ kind: 'inspect', maxDurationSec: 3_600 }, context)
		const { video } = info
		if (video) {
			const size = { width: 160, height: 90 }
			const prepare = { deinterlace: video.isInterlaced, toneMap: video.isHdr }
			const options = {
				prepare,
				poster: size,
				preview: size,
				storyboard: null,
				durationSec: video.durationSec,
			}
			const { frameRate: fps, isClosedGop, isConstantRate, keyframes } = video
			if (video.codec === 'h264' && isClosedGop && isConstantRate && keyframes?.[0] === 0)
				await runRemux({ kind: 'remux', video, rung: 'copy', fps, cuts: keyframes }, context)
			await runStills({ kind: 'stills', video, fps, ...options }, context)
		}
		return { kind: 'played', info }
	} catch (error) {
		if (error instanceof SourceError)
			return { kind: 'rejected', message: error.message, detail: error.detail }
		return { kind: 'failed', error }
	} finally {
		await rm(workDir, { recursive: true, force: true })
	}
}
