/** @module-tag ffmpeg */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { updateAiSettings } from '#schema/contract/ai/settings.ts'
import { getTranscript } from '#schema/contract/ai/transcripts.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { type MachineProcess, startMachine } from '../../../scripts/lib/machine-process.ts'
import { KEY, openProviderServer } from '../../edge/ai/providers/clients/provider-server.node.ts'
import { type RunningWorker, secretVars, startWorker } from '../../support/shared/miniflare-worker.ts'
import { needs } from '../../support/shared/needs.ts'
import { canSpeak, makeSpokenClip } from '../../support/shared/speech/spoken-clip.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { type Owner, signUp, until } from '../fleet/installation.ts'

const SENTENCE = 'Mix the flour with warm water and a little salt.'
const PROVIDER = 'https://asr.example.org/v1'
const heard = {
	...{ task: 'transcribe', language: 'english', duration: 4, text: SENTENCE },
	segments: [{ id: 0, start: 0.2, end: 3, text: ` ${SENTENCE}`, avg_logprob: -0.2 }],
}

group(
	'an installation whose machines have no speech engine',
	{ shuffle: false, ...needs({ 'ffmpeg with flite': canSpeak(programs.ffmpeg) }) },
	() => {
		const provider = openProviderServer()
		let folder: string
		let worker: RunningWorker
		let machine: MachineProcess
		let owner: Owner
		beforeAll(async () => {
			folder = await mkdtemp(join(tmpdir(), 'playhouse-provider-'))
			worker = await startWorker({
				services: {
					// In place of the internet: every public address leads to the provider.
					PUBLIC_NETWORK: async (request) => {
						const { url, method, headers } = request
						return provider.outside().fetch(url, { method, headers, body: await request.arrayBuffer() })
					},
				},
			})
			owner = await signUp(() => worker.url)
			machine = startMachine({
				edgeUrl: worker.url,
				fleetToken: secretVars.FLEET_TOKEN,
				dataDir: join(folder, 'machine'),
				name: 'deaf',
			})
		})
		afterAll(async () => {
			machine?.signal('SIGTERM')
			await machine?.ended
			await worker?.dispose()
			await rm(folder, { recursive: true, force: true })
		})

		const runCron = () =>
			fetch(`${worker.url}/cdn-cgi/local/scheduled?${new URLSearchParams({ cron: '* * * * *' })}`)

		test('an AI provider transcribes a video after it answered 429 at first', async () => {
			const { call } = owner.client()
			const transcription = { provider: 'openai-compatible' as const, baseUrl: PROVIDER, apiKey: KEY }
			await call(updateAiSettings, { body: { transcription } })
			provider.answer((_, response) => {
				if (provider.seen.length === 1) response.writeHead(429, { 'retry-after': '1' }).end('busy')
				else response.end(JSON.stringify(heard))
			})
			const { path } = makeSpokenClip(programs.ffmpeg, folder, [{ pauseSec: 1, text: SENTENCE }])
			const assetId = await owner.process(path, 'Bread')
			const job = await until(async () => {
				await runCron()
				const { aiJob } = await owner.get(assetId)
				return aiJob && !['pending', 'processing'].includes(aiJob.status) ? aiJob : null
			})
			expect(job).toMatchObject({ status: 'completed', subtitlesStatus: 'completed' })
			const { transcript } = (await call(getTranscript, { params: { assetId } })).data
			expect([transcript.language, transcript.text]).toEqual(['en', SENTENCE])

			const { playbackId } = await owner.get(assetId)
			const { ai, manifestUrl } = (await call(getPlayback, { params: { playbackId }, query: {} })).data
			expect(await (await fetch(ai.subtitlesUrl ?? '')).text()).toContain('Mix the flour')
			const hasTrack = async () =>
				(await (await fetch(manifestUrl)).text()).includes('TYPE=SUBTITLES') ? true : null
			expect(await until(hasTrack)).toBe(true)

			expect(provider.seen.map(({ path }) => path)).toEqual(Array(2).fill('/v1/audio/transcriptions'))
			for (const { headers, body } of provider.seen) {
				expect(headers.authorization).toBe(`Bearer ${KEY}`)
				expect(body, 'FLAC').toContain('fLaC')
			}
			expect(JSON.stringify([machine.lines, worker.logs])).not.toContain(KEY)
		})
	},
)
