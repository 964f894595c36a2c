import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { LeasedTask } from '#schema/contract/video/leases.ts'
import { MediaInfo } from '#schema/contract/video/media-info.ts'
import { type TaskKind, TaskResult, TaskSpec, type TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { planJob, UnplayableError } from '../../edge/video/transcoding/plan/plan.ts'
import {
	requireKnownArguments,
	UnknownArgumentError,
} from '../../transcoder-daemon/ffmpeg/known-arguments.ts'
import { tasks } from '../../transcoder-daemon/tasks/index.ts'
import type { RunTask } from '../../transcoder-daemon/tasks/task.ts'
import { describeSource } from '../support/shared/described-source.ts'
import { propertyRuns } from '../support/shared/property-runs.ts'
import { taskContext } from './tasks/task-context.ts'
import { pathsAccepting, toJsonSchema, withOtherTexts } from './texts-of.ts'

const folder = mkdtempSync(join(tmpdir(), 'playhouse-'))
const source = join(folder, 'source')
writeFileSync(source, 'no video: these tests start no program')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const settings = { seed: 16, numRuns: propertyRuns(30) }
const file = { codec: 'aac', bitrateKbps: 64, sampleRate: 48_000, channels: 2, normalize: true } as const
const options = {
	codecs: ['h264', 'hevc', 'av1'],
	encoders: { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' },
	playback: { ...file, normalize: false, bitrateKbps: 96 },
	ai: file,
	maxDurationSec: 3_600,
} as const

/** Each contains syntax of some part of a command line. */
const foreign = [
	'foreign,movie=/etc/passwd',
	'foreign:x=1[out];[in]amovie',
	"'foreign",
	'-foreign -y',
	'foreign -f data',
	'foreign\n-y',
	'../foreign',
	'file:/foreign',
	'concat:/foreign|x',
	'%foreign%',
	'foreign"x',
	'foreign\\',
	'foreign\0',
	'fóreign',
]

const titled = [{ title: 'A title', profile: 'HE-AAC' }]
const sources = [
	describeSource(20),
	describeSource(20, { codec: 'hevc', profile: 'Main 10', pixelFormat: 'yuv420p10le', isHdr: true }, titled),
]
const planned = sources.flatMap((film) => planJob(film, options).tasks.map(({ spec }) => spec))
/** One task spec of each kind and of each planned form. */
const specs: TaskSpec[] = [
	...planned,
	{ kind: 'inspect', maxDurationSec: 3_600 },
	{ kind: 'fetch', url: 'https://video.example.org/film', maxBytes: 1_000 },
	{
		kind: 'download',
		rung: 'h264-720p',
		fps: { num: 25, den: 1 },
		video: ['https://store.example.org/1'],
		audio: ['https://store.example.org/2'],
	},
	{
		kind: 'poster',
		...{ atSec: 2, fps: { num: 25, den: 1 }, frame: 50, width: 1_280, height: 720 },
		video: ['https://store.example.org/1'],
	},
	...planned.flatMap((spec): TaskSpec[] =>
		spec.kind === 'video'
			? spec.rungs.slice(0, 1).map((rung) => ({
					kind: 'clip',
					rung,
					fps: spec.fps,
					firstFrame: 10,
					frames: 20,
					video: ['https://store.example.org/1'],
					audio: ['https://store.example.org/2'],
				}))
			: [],
	),
	...planned.flatMap((spec): TaskSpec[] =>
		spec.kind === 'audio'
			? spec.tracks.map((track) => ({
					kind: 'speech-plan',
					track,
					durationSec: 20,
					chunkSec: { min: 5, max: 10 },
				}))
			: [],
	),
]

const wouldStart = new Error('the task would start a program now')

/** Returns a task's command line; null if the task rejects its spec first. */
async function commandOf<K extends TaskKind>(spec: TaskSpecByKind<K>): Promise<readonly string[] | null> {
	let command: readonly string[] | null = null
	const programs = {
		ffmpeg: 'ffmpeg',
		ffprobe: 'ffprobe',
		confine(confined: readonly string[]): never {
			command = confined
			throw wouldStart
		},
	}
	const context = taskContext(source, folder, {
		programs,
		fetchObject: async () => Buffer.alloc(0),
		signal: AbortSignal.abort(wouldStart),
	})
	const run = tasks[spec.kind as K] as RunTask<K>
	// A fetch task would open a connection, and starts no program.
	if (spec.kind === 'fetch') return null
	await run(spec, { ...context, signal: new AbortController().signal }).catch(() => {})
	return command
}

test('arbitrary text is allowed only in fields that no program sees', () => {
	expect(pathsAccepting(toJsonSchema(LeasedTask), [...foreign, 'https://foreign.example/'])).toEqual([
		'spec.url',
		'spec.video.profile',
		'spec.tracks.*.source.profile',
		'spec.tracks.*.source.title',
		'spec.video.*',
		'spec.audio.*',
		'spec.track.source.profile',
		'spec.track.source.title',
		'spec.audio',
		'source.url',
		'source.etag',
	])
	expect(pathsAccepting(toJsonSchema(TaskResult), foreign)).toEqual([
		'parts.*.etag',
		'notes.*',
		'info.video.profile',
		'info.audio.*.profile',
		'info.audio.*.title',
		'segments.*.text',
		'segments.*.words.*.word',
	])
})

test("foreign text in a valid result stays out of other machines' command lines", async () => {
	const seen = new Set<TaskKind>()
	for (const film of sources)
		await fc.assert(
			fc.asyncProperty(withOtherTexts(toJsonSchema(MediaInfo), film, null), async (description) => {
				const info = MediaInfo.parse(description)
				for (const track of info.audio) track.title = foreign[0] ?? null
				for (const spec of planOf(info)) {
					const command = await commandOf(TaskSpec.parse(spec))
					expect(command?.join(' ') ?? '').not.toContain('foreign')
					if (command) seen.add(spec.kind)
				}
			}),
			settings,
		)
	expect([...seen].toSorted()).toEqual(['audio', 'remux', 'stills', 'video'])
})

test('foreign text in a task spec stays out of every program', async () => {
	for (const spec of specs) {
		expect((await commandOf(spec)) !== null || spec.kind === 'fetch' || spec.kind === 'download').toBe(true)
		await fc.assert(
			fc.asyncProperty(
				withOtherTexts(toJsonSchema(TaskSpec), spec, fc.constantFrom(...foreign)),
				async (forged) => {
					const command = await commandOf(forged as TaskSpec)
					expect(command?.join(' ') ?? '').not.toContain('oreign')
				},
			),
			settings,
		)
	}
})

test('a command line with any argument that tasks do not use is rejected', () => {
	const access = { workDir: '/task', readable: ['/source'] }
	const check =
		(...args: string[]) =>
		() =>
			requireKnownArguments(['ffmpeg', ...args], access)
	for (const args of [
		['-i', 'file:/source', '-filter_complex', '[0:1]fps=fps=25/1,select=not(mod(n\\,5))[v0]', 'pipe:3'],
		['-f', 'tee', '[f=mp4:use_editlist=0]pipe:3|[f=ipod:movflags=+faststart]file:/task/playback.m4a'],
	])
		expect(check(...args)).not.toThrow()
	for (const args of [
		['-i', '/source'],
		['-i', 'file:/etc/passwd'],
		['-i', 'http://127.0.0.1/'],
		['-attach', '/etc/passwd'],
		['-protocol_whitelist', 'file,http'],
		['-filter_complex', 'movie=/etc/passwd[v]'],
		['-filter_complex', 'fps=25,subtitles=/etc/passwd'],
		['-filter_complex', 'setparams=range=tv:color_primaries=bt709:color_trc=unknown:colorspace=bt709'],
		['-filter_complex', "scale=w='0,movie=x'"],
		['-c:v', 'libx264rgb'],
		['-preset', 'foreign'],
		['pipe:3|x'],
		['/task/film.mp4'],
		['file:/task/../film.mp4'],
		['file:/elsewhere/film.mp4'],
		['http://127.0.0.1/'],
		['-f', 'tee', '[f=mp4]pipe:3|[f=ipod]file:/task/../x.m4a'],
		['-constructor', 'x'],
	])
		expect(check(...args), args.join(' ')).toThrow(UnknownArgumentError)
})

function planOf(info: MediaInfo): TaskSpec[] {
	try {
		return planJob(info, options).tasks.map(({ spec }) => spec)
	} catch (error) {
		if (error instanceof UnplayableError) return []
		throw error
	}
}
