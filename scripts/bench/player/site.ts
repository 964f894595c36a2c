import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { login, signup } from '../../../schema/contract/accounts/identity.ts'
import { createClient } from '../../../schema/contract/kit/client.ts'
import { createAsset, getAsset, listAssets } from '../../../schema/contract/video/assets.ts'
import { processAsset } from '../../../schema/contract/video/transcoding.ts'
import { uploadSource } from '../../../schema/contract/video/uploads.ts'
import { root } from '../../lib/root.ts'
import { runAll } from '../transcode/ffmpeg.ts'

const TITLE = 'Film of the player benchmark'
const person = { email: 'bench@example.org', password: 'a long enough one', name: 'Bench' }
const POLL_MS = 1_000
const SECONDS = 60
const MAX_STARTUP_OUTPUT = 100_000

export type Site = AsyncDisposable & { url: string; playbackId: string }

/**
 * Runs `npm start` with one video, 60 s of 1280x720, that went through the product: upload, transcoder, playlists. A
 * data directory that is kept has the video in the next run.
 */
export async function openSite(keptDirectory: string | undefined): Promise<Site> {
	const dataDir = keptDirectory ?? (await mkdtemp(join(tmpdir(), 'playhouse-bench-')))
	const edge = spawn(process.execPath, [join(root, 'scripts', 'start', 'main.ts')], {
		cwd: root,
		env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir },
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	const ended = once(edge, 'exit')
	const close = async () => {
		edge.kill('SIGTERM')
		await ended
		if (keptDirectory === undefined) await rm(dataDir, { recursive: true, force: true })
	}
	try {
		const url = await urlIn(edge.stdout)
		return { url, playbackId: await provideFilm(url, dataDir), [Symbol.asyncDispose]: close }
	} catch (error) {
		await close()
		throw error
	}
}

function urlIn(output: Readable): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = ''
		output.on('data', (chunk: Buffer) => {
			if (text.length < MAX_STARTUP_OUTPUT) text += chunk
			const url = /Playhouse is at (\S+)/.exec(text)?.[1]
			if (url) resolve(url)
		})
		output.once('end', () => reject(new Error(`npm start ended: ${text}`)))
	})
}

async function provideFilm(url: string, dataDir: string): Promise<string> {
	const anonymous = createClient({ baseUrl: url, fetch })
	const { email, password } = person
	const signedIn = await anonymous
		.call(login, { body: { email, password } })
		.catch(() => anonymous.call(signup, { body: person }))
	const { token } = signedIn.data
	const client = createClient({ baseUrl: url, fetch, token })
	const { data: present } = await client.call(listAssets, { query: { limit: '200' } })
	const ready = present.find(({ title, status }) => title === TITLE && status === 'ready')
	if (ready) return ready.playbackId

	const source = join(dataDir, 'bench-player.mp4')
	await makeSource(source)
	const { id: assetId, playbackId } = (await client.call(createAsset, { body: { title: TITLE } })).data
	const uploaded = await fetch(`${url}${uploadSource.path.replace('{assetId}', assetId)}`, {
		method: 'PUT',
		headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
		body: await openAsBlob(source),
	})
	if (!uploaded.ok) throw new Error(`the upload failed: ${await uploaded.text()}`)
	await client.call(processAsset, { params: { assetId }, body: {} })
	for (;;) {
		const { data } = await client.call(getAsset, { params: { assetId } })
		if (data.status === 'ready') return playbackId
		if (data.status === 'error') throw new Error(`the video was not processed: ${data.errorMessage}`)
		await sleep(POLL_MS)
	}
}

/** Moving detail and noise, so that each rung reaches the bitrate of camera footage. */
const makeSource = (path: string) =>
	runAll([
		[
			...['-f', 'lavfi', '-i', `testsrc2=size=1280x720:rate=30:duration=${SECONDS}`],
			...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`],
			...['-vf', 'noise=alls=9:allf=t,format=yuv420p', '-c:v', 'libx264', '-preset', 'veryfast'],
			...['-b:v', '3400k', '-maxrate', '3800k', '-bufsize', '3800k'],
			...['-g', '60', '-keyint_min', '60', '-sc_threshold', '0', '-flags', '+cgop'],
			...['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-movflags', '+faststart', path],
		],
	])
