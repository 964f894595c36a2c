import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, stat, writeFile } from 'node:fs/promises'
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

/** A file as it was when it was looked at. */
export type Drop = { path: string; name: string; bytes: number; changedMs: number }

export async function lookAt(path: string): Promise<Drop | null> {
	try {
		const found = await stat(path)
		return found.isFile()
			? { path, name: basename(path), bytes: found.size, changedMs: Math.round(found.mtimeMs) }
			: null
	} catch {
		return null
	}
}

export async function isUnchanged(drop: Drop): Promise<boolean> {
	const now = await lookAt(drop.path)
	return now !== null && now.bytes === drop.bytes && now.changedMs === drop.changedMs
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
	const to = freeName(folder, name)
	if (reason !== null) await writeFile(`${to}.txt`, `${reason}\n`)
	await rename(path, to)
	return to
}

/** Nothing that was moved before is written over. */
function freeName(folder: string, name: string): string {
	const ending = extname(name)
	const stem = name.slice(0, name.length - ending.length)
	for (let n = 1; ; n++) {
		const path = join(folder, n === 1 ? name : `${stem} (${n})${ending}`)
		if (!existsSync(path)) return path
	}
}
