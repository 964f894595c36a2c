/** @module-tag ffmpeg */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listHighlights } from '#schema/contract/ai/highlights.ts'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { runAiSteps } from '#schema/contract/video/transcoding.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { until } from '../fleet/installation.ts'
import { startInstallation } from './one-command-installation.ts'

const SECONDS = 100
const SENTENCE_SEC = 4

const striking = [
	'So why did the bridge fall?',
	'It fell because of one bolt, the smallest of 4000!',
	'Nobody had checked that bolt for 30 years!',
	'Remember: the worst mistake is never the biggest bolt.',
]

/** One sentence after another, with a long silence before those that stand out. */
const segments = Array.from({ length: 23 }, (_, at) => ({
	start: at * SENTENCE_SEC + (at >= 10 ? 3 : 0),
	end: at * SENTENCE_SEC + (at >= 10 ? 3 : 0) + 3.7,
	text: striking[at - 10] ?? `then item number ${'abcdefghijklmnopqrstuvw'[at]} goes upon this shelf.`,
}))

/** Reads properties of the first video stream; ffprobe repeats them for each program of a playlist. */
function probe(url: string, entries: string): string | undefined {
	const options = ['-v', 'error', '-select_streams', 'v:0', '-count_frames', '-of', 'csv=p=0']
	const output = execFileSync(programs.ffprobe, [...options, '-show_entries', entries, url], {
		encoding: 'utf8',
	})
	return output.split('\n')[0]
}

test('a machine makes the clip of a highlight, which plays as a file and as HLS', async () => {
	await using installation = await startInstallation()
	const { owner, folder } = installation
	const path = join(folder, 'film.mp4')
	const picture = `testsrc=s=160x90:r=10:d=${SECONDS}`
	const sound = `sine=f=440:r=16000:d=${SECONDS}`
	execFileSync(programs.ffmpeg, [
		...['-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound],
		...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
	])
	const assetId = await owner.process(path, 'The bridge')
	await owner.settled(assetId)
	const { call } = owner.client()
	const params = { assetId }
	await call(replaceTranscript, { params, body: { transcript: { language: 'en', segments } } })
	await until(async () => {
		const { aiJob } = await owner.get(assetId)
		return aiJob && !['pending', 'processing'].includes(aiJob.status) ? aiJob : null
	})
	await call(runAiSteps, { params, body: { steps: ['highlights'] } })
	const asset = await until(async () => {
		const current = await owner.get(assetId)
		return current.aiJob?.highlightsStatus === 'processing' ? null : current
	})
	expect(asset.aiJob).toMatchObject({ highlightsStatus: 'completed' })
	const [highlight, ...others] = (
		await call(listHighlights, { params: { playbackId: asset.playbackId }, query: {} })
	).data
	expect(others).toEqual([])
	if (!highlight) throw new Error('there is no highlight')
	expect(highlight.startTime).toBe(42.8)
	const frames = Math.round((highlight.endTime - highlight.startTime) * 10)
	for (const url of [highlight.clipUrl, highlight.manifestUrl])
		expect(probe(url, 'stream=width,height,nb_read_frames')).toBe(`160,90,${frames}`)
	expect(probe(highlight.posterUrl ?? '', 'stream=codec_name,width')).toMatch(/^mjpeg,160/)
	expect((await fetch(highlight.clipUrl, { headers: { range: 'bytes=0-3' } })).status).toBe(206)
})
