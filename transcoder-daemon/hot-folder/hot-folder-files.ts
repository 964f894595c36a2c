import { createHash } from 'node:crypto'
import { constants, lstatSync } from 'node:fs'
import { type FileHandle, lstat, open, rename, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'

export const DONE = 'done'
export const FAILED = 'failed'

/** Extensions of the accepted containers (`ffmpeg/input.ts`). */
const media = new Set(
	'mp4 m4v mov qt 3gp 3g2 m4a mkv mk3d mka webm ts m2ts mts mpg mpeg vob avi flv f4v wmv asf wma mp3 aac ogv ogg oga opus wav flac'
		.split(' ')
		.map((extension) => `.${extension}`),
)
/** Names that programs give to incomplete files. */
const unfinished = /(^[.~])|(~$)|\.(part|partial|filepart|crdownload|download|tmp|temp|swp|!ut|opdownload)$/i

export const isUnfinishedName = (name: string): boolean => unfinished.test(name)
export const isMediaName = (name: string): boolean => media.has(extname(name).toLowerCase())

/** A file as it was read. `version` changes with its content, even if its times are reset. */
export type FileSnapshot = { path: string; name: string; bytes: number; changedMs: number; version: string }

/**
 * Returns null except for plain files. Others may write to the folder: following a link would publish a file that only
 * this machine can read.
 */
export async function takeSnapshot(path: string): Promise<FileSnapshot | null> {
	try {
		const stats = await lstat(path, { bigint: true })
		if (!stats.isFile()) return null
		const changedMs = Math.round(Number(stats.mtimeNs) / 1e6)
		return { path, name: basename(path), bytes: Number(stats.size), changedMs, version: versionOf(stats) }
	} catch {
		return null
	}
}

type Stats = { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }
const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: Stats): string =>
	[dev, ino, size, mtimeNs, ctimeNs].join()

export async function isUnchanged(snapshot: FileSnapshot): Promise<boolean> {
	return (await takeSnapshot(snapshot.path))?.version === snapshot.version
}

/** Opens the file of the snapshot; null if another one has replaced it. Follows no link and waits for no pipe. */
export async function openSnapshot({ path, version }: FileSnapshot): Promise<FileHandle | null> {
	const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
	const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
	const stats = await file?.stat({ bigint: true })
	if (stats?.isFile() && versionOf(stats) === version) return file
	await file?.close()
	return null
}

/** Returns a key that is stable across restarts and differs for a new file of the same name. */
export const formatFileKey = ({ path, bytes, changedMs }: FileSnapshot): string =>
	createHash('sha256').update(`${path}\n${bytes}\n${changedMs}`).digest('hex')

/** Returns the asset's title: the file name without its extension, on one line. */
export const toTitle = (name: string): string =>
	name
		.slice(0, name.length - extname(name).length)
		.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
		.trim()
		.slice(0, 255) || 'Untitled'

/** Moves a file aside. With a reason, first writes the reason to a text file beside it. */
export async function moveAside(
	{ path, name }: FileSnapshot,
	folder: string,
	reason: string | null,
): Promise<string> {
	// A symbolic link instead of the folder would redirect the writes.
	if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`)
	const to = freeName(folder, name)
	if (reason !== null) await writeFile(`${to}.txt`, `${reason}\n`, { flag: 'wx' })
	await rename(path, to)
	return to
}

/** Limit of a file name on all common file systems. */
const MAX_NAME_BYTES = 255
const REASON_SUFFIX = '.txt'

/** Returns a path that overwrites nothing, with room for the suffix of the reason. */
function freeName(folder: string, name: string): string {
	const extension = extname(name)
	const stem = name.slice(0, name.length - extension.length)
	for (let n = 1; ; n++) {
		const suffix = n === 1 ? extension : ` (${n})${extension}`
		const path = join(
			folder,
			`${cutToBytes(stem, MAX_NAME_BYTES - REASON_SUFFIX.length - Buffer.byteLength(suffix))}${suffix}`,
		)
		if (!exists(path) && !exists(`${path}${REASON_SUFFIX}`)) return path
	}
}

/** Whether the path exists, including broken links. */
const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function cutToBytes(text: string, maxBytes: number): string {
	const chars = [...text]
	while (Buffer.byteLength(chars.join('')) > maxBytes) chars.pop()
	return chars.join('')
}
