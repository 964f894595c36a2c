import { createHash } from 'node:crypto'
import { constants, lstatSync } from 'node:fs'
import { type FileHandle, lstat, open, rename, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'

export const DONE = 'done'
export const FAILED = 'failed'

/** Of every container that is taken (`ffmpeg/input.ts`), the names that programs give it. */
const media = new Set(
	'mp4 m4v mov qt 3gp 3g2 m4a mkv mk3d mka webm ts m2ts mts mpg mpeg vob avi flv f4v wmv asf wma mp3 aac ogv ogg oga opus wav flac'
		.split(' ')
		.map((ending) => `.${ending}`),
)
/** Names under which programs write what is not whole yet. */
const unfinished = /(^[.~])|(~$)|\.(part|partial|filepart|crdownload|download|tmp|temp|swp|!ut|opdownload)$/i

export const isUnfinishedName = (name: string): boolean => unfinished.test(name)
export const isMediaName = (name: string): boolean => media.has(extname(name).toLowerCase())

/** A file as it was when it was looked at. `version` changes with its content, whatever its times are set to. */
export type Drop = { path: string; name: string; bytes: number; changedMs: number; version: string }

/**
 * null for all but plain files. Others may put things into the folder: a link would make this machine publish a file
 * that only it can read.
 */
export async function lookAt(path: string): Promise<Drop | null> {
	try {
		const found = await lstat(path, { bigint: true })
		if (!found.isFile()) return null
		const changedMs = Math.round(Number(found.mtimeNs) / 1e6)
		return { path, name: basename(path), bytes: Number(found.size), changedMs, version: versionOf(found) }
	} catch {
		return null
	}
}

type Stats = { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }
const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: Stats): string =>
	[dev, ino, size, mtimeNs, ctimeNs].join()

export async function isUnchanged(drop: Drop): Promise<boolean> {
	return (await lookAt(drop.path))?.version === drop.version
}

/** The file that was looked at, opened; null if another is in its place. No link is followed, and no pipe waited for. */
export async function openDrop({ path, version }: Drop): Promise<FileHandle | null> {
	const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
	const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
	const found = await file?.stat({ bigint: true })
	if (found?.isFile() && versionOf(found) === version) return file
	await file?.close()
	return null
}

/** The same file gives the same key after a restart; a new one under an old name gives another. */
export const keyOf = ({ path, bytes, changedMs }: Drop): string =>
	createHash('sha256').update(`${path}\n${bytes}\n${changedMs}`).digest('hex')

/** What people see: the name without its ending. */
export const titleOf = (name: string): string =>
	name
		.slice(0, name.length - extname(name).length)
		.trim()
		.slice(0, 255) || 'Untitled'

/** Moves a file aside; with a reason, this lies beside it as a text. The reason is there first. */
export async function moveAside(
	{ path, name }: Drop,
	folder: string,
	reason: string | null,
): Promise<string> {
	// Somebody may have put a link in its place, which would lead what is written out of the folder.
	if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is no folder`)
	const to = freeName(folder, name)
	if (reason !== null) await writeFile(`${to}.txt`, `${reason}\n`, { flag: 'wx' })
	await rename(path, to)
	return to
}

/** Of a name, on all file systems that are in use. */
const MAX_NAME_BYTES = 255
const REASON = '.txt'

/** Nothing that was moved before is written over. There is room behind it for the reason. */
function freeName(folder: string, name: string): string {
	const ending = extname(name)
	const stem = name.slice(0, name.length - ending.length)
	for (let n = 1; ; n++) {
		const tail = n === 1 ? ending : ` (${n})${ending}`
		const path = join(
			folder,
			`${cutToBytes(stem, MAX_NAME_BYTES - REASON.length - Buffer.byteLength(tail))}${tail}`,
		)
		if (!isThere(path) && !isThere(`${path}${REASON}`)) return path
	}
}

/** Also a link that leads nowhere. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function cutToBytes(text: string, most: number): string {
	const chars = [...text]
	while (Buffer.byteLength(chars.join('')) > most) chars.pop()
	return chars.join('')
}
