import { openAsBlob } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createAsset, getAsset, listAssets } from '#schema/contract/video/assets.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { uploadSource } from '#schema/contract/video/uploads.ts'
import { videos } from './demo.ts'
import { makeFilm } from './films.ts'
import type { Report } from './report.ts'
import { SeedError, type Session } from './session.ts'

const POLL_MS = 1_000

export type SeededVideo = { title: string; assetId: string; playbackId: string }

/** Creates, uploads and processes each video, as far as that is still missing. */
export async function seedVideos(url: string, owner: Session, report: Report): Promise<SeededVideo[]> {
	const { client, token } = owner
	const { data: present } = await client.call(listAssets, { query: { limit: '200' } })
	const seeded: SeededVideo[] = []
	for (const video of videos) {
		const existing = present.find(({ title }) => title === video.title)
		const {
			id: assetId,
			playbackId,
			status,
		} = existing ?? (await client.call(createAsset, { body: { title: video.title } })).data
		if (existing) report.found(`video ${video.title} (${status})`)
		if (status === 'created') {
			await using film = await makeFilm(video)
			await upload(`${url}${uploadSource.path.replace('{assetId}', assetId)}`, token, film.path)
			report.created(`video ${video.title}`)
		}
		if (status === 'created' || status === 'uploaded' || status === 'error')
			await client.call(processAsset, { params: { assetId }, body: {} })
		seeded.push({ title: video.title, assetId, playbackId })
	}
	return seeded
}

async function upload(address: string, token: string, path: string): Promise<void> {
	const response = await fetch(address, {
		method: 'PUT',
		headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
		body: await openAsBlob(path),
	})
	if (!response.ok) throw new SeedError(`the upload failed: ${await response.text()}`)
}

/** Waits until each video is ready or has failed. `show` receives a line for each new state. */
export async function awaitVideos(
	owner: Session,
	seeded: readonly SeededVideo[],
	show: (line: string) => void,
): Promise<boolean> {
	const printedLines = new Map<string, string>()
	for (;;) {
		const assets = await Promise.all(
			seeded.map(async ({ assetId }) => (await owner.client.call(getAsset, { params: { assetId } })).data),
		)
		for (const { id, title, status, job, errorMessage } of assets) {
			const state = status === 'processing' ? `processing ${job?.progress ?? 0} %` : status
			const line = `  ${title}: ${state}${errorMessage ? ` (${errorMessage})` : ''}${status === 'queued' ? ' for a transcoder' : ''}`
			if (printedLines.get(id) !== line) show(line)
			printedLines.set(id, line)
		}
		if (assets.every(({ status }) => status === 'ready' || status === 'error'))
			return assets.every(({ status }) => status === 'ready')
		await setTimeout(POLL_MS)
	}
}
