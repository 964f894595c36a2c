import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import type { TrialOutcome } from './ffmpeg/trial.ts'
import type { Findings } from './machine/capabilities.ts'
import { isDataDirLocked } from './machine/data-dir-lock.ts'
import { Activity } from './run/activity.ts'
import type { SpeechTrial } from './speech/engine.ts'

type SandboxStatus = { gaps: readonly string[] }
type SpeechStatus = { speech: MachineCapabilities['speech']; speechTrials: readonly SpeechTrial[] }

/** Formats what this machine would report, and why an encoder is missing. */
export function printStatus(
	name: string,
	{
		capabilities,
		trials,
		decoderTrials,
		gaps,
		speech,
		speechTrials,
	}: Findings & SandboxStatus & SpeechStatus,
): string {
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
		'sandbox',
		...(gaps.length === 0 ? ['  complete'] : gaps.map((gap) => `  without ${gap}`)),
		'encoders',
		...trials.map((trial) => trialLine(trial.encoder, trial)),
		'hardware decoding',
		...decoderTrials.map((trial) => trialLine(trial.decoder, trial)),
		...(decoderTrials.length === 0 ? ['  not tried, because none fits an encoder that works'] : []),
		'speech recognition',
		...speechTrials.map((trial) => trialLine(trial.engine, { ...trial, hung: false, device: null })),
		...(speech
			? [
					`  languages ${speech.languages.join(', ')}; ${speech.realTimeFactor} s of work for a second of speech`,
				]
			: []),
		...(speechTrials.length === 0
			? [
					'  none; set PLAYHOUSE_ASR_COMMAND, or install whisper-cli and a model; see docs/ai/transcription.md',
				]
			: []),
		'',
	].join('\n')
}

type TrialLine = TrialOutcome & { device?: string | null }

const trialLine = (name: string, { proved, ms, reason, device }: TrialLine): string => {
	const where = device ? ` on ${device}` : ''
	return `  ${proved ? 'works' : 'fails'}  ${name.padEnd(18)} ${reason ?? `${ms} ms`}${where}`
}

/** Returns the activity of the daemon that uses this data directory; null when none runs. */
export async function readActivity(dataDir: string): Promise<Activity | null> {
	if (!(await isDataDirLocked(dataDir))) return null
	try {
		return Activity.parse(JSON.parse(await readFile(join(dataDir, 'status.json'), 'utf8')))
	} catch {
		return null
	}
}

export function printActivity(activity: Activity | null): string {
	if (!activity) return 'no daemon uses this data directory\n'
	const { pid, state, isConnected, running, slots, done, failed, cache, lastError } = activity
	const rows = [
		['daemon', `${state}, pid ${pid}, since ${activity.startedAt}`],
		['edge', isConnected ? 'connected' : 'not connected; polling'],
		['tasks', `${running.length} running, at most ${slots} of them video; ${done} done, ${failed} failed`],
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
