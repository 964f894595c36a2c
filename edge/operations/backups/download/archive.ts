import { crc32 } from 'node:zlib'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { requireTokens } from '../../../http/require-secrets.ts'
import { MINUTE, toIso } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { apiBase } from '../../../platform/env.ts'
import type { Bucket } from '../../../platform/storage/bucket.ts'
import { backupDownloadToken } from '../../../platform/tokens/tokens.ts'
import { DamagedBackupError } from '../format/chunk.ts'
import type { Manifest } from '../format/manifest.ts'
import { backupStore } from '../store.ts'
import { readManifest } from '../vault-manifest.ts'
import { computeZipSize, type StoredFile, writeDirectory, writeLocalHeader } from './zip.ts'

const URL_MS = 15 * MINUTE

/** Returns the URL of a backup's zip and records who requested it. */
export async function createDownload(deps: Deps, userId: number, id: string, request: Request) {
	const tokens = requireTokens(deps, 'downloads of backups')
	const row = await backupStore(deps.db).find(id)
	if (!row) throw notFoundError('backup')
	if (row.state === 'running')
		throw new AppError('conflict', 'this backup is running; wait until it has finished')
	if (row.state === 'failed') throw new AppError('conflict', 'this backup failed; start another one')
	await backupStore(deps.db).recordDownload(deps.work, id)
	const expiresAt = deps.now + URL_MS
	const token = await tokens.sign(
		backupDownloadToken,
		{ typ: 'backup-download', sub: id, by: userId },
		deps.now,
		expiresAt,
	)
	return {
		downloadUrl: `${apiBase(deps.env, request)}/v1/backups/${id}/archive?token=${token}`,
		expiresAt: toIso(expiresAt),
		filename: fileNameOf(id),
	}
}

const fileNameOf = (id: string) => `playhouse-${id}.zip`

export async function answerArchive(deps: Deps, id: string, token: string): Promise<Response> {
	const claims = await requireTokens(deps, 'downloads of backups').read(backupDownloadToken, token, deps.now)
	if (claims?.sub !== id || !(await backupStore(deps.db).isSuperadmin(claims.by)))
		throw new AppError('forbidden', 'this download URL is invalid or has expired; request a new one')
	const { vault } = deps.objects
	const found = await findManifest(deps, id)
	if (!found) throw notFoundError('backup')
	const {
		text,
		manifest: { chunks },
	} = found
	const { readable, writable } = new FixedLengthStream(computeZipSize(filesOf(text, chunks)))
	zipOf(text, chunks, vault, deps.now)
		.pipeTo(writable)
		.catch((error) =>
			deps.log.warn('a download of a backup ended early', { backupId: id, error: String(error) }),
		)
	return new Response(readable, {
		headers: {
			'content-type': 'application/zip',
			'content-disposition': `attachment; filename="${fileNameOf(id)}"`,
			'cache-control': 'no-store',
		},
	})
}

async function findManifest(deps: Deps, id: string) {
	try {
		return await readManifest(deps, deps.secrets, id)
	} catch (error) {
		if (!(error instanceof DamagedBackupError)) throw error
		throw new AppError('conflict', `this backup can't be downloaded: ${error.message}`)
	}
}

const MANIFEST_NAME = 'manifest.json'

const filesOf = (manifest: string, chunks: Manifest['chunks']) => [
	{ name: MANIFEST_NAME, sizeBytes: new TextEncoder().encode(manifest).length },
	...chunks.map(({ key: name, sizeBytes }) => ({ name, sizeBytes })),
]

/** Streams the manifest and the stored chunks, one chunk in memory at a time. */
function zipOf(
	manifest: string,
	chunks: Manifest['chunks'],
	vault: Bucket,
	now: number,
): ReadableStream<Uint8Array> {
	const files: StoredFile[] = []
	const read = async (position: number): Promise<{ name: string; bytes: Uint8Array } | null> => {
		if (position < 0) return { name: MANIFEST_NAME, bytes: new TextEncoder().encode(manifest) }
		const chunk = chunks[position]
		return chunk ? { name: chunk.key, bytes: await readChunk(vault, chunk) } : null
	}
	let position = -1
	return new ReadableStream({
		async pull(controller) {
			const next = await read(position++)
			if (next) {
				const { name, bytes } = next
				const file = { name, sizeBytes: bytes.length, crc32: crc32(bytes) }
				files.push(file)
				controller.enqueue(writeLocalHeader(file, now))
				if (bytes.length > 0) controller.enqueue(bytes)
			} else {
				controller.enqueue(writeDirectory(files, now))
				controller.close()
			}
		},
	})
}

async function readChunk(vault: Bucket, { key, sizeBytes }: Manifest['chunks'][number]): Promise<Uint8Array> {
	const found = await vault.get(key)
	if (found.state !== 'found') throw new Error(`the chunk ${key} is missing`)
	const bytes = new Uint8Array(await new Response(found.body).arrayBuffer())
	if (bytes.length !== sizeBytes) throw new Error(`the chunk ${key} has another size`)
	return bytes
}
