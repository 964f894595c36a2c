import { env } from 'cloudflare:workers'
import { listHighlights } from '#schema/contract/ai/highlights.ts'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { runAiSteps } from '#schema/contract/video/transcoding.ts'
import type { Person, World } from '../../../support/edge/world.ts'
import { randomFrom } from '../../../support/shared/random.ts'
import { type Behavior, openMachine } from '../../video/transcoding/fake-machine.ts'
import { aSmallFilm } from '../../video/transcoding/sources.ts'
import { openStudio } from '../../video/transcoding/transcoding-fixture.ts'

const SECONDS = 130
const speech = { engine: 'whisper-cli', languages: ['*'], realTimeFactor: 0.2 }

/** Words without meaning, of which none stands out. */
export function plainText(seed: number, sentences: number): string {
	const random = randomFrom(seed)
	const letter = () => 'bcdfghjklmnprstvwz'[Math.floor(random() * 18)]
	const vowel = () => 'aeiou'[Math.floor(random() * 5)]
	const word = () => `${letter()}${vowel()}${letter()}${vowel()}${letter()}`
	return Array.from({ length: sentences }, () => `${Array.from({ length: 10 }, word).join(' ')}.`).join(' ')
}

export const striking = [
	'So why did the bridge fall?',
	'It fell because of one bolt, the smallest of 4000!',
	'Nobody had checked that bolt for 30 years!',
	'Remember: the worst mistake on a bridge is never the biggest bolt.',
	'Is that not the most important truth about any bridge or bolt?',
].join(' ')

/** Each part is one chunk for the machines; the words of a chunk take equally long. */
export const spokenParts = (text: string) => [
	{ fromMs: 1_000, toMs: 26_000, text: plainText(1, 5) },
	{ fromMs: 30_000, toMs: 54_000, text },
	{ fromMs: 55_000, toMs: 124_000, text: plainText(2, 14) },
]

/** Opens a studio whose machine hears a video with one highlight. */
export function openHighlightStudio(world: World, owner: Person) {
	const studio = openStudio(world, owner)
	const openHearing = (behavior: Partial<Behavior> = {}) =>
		openMachine(
			world,
			{ info: aSmallFilm(SECONDS), spoken: spokenParts(striking), ...behavior },
			'hearing',
			['libx264'],
			speech,
		)
	type Machine = Awaited<ReturnType<typeof openHearing>>

	async function work(machine: Machine) {
		for (let round = 0; round < 5; round++) {
			await machine.drain()
			await world.deliver()
		}
	}

	async function processed(machine: Machine) {
		const video = await studio.upload()
		await studio.start(video.assetId)
		await work(machine)
		return video
	}

	/** Works until a clip is the next task, and claims it. */
	async function untilClip(machine: Machine) {
		for (let round = 0; round < 60; round++) {
			const task = await machine.claim()
			if (task?.spec.kind === 'clip') return task
			if (task) await machine.perform(task)
			else await world.deliver()
		}
		throw new Error('there is no clip to make')
	}

	return {
		...studio,
		openHearing,
		work,
		processed,
		untilClip,
		shown: async (playbackId: string) =>
			(await world.ask(listHighlights, { params: { playbackId } })).ok.data,
		rerun: (assetId: string, force?: boolean, who: Person = owner) =>
			world.ask(
				runAiSteps,
				{ params: { assetId }, body: { steps: ['highlights'], ...(force && { force }) } },
				who,
			),
		removeTranscript: (assetId: string) =>
			world.ask(replaceTranscript, { params: { assetId }, body: { transcript: { segments: [] } } }, owner),
		clipKeys: async () =>
			(await env.MEDIA.list()).objects.map(({ key }) => key).filter((key) => key.includes('/highlights/')),
		mediaBytes: async (assetId: string) =>
			world.deps(async ({ db }) => {
				const [row] = await db.all<{ bytes: number }>(
					`select media_bytes as bytes from assets where id = '${assetId}'` as never,
				)
				return row?.bytes ?? 0
			}),
		/** Lets the minutely tasks run after a while, and what they send be handled. */
		async passAndSweep(ms: number) {
			world.pass(ms)
			await world.cron('* * * * *')
			await world.deliver()
		},
	}
}
