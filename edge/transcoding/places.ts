import type { TaskKind, TaskSpec } from '#schema/contract/tasks.ts'
import { mediaPrefix, sourcePrefix } from '../assets/storage-keys.ts'
import type { BucketName } from '../platform/object-storage.ts'

type Held = { id: string; epoch: number; jobId: string; assetId: string }

/** Nobody but who holds the task writes there: what is written late, under an older epoch, is seen by nobody. */
export const folderOf = ({ id, epoch }: Pick<Held, 'id' | 'epoch'>): string => `${id}-${epoch}`

const typeOf: Record<string, string> = {
	mp4: 'video/mp4',
	m4s: 'video/iso.segment',
	m4a: 'audio/mp4',
	opus: 'audio/ogg',
	ogg: 'audio/ogg',
	flac: 'audio/flac',
	jpg: 'image/jpeg',
	webp: 'image/webp',
}

export const IMMUTABLE = 'public, max-age=31536000, immutable'

export type Place = { bucket: BucketName; key: string; contentType: string; cacheControl?: string }

export const jobFolders = (playbackId: string, assetId: string, jobId: string) => ({
	media: `${mediaPrefix(playbackId)}${jobId}/`,
	vault: `${sourcePrefix(assetId)}${jobId}/`,
})

/** Whole files to download or to transcribe are nobody's to fetch without being asked who they are. */
const isPrivate = (kind: TaskKind, name: string): boolean =>
	kind === 'download' || /^(playback|speech)\./.test(name)

export function placeOf(task: Held & { kind: TaskKind }, playbackId: string, name: string): Place {
	const bucket = isPrivate(task.kind, name) ? 'vault' : 'media'
	const folder = jobFolders(playbackId, task.assetId, task.jobId)[bucket]
	return {
		bucket,
		key: `${folder}${folderOf(task)}/${name}`,
		contentType: typeOf[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
		...(bucket === 'media' && { cacheControl: IMMUTABLE }),
	}
}

/** The one large output of a task: a fetched source stays when the job is over, a download goes with it. */
export function largeOutput(
	task: Held & { kind: TaskKind },
	spec: TaskSpec,
	playbackId: string,
): Place | null {
	if (spec.kind === 'fetch')
		return {
			bucket: 'vault',
			key: `${sourcePrefix(task.assetId)}${folderOf(task)}/source`,
			contentType: 'application/octet-stream',
		}
	return spec.kind === 'download' ? placeOf(task, playbackId, `${spec.rung}.mp4`) : null
}

/** What a task may store, by its specification; an address for anything else is not given. */
export function mayStore(spec: TaskSpec, name: string): boolean {
	const [folder = '', file = ''] = name.split('/')
	const number = /^(0|[1-9]\d{0,5})\.(m4s|jpg)$/.exec(file)
	const isSegment = number?.[2] === 'm4s'
	const n = Number(number?.[1])
	switch (spec.kind) {
		case 'remux':
			return folder === spec.rung && (file === 'init.mp4' || (isSegment && n < spec.cuts.length))
		case 'video':
			if (name === 'sheet.jpg') return spec.storyboard !== null
			return (
				spec.rungs.some(({ id }) => id === folder) &&
				(file === 'init.mp4' ||
					(isSegment && n >= spec.firstSegment && n < spec.firstSegment + spec.cuts.length))
			)
		case 'audio':
			if (/^(playback|speech)\.(m4a|opus|ogg|flac)$/.test(name)) return true
			return (
				!spec.filesOnly && spec.tracks.some(({ id }) => id === folder) && (file === 'init.mp4' || isSegment)
			)
		case 'stills':
			return (
				name === 'poster.jpg' ||
				name === 'preview.webp' ||
				(folder === 'sheets' && number?.[2] === 'jpg' && spec.storyboard !== null)
			)
		case 'download':
			return name === `${spec.rung}.mp4`
		default:
			return false
	}
}
