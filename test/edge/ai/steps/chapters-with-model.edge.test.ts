import { beforeEach, expect, test } from 'vitest'
import { getChapters, replaceChapters } from '#schema/contract/ai/chapters.ts'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { runAiSteps } from '#schema/contract/video/transcoding.ts'
import { sweepSteps } from '../../../../edge/ai/steps/sweep.ts'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { newId } from '../../../../edge/platform/database/ids.ts'
import { openMachine } from '../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../video/transcoding/sources.ts'
import { openStudio } from '../../video/transcoding/transcoding-fixture.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'
import { openAi, openProviderWorld, type ProviderWorld } from '../providers/provider.ts'

let providers: ProviderWorld
let studio: ReturnType<typeof openStudio>
let assetId: string
beforeEach(async () => {
	providers = await openProviderWorld()
	studio = openStudio(providers.world, providers.ada)
	await providers.save({ languageModel: { ...openAi, model: 'gpt' } })
	model({ chapters: [1, 6].map((cue) => ({ cue, title: cue === 1 ? 'Warm bread' : 'Dark sky' })) })
})

const bread = 'Knead the bread dough, warm the oven, and feed the yeast starter with flour.'
const moon = 'Point the telescope at the moon, where craters and planets fill the dark sky.'
const speech = { engine: 'whisper-cli', languages: ['*'], realTimeFactor: 0.2 }
/** No two sentences are the same: a recognizer that repeats itself is not believed. */
const spoken = [bread, moon].flatMap((topic, part) => {
	const words = topic.slice(0, -1).split(/,? /)
	return Array.from({ length: 5 }, (_, at) => ({
		fromMs: (part * 70 + at * 14) * 1_000,
		toMs: (part * 70 + at * 14 + 13.5) * 1_000,
		text: `${words.map((_, index) => words[(index * 5 + at) % words.length]).join(' ')}.`,
	}))
})

/** Sets the content of the model's answers, or the whole response. */
const model = (content: object | string | (() => Response)) =>
	providers.alwaysReply(() => {
		if (typeof content === 'function') return content()
		const text = typeof content === 'string' ? content : JSON.stringify(content)
		return Response.json({ choices: [{ message: { content: text } }] })
	})
const deliver = async () => {
	for (let round = 0; round < 3; round++) await providers.world.deliver()
}
/** Uploads a video, which a machine processes and transcribes. */
const process = async () => {
	const upload = await studio.upload()
	assetId = upload.assetId
	const info = { info: aFilm(150), spoken }
	const machine = await openMachine(providers.world, info, 'hearing', ['libx264'], speech)
	await studio.start(assetId)
	for (let round = 0; round < 5; round++) {
		await machine.drain()
		await providers.world.deliver()
	}
}
const speak = (texts: readonly string[]) => {
	const segments = spoken.map(({ fromMs, toMs }, at) => ({
		...{ start: fromMs / 1_000, end: toMs / 1_000, text: texts[at] ?? '' },
	}))
	const body = { transcript: { language: 'en', segments } }
	return providers.world.ask(replaceTranscript, { params: { assetId }, body }, providers.ada)
}
/** Creates an asset that was processed, and writes its transcript. */
const write = async () => {
	const { id, playbackId } = await makeReady(providers.world, providers.ada, 'Film', { durationSec: 150 })
	assetId = id
	await providers.world.deps(({ db, now }) =>
		db.all(
			`insert into jobs (id, asset_id, org_id, playback_id, status, playback, ai_options, requested_options, version, published_version, created_at, updated_at)
				values ('${newId('job', now)}', '${id}', '${providers.ada.orgId}', '${playbackId}', 'completed', 'complete', '{}', '{}', 1, 1, 1, 1)`,
		),
	)
	await speak(spoken.map(({ text }) => text))
	await deliver()
}
const rerun = (force = true) =>
	providers.world.ask(
		runAiSteps,
		{ params: { assetId }, body: { steps: ['chapters'], force } },
		providers.ada,
	)
const chapters = async () =>
	(await providers.world.ask(getChapters, { params: { assetId } }, providers.ada)).ok.data.chapters
const titles = async () => (await chapters()).map(({ title }) => title)
const step = async () => {
	const { aiJob } = await studio.asset(assetId)
	return [aiJob?.chaptersStatus, aiJob?.reasons.chapters]
}

test('the language model makes the chapters of a video after it was transcribed, in one call', {
	tags: 'd1',
}, async () => {
	await process()
	expect(await step()).toEqual(['completed', undefined])
	expect(await chapters()).toMatchObject([
		{ title: 'Warm bread', startTime: 0, endTime: 70 },
		{ title: 'Dark sky', startTime: 70, endTime: 150 },
	])
	expect(providers.sent).toHaveLength(1)
})

test('a language model that fails or answers unusably does no harm, and the step shows the reason', {
	tags: 'd1',
}, async () => {
	await write()
	const answers: [object | string | (() => Response), string][] = [
		[() => new Response('', { status: 500 }), 'returned 500'],
		[() => new Response('<html>'), 'web page'],
		['I cannot help with that.', 'requested form'],
		[{ chapters: [] }, 'does not divide'],
		[{ chapters: [{ cue: 999, title: 'Visit evil.example.org' }] }, 'does not divide'],
	]
	for (const [content, reason] of answers) {
		model(content)
		const before = providers.sent.length
		await rerun()
		await providers.world.deliver()
		expect(await step()).toEqual(['completed', expect.stringMatching(new RegExp(`without the .*${reason}`))])
		expect((await chapters()).map(({ startTime }) => startTime)).toEqual([0, 70])
		expect(providers.sent).toHaveLength(before + 1)
	}
	model({ chapters: [1, 6].map((cue) => ({ cue, title: 'Send your password' })) })
	await rerun()
	await providers.world.deliver()
	expect(await step()).toEqual(['completed', undefined])
	expect((await titles()).join()).not.toContain('password')
})

test('a request for chapters returns at once, and is paid once however often its message arrives', async () => {
	await write()
	expect((await rerun()).ok.data.aiJob.chaptersStatus).toBe('pending')
	providers.world.messages.push(...providers.world.messages.map((message) => ({ ...message })))
	await providers.world.deliver()
	await providers.world.deliver()
	expect(await step()).toEqual(['completed', undefined])
	expect(providers.sent).toHaveLength(2)
})

test('a step whose message or process was lost is resumed', { tags: 'd1' }, async () => {
	await write()
	await rerun()
	providers.world.messages.length = 0
	await providers.world.deps(({ db }) =>
		db.all("update ai_steps set status = 'processing' where step = 'chapters'"),
	)
	providers.world.pass(11 * MINUTE)
	await providers.world.perform((deps) => sweepSteps(deps))
	await providers.world.deliver()
	expect(await step()).toEqual(['completed', undefined])
})

test('generated chapters follow an edited transcript, and chapters of a person stay', {
	tags: 'd1',
}, async () => {
	await write()
	const params = { assetId }
	await speak(spoken.map(({ text }) => text.replace('bread', 'rye bread')))
	await deliver()
	expect(providers.sent).toHaveLength(2)
	expect(await titles()).toEqual(['Warm bread', 'Dark sky'])
	const mine = { chapters: [{ title: 'Mine', startTime: 0 }] }
	await providers.world.ask(replaceChapters, { params, body: mine }, providers.ada)
	expect((await rerun(false)).status).toBe(409)
	expect(await titles()).toEqual(['Mine'])
})
