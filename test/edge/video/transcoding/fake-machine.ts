import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import {
	claimTask,
	completeTask,
	failTask,
	heartbeatTask,
	type LeasedTask,
	presignOutputs,
	presignParts,
	releaseTask,
} from '#schema/contract/video/leases.ts'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import {
	formatInitName,
	formatSegmentName,
	type RungResult,
	type TaskKind,
	type TaskResult,
	type TaskSpecByKind,
} from '#schema/contract/video/tasks.ts'
import type { World } from '../../../support/edge/world.ts'
import { machine } from '../fleet/fleet.ts'

export type Behavior = {
	/** The result of inspection. */
	info: MediaInfo
	/** Returns the encoder that is used for a rung, in place of the requested one. */
	encoder?: (rung: { id: string; encoder: string }) => string
	/** Returns the text of the init segment of a rung. */
	init?: (rung: string) => string
	hwAccelUsed?: boolean
	fetched?: string
	/** What is said, in the order of the chunks that each part becomes. */
	spoken?: { fromMs: number; toMs: number; text: string }[]
}

/** The ThumbHash of some picture. */
export const PLACEHOLDER = '1QcSHQRnh493V4dIh4eXh1h4kJUI'

const codecsOf: Record<string, string> = {
	h264: 'avc1.64001f',
	hevc: 'hvc1.1.6.L93.90',
	av1: 'av01.0.05M.08',
}
const effort = { workSec: 2, mediaSec: 4, notes: [] }
const encoder = new TextEncoder()
const decoder = new TextDecoder()

async function sha256(text: string): Promise<string> {
	const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text))
	return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A machine that uses the real contract and stores objects through the S3 API, but encodes nothing. */
