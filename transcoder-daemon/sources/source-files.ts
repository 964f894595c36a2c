import { readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Source } from '#schema/contract/video/leases.ts'

export type Entry = {
	source: Pick<Source, 'etag' | 'sizeBytes'>
	path: string
	isComplete: boolean
	usedAt: number
	users: number
	download: Download | null
}

export type Download = { done: Promise<void>; stop: AbortController }
export type CacheFiles = { entries: Map<string, Entry>; partials: Set<string> }

/** The ETag is part of the name, so that a restarted daemon knows the version. */
export const formatFileName = ({ id, etag }: Source) =>
	`${id}.${Buffer.from(etag).toString('base64url').slice(0, 120)}.src`
const namePattern = /^([0-9A-Za-z_-]{1,100})\.([0-9A-Za-z_-]*)\.src(\.part(?:\.json)?)?$/

/** Finds the files of earlier runs: complete sources, and partial downloads that can be resumed. */
export async function findFiles(dir: string): Promise<CacheFiles> {
	const entries = new Map<string, Entry>()
	const partials = new Set<string>()
	for (const name of await readdir(dir)) {
		const path = join(dir, name)
		const [, id, encoded = '', end] = namePattern.exec(name) ?? []
		if (id === undefined) await rm(path, { recursive: true, force: true })
		else if (end !== undefined) partials.add(path.slice(0, -end.length))
		else {
			const { size, mtimeMs } = await stat(path)
			const source = { etag: Buffer.from(encoded, 'base64url').toString(), sizeBytes: size }
			entries.set(id, { source, path, isComplete: true, usedAt: mtimeMs, users: 0, download: null })
		}
	}
	return { entries, partials }
}

export async function readFreeBytes(dir: string): Promise<number> {
	const { bavail, bsize } = await statfs(dir)
	return bavail * bsize
}

export const readFileSize = (path: string) =>
	stat(path).then(
		({ size }) => size,
		() => 0,
	)

export const measureBytesTaken = (path: string) =>
	stat(path).then(
		// A sparse file ends at its last chunk, whatever is missing before; its blocks show the bytes used.
		({ blocks }) => blocks * 512,
		() => 0,
	)

export const sumCachedBytes = (entries: ReadonlyMap<string, Entry>): number =>
	[...entries.values()].reduce((sum, { source }) => sum + source.sizeBytes, 0)
