import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Activity } from './activity.ts'
import type { Findings } from './capabilities.ts'
import type { Outcome } from './ffmpeg/trial.ts'
import { isDataDirHeld } from './single.ts'

/** For people: what this machine would report, and why an encoder is not in it. */
export function printStatus(name: string, { capabilities, trials, decoderTrials }: Findings): string {
	const { kind, cores, memoryBytes, ffmpegVersion, slots } = capabilities
	const rows = [
		['name', name],
		['kind', kind],
		['cores', String(cores)],
		['memory', `${(memoryBytes / 1024 ** 3).toFixed(1)} GiB`],
		['slots', String(slots)],
		['ffmpeg', ffmpegVersion],
	] as const
	return [
		...rows.map(([label, value]) => `${label.padEnd(8)} ${value}`),
		'encoders',
		...trials.map((trial) => line(trial.encoder, trial)),
		'decoding on hardware',
		...decoderTrials.map((trial) => line(trial.decoder, trial)),
		...(decoderTrials.length === 0 ? ['  this ffmpeg was built for none'] : []),
		'',
	].join('\n')
}

type Tried = Outcome & { device: string | null }

const line = (name: string, { proved, ms, reason, device }: Tried): string => {
	const where = device ? ` on ${device}` : ''
	return `  ${proved ? 'works' : 'fails'}  ${name.padEnd(18)} ${reason ?? `${ms} ms`}${where}`
}

/** What the daemon of this data directory is at; null when none runs. */
export async function readActivity(dataDir: string): Promise<Activity | null> {
	if (!(await isDataDirHeld(dataDir))) return null
	try {
		return Activity.parse(JSON.parse(await readFile(join(dataDir, 'status.json'), 'utf8')))
	} catch {
		return null
	}
}

export function printActivity(activity: Activity | null): string {
	if (!activity) return 'no daemon runs with this data directory\n'
	const { pid, state, isConnected, running, slots, done, failed, cache, lastError } = activity
	const rows = [
		['daemon', `${state}, pid ${pid}, since ${activity.startedAt}`],
		['edge', isConnected ? 'connected' : 'not connected, polling'],
		['tasks', `${running.length} running, ${slots} of them video at most; ${done} done, ${failed} failed`],
		...running.map(({ task, kind, progress, seconds, speed }) => [
			'',
			`${task} ${kind} ${Math.round(progress * 100)} % after ${Math.round(seconds)} s${speed === null ? '' : `, ${speed}x real time`}`,
		]),
		['cache', `${gib(cache.bytes)} of ${gib(cache.capacityBytes)} GiB, ${cache.sources} sources`],
		['error', lastError ? `${lastError.at} ${lastError.task} ${lastError.message.split('\n')[0]}` : 'none'],
	]
	return `${rows.map(([label = '', value]) => `${label.padEnd(8)} ${value}`).join('\n')}\n`
}

const gib = (bytes: number) => (bytes / 1024 ** 3).toFixed(1)