export async function openMachine(
	world: World,
	behavior: Behavior,
	name = 'fake',
	encoders: string[] = ['libx264'],
	speech: MachineCapabilities['speech'] = null,
) {
	const { id, token } = await machine(world, { name, encoders, speech })
	const who = { token }

	const claim = async (body: { kinds?: TaskKind[]; sources?: string[] } = {}): Promise<LeasedTask | null> =>
		(await world.ask(claimTask, { body }, who)).ok.data.task

	const put = async (task: LeasedTask, objects: [name: string, text: string][]) => {
		const params = { taskId: task.id }
		for (let i = 0; i < objects.length; i += 250) {
			const some = objects.slice(i, i + 250)
			const body = { epoch: task.epoch, names: some.map(([name]) => name) }
			const { outputs } = (await world.ask(presignOutputs, { params, body }, who)).ok.data
			for (const [k, { url, headers }] of outputs.entries()) {
				const text = some[k]?.[1] ?? ''
				const sent = { ...headers, 'content-length': String(text.length) }
				const answer = await world.fetch(new Request(url, { method: 'PUT', body: text, headers: sent }))
				if (answer.status !== 200) throw new Error(`PUT answered ${answer.status}`)
			}
		}
	}

	const putParts = async (task: LeasedTask, text: string) => {
		const params = { taskId: task.id }
		const presigned = await world.ask(
			presignParts,
			{ params, body: { epoch: task.epoch, partNumbers: [1] } },
			who,
		)
		const headers = { 'content-length': String(text.length) }
		const answer = await world.fetch(
			new Request(presigned.ok.data.urls[0] as string, { method: 'PUT', body: text, headers }),
		)
		return [{ partNumber: 1, etag: (answer.headers.get('etag') ?? '').replaceAll('"', '') }]
	}

	async function rung(
		settings: { id: string; encoder: string; width: number; height: number },
		cuts: readonly number[],
		end: number,
		first: number,
		objects: [string, string][],
	): Promise<RungResult> {
		const init = behavior.init?.(settings.id) ?? `init of ${settings.id} by ${settings.encoder}`
		objects.push([formatInitName(settings.id), init])
		const segments = cuts.map((cut, k) => {
			const frames = (cuts[k + 1] ?? end) - cut
			const text = `${settings.id} ${first + k}`
			objects.push([formatSegmentName(settings.id, first + k), text])
			return { bytes: text.length, frames, keyBytes: 3 }
		})
		return {
			id: settings.id,
			encoder: settings.encoder,
			width: settings.width,
			height: settings.height,
			segments,
			codecs: codecsOf[settings.id.split('-')[0] ?? ''] ?? '',
			init: { bytes: init.length, sha256: await sha256(init) },
		}
	}

	async function work(task: LeasedTask): Promise<{ result: TaskResult; objects: [string, string][] }> {
		const { spec } = task
		const objects: [string, string][] = []
		const file = (name: string, text = name) => {
			objects.push([name, text])
			return { name, bytes: text.length }
		}
		const done = { ...effort, hwAccelUsed: behavior.hwAccelUsed ?? false }
		const frames = behavior.info.video?.frameCount ?? 0
		const makers: { [K in TaskKind]: (spec: TaskSpecByKind<K>) => Promise<TaskResult> } = {
			fetch: async () => {
				const text = behavior.fetched ?? 'a film from elsewhere'
				return { kind: 'fetch', sizeBytes: text.length, parts: await putParts(task, text), ...done }
			},
			inspect: async () => ({ kind: 'inspect', info: behavior.info, ...done }),
			remux: async ({ rung: id, cuts, video }) => {
				const settings = { id, encoder: 'copy', width: video.displayWidth, height: video.displayHeight }
				return { kind: 'remux', rung: await rung(settings, cuts, frames, 0, objects), ...done }
			},
			video: async ({ rungs, cuts, firstFrame, firstSegment, frames: many, storyboard }) => {
				const end = many === null ? frames : firstFrame + many
				const results: RungResult[] = []
				for (const each of rungs) {
					const used = { ...each, encoder: behavior.encoder?.(each) ?? each.encoder }
					results.push(await rung(used, cuts, end, firstSegment, objects))
				}
				const sheet = storyboard
					? { ...file('sheet.jpg'), columns: storyboard.columns, rows: 1, tiles: 1 }
					: null
				return { kind: 'video', frames: end - firstFrame, rungs: results, sheet, ...done }
			},
			audio: async ({ tracks, playback, ai }) => {
				const seconds = Math.max(1, Math.round(behavior.info.durationSec / 4))
				const results = []
				for (const { id, sampleRate, channels } of tracks) {
					const init = `init of ${id}`
					objects.push([formatInitName(id), init])
					const segments = Array.from({ length: seconds }, (_, k) => {
						objects.push([formatSegmentName(id, k), `${id} ${k}`])
						return { bytes: `${id} ${k}`.length, samples: sampleRate * 4 }
					})
					results.push({
						id,
						sampleRate,
						channels,
						segments,
						codecs: 'mp4a.40.2',
						init: { bytes: init.length, sha256: await sha256(init) },
					})
				}
				return {
					kind: 'audio',
					tracks: results,
					playback: playback && file('playback.m4a'),
					ai: ai && file('speech.m4a'),
					...done,
				}
			},
			stills: async ({ storyboard }) => ({
				kind: 'stills',
				poster: file('poster.jpg'),
				preview: file('preview.webp'),
				placeholder: PLACEHOLDER,
				sheets: storyboard
					? [
							{
								...file('sheets/0.jpg'),
								columns: storyboard.columns,
								rows: Math.ceil(storyboard.frames / storyboard.columns),
								tiles: Math.min(storyboard.frames, storyboard.tilesPerSheet),
							},
						]
					: [],
				...done,
			}),
			download: async ({ rung: id, video, audio }) => {
				let text = ''
				for (const url of [...video, ...audio])
					text += decoder.decode(await (await world.fetch(new Request(url))).arrayBuffer())
				const name = `${id}.mp4`
				const parts = await putParts(task, text)
				return { kind: 'download', file: { name, bytes: text.length }, parts, ...done }
			},
			clip: async ({ rung, fps, frames, video, audio }) => {
				let text = 'init'
				for (const url of [...video, ...audio])
					text += decoder.decode(await (await world.fetch(new Request(url))).arrayBuffer())
				return {
					kind: 'clip',
					file: file('clip.mp4', text),
					poster: rung && file('poster.jpg'),
					initBytes: 4,
					timescale: fps.num,
					segments: [{ bytes: text.length - 4, ticks: frames * fps.den }],
					...done,
				}
			},
			poster: async ({ frame, video }) => {
				let text = `frame ${frame} of `
				for (const url of video)
					text += decoder.decode(await (await world.fetch(new Request(url))).arrayBuffer())
				return { kind: 'poster', poster: file('poster.jpg', text), ...done }
			},
			'speech-plan': async () => {
				const spoken = behavior.spoken ?? []
				return {
					kind: 'speech-plan',
					chunks: spoken.map(({ fromMs, toMs }, index) => ({
						...{ file: file(`chunk-${index}.flac`), fromMs, toMs, startMs: fromMs, endMs: toMs },
					})),
					speech: spoken.map(({ fromMs, toMs }): [number, number] => [fromMs, toMs]),
					loudness: { noiseDb: -60, speechDb: -20 },
					...done,
				}
			},
			transcribe: async ({ audio, language, durationSec }) => {
				// The chunk has its own name as its content.
				const name = await (await world.fetch(new Request(audio))).text()
				const text = behavior.spoken?.[Number(/\d+/.exec(name)?.[0])]?.text ?? ''
				const segments = [{ start: 0, end: durationSec, text, words: [] }]
				return { kind: 'transcribe', language, segments, ...done }
			},
		}
		const make = makers[spec.kind] as (spec: LeasedTask['spec']) => Promise<TaskResult>
		return { result: await make(spec), objects }
	}

	const complete = (task: LeasedTask, result: TaskResult) =>
		world.ask(completeTask, { params: { taskId: task.id }, body: { epoch: task.epoch, result } }, who)

	/** Does the whole task: makes its outputs, stores them and completes it. */
	async function perform(task: LeasedTask) {
		const { result, objects } = await work(task)
		await put(task, objects)
		return complete(task, result)
	}

	return {
		id,
		token,
		claim,
		work,
		put,
		complete,
		perform,
		behavior,
		heartbeat: (task: LeasedTask, progress = 0.5) =>
			world.ask(heartbeatTask, { params: { taskId: task.id }, body: { epoch: task.epoch, progress } }, who),
		putParts,
		outputs: (task: LeasedTask, names: string[]) =>
			world.ask(presignOutputs, { params: { taskId: task.id }, body: { epoch: task.epoch, names } }, who),
		fail: (task: LeasedTask, reason: 'permanent' | 'transient', message = 'It broke.') =>
			world.ask(
				failTask,
				{ params: { taskId: task.id }, body: { epoch: task.epoch, reason, message, detail: 'log' } },
				who,
			),
		release: (task: LeasedTask) =>
			world.ask(releaseTask, { params: { taskId: task.id }, body: { epoch: task.epoch } }, who),
		/** Performs tasks until none is left. Returns their kinds in order. */
		async drain(limit = 200): Promise<TaskKind[]> {
			const done: TaskKind[] = []
			while (done.length < limit) {
				const task = await claim()
				if (!task) return done
				const { status, text } = await perform(task)
				if (status !== 200) throw new Error(`${task.spec.kind}: ${status} ${text}`)
				done.push(task.spec.kind)
			}
			return done
		},
	}
}

export type FakeMachine = Awaited<ReturnType<typeof openMachine>>
