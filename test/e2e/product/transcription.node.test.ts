/** @module-tag ffmpeg */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { createWebhookEndpoint } from '#schema/contract/accounts/webhooks/endpoints.ts'
import { getTranscript } from '#schema/contract/ai/transcripts.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { computeWordErrorRate, splitIntoWords } from '../../../scripts/bench/speech/word-errors.ts'
import type { MachineProcess } from '../../../scripts/lib/machine-process.ts'
import { validatePresentation } from '../../../scripts/operate/hls-validator/validate.ts'
import { needs } from '../../support/shared/needs.ts'
import { makeNoiseClip, makeSpokenClip, type SpokenClip } from '../../support/shared/speech/spoken-clip.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { until } from '../fleet/installation.ts'
import { type Receiver, startReceivers } from '../webhooks/receivers.ts'
import { aiEnded, claimedTasks, DECOYS, speechRequirements, startHearingMachine } from './hearing-machine.ts'
import { type Installation, startInstallation } from './one-command-installation.ts'

const SENTENCES = [
	{ pauseSec: 1, text: 'Mix the flour with warm water and a little salt.' },
	{ pauseSec: 1.5, text: 'Leave the bread near the oven for one hour.' },
	{ pauseSec: 2.5, text: 'The moon is closer to us than every planet.' },
	{ pauseSec: 1, text: 'A small telescope shows its mountains on a clear night.' },
]
const said = SENTENCES.map(({ text }) => text).join(' ')
/** Measured: 2 of 38 words. */
const MAX_ERROR_RATE = 0.12
/** The rate for the same words in another order, so that the ceiling means something. */
const MIN_OTHER_ORDER_RATE = 0.8
const MAX_OFFSET_SEC = 0.5

group(
	'an installation with a speech engine on its machine',
	{
		shuffle: false,
		...needs(speechRequirements()),
	},
	() => {
		let installation: Installation
		let machine: MachineProcess
		let receivers: Awaited<ReturnType<typeof startReceivers>>
		let receiver: Receiver
		beforeAll(async () => {
			receivers = await startReceivers()
			receiver = receivers.add('/events', (response) => void response.end())
			installation = await startInstallation(['--no-daemon'], { WEBHOOK_NETWORKS: '127.0.0.0/8' })
			const { owner, folder } = installation
			const grammar = join(folder, 'words.gram')
			const words = new Set([...splitIntoWords(said), ...DECOYS.split(' ')])
			await writeFile(
				grammar,
				`#JSGF V1.0;\ngrammar words;\npublic <words> = (${[...words].join(' | ')})+;\n`,
			)
			machine = await startHearingMachine(installation, 'machine', grammar)
			const body = { url: receiver.url, types: ['ai.completed' as const, 'ai.failed' as const] }
			await owner.client().call(createWebhookEndpoint, { params: { orgId: owner.orgId }, body })
		})
		afterAll(async () => {
			machine?.signal('SIGTERM')
			await machine?.ended
			await receivers?.stop()
			await installation?.[Symbol.asyncDispose]()
		})

		const eventsOf = (assetId: string) =>
			receiver.received.filter(({ event }) => event.data.assetId === assetId).map(({ event }) => event.type)
		const ended = (assetId: string) => aiEnded(installation, assetId)
		const claimed = (kind: string) => claimedTasks(machine, kind)

		test('the speech of a video is transcribed, and shown as subtitles', async () => {
			const { owner, folder } = installation
			const clip: SpokenClip = makeSpokenClip(programs.ffmpeg, folder, SENTENCES)
			const assetId = await owner.process(clip.path, 'Bread and the moon')
			expect(await ended(assetId)).toEqual({
				...{ status: 'completed', transcriptionStatus: 'completed', subtitlesStatus: 'completed' },
				...{ chaptersStatus: 'completed', highlightsStatus: 'skipped' },
				reasons: { highlights: expect.any(String) },
			})
			const { call } = owner.client()
			const { transcript } = (await call(getTranscript, { params: { assetId } })).data
			expect([transcript.language, transcript.segments.length]).toEqual(['en', SENTENCES.length])
			expect(computeWordErrorRate(said, transcript.text)).toBeLessThanOrEqual(MAX_ERROR_RATE)
			const otherOrder = splitIntoWords(said).toSorted().join(' ')
			expect(computeWordErrorRate(otherOrder, transcript.text)).toBeGreaterThan(MIN_OTHER_ORDER_RATE)
			for (const [at, { start }] of transcript.segments.entries())
				expect(Math.abs(start - (clip.starts[at] ?? 0))).toBeLessThan(MAX_OFFSET_SEC)

			const { playbackId } = await owner.get(assetId)
			const { ai, manifestUrl } = (await call(getPlayback, { params: { playbackId }, query: {} })).data
			expect(ai.language).toBe('en')
			const subtitles = await (await fetch(ai.subtitlesUrl ?? '')).text()
			for (const { words } of transcript.segments) expect(subtitles).toContain(words[0]?.word)
			expect(await (await fetch(manifestUrl)).text()).toContain('TYPE=SUBTITLES')
			const { findings } = await validatePresentation(manifestUrl)
			expect(findings.filter(({ level }) => level === 'MUST')).toEqual([])
			await until(async () => (eventsOf(assetId).length > 0 ? true : null))
			expect(eventsOf(assetId)).toEqual(['ai.completed'])
		})

		test('no engine is called for a video without speech', async () => {
			const { owner, folder } = installation
			const before = [claimed('speech-plan'), claimed('transcribe')]
			expect(before).toEqual([1, 1])
			const assetId = await owner.process(makeNoiseClip(programs.ffmpeg, folder, 4), 'Noise')
			expect(await ended(assetId)).toMatchObject({
				...{ status: 'completed', transcriptionStatus: 'completed', subtitlesStatus: 'skipped' },
				reasons: { transcription: 'nobody speaks in this video' },
			})
			await expect(owner.client().call(getTranscript, { params: { assetId } })).rejects.toMatchObject({
				status: 404,
			})
			expect([claimed('speech-plan'), claimed('transcribe')]).toEqual([2, 1])
		})
	},
)
