import { Zip, ZipPassThrough } from 'fflate'
import { AppError, notFoundError } from '../../http/errors.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import { iso, MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { apiBase } from '../../platform/env.ts'
import type { Bucket } from '../../platform/storage/bucket.ts'
import { backupDownloadToken } from '../../platform/tokens/tokens.ts'
import { DamagedBackupError } from '../format/chunk.ts'
import type { Manifest } from '../format/manifest.ts'
import { checkManifest } from '../format/signed-manifest.ts'
import { manifestKeyOf } from '../keys.ts'
import { backupStore } from '../store.ts'

const URL_MS = 15 * MINUTE
/** The form of zip that every program reads ends at 4 GiB and 65,535 files. */
const MAX_BYTES = 4_000_000_000
const MAX_FILES = 60_000

/** Returns the URL of a backup's zip, and records who asked for it. */
export async function createDownload(deps: Deps, id: string, request: Request) {
	const tokens = requireTokens(deps, 'downloads of backups are')
	const row = await backupStore(deps.db).find(id)
	if (!row) throw notFoundError('backup')
	if (row.state === 'running')
		throw new AppError('conflict', 'this backup is running; wait until it has finished')
	if (row.state === 'failed') throw new AppError('conflict', 'this backup failed; start another one')
	if ((row.sizeBytes ?? 0) > MAX_BYTES)
		throw new AppError('conflict', 'this backup is larger than 4 GB, and larger ones can’t be downloaded yet')
	await backupStore(deps.db).recordDownload(id)
	const expiresAt = deps.now + URL_MS
	const token = await tokens.sign(
		backupDownloadToken,
		{ typ: 'backup-download', sub: id },
		deps.now,
		expiresAt,
	)
	return {
		downloadUrl: `${apiBase(deps.env, request)}/v1/backups/${id}/archive?token=${token}`,
		expiresAt: iso(expiresAt),
		filename: fileNameOf(id),
	}
}

const fileNameOf = (id: string) => `playhouse-${id}.zip`

export async function answerArchive(deps: Deps, id: string, token: string): Promise<Response> {
	const claims = await requireTokens(deps, 'downloads of backups are').read(
		backupDownloadToken,
		token,
		deps.now,
	)
	if (claims?.sub !== id) throw new AppError('forbidden', 'this download URL is invalid or has expired')
	const { vault } = deps.objects
	const found = await vault.get(manifestKeyOf(id))
	if (found.state !== 'found') throw notFoundError('backup')
	const text = await new Response(found.body).text()
	const { chunks } = await checkedManifest(deps, text)
	if (chunks.length > MAX_FILES)
		throw new AppError(
			'conflict',
			'this backup has more parts than a zip can hold, and can’t be downloaded yet',
		)
	const keys = chunks.map(({ key }) => key)
	return new Response(zipOf(text, keys, vault, deps.now), {
		headers: {
			'content-type': 'application/zip',
			'content-disposition': `attachment; filename="${fileNameOf(id)}"`,
			'cache-control': 'no-store',
		},
	})
}

async function checkedManifest({ secrets }: Deps, text: string): Promise<Manifest> {
	try {
		return (await checkManifest(secrets, text)).manifest
	} catch (error) {
		if (!(error instanceof DamagedBackupError)) throw error
		throw new AppError('conflict', `this backup can’t be downloaded: ${error.message}`)
	}
}

/** Streams the manifest and the chunks as they are stored, one chunk in memory at a time. */
function zipOf(
	manifest: string,
	keys: readonly string[],
	vault: Bucket,
	now: number,
): ReadableStream<Uint8Array> {
	const pieces: Uint8Array[] = []
	const zip = new Zip((error, piece) => {
		if (error) throw error
		pieces.push(piece)
	})
	const add = (name: string, bytes: Uint8Array) => {
		const file = new ZipPassThrough(name)
		file.mtime = now
		zip.add(file)
		file.push(bytes, true)
	}
	let next = -1
	return new ReadableStream({
		async pull(controller) {
			if (next < 0) add('manifest.json', new TextEncoder().encode(manifest))
			else if (next < keys.length) {
				const key = keys[next] ?? ''
				const found = await vault.get(key)
				if (found.state !== 'found') throw new Error(`the chunk ${key} is missing`)
				add(key, new Uint8Array(await new Response(found.body).arrayBuffer()))
			} else zip.end()
			for (const piece of pieces.splice(0)) controller.enqueue(piece)
			if (next++ >= keys.length) controller.close()
		},
		cancel: () => zip.terminate(),
	})
}
