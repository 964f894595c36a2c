import type { TaskKind, TaskSpec } from '#schema/contract/video/tasks.ts'
import type { BucketName } from '../../../platform/storage/bucket.ts'
import { sourcePrefix } from '../../assets/storage-keys.ts'
import { clipsFolder, jobFolders, leaseFolder } from '../store/output-folders.ts'

type LeasedTask = { id: string; epoch: number; jobId: string; assetId: string }

const contentTypes: Record<string, string> = {
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

export type OutputLocation = { bucket: BucketName; key: string; contentType: string; cacheControl?: string }

/** Complete files for download or transcription are private and served by presigned URL only. */
const isPrivate = (kind: TaskKind, name: string): boolean =>
	kind === 'download' || kind === 'speech-plan' || /^(playback|speech)\./.test(name)

/** Returns the folder of one lease. Clips outlive the job, because highlights do. */
export function outputFolder(
	task: LeasedTask & { kind: TaskKind },
	playbackId: string,
	bucket: BucketName,
): string {
	const folder =
		task.kind === 'clip' ? clipsFolder(playbackId) : jobFolders(playbackId, task.assetId, task.jobId)[bucket]
	return `${folder}${leaseFolder(task)}/`
}

export function outputLocation(
	task: LeasedTask & { kind: TaskKind },
	playbackId: string,
	name: string,
): OutputLocation {
	const bucket = isPrivate(task.kind, name) ? 'vault' : 'media'
	return {
		bucket,
		key: outputFolder(task, playbackId, bucket) + name,
		contentType: contentTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
		...(bucket === 'media' && { cacheControl: IMMUTABLE }),
	}
}

/** Returns the one large output of a task. A fetched source outlives the job; a download is deleted with it. */
export function largeOutput(
	task: LeasedTask & { kind: TaskKind },
	spec: TaskSpec,
	playbackId: string,
): OutputLocation | null {
	if (spec.kind === 'fetch')
		return {
			bucket: 'vault',
			key: `${sourcePrefix(task.assetId)}${leaseFolder(task)}/source`,
			contentType: 'application/octet-stream',
		}
	return spec.kind === 'download' ? outputLocation(task, playbackId, `${spec.rung}.mp4`) : null
}

/** Checks whether the spec of a task allows this output. */
export function isExpectedOutput(spec: TaskSpec, name: string): boolean {
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
		case 'speech-plan':
			return /^chunk-(0|[1-9]\d{0,2})\.flac$/.test(name)
		case 'clip':
			return name === 'clip.mp4' || (name === 'poster.jpg' && spec.rung !== null)
		case 'download':
			return name === `${spec.rung}.mp4`
		default:
			return false
	}
}
